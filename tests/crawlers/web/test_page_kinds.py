"""The law for all spiders: what is there and yields nothing is a misfit, and so is a kind of page that is gone since the last snapshot."""

import base64
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.test import get_crawler

from atomexam.records.params import Source
from crawlers.html.readable import MAX_BYTES, MAX_DEEP_TAGS, MAX_TAGS
from crawlers.html.source_spider import SourceSpider
from crawlers.html.walls import wall_of
from crawlers.web.archive import Refusals
from crawlers.web.page_kinds import KINDS_FILE, add_snapshot, base64_in, figures_of, last_figures, losses
from crawlers.web.run_spider import spider_class
from tests.crawlers.walk import Visit, detached_spider, respond_of, visit_page, walk

SOURCES = SpiderLoader(Settings({"SPIDER_MODULES": ["crawlers.sources"]})).list()
OTHER_PAGE = (
    "<html><head><title>改版公告</title></head><body><ul>"
    + "".join(f"<li><a href='/new/{n}.shtml'>第{n}条消息</a></li>" for n in range(40))
    + "</ul></body></html>"
)


def first_of_each_kind(source: str) -> list[Visit]:
    spider = spider_class(source)
    kinds: dict[str, Visit] = {}
    for page in walk(spider, respond_of(spider), 3):
        if not page.misfits:
            kinds.setdefault(page.kind, page)
    return list(kinds.values())


@pytest.mark.parametrize("source", SOURCES)
def test_a_page_of_another_design_is_one_misfit_however_many_links_it_has(source: str) -> None:
    for page in first_of_each_kind(source):
        came = HtmlResponse(page.response.url, body=OTHER_PAGE.encode(), encoding="utf-8")
        read = visit_page(detached_spider(spider_class(source)), page.request, came)
        told = [why for why in read.misfits if not why.endswith("content call was answered with a page")]
        assert read.misfits or read.noted, f"{source}: {page.kind} says nothing"
        assert len(told) <= 1, f"{source}: {page.kind}: {told}"


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_every_replica_page_yields_or_reports(source: str) -> None:
    spider = spider_class(source)
    assert not [why for page in walk(spider, respond_of(spider), 1000) for why in page.misfits if "yielded neither" in why]


PAGES = {
    "links": '<a href="/{}.html">第{}题</a>\n',
    "nested": "<div>",
    "rows": "<table><tr><td>{}</td><td>甲</td>",
    "paragraphs": '{"a":"{}","b":["<p>甲</p>"]},',
    "text": "下列哪项正确",
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", PAGES)
def test_the_largest_page_is_read_in_seconds_and_a_larger_one_refused(shape: str) -> None:
    spider, piece = detached_spider(spider_class("studyez")), PAGES[shape]
    most_tags = MAX_DEEP_TAGS if shape in ("nested", "rows") else MAX_TAGS

    def read(size: float) -> tuple[Visit, float]:
        count = int(size * min(most_tags / (piece.count("<") or 0.1), MAX_BYTES / len(piece.encode())))
        body = "".join(piece.replace("{}", str(number)) for number in range(count)).encode()
        response = HtmlResponse("http://www.studyez.com/law/zhenti/201001/1.htm", body=body, encoding="utf-8")
        start = time.process_time()
        visit = visit_page(spider, Request(response.url, spider.parse_article), response)  # type: ignore[attr-defined]
        return visit, time.process_time() - start

    assert min(read(0.99)[1] for _ in range(2)) < 2  # 0.8 at most; 30 without a limit
    assert "are read" in read(2)[0].misfits[0]


class Silent(SourceSpider):
    """Reads links, and says nothing."""

    name = "silent"
    start_urls = ["https://silent.example/"]  # noqa: RUF012

    def parse(self, response):
        yield from (Request(response.urljoin(href), self.parse_page) for href in response.css("a.entry::attr(href)").getall())

    def parse_page(self, response):
        return []


def read(body: str, url: str = "https://silent.example/list", came_from: str | None = None) -> Visit:
    return visit_page(detached_spider(Silent), Request(url), HtmlResponse(came_from or url, body=body.encode(), encoding="utf-8"))


class Packed(SourceSpider):
    """Decodes the text of an answer, leaves out its introduction, and notes one that is to be paid for."""

    name = "packed"
    start_urls = ["https://packed.example/"]  # noqa: RUF012
    decodes = True

    def parse(self, response):
        data = response.json()
        if data["is_sf"]:
            self.note("articles that are to be paid for")
            return
        text = base64.b64decode(data["content"]).decode().split("</p>")[1] if self.decodes else "没有读到"
        yield self.question(response, "q1", paper_raw="甲卷某年真题", stem_raw=text)


@pytest.mark.parametrize("encode", [base64.b64encode, base64.encodebytes], ids=["one line", "lines"])
@pytest.mark.parametrize(("is_sf", "decodes", "misfits"), [(0, True, 0), (0, False, 1), (1, True, 0)])
def test_base64_counts_as_read_if_items_have_it_or_spider_reports_it(
    encode: Callable[[bytes], bytes], is_sf: int, decodes: bool, misfits: int
) -> None:
    text = (
        "<p>以下是甲卷某年真题，由本站整理，仅供参考。</p>旋转的木马停下来以后，人在一段时间里还觉得周围的东西在转动，这与哪里有关（ ）。"
    )
    content = encode(text.encode()).decode()
    body = json.dumps({"title": "甲卷某年真题", "content": content, "is_sf": is_sf}, ensure_ascii=False)
    spider = detached_spider(Packed)
    spider.decodes = decodes
    request = Request("https://packed.example/api?id=7")
    response = TextResponse(request.url, headers={"Content-Type": "application/json"}, body=body.encode(), encoding="utf-8")
    assert len(visit_page(spider, request, response).misfits) == misfits


def test_a_new_spider_has_the_law() -> None:
    assert read('<a class="entry" href="/1">甲</a>').misfits == []
    (told,) = read("<title>列表</title><a href='/1'>甲</a><a href='/2'>乙</a>").misfits
    assert "parse yielded neither items nor requests; its title is '列表', and 2 links are '甲', '乙'" in told


def test_missing_page_is_not_a_misfit() -> None:
    request = Request("https://silent.example/1", meta={"handle_httpstatus_list": [404]})
    assert visit_page(detached_spider(Silent), request, HtmlResponse(request.url, status=404, body=b"<p>404</p>")).misfits == []


def test_redirect_to_the_start_page_is_a_misfit() -> None:
    page = read('<a class="entry" href="/1">甲</a>', came_from="https://silent.example/")
    assert page.requests == [] and "was redirected to this start page" in page.misfits[0]


def test_base64_that_is_not_decoded_is_a_misfit() -> None:
    (told,) = read('<a class="entry" href="/1">5LiA44CB5Y2V6aG56YCJ5oup6aKY</a>').misfits
    assert "base64" in told and "一、单项选择题" in told


def test_base64_in_an_item_is_a_misfit_whatever_other_items_say() -> None:
    encoded = base64.b64encode("一般资料：求助者，女性，24岁，收银员。".encode()).decode()
    question = {"a": "题干（ ）", "b": '[{"o":"甲"},{"o":"乙"}]', "c": "2"}
    rows: list[dict[str, object]] = [{"id": "123", "a": "卷"}]
    for number, line in enumerate(("一般资料：求助者，女性，33岁，银行柜员。", encoded), 1):
        case = [{"c": f"案例{number}", "p": "1"}, {"c": line, "p": "0"}, {"c": "案例介绍：因受到责骂前来求助。", "p": "0"}]
        rows += [{"id": "b", "c": case}, {"id": f"s1_{number}", **question}]
    spider = detached_spider(spider_class("examcoo"))
    known = {"view": "https://www.examcoo.com/editor/do/view/id/123", "paper": {"pid": "123", "tokenpid": "0"}, "page": {"paper_raw": "卷"}}
    request = Request("https://www.examcoo.com/editor/rpc/getpapercontent/pid/123", callback=spider.parse_content, cb_kwargs=known)
    page = visit_page(spider, request, TextResponse(request.url, body=json.dumps(rows).encode(), encoding="utf-8"))
    assert len(page.items) == 2 and "base64" in page.misfits[0]


def test_a_number_behind_base64_is_no_further_line_of_it() -> None:
    encoded = base64.b64encode(("一、单项选择题" * 5).encode()).decode()
    assert base64_in(f"{encoded}\n33、") == base64_in(encoded) == "一、单项选择题" * 5


@pytest.mark.parametrize(
    ("body", "status", "wall"),
    [
        ("<form>请输入验证码<input name=c></form>", 200, "wall_captcha"),
        ("<form>登录<input type=password></form>", 200, "login_page"),
        ("<script>document.cookie='a=1';location.reload()</script>", 200, "wall_script"),
        ("<h1>403</h1>", 403, "wall_forbidden"),
        ("<script>var _0x1=['Y29va2ll'];function go(a){document[_0x2('0x1')]=a}go({'bts':1})</script>", 521, "wall_script"),
        ("<meta id=x content=y><script src=/a.js></script><script>$_ts=window['$_ts']</script>", 412, "wall_script"),
        ("<script>app({})</script>", 200, None),
        ("<p>服务器错误</p><script>count()</script>", 500, None),
        ("<title>访问验证</title><div id=slider></div><p>请完成安全验证后继续访问</p><script>start()</script>", 200, "wall_captcha"),
        ("<p>为了您的正常访问，请输入验证码</p><img src=/c.png>", 200, "wall_captcha"),
        ("<div>请按住滑块，拖动到最右边</div><script>x()</script>", 405, "wall_captcha"),
        ("<p>1、验证码的作用是（ ）。A.甲 B.乙</p>", 200, None),
        ("<form>登录<input type=password></form>" + "正文" * 300, 200, None),
        ("<p>登录后可以评论</p>", 200, None),
        ("", 200, None),
    ],
)
def test_a_wall_is_known_by_its_form(body: str, status: int, wall: str | None) -> None:
    response = HtmlResponse("https://a.example/", status=status, body=body.encode(), encoding="utf-8")
    assert wall_of(response) == wall
    told = detached_spider(Silent).refusal(response)
    assert bool(told) == (wall is not None and status == 200)


def test_looking_for_a_wall_leaves_a_packed_answer_as_it_came() -> None:
    crawler = get_crawler(Silent, {"COMPRESSION_ENABLED": True})
    crawler.spider = detached_spider(Silent)
    body = gzip.compress(b"<form>captcha<input name=c></form>")
    response = Response("https://silent.example/1", headers={"Content-Encoding": "gzip", "Content-Type": "text/html"}, body=body)
    assert Refusals(crawler).find(Request(response.url), response) == "a captcha instead of the page"
    assert response.headers["Content-Encoding"] == b"gzip" and response.body == body


def test_json_is_no_wall() -> None:
    assert wall_of(TextResponse("https://a.example/", body=b'{"captcha": 1}')) is None


BEFORE = {
    "parse: links to parse_page": 40,
    "parse: pages": 4,
    "parse_page: items": 40,
    "parse_page: label 用法": 40,
    "parse_page: pages": 40,
}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (BEFORE, []),
        (BEFORE | {"parse_page: label 用法": 28}, []),
        (BEFORE | {"parse_page: label 用法": 27}, ["parse_page: label 用法: 40 in the last snapshot, 27 now"]),
        ({"parse: links to parse_page": 40, "parse: pages": 4}, ["parse_page: 40 pages in the last snapshot, none now"]),
    ],
)
def test_reports_kinds_gone_since_the_last_snapshot(now: dict[str, int], told: list[str]) -> None:
    assert losses(BEFORE, now, 0.3) == told


def test_snapshots_are_compared_with_the_last_one_of_their_scope(tmp_path: Path) -> None:
    def source(day: int, **scope: object) -> Source:
        return Source(snapshot=f"2026-01-0{day}", **scope)

    for day, origin, scope in ((1, "live", {}), (2, "live", {"lists": ["a"]}), (3, "embedded 12ab", {}), (4, "live", {})):
        add_snapshot(tmp_path, source(day, **scope), origin, {"parse: pages": day})
    assert last_figures(tmp_path, source(4)) == {"parse: pages": 1}
    assert last_figures(tmp_path, source(1)) == last_figures(tmp_path, source(2, lists=["a"])) == last_figures(tmp_path, source(3)) == {}


@pytest.mark.parametrize("body", [b"", b"\0" * 40, b"[]", b'{"2026-01-01": 3}'])
def test_figures_that_cannot_be_read_say_how_to_go_on(tmp_path: Path, body: bytes) -> None:
    (tmp_path / KINDS_FILE).write_bytes(body)
    for use in (lambda: last_figures(tmp_path, Source()), lambda: add_snapshot(tmp_path, Source(), "live", {})):
        with pytest.raises(ValueError, match=r"kinds\.json: .*; expected the figures of each snapshot; `dvc checkout`") as told:
            use()
        assert not isinstance(told.value, msgspec.DecodeError)


def test_figures_are_those_of_kinds() -> None:
    page = read('<a class="entry" href="/1">甲</a><a class="entry" href="/2">乙</a>')
    counts = Counter({name: count for name, count in page.figures.items() if "pages with " not in name})
    told = {"parse: links to parse_page": 2, "parse: pages": 1, "parse: pages in UTF-8 or GB": 1, "parse: pages looked at": 1}
    assert counts == Counter(told)
    assert page.figures["parse: pages with links to parse_page all followed"] == 1
    assert figures_of({"kind/parse: pages": 1, "other": 2}) == {"parse: pages": 1}
