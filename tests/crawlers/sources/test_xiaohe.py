"""What the saved pages of xiaohe do not show: scope, refusals, states of odd forms, state and page that agree, blemishes of the replica."""

import json
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawlers.embedded.content import load_content
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import xiaohe
from crawlers.html.page_state import states
from crawlers.sources.xiaohe.entries import entry_from_html, entry_in
from crawlers.sources.xiaohe.spider import XiaoheSpider

WWW = "https://www.xiaohe.cn"
DETAIL = {"name": "偏头痛", "modules": [{"title": "病因", "content": "<p>病因未明。</p>"}]}


def made(**scope: list[str]) -> XiaoheSpider:
    return XiaoheSpider.from_crawler(get_crawler(XiaoheSpider), snapshot="2026-11-20", **scope)


@pytest.fixture
def spider() -> XiaoheSpider:
    return made()


def page(html: str, url: str = f"{WWW}/medical/disease/1", status: int = 200) -> HtmlResponse:
    return HtmlResponse(url, status, body=html.encode(), encoding="utf-8", request=Request(url))


def answer(value: Any) -> Response:
    url = f"{WWW}/medical/api/list?type=food&cursor=12"
    return TextResponse(url, body=json.dumps(value).encode(), encoding="utf-8", request=Request(url))


def pages_of(kind: str) -> list[str]:
    content = load_content()
    respond = xiaohe.build(content)
    entries = {"disease": content.on("xiaohe").diseases, "food": content.on("xiaohe").foods}[kind]
    targets = [f"/medical/{kind}/{xiaohe.entry_id(entry)}" for entry in entries]
    return [respond(SiteRequest(method="GET", host="www.xiaohe.cn", target=target)).body.decode() for target in targets]


@pytest.mark.parametrize("key, place", [("list", "cursor"), ("items", "offset"), ("records", "nextCursor")])
def test_a_list_goes_on_where_its_answer_says(spider: XiaoheSpider, key: str, place: str) -> None:
    found = list(spider.parse_more(answer({"data": {key: [{"id": 8}], "hasMore": True, place: 24}}), "food"))
    assert [request.url for request in found] == [f"{WWW}/medical/food/8", f"{WWW}/medical/api/list?type=food&cursor=24"]
    assert found[1].errback == spider.more_failed


@pytest.mark.parametrize(
    ("listing", "told"),
    [
        ({"has_more": True, "next_token": "abc"}, "more than the 1 entries shown, and no cursor, next_cursor, nextCursor, offset to send"),
        ({"has_more": True, "page": 1, "total": 900}, "more than the 1 entries shown"),
        ({"has_more": False, "total": 900}, "a list of 900 entries ends after 1"),
        ({"total": "900"}, "more than the 1 entries shown"),
        ({"next": "/medical/food?x=2"}, "whether a list continues after 1 entries is unknown: list, next"),
        ({"pageSize": 20}, "whether a list continues"),
        ({"has_more": True, "list": []}, "more than the 0 entries shown"),
        ({"list": [{"id": "1"}, {"name": "乙", "key": "7"}]}, "1 of 2 entries of a list have neither url nor id, but the keys name, key"),
        ({"has_more": True, "cursor": 12}, f"a list continues at its own address: {WWW}/medical/api/list?type=food&cursor=12"),
        ({"has_more": False, "cursor": 40, "page_size": 20}, None),
        ({"total": 1, "page": 1, "totalPages": 1}, None),
        ({"hasNext": True, "cursor": 20}, None),
        ({"total": 900, "offset": 20}, None),
        ({}, None),
    ],
)
def test_reports_list_that_may_have_more_entries(spider: XiaoheSpider, listing: dict[str, Any], told: str | None) -> None:
    found = list(spider.parse_more(answer({"data": {"list": [{"id": "1"}], **listing}}), "food"))
    misfits = spider.crawler.stats.get_value("misfit/pages", [])
    assert len(misfits) == (told is not None) and all(told in misfit for misfit in misfits)
    assert [request.url for request in found][:1] == ([f"{WWW}/medical/food/1"] if listing.get("list") != [] else [])
    goes_on = {"cursor", "offset"} & set(listing) and listing.get("has_more") is not False
    assert any(request.callback == spider.parse_more for request in found) == bool(goes_on)


@pytest.mark.parametrize("url", ["L21lZGljYWwvZm9vZC84", "/wiki/food/8", "https://a.example/medical/food/8", "http://["])
def test_an_entry_whose_address_leads_nowhere_known_is_a_misfit(spider: XiaoheSpider, url: str) -> None:
    rows = [{"id": "7"}, {"id": "8", "name": "乙", "url": url}]
    assert [request.url for request in spider.parse_more(answer({"list": rows}), "food")] == [f"{WWW}/medical/food/7"]
    [told] = spider.crawler.stats.get_value("misfit/pages")
    assert "1 of 2 entries of a list lead to no known address" in told and url in told


def test_entries_of_kinds_that_are_not_asked_for_are_no_misfit() -> None:
    scoped = XiaoheSpider.from_crawler(get_crawler(XiaoheSpider), lists=["food"])
    rows = [{"url": "/medical/drug/7"}, {"url": "https://search.xiaohe.cn/drug/document?drug_id=9"}]
    assert list(scoped.parse_more(answer({"list": rows}), "drug")) == []
    assert not [told for told in scoped.crawler.stats.get_value("misfit/pages", []) if "no known address" in told]


def test_a_list_counts_the_entries_of_its_pieces(spider: XiaoheSpider) -> None:
    more = {"list": [{"id": "1"}], "total": 21, "cursor": 20}
    assert len(list(spider.parse_more(answer(more), "food", before=20))) == 1
    first = list(spider.parse_more(answer(more), "food", before=3))
    assert first[1].cb_kwargs == {"kind": "food", "before": 4}
    assert spider.crawler.stats.get_value("misfit/count") is None


def test_pages_of_a_list_without_state_are_followed_or_told(spider: XiaoheSpider) -> None:
    url = f"{WWW}/medical/food"
    html = '<a href="/medical/food/7">x</a><a href="/medical/food?page=2">2</a><a href="/medical/food?from=top">x</a>'
    found = [request.url for request in spider.parse(page(html, url))]
    assert found == [f"{WWW}/medical/food/7", url, url, f"{url}?page=2"]
    assert len(list(spider.parse(page('<a href="/medical/food/7">x</a><h1>食物</h1><b>加载更多</b>', url)))) == 1
    assert spider.crawler.stats.get_value("misfit/pages") == [f"{url}: a list has 加载更多 but no state with a list"]


def test_reports_failed_call_for_more(spider: XiaoheSpider) -> None:
    response = page("<p>404</p>", f"{WWW}/medical/api/list?type=food&cursor=12", 404)
    spider.more_failed(Failure(HttpError(response)))
    spider.more_failed(Failure(HttpError(page("", response.url, 403))))  # stands among the failed requests, as the next does
    spider.more_failed(Failure(TimeoutError()))
    assert spider.crawler.stats.get_value("misfit/pages") == [f"{response.url}: the rest of a list was not sent: HTTP status 404"]


def test_kinds_bound_a_crawl() -> None:
    links = "".join(
        f'<a href="/medical/{kind}/7">x</a><a href="/medical/{kind}">y</a>' for kind in ("disease", "check", "examination", "drug")
    )
    spider = made(lists=["check"])
    assert [request.url.removeprefix(WWW) for request in spider.parse(page(links, f"{WWW}/medical"))] == [
        "/medical/check/7", "/medical/check", "/medical/examination/7", "/medical/examination"
    ]  # fmt: skip
    assert made().entity_types == {"disease", "symptom", "examination", "medicine", "food"}
    with pytest.raises(ValueError, match=r"params.yaml: sources.xiaohe: lists: found \['disaese'\]; expected kinds of entries: .*disease"):
        made(lists=["disaese"])


@pytest.mark.parametrize("state", [None, [], {"name": "偏头痛"}, {"name": "偏头痛", "modules": [{"content": "无题"}]}, {"modules": []}])
def test_a_state_without_an_entry_gives_none(state: Any) -> None:
    assert entry_in(state) is None


def test_selects_the_entry_named_in_the_heading() -> None:
    other = {"name": "紧张性头痛", "modules": [{"title": "病因", "content": "别的。"}]}
    for state in ([other, DETAIL], [DETAIL, other], {"title": "小荷医典", "a": {"b": other}, "c": DETAIL}):
        assert entry_in(state, "偏头痛").sections[0].text == "病因未明。"
    assert entry_in([DETAIL, other], "别的标题").name == "偏头痛"
    assert entry_in({"page": {"modules": DETAIL["modules"]}}, "偏头痛").name == "偏头痛"


def test_reads_deeply_nested_state_without_recursion() -> None:
    module: dict[str, Any] = {"title": "最里", "content": "有字。"}
    for _ in range(900):
        module = {"title": "外", "content": "", "children": [module]}
    entry = entry_in({"name": "偏头痛", "modules": [module]})
    assert [section.title for section in entry.sections] == ["最里"]


@pytest.mark.parametrize("callback, arguments", [("parse", {}), ("parse_more", {"kind": "food"}), ("parse_entry", {"entity_type": "food"})])
def test_a_check_of_the_browser_is_a_misfit_where_it_was_stored(spider: XiaoheSpider, callback: str, arguments: dict[str, str]) -> None:
    html = "<html><head><script>document.cookie='__ac_nonce=0';</script></head></html>"
    assert list(getattr(spider, callback)(page(html), **arguments)) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.parametrize(
    "html, why",
    [
        ("<html><head><script>document.cookie='__ac_nonce=0';</script></head></html>", "a check of the browser: __ac_nonce"),
        (f"<html><body></body><script>window.byted_acrawler={'0' * 60_000}</script></html>", "a check of the browser: byted_acrawler"),
        ("<html><body><div id='root'></div></body></html>", "a short page without state or words"),
        ("", "a short page without state or words"),
        (f"<html><body><div id='root'></div><script>{'0' * 60_000}</script></body></html>", None),  # too long to be one: a misfit
        (f"<html><body><p>{'这一页有字。' * 10}</p><script>var __ac_nonce;</script></body></html>", None),
        (f"<html><body><script>window._ROUTER_DATA = {json.dumps(DETAIL)}</script></body></html>", None),
    ],
    ids=range(7),
)
def test_a_page_without_state_or_words_is_a_refusal(spider: XiaoheSpider, html: str, why: str | None) -> None:
    assert spider.refusal(page(html)) == why


def test_other_answers_are_no_refusals(spider: XiaoheSpider) -> None:
    assert spider.refusal(page("", status=404)) is None
    assert spider.refusal(page("", status=301)) is None
    assert spider.refusal(page("", f"{WWW}/robots.txt")) is None
    assert spider.refusal(answer({})) is None


def test_the_check_of_the_replica_is_a_refusal_and_no_other_page_is(spider: XiaoheSpider) -> None:
    respond = xiaohe.build(load_content())
    checked = respond(SiteRequest(method="GET", host="www.xiaohe.cn", target="/medical/qa/70000000000001?enter_position=nav"))
    assert spider.refusal(page(checked.body.decode())) == "a check of the browser: __ac_nonce"
    assert [html for kind in ("disease", "food") for html in pages_of(kind) if spider.refusal(page(html))] == []


@pytest.mark.slow
def test_state_and_page_say_the_same() -> None:
    compared = 0
    for html in pages_of("disease"):
        response = page(html)
        if entry := next((entry for state in states(response) if (entry := entry_in(state))), None):
            seen = entry_from_html(response)
            assert entry.name == seen.name
            assert [(value.label, value.value) for value in entry.values] == [(value.label, value.value) for value in seen.values]
            # The replica writes HTML lists with a no-break blank behind each entry, blocks without.
            assert [section.text.replace("\xa0", "") for section in entry.sections] == [
                section.text.replace("\xa0", "") for section in seen.sections
            ]
            compared += 1
    assert 0 < compared < len(pages_of("disease"))
