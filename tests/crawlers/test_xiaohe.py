"""What the saved pages of xiaohe do not show: lists that load more, states of other forms, state and page that agree."""

import json
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from crawlers.embedded.content import load_content
from crawlers.embedded.site import Ask
from crawlers.embedded.sites import xiaohe
from crawlers.sources.xiaohe import XiaoheSpider, _from_page, _from_state, _state

WWW = "https://www.xiaohe.cn"
DETAIL = {"name": "偏头痛", "modules": [{"title": "病因", "content": "<p>病因未明。</p>"}]}


@pytest.fixture
def spider() -> XiaoheSpider:
    return XiaoheSpider.from_crawler(get_crawler(XiaoheSpider), snapshot="2026-11-20")


def page(html: str, url: str = f"{WWW}/medical/disease/1") -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))


def answer(value: Any) -> Response:
    url = f"{WWW}/medical/api/list?type=food&cursor=12"
    return TextResponse(url, body=json.dumps(value).encode(), encoding="utf-8", request=Request(url))


def test_a_list_leads_to_its_entries_and_to_more(spider: XiaoheSpider) -> None:
    listing = {"list": [{"id": "7", "name": "燕麦"}], "has_more": True, "cursor": "12"}
    html = f"""<a href="/medical/food/7?enter_position=list">燕麦</a><a href="/medical/qa/70000001724645">问答</a>
      <a href="/medical/drug">药品</a>
      <script>window._ROUTER_DATA = {json.dumps({"loaderData": {"medical/food/page": listing}})}</script>"""
    found = {request.url: request.cb_kwargs for request in spider.parse(page(html, f"{WWW}/medical/food"))}
    assert found == {
        f"{WWW}/medical/food/7": {"entity_type": "food"},
        f"{WWW}/medical/drug": {},
        f"{WWW}/medical/api/list?type=food&cursor=12": {"kind": "food"},
    }


def test_more_of_a_list_leads_to_its_entries_until_there_is_no_more(spider: XiaoheSpider) -> None:
    rows = [{"id": "8"}, {"url": "//search.xiaohe.cn/drug/document?drug_id=9&enter_position=list"}]
    more = spider.parse_more(answer({"data": {"list": rows, "has_more": False, "cursor": "24"}}), "food")
    assert [(request.url, request.cb_kwargs["entity_type"]) for request in more] == [
        (f"{WWW}/medical/food/8", "food"),
        ("https://search.xiaohe.cn/drug/document?drug_id=9", "medicine"),
    ]


@pytest.mark.parametrize(
    "script",
    [
        f"window._ROUTER_DATA = {json.dumps(DETAIL)};window.more = {{}};",
        f"window._SSR_DATA={json.dumps({'data': [DETAIL]})}",
        f"var a = 1; window.__INITIAL_STATE__ = {json.dumps(DETAIL)}",
    ],
)
def test_a_state_is_read_to_where_it_ends(script: str) -> None:
    name, _, _, sections = _from_state(_state(page(f"<script>{script}</script>")))
    assert (name, sections[0].title, sections[0].text) == ("偏头痛", "病因", "病因未明。")


@pytest.mark.parametrize(
    "html",
    [
        "<script>window._ROUTER_DATA = {broken</script>",
        f"<script>window._ROUTER_DATA = {'[' * 100_000}</script>",
        f"<script>window._ROUTER_DATA = {'9' * 5000}</script>",
        "<script>var x;</script>",
        "<p>无</p>",
    ],
    ids=range(5),
)
def test_a_page_without_readable_state_has_none(html: str) -> None:
    assert _state(page(html)) is None


@pytest.mark.parametrize(
    "state", [None, [], {"name": "偏头痛"}, {"name": "偏头痛", "modules": [{"content": "无题"}]}, {"modules": DETAIL["modules"]}]
)
def test_a_state_without_an_entry_gives_none(state: Any) -> None:
    assert _from_state(state) is None


@pytest.mark.parametrize("callback, arguments", [("parse", {}), ("parse_more", {"kind": "food"}), ("parse_entry", {"entity_type": "food"})])
def test_a_check_of_the_browser_is_a_misfit(spider: XiaoheSpider, callback: str, arguments: dict[str, str]) -> None:
    html = "<html><head><script>document.cookie='__ac_nonce=0';</script></head></html>"
    assert list(getattr(spider, callback)(page(html), **arguments)) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_state_and_page_say_the_same() -> None:
    content = load_content()
    respond = xiaohe.build(content)
    compared = 0
    for disease in content.on("xiaohe").diseases:
        target = f"/medical/disease/{xiaohe.entry_id(disease)}"
        response = page(respond(Ask(method="GET", host="www.xiaohe.cn", target=target)).body.decode(), WWW + target)
        if (state := _state(response)) is not None:
            (name, _, values, sections), (seen_name, _, seen_values, seen_sections) = _from_state(state), _from_page(response)
            assert name == seen_name
            assert [(value.label, value.value) for value in values] == [(value.label, value.value) for value in seen_values]
            assert [section.text for section in sections] == [section.text for section in seen_sections]
            compared += 1
    assert 0 < compared < len(content.on("xiaohe").diseases)


def test_entries_carry_their_state_in_every_way() -> None:
    content = load_content()
    respond = xiaohe.build(content)
    targets = [f"/medical/food/{food.number}" for food in content.foods]
    pages = [respond(Ask(method="GET", host="www.xiaohe.cn", target=target)).body.decode() for target in targets]
    assert any("window._ROUTER_DATA" in html for html in pages)
    assert any('id="__MODERN_ROUTER_DATA__"' in html for html in pages)
    assert any("_ROUTER_DATA" not in html for html in pages)
    assert all("请遵医嘱" in html for html in pages)
