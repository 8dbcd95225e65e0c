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


def entry(body: str) -> tuple[list[tuple[str, str]], list[str]]:
    spider = BaikemySpider.from_crawler(get_crawler(BaikemySpider), snapshot="2026-11-20")
    url = f"{HOME}/disease/detail/1/1"
    html = f'<html><body><div class="jb-head-left-text">甲病</div>{body}</body></html>'
    made = list(spider.parse_entry(HtmlResponse(url, body=html, encoding="utf-8", request=Request(url)), "disease"))
    sections = [(section.title, section.text) for one in made if isinstance(one, EntityItem) for section in one.sections]
    return sections, spider.crawler.stats.get_value("misfit/pages", [])


@pytest.mark.parametrize(
    ("body", "sections"),
    [
        ("<div class=lemma-main-content>{0}{1}</div><div class=lemma-main-content>{2}{3}</div>", [("病因", "一"), ("治疗", "二")]),
        ("<div class=lemma-main-content>{0}{1}{2}{3}</div>", [("病因", "一"), ("治疗", "二")]),
        ("<div class=lemma-main-content><div class=lemma-main-content>{0}{1}{2}{3}</div></div>", [("病因", "一"), ("治疗", "二")]),
        ("<div class=lemma-main-content>{1}{2}{3}</div>", [("概述", "一"), ("治疗", "二")]),
        ("<div class=lemma-main-content>{0}<div class=para>一<div class=para>又</div></div></div>", [("病因", "一\n又")]),
    ],
)
def test_a_heading_has_what_stands_below_it(body: str, sections: list[tuple[str, str]]) -> None:
    pieces = [f"<div class={name}>{text}</div>" for text, name in (("病因", "headline-content"), ("一", "para"))]
    pieces += [f"<div class={name}>{text}</div>" for text, name in (("治疗", "headline-content"), ("二", "para"))]
    assert entry(body.format(*pieces)) == (sections, [])


def test_a_heading_without_text_is_a_misfit() -> None:
    body = "<div class=lemma-main-content><b class=headline-content>{}</b>{}</div>"
    sections, misfits = entry(body.format("病因", "<p>一</p>") + body.format("治疗", "<p class=para>二</p>"))
    assert sections == [("治疗", "二")]
    assert "'病因'" in misfits[0] and "no text" in misfits[0]
