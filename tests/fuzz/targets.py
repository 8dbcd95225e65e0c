"""Targets of fuzzing by name: inputs to begin with, and what reads one. What an input breaks is raised."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from atomexam.runtime import budgets
from crawlers.embedded.serving.saved import headers_of, saved_page
from crawlers.html.source_spider import SourceSpider
from tests.crawlers.small_files import small_files
from tests.fuzz.laws import (
    answer,
    called,
    layout_or_refused,
    read_or_refused,
    reply_or_failure,
    require_all,
    saved_request,
    sheet_or_refused,
    spider_of,
)
from tests.fuzz.mutants import LAYOUTS, PAPERS, REPLIES, SAVED

_SEED_BYTES = 20_000
_OLD_BOOK = b"\xd0\xcf\x11\xe0"


class Target(NamedTuple):
    """One kind of input."""

    seeds: Callable[[], dict[str, bytes]]
    read: Callable[[bytes], None]


_spider = cache(spider_of)


def _page_seeds() -> dict[str, bytes]:
    """Return saved pages, each behind a line that names the source and the case."""
    found = {}
    for source, cases in SAVED.items():
        for case in cases:
            body = saved_page(case).read_bytes()
            if len(body) < _SEED_BYTES:
                found[f"{source}_{case.stem}"] = f"{source}/{case.stem}\n".encode() + body
    return found


def _read_page(data: bytes) -> None:
    named, _, body = data.partition(b"\n")
    source, _, stem = named.decode("utf-8", "replace").partition("/")
    path = next((case for case in SAVED.get(source, ()) if case.stem == stem), None)
    if path is None:
        return
    spider: SourceSpider = _spider(source)
    case = json.loads(path.read_text(encoding="utf-8"))
    request = saved_request(spider, case)
    called(spider, request, answer(spider, request, headers_of(case, saved_page(path)), body), is_silent=not case["items"])


def _files(*suffixes: str) -> dict[str, bytes]:
    return {name: body for name, body in small_files().items() if Path(name).suffix in suffixes and len(body) < _SEED_BYTES}


def _read_book(data: bytes) -> None:
    _read_file("book.xls" if data.startswith(_OLD_BOOK) else "book.xlsx", data)
    sheet_or_refused("book.xlsx", data)


def _read_json(data: bytes) -> None:
    _read_file("bank.json", data)
    _read_file("bank.jsonl", data)


def _read_file(name: str, data: bytes) -> None:
    """Read a file in this process, where new code is seen, without one around it that may break."""
    before, budgets._is_guarded[0] = budgets._is_guarded[0], True
    try:
        read_or_refused(name, data, None)
    finally:
        budgets._is_guarded[0] = before


def _paper_seeds() -> dict[str, bytes]:
    return {path.stem: path.read_bytes()[:3_000] for path in sorted(PAPERS.glob("*.txt"))[:60]}


def _reply_seeds() -> dict[str, bytes]:
    found = {line["id"]: str(line["response"]).encode() for line in REPLIES[:100]}
    answered = {"choices": [{"message": {"content": "分数：“85”。"}, "finish_reason": "stop"}], "usage": {"completion_tokens": 3}}
    return found | {"answered": json.dumps(answered).encode()}


TARGETS = {
    "pages": Target(_page_seeds, _read_page),
    "papers": Target(_paper_seeds, lambda data: require_all(data.decode("utf-8", "replace").split("\n"))),
    "workbooks": Target(lambda: _files(".xlsx", ".xls"), _read_book),
    "pdfs": Target(lambda: _files(".pdf"), lambda data: _read_file("paper.pdf", data)),
    "json": Target(lambda: _files(".json", ".jsonl"), _read_json),
    "layouts": Target(lambda: {str(number): text.encode() for number, text in enumerate(LAYOUTS)}, layout_or_refused),
    "replies": Target(_reply_seeds, reply_or_failure),
}
