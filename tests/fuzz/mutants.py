"""Mutated pages and files, through what reads them, each within its budget: how many, the slowest and the largest.

    python -m tests.fuzz.mutants 20000                    # of all kinds; half an hour of CPU
    python -m tests.fuzz.mutants 2000 --kinds files --seed 7

Each case is drawn from its own name (`mxqe/noise 17`), so it is the same on every machine. Exit status 1 when a case breaks a law; its
file is then in the folder of finds.
"""

import argparse
import gc
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from atomexam.runtime.budgets import stop
from crawlers.embedded.serving.saved import headers_of, saved_page
from crawlers.html.source_spider import SourceSpider
from crawlers.read.formats import known_formats, suffixes_of
from tests.crawlers.mutations import (
    HTML_MUTATIONS,
    JSON_MUTATIONS,
    LINE_MUTATIONS,
    NAMED_CHARSETS,
    in_other_charset,
    spoiled_bytes,
    spoiled_text,
    spoiled_zip,
)
from tests.crawlers.small_files import small_files
from tests.fuzz.budget import Cases
from tests.fuzz.laws import (
    answer,
    called,
    follow,
    layout_or_refused,
    read_or_refused,
    reply_or_failure,
    require_all,
    saved_request,
    sheet_or_refused,
    spider_of,
)

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "fuzz_found"
PAPERS = ROOT / "tests/papers"
FOLDERS = sorted((ROOT / "crawlers/sources").glob("*/pages"))
SAVED = {folder.parent.name: sorted(folder.glob("*.json")) for folder in FOLDERS}
LAYOUTS = (ROOT / "crawlers/read/layouts/layouts.yaml").read_text(encoding="utf-8").split("\n\n")
REPLIES = [json.loads(line) for line in (ROOT / "tests/eval/replies.jsonl").read_text(encoding="utf-8").splitlines()]
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


class Mutant(NamedTuple):
    """One case."""

    name: str
    body: bytes
    check: Callable[[], None]


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


def papers() -> dict[str, list[str]]:
    found = {path.stem: path.read_text(encoding="utf-8").split("\n") for path in sorted(PAPERS.glob("*.txt"))}
    real = Path(__file__).parents[3] / "shared" / "real" / "exams_text"
    for path in sorted(real.glob("*.txt")):
        found[path.stem] = path.read_text(encoding="utf-8").split("\n")
    return found


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
        body, names = spoiled_text(random, body, {name: LINE_MUTATIONS[name] for name in ("number", "put", "drop", "double")}, 2)
    return (spoiled_bytes(random, body) if not names or random.random() < 0.2 else body), names


def mutated_page(spider: SourceSpider, path: Path, name: str) -> Iterator[Mutant]:
    """Spoil a saved page, or another of its source in its place, and read it; in some cases also what it asks for."""
    random, case = Random(name), json.loads(path.read_text(encoding="utf-8"))
    page = saved_page(random.choice(SAVED[path.parents[1].name]) if random.random() < 0.05 else path)
    body, headers, names = spoiled_page(random, page.read_bytes(), headers_of(case, page), page.suffix == ".html")
    request, is_followed = saved_request(spider, case), random.random() < 0.3
    made: list[Any] = []

    def read_it() -> None:
        made[:] = called(spider, request, answer(spider, request, headers, body), is_silent=not case["items"])

    label = f"{name} ({', '.join(names)})"
    yield Mutant(label, body, read_it)
    if is_followed:
        yield Mutant(f"{label}, followed", body, lambda: follow(spider, made, headers, body, Random(name)))


def mutated_pages(count: int, seed: str = "", sources: tuple[str, ...] = tuple(SAVED)) -> Iterator[Mutant]:
    """Yield pages of sources, each saved page as often as the others."""
    for source in sources:
        spider, saved = spider_of(source), SAVED[source]
        for number in range(round(count * len(saved) / sum(len(SAVED[one]) for one in sources))):
            path = saved[number % len(saved)]
            yield from mutated_page(spider, path, f"{seed}{source}/{path.stem} {number // len(saved)}")


def mutated_papers(count: int, seed: str = "") -> Iterator[Mutant]:
    """Yield pieces of exam papers as lines."""
    known = papers()
    for number in range(count):
        title = [*known][number % len(known)]
        name = f"{seed}{title} {number // len(known)}"
        random = Random(name)
        start = random.randrange(max(1, len(known[title]) - 200))
        body = "\n".join(known[title][start : start + random.choice((40, 300))]).encode()
        body, names = spoiled_text(random, body, LINE_MUTATIONS, 8)
        yield Mutant(f"{name} ({', '.join(names)})", body, partial(require_all, body.decode("utf-8", "replace").split("\n")))


def mutated_files(count: int, seed: str = "") -> Iterator[Mutant]:
    """Yield files of every format that is imported."""
    files = small_files()
    for name, body in files.items():
        read_or_refused(name, body, None)  # so that no case pays for what a format loads when it is first read
    for number in range(count):
        file = [*files][number % len(files)]
        name = f"{seed}{file} {number // len(files)}"
        random = Random(name)
        body, names = spoiled_file(random, file, files[file])
        fitting = [known for known in known_formats() if Path(file).suffix in suffixes_of(known)]
        format_name = random.choice(fitting) if random.random() < 0.2 else None
        yield Mutant(f"{name} ({', '.join(names)})", body, partial(read_or_refused, file, body, format_name))


def mutated_sheets(count: int, seed: str = "") -> Iterator[Mutant]:
    """Yield tables that people filled in."""
    files = {name: body for name, body in small_files().items() if name.endswith((".xlsx", ".csv"))}
    for number in range(count):
        file = [*files][number % len(files)]
        name = f"{seed}{file} {number // len(files)} as a filled sheet"
        body, names = spoiled_file(Random(name), file, files[file])
        yield Mutant(f"{name} ({', '.join(names)})", body, partial(sheet_or_refused, file, body))


def mutated_layouts(count: int, seed: str = "") -> Iterator[Mutant]:
    """Yield files of layouts."""
    for number in range(count):
        name = f"{seed}layout {number}"
        random = Random(name)
        text = "\n".join(random.sample(LAYOUTS, min(3, len(LAYOUTS))))
        body, names = spoiled_text(random, text.encode()[:20_000], random.choice((LINE_MUTATIONS, JSON_MUTATIONS)))
        yield Mutant(f"{name} ({', '.join(names)})", body, partial(layout_or_refused, body))


def mutated_replies(count: int, seed: str = "") -> Iterator[Mutant]:
    """Yield replies of models, as a server sends them or as text alone."""
    for number in range(count):
        name = f"{seed}reply {number}"
        random = Random(name)
        text, kinds = str(random.choice(REPLIES)["response"]), LINE_MUTATIONS
        if random.random() < 0.5:
            text = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}})
            kinds = JSON_MUTATIONS
        body, names = spoiled_text(random, text.encode(), kinds)
        if random.random() < 0.2:
            body = spoiled_bytes(random, body)
        yield Mutant(f"{name} ({', '.join(names)})", body, partial(reply_or_failure, body))


MUTANTS: dict[str, tuple[Callable[..., Iterator[Mutant]], float]] = {
    "pages": (mutated_pages, 0.45),
    "papers": (mutated_papers, 0.15),
    "files": (mutated_files, 0.2),
    "sheets": (mutated_sheets, 0.05),
    "layouts": (mutated_layouts, 0.05),
    "replies": (mutated_replies, 0.1),
}
"""Kind -> what yields so many of it, and its share of all."""


def quiet() -> None:
    """Log nothing, warn of nothing, and leave what is in memory by now out of the search for garbage."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("count", type=int, metavar="COUNT", help="cases in all, shared among the kinds")
    parser.add_argument("--kinds", nargs="+", choices=list(MUTANTS), default=list(MUTANTS), help="all of the cases are of these")
    parser.add_argument("--seed", default="", help="other cases than without")
    parser.add_argument("--found", type=Path, default=FOUND, metavar="FOLDER", help="folder of finds; default: fuzz_found")
    arguments = parser.parse_args(argv)
    quiet()
    whole, found = sum(MUTANTS[kind][1] for kind in arguments.kinds), 0
    for kind in arguments.kinds:
        mutants, share = MUTANTS[kind]
        arguments.found.mkdir(parents=True, exist_ok=True)
        cases = Cases(arguments.found)
        for mutant in mutants(round(arguments.count * share / whole), arguments.seed):
            cases.run(*mutant)
        print(f"{kind}: {cases.summary()}", flush=True)
        for case, error in cases.found:
            print(f"  broke a law: {case}: {type(error).__name__}: {str(error)[:300]}", flush=True)
        found += len(cases.found)
    stop()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
