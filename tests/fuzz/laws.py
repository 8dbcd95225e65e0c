"""What holds of whatever is read: a page, a paper, a file, a sheet, a layout, a reply; spoiled or not.

A callback or errback never fails, and an importer only by a ValueError that names the file; each item fits its shape, can be stored, and
says where it stands; a page that gives nothing is noted; of a paper and of a file, as many numbers or records as come in go out as items.
"""

import pickle
import re
import tempfile
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints

import msgspec
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.blocks import Server
from atomexam.records.item import Item, QuestionItem
from atomexam.records.prediction import Outcome
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import to_line
from atomexam.runtime.sheets import read_sheet
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.read.formats import guess_format, known_formats, read_file
from crawlers.read.layouts.layout_files import layouts_with
from crawlers.read.lines.paper import read_paper
from crawlers.web.charset import Charset
from crawlers.web.redirects import MetaRefresh
from crawlers.web.run_spider import spider_class
from eval.answers.readers import READERS, read_reply
from eval.judge.marks import read_mark
from eval.models.servers.calls import Caller, Completion, RateLimit, _Chat, _Text
from eval.models.servers.calls import Failure as NoReply
from tests.fuzz.budget import require

SEEN = Provenance(source="books", url="file:a", snapshot="2026-01-01", page_id="page-0", position="")
ITEM = msgspec.json.Decoder(Item)
OPTIONS = {"A": "感觉", "B": "知觉", "C": "记忆", "D": "10 mg", "E": "以上都对"}


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


def require_all(lines: list[str]) -> None:
    reading = read_paper(lines)
    require(reading.numbers == len(reading.questions) + len(reading.rejected), "in is not out + rejected")
    require([draft.ordinal for draft in reading.drafts] == list(range(1, reading.numbers + 1)), "ordinals that are not 1, 2, 3 …")
    for draft in reading.drafts:
        require((draft.doubt is not None) == (draft in reading.rejected), "a doubt among the questions")
        require_sound(QuestionItem(url="file:a", provenance=msgspec.structs.replace(SEEN, position=draft.position), **draft.raw_fields()))


def read_or_refused(name: str, body: bytes, format_name: str | None) -> None:
    """Read a file as `python -m crawlers.read` does."""
    try:
        reading = read_file(name, body, format_name or guess_format(name, body), SEEN)
    except ValueError as error:
        require(str(error).startswith(f"{name}: "), f"a refusal that names no file: {error!r}")
        return
    require(reading.record_count == len(reading.items), "in is not out + rejected")
    require(sum(getattr(item, "doubt", None) is not None for item in reading.items) >= reading.misfits, "a misfit that is no doubt")
    places = [item.provenance.position for item in reading.items]
    require(len(places) == len(set(places)), "two items at one place")
    for item in reading.items:
        require_sound(item)


def sheet_or_refused(name: str, body: bytes) -> None:
    """Read a table that people filled in."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(body)
        try:
            rows = read_sheet(path)
        except ValueError as error:
            require(str(error).startswith(f"{path}: "), f"a refusal that names no file: {error!r}")
            return
    require(all(isinstance(cell, str) for row in rows for cell in row.cells.values()), "a cell that is no text")


def layout_or_refused(body: bytes) -> None:
    """Read a file of layouts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own.yaml")
        path.write_bytes(body)
        try:
            layouts_with(path, known_formats())
        except ValueError as error:
            require(str(error).startswith(f"{path}: "), f"a refusal that names no file: {error!r}")


def reply_or_failure(body: bytes) -> None:
    """Read a server's response as that of each API, and its text, or the bytes as a text, as the reply to each task."""
    text = body.decode("utf-8", "replace")
    server = Server(url="http://127.0.0.1:1/v1")
    caller = Caller(None, server, str, RateLimit(server))  # type: ignore[arg-type]
    for kind in (_Chat, _Text):
        try:
            completion = caller._parse(body, kind, 1_000)
        except NoReply as failure:
            require(bool(str(failure)) and "\n" not in str(failure), "a failure without a cause in one line")
        else:
            require(msgspec.json.decode(to_line(completion), type=Completion) == completion, "stored and read again it is another")
            text = completion.text
    for task in READERS:
        reading = read_reply(task, text, OPTIONS)
        require(reading.outcome in get_args(Outcome), f"outcome {reading.outcome!r}")
        require((reading.answer is not None) == (reading.outcome == "answered"), "an answer of what was not answered")
    mark = read_mark(text)
    require(mark is None or 0 <= mark <= 100, f"mark {mark}")
