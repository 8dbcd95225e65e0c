"""What the saved pages of hxter do not show: lists, encodings, the blemishes of the replica, and pages that no longer fit."""

import logging

import pytest
from parsel import Selector
from scrapy import Request
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler

from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.site import Ask, Respond
from crawlers.embedded.sites import hxter
from crawlers.sources.hxter import HxterSpider, _decoded, _text, read_selectors
from records.provenance import page_id

HOME = "https://www.hxter.com"


@pytest.fixture
def spider() -> HxterSpider:
    return HxterSpider.from_crawler(get_crawler(HxterSpider), snapshot="2026-11-20")


@pytest.fixture(scope="module")
def respond() -> Respond:
    return hxter.build(load_content())


def fetch(respond: Respond, target: str) -> HtmlResponse:
    reply = respond(Ask(method="GET", host="www.hxter.com", target=target))
    kind = responsetypes.from_args(headers=Headers(reply.headers), url=HOME + target, body=reply.body)
    return kind(HOME + target, headers=reply.headers, body=reply.body, request=Request(HOME + target))


def page(html: str) -> HtmlResponse:
    url = f"{HOME}/paper/1.html"
    return HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))


def test_pages_call_themselves_gb2312_and_are_gbk(respond: Respond) -> None:
    response = fetch(respond, "/paper/2530001.html")
    assert b"charset" not in response.headers["Content-Type"] and b"charset=gb2312" in response.body
    assert response.encoding == "gb18030" and "普雷马克原理" in response.text
    assert "缪勒—莱耶错觉" in response.text  # the dash is none of GB 2312's letters


def test_a_page_that_names_no_encoding_is_read_as_gb18030(respond: Respond, spider: HxterSpider) -> None:
    response = fetch(respond, "/paper/2530004.html")
    assert b"charset" not in response.body and b"charset" not in response.headers["Content-Type"]
    items = list(spider.parse_paper(response))
    assert items[0].stem_raw.startswith("月考失利后") and items[0].provenance.page_id == page_id(response.url, response.body)


@pytest.mark.parametrize(
    "header, body, text",
    [
        ("text/html", "<p>题</p>".encode("gbk"), "题"),
        ("text/html", "<p>题</p>".encode(), "题"),
        ("text/html; charset=gbk", "<p>题</p>".encode("gbk"), "题"),
        ("text/html", '<meta charset="big5"><p>題</p>'.encode("big5"), "題"),
        ("text/html; charset=utf-8", '<meta charset="gbk"><p>题</p>'.encode(), "题"),
    ],
)
def test_header_then_meta_then_gb18030(header: str, body: bytes, text: str) -> None:
    assert _decoded(HtmlResponse(HOME, headers={"Content-Type": header}, body=body)).css("p::text").get() == text


def test_what_gbk_lacks_is_a_reference_and_still_read(spider: HxterSpider) -> None:
    q = Q(type="mcqa", stem="心率为60±5次，β波\U00020bb7（ ）。", options=["甲", "乙"], answer="A")
    section = PaperSection(heading="一、单项选择题", questions=[q])
    paper = Paper(id=2530006, site="hxter", title="x", subject="高等学校教师心理学", sections=[section])
    response = fetch(hxter.build(Content(papers=[paper])), "/paper/2530006.html")
    assert b"&#134071;" in response.body
    (item,) = spider.parse_paper(response)
    assert item.stem_raw.startswith("心率为60±5次，β波\U00020bb7")


def test_lists_lead_to_their_next_page_and_to_papers(respond: Respond, spider: HxterSpider) -> None:
    found = {request.url: request.callback.__name__ for request in spider.parse_list(fetch(respond, "/list/xiaoxue/"))}
    assert found == {
        f"{HOME}/p/2530001": "parse_paper",
        f"{HOME}/paper/2530002.html": "parse_paper",
        f"{HOME}/list/xiaoxue/index_2.html": "parse_list",
    }
    assert respond(Ask(method="GET", host="www.hxter.com", target="/p/2530001")).status == 301


def test_a_long_paper_goes_on_under_its_heading(respond: Respond, spider: HxterSpider) -> None:
    first = list(spider.parse_paper(fetch(respond, "/paper/2530003.html")))
    assert [found.url for found in first if isinstance(found, Request)] == [f"{HOME}/paper/2530003_2.html"]
    second = [item for item in spider.parse_paper(fetch(respond, "/paper/2530003_2.html")) if not isinstance(item, Request)]
    assert second[0].section_raw == next(item.section_raw for item in reversed(first) if not isinstance(item, Request))


def test_a_page_without_questions_says_so_loudly(spider: HxterSpider, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(spider.parse_paper(page("<h1>某试卷</h1><div id=app></div>"))) == []
    assert "0 questions matched selectors" in caplog.text and "li.question" in caplog.text and "hxter.yaml" in caplog.text
    assert spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.parametrize("callback, what", [("parse", "categories"), ("parse_list", "papers")])
def test_a_list_without_links_is_a_misfit(spider: HxterSpider, callback: str, what: str) -> None:
    assert list(getattr(spider, callback)(page("<html><body></body></html>"))) == []
    assert f"0 links matched selector {what}" in spider.crawler.stats.get_value("misfit/pages")[0]


def test_questions_without_any_stem_are_a_misfit(spider: HxterSpider) -> None:
    items = list(spider.parse_paper(page('<ul><li class="question"><p class="moved">题干甲</p></li></ul>')))
    assert len(items) == 1 and "has a stem" in spider.crawler.stats.get_value("misfit/pages")[0]


@pytest.mark.parametrize(
    "where, text",
    [
        ("b", "甲"),
        (["i", "b"], "甲"),
        (["u", "i"], None),
        ("./b/@title", "乙"),
        ("b::attr(title)", "乙"),
        ([], None),
        ("(.//b)[2]", "丙"),
    ],
)
def test_selectors_are_css_or_xpath(where: str | list[str], text: str | None) -> None:
    assert _text(Selector('<p><i> </i><b title="乙">甲</b><b>丙</b></p>').xpath("//p")[0], where) == text


def test_every_layout_names_the_same_fields() -> None:
    fields = [set(layout) for layout in read_selectors()["layouts"].values()]
    assert fields[0] == fields[1] == {"question", "heading", "mark", "number", "stem", "options", "answer", "analysis"}
