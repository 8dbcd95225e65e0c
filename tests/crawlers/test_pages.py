"""Each source has saved pages in crawlers/sources/SOURCE/pages, and beside each the items it must give.

A case is CASE.json with the page CASE.html (or CASE.body for what is no HTML).
`GOLDEN=1 pytest tests/crawlers/test_pages.py` rewrites the items.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.test import get_crawler

from atomexam.records.item import EntityItem, QuestionItem
from crawlers.embedded.serving.saved import SOURCES, headers_of, pages_folder, saved_page
from crawlers.web.charset import Charset
from crawlers.web.run_spider import spider_class

CASES = sorted(SOURCES.glob("*/pages/*.json"))
SNAPSHOT = "2026-01-01"
_SOURCES = SpiderLoader(Settings({"SPIDER_MODULES": ["crawlers.sources"]})).list()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_page_gives_its_items(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    items = [_shown(item) for item in _read(case, path)]
    if os.environ.get("GOLDEN"):
        case["items"] = items
        path.write_text(json.dumps(case, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert items == [_without_empty(item) for item in case["items"]]


@pytest.mark.parametrize("source", _SOURCES)
def test_a_source_has_a_page(source: str) -> None:
    assert [case for case in CASES if case.parent == pages_folder(source)], f"no page in crawlers/sources/{source}/pages"


def _read(case: dict[str, Any], path: Path) -> list[QuestionItem | EntityItem]:
    """Return what the spider's callback makes of the page; the requests it yields are not followed."""
    crawler = get_crawler(spider_class(path.parents[1].name))
    spider = crawler.spidercls.from_crawler(crawler, snapshot=SNAPSHOT)
    request = Request(case["url"], meta=case.get("meta", {}), cb_kwargs=case.get("cb_kwargs", {}))
    response = Charset().process_response(request, _response(case, saved_page(path))).replace(request=request)
    callback = getattr(spider, case["callback"])
    shapes = get_type_hints(callback)
    known = {name: msgspec.convert(value, shapes.get(name, Any)) for name, value in request.cb_kwargs.items()}
    made = callback(response, **known)
    return [item for item in _all(made) if isinstance(item, QuestionItem | EntityItem)]


def _response(case: dict[str, Any], page: Path) -> Response:
    headers = Headers(headers_of(case, page))
    body = page.read_bytes()
    kind = responsetypes.from_args(headers=headers, url=case["url"], body=body)
    return kind(url=case["url"], headers=headers, body=body)


def _all(made: Any) -> list[Any]:
    if hasattr(made, "__aiter__"):

        async def collect() -> list[Any]:
            return [item async for item in made]

        return asyncio.run(collect())
    return [] if made is None else list(made) if hasattr(made, "__iter__") else [made]


def _shown(item: QuestionItem | EntityItem) -> dict[str, Any]:
    return _without_empty(msgspec.to_builtins(item))


def _without_empty(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item without what is missing, and of its provenance the position alone: ids change with every byte of the page."""
    shown = {key: value for key, value in item.items() if value not in (None, [], 0, "") and key != "provenance"}
    if "provenance" in item:
        shown["position"] = item["provenance"]["position"]
    return shown
