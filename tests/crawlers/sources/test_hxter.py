"""What the saved pages of hxter do not show: lists, encodings, the blemishes of the replica, and pages that no longer fit."""

import logging
import time
from pathlib import Path

import pytest
from parsel import Selector
from scrapy import Request
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.provenance import page_id
from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.site import Respond, SiteRequest
from crawlers.embedded.sites import hxter
from crawlers.sources.hxter import spider as spider_module
from crawlers.sources.hxter.answers import answers_in_scripts
from crawlers.sources.hxter.selectors import Script, Selectors, read_selectors, text_at
from crawlers.sources.hxter.spider import HxterSpider

HOME = "https://www.hxter.com"


@pytest.fixture
def spider() -> HxterSpider:
    return HxterSpider.from_crawler(get_crawler(HxterSpider), snapshot="2026-11-20")


@pytest.fixture(scope="module")
def respond() -> Respond:
    return hxter.build(load_content())


def fetch(respond: Respond, target: str) -> HtmlResponse:
    reply = respond(SiteRequest(method="GET", host="www.hxter.com", target=target))
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


def test_reads_references_for_characters_missing_in_gbk(spider: HxterSpider) -> None:
    q = Q(type="mcqa", stem="心率为60±5次，β波\U00020bb7（ ）。", options=["甲", "乙"], answer="A")
    section = PaperSection(heading="一、单项选择题", questions=[q])
    paper = Paper(id=2530006, site="hxter", title="x", subject="高等学校教师心理学", sections=[section])
    response = fetch(hxter.build(Content(papers=[paper])), "/paper/2530006.html")
    assert b"&#134071;" in response.body
    (request,) = spider.parse_paper(response)
    (item,) = request.cb_kwargs["items"]
    assert item.stem_raw.startswith("心率为60±5次，β波\U00020bb7")


def test_reports_page_without_questions(spider: HxterSpider, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(spider.parse_paper(page("<h1>某试卷</h1><div id=app></div>"))) == []
    assert "0 questions matched selectors" in caplog.text and "li.question" in caplog.text and "hxter/selectors.yaml" in caplog.text
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
    [("b", "甲"), (["i", "b"], "甲"), (["u", "i"], None), ("./b/@title", "乙"), ("b::attr(title)", "乙"), ([], None), ("(.//b)[2]", "丙")],
)
def test_selectors_are_css_or_xpath(where: str | list[str], text: str | None) -> None:
    assert text_at(Selector('<p><i> </i><b title="乙">甲</b><b>丙</b></p>').xpath("//p")[0], where) == text


SELECTORS = Path(spider_module.__file__).with_name("selectors.yaml").read_text(encoding="utf-8")


def checked(tmp_path: Path, text: str) -> Selectors:
    (tmp_path / "hxter.yaml").write_text(text, encoding="utf-8")
    return read_selectors(tmp_path / "hxter.yaml", HxterSpider.allowed_domains)


def test_the_file_that_ships_is_right(tmp_path: Path) -> None:
    selectors = checked(tmp_path, SELECTORS)
    assert set(selectors.layouts) == {"list", "table"} and selectors.answer_page and selectors.script


@pytest.mark.parametrize(
    "old, new, error",
    [
        ("stem: div.stem", "stems: div.stem", r"hxter.yaml: .*unknown: stems; known: question, stem, key"),
        ("stem: div.stem", "stem: div..stem", r"hxter.yaml: layouts.list.stem: 'div..stem' is not a valid CSS selector"),
        ("stem: div.stem", "stem: [b, './/b[']", r"hxter.yaml: layouts.list.stem: './/b\[' is not a valid XPath selector"),
        ("stem: div.stem", "stem: 3", r"hxter.yaml: .*layouts"),
        ("    stem: div.stem\n", "", r"hxter.yaml: .*missing required field `stem`"),
        ("home: https://www.hxter.com/", "home: www.hxter.com", r"hxter.yaml: home: found 'www.hxter.com'; expected an address on www"),
        ("home: https://www.hxter.com/", "home: https://evil.example/", r"hxter.yaml: home: found 'https://evil.example/'"),
        ("list/{}/", "list/", r"hxter.yaml: list_address: found ''; expected"),
        ("categories: ul", "categories: [ul", r"hxter.yaml: not YAML"),
        (SELECTORS, "[]", r"hxter.yaml: "),
    ],
)  # fmt: skip
def test_rejects_wrong_file_at_the_start(tmp_path: Path, old: str, new: str, error: str) -> None:
    assert old in SELECTORS
    with pytest.raises(ValueError, match=error):
        checked(tmp_path, SELECTORS.replace(old, new, 1))


def test_a_file_without_layouts_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="layouts: found none; expected at least one"):
        checked(tmp_path, "{home: 'https://www.hxter.com/', categories: a, papers: a, layouts: {}}")


def test_class_selector_is_css_not_xpath() -> None:
    page = Selector('<p class="stem">甲</p>')
    assert [text_at(page, where) for where in (".stem", ".//p", "./p", "//p")] == ["甲", "甲", None, "甲"]


def test_lists_are_the_scope() -> None:
    crawler = get_crawler(HxterSpider)
    scoped = HxterSpider.from_crawler(crawler, lists=["xiaoxue", "a/b"])
    assert scoped.start_urls == [f"{HOME}/list/xiaoxue/", f"{HOME}/list/a/b/"]
    made = list(scoped.parse(page('<ul class="paper-list"><a href="/paper/7.html">卷</a></ul>')))
    assert [(request.url, request.callback.__name__) for request in made] == [(f"{HOME}/paper/7.html", "parse_paper")]
    with pytest.raises(ValueError, match=r"sources.hxter: lists: found \['../x y'\]"):
        HxterSpider.from_crawler(crawler, lists=["../x y"])


@pytest.mark.parametrize(
    "script, answers",
    [
        ('var answers = [{"id": 1, "answer": "A"}, {"num": "2", "da": "B"}];', {"1": "A", "2": "B"}),
        ('answers={"9001": {"right": "A"}, "2": "答案：B"}', {"9001": "A", "2": "B"}),
        ('window.daan = ["A", null, "C"]', {"1": "A", "3": "C"}),
        ('var answers = []; answers = ["B"];', {"1": "B"}),
        ('var answers = {"1": "A&amp;B<br>C"}', {"1": "A&B\nC"}),
        ("var answers = {a: alert(1)};", None),
        ("var answers = " + "[" * 100_000, None),
        ("var myanswers = ['A'];", {}),
        ("", {}),
    ],
)
def test_answers_are_read_from_a_script_that_is_not_run(script: str, answers: dict[str, str] | None) -> None:
    found = answers_in_scripts([script], Script(variables=["answers", "daan"], key=["id", "num"], answer=["answer", "da", "right"]))
    assert (None if found is None else {key: told.answer for key, told in found.items()}) == answers


def test_question_is_kept_if_its_answer_page_fails(spider: HxterSpider) -> None:
    html = '<ul><li class="question"><div class="stem">题干甲（ ）。</div></li></ul><a class="answers" href="/answer/1.html">答案</a>'
    (request,) = spider.parse_paper(page(html))
    gone = Failure(HttpError(HtmlResponse(request.url, status=404)))
    gone.request = request
    assert [item.stem_raw for item in spider.unanswered(gone)] == ["题干甲（ ）。"]
    assert "returned status 404" in spider.crawler.stats.get_value("misfit/pages")[0]
    lost = Failure(OSError("no answer"))
    lost.request = request
    assert [item.answer_raw for item in spider.unanswered(lost)] == [None]


def test_two_pages_of_a_paper_may_lead_to_one_page_of_answers(spider: HxterSpider) -> None:
    html = '<li class="question"><div class="stem">题干{}</div></li><a class="answers" href="/answer/1.html">答案</a>'
    requests = [request for number in (1, 2) for request in spider.parse_paper(page(html.format(number)))]
    assert [request.dont_filter for request in requests] == [True, True]  # else the second would be lost with its questions


@pytest.mark.parametrize("href", ["http://[", "javascript:void(0)", "mailto:x@y.example"])
def test_skips_invalid_links(spider: HxterSpider, href: str) -> None:
    assert list(spider.parse_list(page(f'<ul class="paper-list"><a href="{href}">卷</a></ul>'))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.slow
def test_mutilated_page_gives_no_wrong_questions(spider: HxterSpider) -> None:
    nested = ""
    for number in range(300, 0, -1):  # one tag is not closed, and each question holds all that follow
        inner = f'<div class="stem">题{number}</div><ul class="options"><li>A. 甲</li><li>B. 乙</li></ul>'
        nested = f'<ul><li class="question">{inner}{nested}</li></ul>'
    start = time.process_time()
    items = list(spider.parse_paper(page(nested)))
    assert time.process_time() - start < 5
    assert [item.doubt for item in items] == ["question_torn"] * 299 + [None] and items[0].stem_raw == "题1"
    assert "299 of 300 questions contain other questions" in spider.crawler.stats.get_value("misfit/pages")[0]
