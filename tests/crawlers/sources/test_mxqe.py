"""What the saved pages of mxqe do not show: lists of both hosts, articles of several pages, what is hidden, pages that no longer fit."""

import base64
import json
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawlers.embedded.content import load_content
from crawlers.embedded.site import Respond, SiteRequest
from crawlers.embedded.sites import mxqe
from crawlers.sources.mxqe.spider import MxqeSpider, _list_page, lines_of_article

BANK, MAIN = "https://tk.mxqe.com", "https://www.mxqe.com"


@pytest.fixture
def spider() -> MxqeSpider:
    return MxqeSpider.from_crawler(get_crawler(MxqeSpider), snapshot="2026-11-20")


@pytest.fixture(scope="module")
def respond() -> Respond:
    return mxqe.build(load_content())


def fetch(respond: Respond, url: str) -> HtmlResponse:
    host, slash, target = url.removeprefix("https://").partition("/")
    reply = respond(SiteRequest(method="GET", host=host, target=slash + target))
    return HtmlResponse(url, headers=reply.headers, body=reply.body, request=Request(url))


def page(html: str, url: str = f"{BANK}/zkxl/1.html") -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), request=Request(url))


def test_the_encoding_is_named_nowhere_and_still_read(respond: Respond, spider: MxqeSpider) -> None:
    response = fetch(respond, f"{BANK}/zkxl/2550001.html")
    assert b"charset" not in response.headers["Content-Type"] and b"charset" not in response.body
    request = next(found for found in spider.parse_article(response) if isinstance(found, Request))
    assert any("神经元安静时" in line for line in request.cb_kwargs["article"].lines)


def test_a_tag_list_counts_its_pages_from_zero(respond: Respond, spider: MxqeSpider) -> None:
    found = [request.url for request in spider.parse(fetch(respond, spider.start_urls[1]))]
    assert found[-1] == spider.start_urls[1].replace("page=0", "page=1")
    assert f"{MAIN}/zkyy/2550008.html" in found + [request.url for request in spider.parse_list(fetch(respond, found[-1]), is_first=False)]


def test_a_list_that_claims_pages_without_end_is_bounded(spider: MxqeSpider) -> None:
    spider.max_pages = 5
    found = list(spider.parse_list(page(f'<dt><a href="/zkxl/1.html">x</a></dt><a title="总数"><b>{"9" * 12}</b></a>')))
    assert len(found) == 5


@pytest.mark.parametrize(
    "url, number, address",
    [
        (f"{BANK}/zkxl/", 2, f"{BANK}/zkxl/index_2.html"),
        (f"{BANK}/zkxl/index.html", 12, f"{BANK}/zkxl/index_12.html"),
        (f"{MAIN}/e/tags/index.php?page=0&tagname=x&line=10&tempid=24", 3, f"{MAIN}/e/tags/index.php?page=2&tagname=x&line=10&tempid=24"),
    ],
)
def test_addresses_of_list_pages(url: str, number: int, address: str) -> None:
    assert _list_page(url, number) == address


def test_an_article_that_moved_redirects(respond: Respond) -> None:
    reply = respond(SiteRequest(method="GET", host="tk.mxqe.com", target="/zkyy/2550008.html"))
    assert (reply.status, reply.headers["Location"]) == (301, f"{MAIN}/zkyy/2550008.html")


def test_a_lost_second_page_does_not_lose_the_first(respond: Respond, spider: MxqeSpider) -> None:
    (request,) = spider.parse_article(fetch(respond, f"{BANK}/zkxl/2550001.html"))
    failure = Failure(OSError("404"))
    failure.request = request
    items = list(spider.without_rest(failure))
    assert len(items) == mxqe.QUESTIONS_A_PAGE and spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.parametrize(
    "html, text",
    [
        ('<p>题<span style="display:none">答案圈</span>干</p>', "题干"),
        ('<p>题<span style="DISPLAY: none;color:red">x<b>y</b></span>干</p>', "题干"),
        ('<p>题<font style="font-size:0px">x</font>干</p>', "题干"),
        ("<p>题<em hidden>x</em>干</p>", "题干"),
        ('<p>题<span style="font-size:12px">干</span></p>', "题干"),
        ('<p>题干<span style="display:none">答案：A</span></p>', "题干答案：A"),
        ('<p>题干<span style="display:none">【答案】A</span></p>', "题干【答案】A"),
        ('<p>题干</p><div style="display:none"><p>答案：A</p></div>', "题干答案：A"),
        ('<p>答案：<a href="https://www.mxqe.com/pay/pay.php?id=1">查看答案</a></p>', "答案："),
    ],
)
def test_hidden_noise_goes_and_hidden_answers_stay(html: str, text: str) -> None:
    assert "".join(lines_of_article(html, is_first=True)) == text


@pytest.mark.parametrize(
    "html, text",
    [
        ('<p>题干</p><div style="display:none">本文由答案圈整理</div>', "题干"),
        ("<p>题干</p><p hidden>更多内容请访问</p>", "题干"),
        ('<p>题干</p><div style="display:none">解析：因为甲。</div>', "题干解析：因为甲。"),
        ('<p>题干</p><div style="display:none">2、题干乙</div>', "题干2、题干乙"),
        ('<p>题干</p><div style="display:none"><p>A、甲</p></div>', "题干A、甲"),
        (f'<p>题干</p><div style="display:none">{"很长的一段" * 20}</div>', "题干" + "很长的一段" * 20),
        ("<p>导语：1、先读题。</p><p>题目和答案如下：<br>1、题干</p>", "1、题干"),
        ("<p>导语。</p><p>1、题干</p>", "导语。1、题干"),
    ],
)
def test_hidden_blocks_and_introductions(html: str, text: str) -> None:
    assert "".join(lines_of_article(html, is_first=True)) == text


def test_a_later_page_has_no_introduction() -> None:
    assert lines_of_article("<p>2、题干</p><p>题目和答案如下：</p>", is_first=False) == ["2、题干", "题目和答案如下："]


@pytest.mark.parametrize(
    "lists, urls", [(["zkxl", "www.mxqe.com/qnj"], [f"{BANK}/zkxl/", f"{MAIN}/qnj/"]), (["tagname=自学考试"], [MxqeSpider.start_urls[1]])]
)
def test_lists_are_the_scope(lists: list[str], urls: list[str]) -> None:
    scoped = MxqeSpider.from_crawler(get_crawler(MxqeSpider), lists=lists)
    assert scoped.start_urls == urls
    [request] = scoped.parse(page('<dt><a href="/zkxl/1.html">x</a></dt><a title="总数"><b>1</b></a>', urls[0]))
    assert request.callback == scoped.parse_article


@pytest.mark.parametrize("wrong", ["自考", "evil.example/x", "tagname=", "a b"])
def test_reports_scope_that_is_not_a_list(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"sources.mxqe: lists: found .*; expected columns and tags"):
        MxqeSpider.from_crawler(get_crawler(MxqeSpider), lists=[wrong])


def test_reports_article_missing_from_page_and_api(spider: MxqeSpider) -> None:
    [request] = spider.parse_article(page("<h1>x</h1>", f"{MAIN}/qnj/90286.html"))
    failure = Failure(OSError("no answer"))
    failure.request = request
    assert list(request.errback(failure)) == []
    assert f"{MAIN}/qnj/90286.html: no div.m-cmsinfo-cont, and the API does not answer" in spider.crawler.stats.get_value("misfit/pages")[0]


@pytest.mark.parametrize(
    "is_sf, count, what",
    [("1", 0, "articles that are to be paid for"), (True, 0, "articles that are to be paid for"), (0, 1, "answers that are absent")],
)
@pytest.mark.parametrize("encode", [lambda html: html, lambda html: base64.b64encode(html.encode()).decode()], ids=["html", "base64"])
def test_the_api_says_what_is_to_be_paid_for(spider: MxqeSpider, is_sf: object, count: int, what: str, encode: Any) -> None:
    content = encode("<p>1、题干（ ）。<br>A、甲<br>B、乙</p>")
    body = json.dumps({"data": {"content": content, "is_sf": is_sf, "is_vip": "1"}})
    items = spider.parse_detail(page(body, "https://api.mxqe.com/baiduApi.php?action=detail&id=1"), url=f"{MAIN}/qnj/1.html")
    assert [(item.stem_raw, item.answer_raw) for item in items] == [("1、题干（ ）。", None)] * count
    assert spider.crawler.stats.get_value(f"noted/{what}") == 1


@pytest.mark.parametrize(
    ("beside", "within", "count", "what"),
    [
        ({"is_sf": 1}, {}, 0, "noted/articles that are to be paid for"),
        ({"is_sf": 0}, {"is_sf": "1"}, 0, "noted/articles that are to be paid for"),
        ({"is_sf": 0}, {}, 1, None),
        ({}, {"is_free": 1}, 0, "misfit/count"),
    ],
)
def test_an_article_of_unknown_price_is_not_read(
    spider: MxqeSpider, beside: dict[str, Any], within: dict[str, Any], count: int, what: str | None
) -> None:
    body = json.dumps({**beside, "data": {"content": "<p>1、题干（ ）。<br>A、甲<br>B、乙<br>答案：A</p>", **within}})
    items = list(spider.parse_detail(page(body, "https://api.mxqe.com/baiduApi.php?action=detail&id=1"), url=f"{MAIN}/qnj/1.html"))
    stats = spider.crawler.stats.get_stats()
    told = {name for name in stats if name.startswith(("noted/articles", "misfit/count"))}
    assert (len(items), told) == (count, {what} if what else set())


def test_an_answer_behind_the_pay_wall_is_missing(respond: Respond, spider: MxqeSpider) -> None:
    items = list(spider.parse_article(fetch(respond, f"{BANK}/zkyy/2551004.html")))
    assert [item.answer_raw for item in items] == [None, None] and all(item.stem_raw and item.options_raw for item in items)


@pytest.mark.parametrize(
    "callback, html",
    [
        ("parse", "<p>新版首页</p>"),
        ("parse_list", '<div class="new"><a href="/zkxl/1.html">x</a></div>'),
        ("parse_article", "<h1>x</h1><article>1、题干</article>"),
        ("parse_article", '<h1>x</h1><div class="m-cmsinfo-cont"><p>本文介绍考试时间。</p></div>'),
    ],
)
def test_a_page_that_no_longer_fits_is_counted(spider: MxqeSpider, callback: str, html: str) -> None:
    assert list(getattr(spider, callback)(page(html))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_an_empty_list_that_says_so_is_none(spider: MxqeSpider) -> None:
    assert list(spider.parse_list(page('<div class="page"><a title="总数">&nbsp;<b>0</b> </a></div>'))) == []
    assert spider.crawler.stats.get_value("misfit/count") is None
