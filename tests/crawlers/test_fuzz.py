"""Fuzz: saved pages, papers and small files, spoiled in every way of mutations.py, through every spider, `read_paper` and every importer.

Some 1,500 cases run with the other tests. `FUZZ=20000 pytest tests/crawlers/test_fuzz.py` runs so many. Each case is drawn from its own
name (`mxqe/noise 17`), so it is the same in both, and on every machine; a failure tells the names and where the spoiled files lie.

What holds of each: a callback or errback never fails, and an importer only by a ValueError that names the file; nothing takes more than a
second; each item fits its shape, can be stored, and says where it stands; a page that gives nothing is told; of a paper and of a file, as
many numbers or records as come in go out as items, those with `doubt` among them.
"""

import gc
import json
import logging
import os
import pickle
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from heapq import nlargest
from multiprocessing import active_children
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, get_type_hints

import msgspec
import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import to_line
from crawlers import read
from crawlers.embedded.saved import headers_of, saved_page
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.importers.formats import guess_format, known_formats, read_file, suffixes_of
from crawlers.importers.guarded import stop
from crawlers.papers.paper import read_paper
from crawlers.web.charset import Charset
from crawlers.web.redirects import MetaRefresh
from crawlers.web.run_spider import spider_class
from tests.crawlers.mutations import LINE_MUTATIONS, NAMED_CHARSETS, in_other_charset, spoiled_bytes, spoiled_text, spoiled_zip
from tests.crawlers.mutations_markup import HTML_MUTATIONS, JSON_MUTATIONS
from tests.crawlers.small_files import RECORDS, small_files

CASES = int(os.environ.get("FUZZ", "1500"))
PAPERS = Path(__file__).parents[1] / "papers"
FOLDERS = sorted((Path(__file__).parents[2] / "crawlers/sources").glob("*/pages"))
SAVED = {folder.parent.name: sorted(folder.glob("*.json")) for folder in FOLDERS}
SOURCES = list(SAVED)
SHARES = {"pages": 0.6, "papers": 0.2, "files": 0.2}
MOST_SECONDS = 5.0  # far above what a case takes, also on a busy machine: what grows without bounds gets there
HANG_SECONDS = 20.0
SHOWN = 12
SEEN = Provenance(source="books", url="file:a", snapshot="2026-01-01", page_id="page-0", position="")
KINDS = (
    "text/html",
    "text/html; charset={}",
    "application/json",
    "text/xml",
    "application/xhtml+xml",
    "image/png",
    "text/plain",
    "",
    "\xff;=",
)
ITEM = msgspec.json.Decoder(Item)


pytestmark = pytest.mark.filterwarnings("ignore")  # bs4 and openpyxl warn of what they read all the same


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """Keep what spiders and readers tell of 20,000 broken pages out of the report, and end the reader of PDFs at last.

    What is in memory before is left out of Python's search for garbage, which is a quarter of the time of a long page and not its own.
    """
    logging.disable(logging.CRITICAL)
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    logging.disable(logging.NOTSET)
    stop()


class Broken(AssertionError):
    """A law that does not hold."""


def require(holds: bool, law: str) -> None:
    if not holds:
        raise Broken(law)


class Found(NamedTuple):
    case: str
    error: Exception


class Cases:
    """The cases of one test: counts them, and keeps those that break a law, so that one run shows them all."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.found = folder, list[Found]()
        self.seconds: list[tuple[float, str]] = []

    def run(self, case: str, body: bytes, check: Callable[[], None]) -> None:
        """Check one case; what it raises is kept, and so is its body.

        What took too long is measured once more.
        """
        try:
            with not_endless():
                seconds = cpu_seconds(check)
                if seconds > MOST_SECONDS:
                    seconds = min(seconds, cpu_seconds(check))
            self.seconds.append((seconds, case))
            require(seconds <= MOST_SECONDS, f"{seconds:.2f} s")
        except Exception as error:
            self.found.append(Found(case, error))
            (self.folder / re.sub(r"\W+", "_", case)).write_bytes(body)

    def require_none(self) -> None:
        """Fail where a case broke a law; `pytest -s` shows what took longest."""
        print(
            f"\n{len(self.seconds)} cases in {sum(seconds for seconds, _ in self.seconds):.0f} s of the processor, slowest:",
            *(f"{seconds:.2f} s {case}" for seconds, case in nlargest(3, self.seconds)),
            sep="\n  ",
        )
        told = [f"{case}: {type(error).__name__}: {str(error)[:900]} at {place_of(error)}" for case, error in self.found[:SHOWN]]
        assert not self.found, f"{len(self.found)} cases, their files in {self.folder}:\n" + "\n".join(told)


def place_of(error: Exception) -> str:
    trace, place = error.__traceback__, ""
    while trace is not None:
        if "crawlers" in trace.tb_frame.f_code.co_filename or not place:
            place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


@contextmanager
def not_endless() -> Iterator[None]:
    """Stop what runs on and on, so that one case does not keep the others from being seen. Only what Python runs can be stopped."""

    def ring(*_: Any) -> None:
        raise TimeoutError(f"stopped after {HANG_SECONDS:.0f} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def cpu_seconds(check: Callable[[], None]) -> float:
    """Return what a check takes of the processor, in this process and in that which reads PDFs."""
    start, of_children = time.process_time(), children_seconds()
    check()
    return time.process_time() - start + max(0.0, children_seconds() - of_children)


def children_seconds() -> float:
    ticks = 0
    for child in active_children():
        stat = Path(f"/proc/{child.pid}/stat")
        if stat.exists():  # else the time of this process alone is known
            ticks += sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def require_sound(item: Item) -> None:
    """Hold what each item must have."""
    require(ITEM.decode(to_line(item)) == item, "stored and read again it is another")
    seen = item.provenance
    require(all((seen.source, seen.url, seen.snapshot, seen.page_id, seen.position)), "its provenance misses something")
    require(bool(re.fullmatch(r"(?:https?|file):.+", item.url, re.S)), f"its url is {item.url!r}")
    raw = [value for name in item.__struct_fields__ if name.endswith("_raw") and isinstance(value := getattr(item, name), str)]
    require(all(value.strip() for value in raw), f"a raw field that is blank, and not None: {item}"[:600])
    if isinstance(item, QuestionItem):
        require(item.images >= 0 and (item.doubt is None or bool(re.fullmatch("[a-z_]+", item.doubt))), f"doubt {item.doubt!r}")
    else:
        require(bool(item.name_raw), "an entry without a name")
        places = [part.position for part in (*item.values, *item.sections)]
        require(all(places), "a value without a place")


# Pages through the callbacks of the spiders.


def spider_of(source: str) -> SourceSpider:
    crawler = get_crawler(spider_class(source))
    return crawler.spidercls.from_crawler(crawler, snapshot="2026-01-01")


def answer(spider: SourceSpider, request: Request, headers: dict[str, str], body: bytes) -> Response:
    """Return an answer as the spider gets it; what a page says of another address is looked for, and not gone after."""
    kind = responsetypes.from_args(headers=Headers(headers), url=request.url, body=body)
    response = Charset().process_response(request, kind(url=request.url, headers=headers, body=body))
    MetaRefresh.from_crawler(spider.crawler).process_response(request, response)
    response = response.replace(request=request)
    spider.refusal(response)
    return response


def called(spider: SourceSpider, request: Request, response: Response, is_silent: bool = False) -> list[Any]:
    """Return what a request's callback makes of an answer, and hold what is true of all of it.

    Args:
        is_silent: the page may give nothing and say nothing of it, as an empty list does.
    """
    stats = spider.crawler.stats
    stats.clear_stats()
    made = list(request.callback(response, **request.cb_kwargs) or ())
    if not any(name == "misfit/count" or name.startswith(NOTED) for name in stats.get_stats()):
        require(bool(made) or is_silent, "a page that gives nothing, and says nothing of it")
    for one in made:
        if isinstance(one, Request):
            require(one.callback == getattr(spider, one.callback.__name__), "a callback that is no method")
            require(pickle.loads(pickle.dumps(one.cb_kwargs)) == one.cb_kwargs, "cb_kwargs that cannot leave the process")
        else:
            require_sound(one)
    places = [one.provenance.position for one in made if isinstance(one, QuestionItem)]
    require(len(places) == len(set(places)), "two questions at one place")
    return made


def saved_request(spider: SourceSpider, case: dict[str, Any]) -> Request:
    callback = getattr(spider, case["callback"])
    shapes = get_type_hints(callback)
    known = {name: msgspec.convert(value, shapes.get(name, Any)) for name, value in case.get("cb_kwargs", {}).items()}
    # The archive has told the page's id.
    return Request(case["url"], callback, meta={"page_id": "page-0"} | case.get("meta", {}), cb_kwargs=known)


def follow(spider: SourceSpider, made: list[Any], headers: dict[str, str], body: bytes, random: Random) -> None:
    """Go on with what a page asks for: the same page again in its place, or no answer."""
    for one in random.sample(requests := [one for one in made if isinstance(one, Request)], min(2, len(requests))):
        if one.cb_kwargs:
            called(spider, one, answer(spider, one, headers, body), is_silent=True)
        if one.errback:
            failure = Failure(random.choice((OSError("no answer"), IgnoreRequest("robots.txt"))))
            failure.request = one
            for said in one.errback(failure) or ():
                if not isinstance(said, Request):
                    require_sound(said)


def spoiled_page(random: Random, body: bytes, headers: dict[str, str], is_html: bool) -> tuple[bytes, dict[str, str], list[str]]:
    """Return a page spoiled, the headers it comes with, and what was done to it."""
    kinds = HTML_MUTATIONS | (JSON_MUTATIONS if random.random() < 0.3 else {}) if is_html else JSON_MUTATIONS
    body, names = spoiled_text(random, body, kinds | (LINE_MUTATIONS if random.random() < 0.1 else {}))
    if random.random() < 0.15:
        body = in_other_charset(random, body)
        names.append("charset")
    if random.random() < 0.3:
        body = spoiled_bytes(random, body)
        names.append("bytes")
    if random.random() < 0.25:
        headers = {"Content-Type": random.choice(KINDS).format(random.choice(NAMED_CHARSETS))}
        names.append(headers["Content-Type"])
    if random.random() < 0.02:
        body = b"\x89PNG\r\n\x1a\n\0" + random.randbytes(200)
        names.append("a picture")
    return body, headers, names


def check_page(cases: Cases, spider: SourceSpider, path: Path, number: int) -> None:
    """Spoil a saved page, or another of its source in its place, and read it; in some cases also what it asks for."""
    name = f"{path.parents[1].name}/{path.stem} {number}"
    random, case = Random(name), json.loads(path.read_text(encoding="utf-8"))
    page = saved_page(random.choice(SAVED[path.parents[1].name]) if random.random() < 0.05 else path)
    body, headers, names = spoiled_page(random, page.read_bytes(), headers_of(case, page), page.suffix == ".html")
    request, is_followed = saved_request(spider, case), random.random() < 0.3
    made: list[Any] = []

    def read_it() -> None:
        made[:] = called(spider, request, answer(spider, request, headers, body), is_silent=not case["items"])

    label = f"{name} ({', '.join(names)})"
    cases.run(label, body, read_it)
    if is_followed:
        cases.run(f"{label}, followed", body, lambda: follow(spider, made, headers, body, Random(name)))


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_spoiled_pages_through_the_spiders(source: str, tmp_path: Path) -> None:
    spider, cases, saved = spider_of(source), Cases(tmp_path), SAVED[source]
    for number in range(round(CASES * SHARES["pages"] * len(saved) / sum(map(len, SAVED.values())))):
        check_page(cases, spider, saved[number % len(saved)], number // len(saved))
    cases.require_none()


# Lines through the reader of papers.


def papers() -> dict[str, list[str]]:
    found = {path.stem: path.read_text(encoding="utf-8").split("\n") for path in sorted(PAPERS.glob("*.txt"))}
    real = Path(__file__).parents[3] / "shared" / "real" / "exams_text"
    for path in sorted(real.glob("*.txt")):
        found[path.stem] = path.read_text(encoding="utf-8").split("\n")
    return found


def require_all(lines: list[str]) -> None:
    reading = read_paper(lines)
    require(reading.numbers == len(reading.questions) + len(reading.rejected), "in is not out + rejected")
    require([draft.place for draft in reading.drafts] == list(range(1, reading.numbers + 1)), "places that are not 1, 2, 3 …")
    for draft in reading.drafts:
        require((draft.doubt is not None) == (draft in reading.rejected), "a doubt among the questions")
        require_sound(QuestionItem(url="file:a", provenance=msgspec.structs.replace(SEEN, position=draft.position), **draft.raw_fields()))


@pytest.mark.slow
def test_spoiled_papers(tmp_path: Path) -> None:
    cases, known = Cases(tmp_path), papers()
    for number in range(round(CASES * SHARES["papers"])):
        title = [*known][number % len(known)]
        name = f"{title} {number // len(known)}"
        random = Random(name)
        start = random.randrange(max(1, len(known[title]) - 200))
        body = "\n".join(known[title][start : start + random.choice((40, 300))]).encode()
        body, names = spoiled_text(random, body, LINE_MUTATIONS, 8)
        lines = body.decode("utf-8", "replace").split("\n")
        cases.run(f"{name} ({', '.join(names)})", body, partial(require_all, lines))
    cases.require_none()


# Files through the importers.


def read_or_refused(name: str, body: bytes, format_name: str | None) -> None:
    """Read a file as `python -m crawlers.read` does."""
    try:
        reading = read_file(name, body, format_name or guess_format(name, body), SEEN)
    except ValueError as error:
        require(str(error).startswith(f"{name}: "), f"a refusal that names no file: {error!r}")
        return
    require(reading.found == len(reading.items), "in is not out + rejected")
    require(sum(getattr(item, "doubt", None) is not None for item in reading.items) >= reading.misfits, "a misfit that is no doubt")
    places = [item.provenance.position for item in reading.items]
    require(len(places) == len(set(places)), "two items at one place")
    for item in reading.items:
        require_sound(item)


def spoiled_file(random: Random, name: str, body: bytes) -> tuple[bytes, list[str]]:
    suffix, names = Path(name).suffix, []
    if suffix in (".docx", ".xlsx") and random.random() < 0.8:
        return spoiled_zip(random, body, HTML_MUTATIONS), ["a part"]
    if suffix not in (".docx", ".xlsx", ".pdf", ".parquet"):
        kinds = JSON_MUTATIONS if suffix.startswith(".json") else HTML_MUTATIONS if suffix in (".html", ".xml") else LINE_MUTATIONS
        body, names = spoiled_text(random, body, kinds)
        if random.random() < 0.2:
            body = in_other_charset(random, body)
    elif random.random() < 0.5:
        body, names = spoiled_text(random, body, {name: LINE_MUTATIONS[name] for name in ("renumber", "put", "delete", "double")}, 2)
    return (spoiled_bytes(random, body) if not names or random.random() < 0.2 else body), names


@pytest.mark.slow
def test_spoiled_files_through_the_importers(tmp_path: Path) -> None:
    cases, files = Cases(tmp_path), small_files()
    for name, body in files.items():
        read_or_refused(name, body, None)  # so that no case pays for what a format loads when it is first read
    for number in range(round(CASES * SHARES["files"])):
        file = [*files][number % len(files)]
        name = f"{file} {number // len(files)}"
        random = Random(name)
        body, names = spoiled_file(random, file, files[file])
        fitting = [known for known in known_formats() if Path(file).suffix in suffixes_of(known)]
        format_name = random.choice(fitting) if random.random() < 0.2 else None
        cases.run(f"{name} ({', '.join(names)})", body, partial(read_or_refused, file, body, format_name))
    cases.require_none()


def test_every_format_has_a_small_file_that_is_read_whole() -> None:
    assert known_formats() == sorted({*RECORDS, "paper", "docx", "pdf", "moodle_xml", "qti"})
    for name, body in small_files().items():
        guessed = guess_format(name, body)
        reading = read_file(name, body, guessed, SEEN)
        assert guessed == Path(name).stem or Path(name).stem not in RECORDS
        assert reading.found and not reading.faults, name
        if guessed == "paper":
            assert reading.found == (7 if name.endswith(".docx") else 6), name  # with one in a table


def test_spoiled_files_through_the_command(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What is told to have been found is written, as an item or among the rejected, whatever files stand beside."""
    files, folder = small_files(), tmp_path / "books"
    folder.mkdir()
    for place, (file, body) in enumerate(files.items()):
        spoiled, _ = spoiled_file(Random(f"command {file}"), file, body)
        (folder / f"{place:02}_{file}").write_bytes(spoiled if place % 2 else body)
    read.main([str(folder), "--rejected", str(tmp_path / "rejected.jsonl")])
    out, told = capfdbinary.readouterr()
    lines = [*out.splitlines(), *(tmp_path / "rejected.jsonl").read_bytes().splitlines()]
    assert all(ITEM.decode(line) for line in lines)
    assert told
