"""What the saved pages of baikemy do not show: where lists lead, what is a misfit, scope."""

import json
import time
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from atomexam.records.item import EntityItem
from crawlers.embedded.serving.saved import pages_folder
from crawlers.html.source_spider import NOTED
from crawlers.sources.baikemy.spider import BaikemySpider

HOME = "https://www.baikemy.com"


def read(name: str, **cb_kwargs: Any) -> tuple[BaikemySpider, list[Any]]:
    case = json.loads((pages_folder("baikemy") / f"{name}.json").read_text(encoding="utf-8"))
    body = (pages_folder("baikemy") / f"{name}.html").read_bytes()
    spider = BaikemySpider.from_crawler(get_crawler(BaikemySpider), snapshot="2026-11-20")
    page = HtmlResponse(case["url"], body=body, encoding="utf-8", request=Request(case["url"]))
    return spider, list(getattr(spider, case["callback"])(page, **case.get("cb_kwargs", {}), **cb_kwargs))


def test_a_list_of_a_kind_names_what_its_entries_are() -> None:
    for name, numbers, kind in (("list", (101, 102), "disease"), ("list_symptoms", (201,), "symptom")):
        _, made = read(name)
        assert [(one.url, one.cb_kwargs) for one in made] == [(f"{HOME}/disease/detail/{n}/1", {"entity_type": kind}) for n in numbers]


def test_the_list_of_all_leads_to_entries_departments_and_its_further_pages() -> None:
    _, made = read("list_departments")
    assert [one.url.removeprefix(HOME) for one in made] == [
        "/disease/detail/101/1",
        "/disease/detail/103/1",
        "/disease/list/12/0",
        "/disease/list/13/0",
        "/disease/list/0/0?pageIndex=2&pageCount=3",
        "/disease/list/0/0?pageIndex=3&pageCount=3",
    ]
    _, further = read("list_departments", is_first=False)
    assert [one.url.removeprefix(HOME) for one in further] == ["/disease/detail/101/1", "/disease/detail/103/1"]


@pytest.mark.parametrize(("name", "misfits", "noted"), [("list_empty", 1, 0), ("entry_redesigned", 1, 0), ("entry_of_unknown_kind", 0, 1)])
def test_what_gives_nothing_says_so(name: str, misfits: int, noted: int) -> None:
    spider, made = read(name)
    stats = spider.crawler.stats.get_stats()
    assert not any(isinstance(one, EntityItem) for one in made)
    assert (stats.get("misfit/count", 0), sum(key.startswith(NOTED) for key in stats)) == (misfits, noted)


def test_headings_beside_each_other_are_read_in_time() -> None:
    """All that follows each heading was gathered up to the end of its box: 143 kB took 19 s."""
    spider = BaikemySpider.from_crawler(get_crawler(BaikemySpider), snapshot="2026-11-20")
    inner = "<h2 class=directory_flag>不良反应</h2><p>恶心</p>" * 3000
    body = f"<html><body><h1 class=detail_name>布洛芬</h1><div class=content>{inner}</div></body></html>"
    url = f"{HOME}/medicine/detail/1"
    request = Request(url, meta={"page_id": "page-0"})
    start = time.process_time()
    [entry] = spider.parse_entry(HtmlResponse(url, body=body, encoding="utf-8", request=request), "medicine")
    assert len(entry.sections) == 3000 and {section.text for section in entry.sections} == {"恶心"}
    assert time.process_time() - start < 10


def test_a_scope_names_kinds_of_lists() -> None:
    assert BaikemySpider(lists=["B"]).start_urls == [f"{HOME}/disease/list/0/0?diseaseContentType=B"]
    with pytest.raises(ValueError, match=r"sources.baikemy: lists: \['C'\] found; expected kinds of lists: A \(disease\), B \(symptom\)"):
        BaikemySpider(lists=["C"])
