"""What the spider of studyez takes for a paper, and papers of several pages."""

from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawlers.sources.studyez import StudyezSpider
from records.item import QuestionItem

HOST = "http://www.studyez.com"
FIRST = f"{HOST}/psychology/mnst/all/202610/1.htm"
QUESTIONS = "<p>一、单项选择题<br>1、甲（ ）。<br>A. 一 B. 二<br>2、乙（ ）。<br>A. 一 B. 二</p>"


@pytest.fixture
def spider() -> StudyezSpider:
    return StudyezSpider.from_crawler(get_crawler(StudyezSpider), snapshot="2026-01-01")


def page(url: str, html: str) -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))


def article(body: str, onward: str = "") -> str:
    link = f'<div class="page"><a href="{onward}">下一页</a></div>' if onward else ""
    return f'<div class="kao_h3">某试题</div><div class="kao_text"><p></p>{body}</div>{link}'


def test_the_home_page_names_the_channels(spider: StudyezSpider) -> None:
    channels = {"psychology": "心理咨询师", "kuaijizheng": "会计证", "yishi": "执业医师"}
    links = "".join(f'<a href="{HOST}/{slug}/">{name}</a>' for slug, name in channels.items())
    urls = [request.url for request in spider.parse(page(f"{HOST}/", links + '<a href="/help/index.htm">心理咨询</a><a>医师</a>'))]
    assert urls == [f"{HOST}/{channel}/{section}/" for channel in ("psychology", "yishi") for section in ("lnst", "mnst")]


def test_a_list_gives_articles_with_their_whole_title(spider: StudyezSpider) -> None:
    spider.channels = {"psychology": "心理咨询师"}
    rows = f"""<ul><li><a href="{HOST}/psychology/" title="心理咨询师">·心理咨询师</a></li>
    <li><a href="{HOST}/baoming/psychology.htm">·报名</a></li>
    <li><a href="{FIRST}" title="三级心理咨询师模拟试题一">·三级心理咨询师…</a><font>05-18</font></li>
    <li><a href="/news/201106/07/53433.htm">·旧试题</a></li></ul><a href="index_2.htm">下一页</a>"""
    requests = list(spider.parse_list(page(f"{HOST}/psychology/mnst/", rows)))
    assert [(request.url, request.cb_kwargs) for request in requests] == [
        (FIRST, {"exam": "心理咨询师 > 模拟试题", "title": "三级心理咨询师模拟试题一"}),
        (f"{HOST}/news/201106/07/53433.htm", {"exam": "心理咨询师 > 模拟试题", "title": "旧试题"}),
        (f"{HOST}/psychology/mnst/index_2.htm", {}),
    ]


@pytest.mark.parametrize("callback", ["parse", "parse_list", "parse_article"])
def test_a_page_that_gives_nothing_is_a_misfit(spider: StudyezSpider, callback: str) -> None:
    assert list(getattr(spider, callback)(page(f"{HOST}/psychology/mnst/", "<p>您访问的页面已删除</p>"))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_answers_on_the_last_page_are_joined_to_questions_on_the_first(spider: StudyezSpider) -> None:
    [request] = spider.parse_article(page(FIRST, article(QUESTIONS, "1_2.htm")), exam="心理咨询师 > 模拟试题")
    assert request.url == FIRST.replace("1.htm", "1_2.htm")
    second = page(request.url, article("<p>3、丙（ ）。<br>A. 一 B. 二<br>参考答案：1-3 BAB</p>"))
    items = list(request.callback(second, **request.cb_kwargs))
    assert [(item.answer_raw, item.url, item.provenance.url) for item in items] == [
        ("B", FIRST, FIRST), ("A", FIRST, FIRST), ("B", FIRST, request.url),
    ]  # fmt: skip
    assert [item.provenance.position for item in items] == ["q1", "q2", "q3"]


def test_a_paper_outlives_its_second_page(spider: StudyezSpider) -> None:
    [request] = spider.parse_article(page(FIRST, article(QUESTIONS, "1_2.htm")))
    failure = Failure(OSError("no answer"))
    failure.request = request
    items: list[QuestionItem] = list(request.errback(failure))
    assert [(item.number_raw, item.answer_raw) for item in items] == [("1", None), ("2", None)]


@pytest.mark.parametrize("onward", ["2.htm", "javascript:void(0)", "#"])
def test_the_next_article_is_no_next_page(spider: StudyezSpider, onward: str) -> None:
    made: list[Any] = list(spider.parse_article(page(FIRST, article(QUESTIONS, onward))))
    assert [type(one) for one in made] == [QuestionItem, QuestionItem]


def test_the_word_of_the_site_is_no_part_of_a_paper(spider: StudyezSpider) -> None:
    questions = [f"<p>{number}、题。<br>A. 一<br>B. 二</p>" for number in (1, 2)]
    body = f"<p>来源：学易网 时间：05-18</p>{questions[0]}<p>更多试题请关注学易网</p>{questions[1]}<p>责任编辑：某</p>"
    items = list(spider.parse_article(page(FIRST, article(body))))
    assert [item.options_raw for item in items] == [["A. 一", "B. 二"]] * 2


def test_a_page_without_the_usual_frame_is_read_by_its_body(spider: StudyezSpider) -> None:
    html = '<p style="text-align: center;">某试题</p><p>导语</p><p>1、甲。<br>A. 一<br>B. 二<br>答案：A</p><p>版权</p>'
    [item] = spider.parse_article(page(FIRST, html), title="列表里的题名")
    assert (item.paper_raw, item.answer_raw) == ("列表里的题名", "A")
