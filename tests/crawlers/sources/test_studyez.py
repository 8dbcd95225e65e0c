"""What the spider of studyez takes for a paper, and papers of several pages."""

from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.sources.studyez.spider import StudyezSpider

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


def test_channel_names_may_have_spaces_and_variants(spider: StudyezSpider) -> None:
    html = (
        f'<a href="{HOST}/zhongyishi/">中  医  师</a><a href="{HOST}/psychology/">职业资格</a><a href="{HOST}/psychology/">心理咨询师</a>'
    )
    exams = [request.cb_kwargs["channel"] for request in spider.parse(page(f"{HOST}/", html))]
    assert exams == ["中医师", "中医师", "心理咨询师", "心理咨询师"]


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ('title="执业医师">·执业…', "执业医师"),
        ('title="医考">执业医师', "执业医师"),
        ('title="执业医师考试">执业医师', "执业医师"),
        ('title="执业医师">', "执业医师"),
    ],
)
def test_channel_may_be_named_by_its_title(spider: StudyezSpider, link: str, name: str) -> None:
    html = f'<a href="{HOST}/psychology/">心理咨询师</a><a href="{HOST}/yishi/" {link}</a>'
    exams = [request.cb_kwargs["channel"] for request in spider.parse(page(f"{HOST}/", html))]
    assert exams == ["心理咨询师", "心理咨询师", name, name]


@pytest.mark.parametrize("link", ["", '<a href="/psychology/"><img src="x.png"></a>', '<a href="http://xl.studyez.com/">心理咨询师</a>'])
def test_the_known_channel_is_missed_beside_others(spider: StudyezSpider, link: str) -> None:
    urls = [request.url for request in spider.parse(page(f"{HOST}/", f'<a href="/yishi/">执业医师</a>{link}'))]
    assert urls == [f"{HOST}/{channel}/{section}/" for channel in ("yishi", "psychology") for section in ("lnst", "mnst")]
    [told] = spider.crawler.stats.get_value("misfit/pages")
    assert "/psychology/" in told and "requested anyway" in told


def test_a_list_gives_articles_with_their_whole_title(spider: StudyezSpider) -> None:
    rows = f"""<ul><li><a href="{HOST}/psychology/" title="心理咨询师">·心理咨询师</a></li>
    <li><a href="{HOST}/baoming/psychology.htm">·报名</a></li>
    <li><a href="{FIRST}" title="三级心理咨询师模拟试题一">·三级心理咨询师…</a><font>05-18</font></li>
    <li><a href="/news/201106/07/93433.htm">·旧试题</a></li></ul><a href="index_2.htm">下一页</a>"""
    requests = list(spider.parse_list(page(f"{HOST}/psychology/mnst/", rows), channel="心理咨询师"))
    assert [(request.url, request.cb_kwargs) for request in requests] == [
        (FIRST, {"exam": "心理咨询师 > 模拟试题", "title": "三级心理咨询师模拟试题一"}),
        (f"{HOST}/news/201106/07/93433.htm", {"exam": "心理咨询师 > 模拟试题", "title": "旧试题"}),
        (
            f"{HOST}/psychology/mnst/index_2.htm",
            {"channel": "心理咨询师", "number": 2, "before": [FIRST, f"{HOST}/news/201106/07/93433.htm"]},
        ),
    ]


def test_home_page_without_channels_is_a_misfit(spider: StudyezSpider) -> None:
    urls = [request.url for request in spider.parse(page(f"{HOST}/", '<a href="http://[">坏</a><a href="/kuaijizheng/">会计证</a>'))]
    assert urls == [f"{HOST}/psychology/lnst/", f"{HOST}/psychology/mnst/"]
    assert spider.crawler.stats.get_value("misfit/count") == 1


@pytest.mark.parametrize("callback", ["parse_list", "parse_article"])
def test_page_without_output_is_a_misfit(spider: StudyezSpider, callback: str) -> None:
    assert list(getattr(spider, callback)(page(f"{HOST}/psychology/mnst/", "<p>您访问的页面已删除</p>"))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_paper_is_kept_if_its_second_page_fails(spider: StudyezSpider) -> None:
    [request] = spider.parse_article(page(FIRST, article(QUESTIONS, "1_2.htm")))
    failure = Failure(OSError("no answer"))
    failure.request = request
    items: list[QuestionItem] = list(request.errback(failure))
    assert [(item.number_raw, item.answer_raw) for item in items] == [("1", None), ("2", None)]


@pytest.mark.parametrize("onward", ["2.htm", "javascript:void(0)", "#"])
def test_the_next_article_is_no_next_page(spider: StudyezSpider, onward: str) -> None:
    made: list[Any] = list(spider.parse_article(page(FIRST, article(QUESTIONS, onward))))
    assert [type(one) for one in made] == [QuestionItem, QuestionItem]


@pytest.mark.parametrize("line", ["更多心理咨询师考试试题，请", "关注心理咨询师频道。", "更多历年真题见下"])
def test_an_invitation_is_no_part_of_the_last_answer(spider: StudyezSpider, line: str) -> None:
    [item] = spider.parse_article(page(FIRST, article(f"<p>1、什么是移情？</p><p>答案：情感的转移。</p><p>{line}</p>")))
    assert item.answer_raw == "情感的转移。"


@pytest.mark.parametrize(("body", "stat"), [('<img src="/1.jpg">', "images"), ('<p>试题下载</p><a href="/soft/1.doc">下载</a>', "files")])
def test_an_article_without_text_is_counted_and_no_misfit(spider: StudyezSpider, body: str, stat: str) -> None:
    assert list(spider.parse_article(page(FIRST, f'<div class="kao_text">{body}</div>'))) == []
    assert spider.crawler.stats.get_value(f"noted/articles of {stat} alone") == 1 and spider.crawler.stats.get_value("misfit/count") is None


@pytest.mark.parametrize(
    ("pager", "onward"),
    [
        ('<a href="1.htm">1</a> <a href="1_2.htm">2</a> <a href="1_3.htm">3</a>', "1_2.htm"),
        ('<a href="1_2.htm">[2]</a>', "1_2.htm"),
        ('<a href="1_1.htm">下一页</a>', "1_1.htm"),
        ('<a href="1.htm?page=2">下一页</a>', "1.htm?page=2"),
        ('<a href="1_9.htm">尾页</a><a href="1_2.htm">下页 »</a>', "1_2.htm"),
        ('<a href="1_9.htm">尾页</a>', None),
        ('<a href="2.htm">下一篇</a><a href="http://[">x</a><a href="/1_2.htm">2</a>', None),
        ('<a href="http://www.studyez.com.evil.example/psychology/mnst/all/202610/1_2.htm">下一页</a>', None),
    ],
)
def test_what_a_pager_leads_to(spider: StudyezSpider, pager: str, onward: str | None) -> None:
    found = [made.url for made in spider.parse_article(page(FIRST, article(QUESTIONS) + pager)) if isinstance(made, Request)]
    assert found == ([FIRST.rpartition("/")[0] + "/" + onward] if onward else [])


def test_pages_of_an_article_end(spider: StudyezSpider) -> None:
    made, url = list(spider.parse_article(page(FIRST, article(QUESTIONS, "1_2.htm")))), FIRST
    for number in range(2, 100):
        if not isinstance(made[0], Request):
            break
        url = made[0].url
        made = list(made[0].callback(page(url, article("<p>续</p>", f"1_{number + 1}.htm")), **made[0].cb_kwargs))
    assert isinstance(made[0], QuestionItem) and url.endswith("1_60.htm")


def test_articles_of_other_examinations_beside_a_list_are_left_alone(spider: StudyezSpider) -> None:
    rows = f'<div class="tbatitle_new2"><a href="{FIRST}">·题</a></div><a href="/kuaijizheng/mnst/all/201507/3100001.htm">·会计</a>'
    assert [request.url for request in spider.parse_list(page(f"{HOST}/psychology/mnst/", rows))] == [FIRST]


def test_the_section_is_what_the_address_says(spider: StudyezSpider) -> None:
    items = spider.parse_article(page(FIRST, article(QUESTIONS)), exam="心理咨询师 > 历年真题")
    assert {item.exam_raw for item in items} == {"心理咨询师 > 模拟试题"}
    old = spider.parse_article(page(f"{HOST}/news/201106/07/93433.htm", article(QUESTIONS)), exam="心理咨询师 > 历年真题")
    assert {item.exam_raw for item in old} == {"心理咨询师 > 历年真题"}


@pytest.mark.parametrize("line", ["1、题干（学易网提供）（ ）。", "A. 学易网", "【答案】学易网"])
def test_a_remark_of_the_site_inside_a_question_costs_no_line(spider: StudyezSpider, line: str) -> None:
    lines = ["1、甲是（ ）。", "A. 一", "B. 二", "【答案】A"]
    place = 0 if line[0] == "1" else 1 if line[0] == "A" else 3
    lines[place] = line
    [item] = spider.parse_article(page(FIRST, article(f"<p>{'<br>'.join(lines)}</p>")))
    assert "学易网" in "".join([item.stem_raw or "", *(item.options_raw or []), item.answer_raw or ""])


def test_a_list_that_repeats_itself_ends(spider: StudyezSpider) -> None:
    html = f'<a href="{FIRST}">题</a><a href="?page=2">下一页</a>'
    first = list(spider.parse_list(page(f"{HOST}/psychology/mnst/", html)))
    again = list(spider.parse_list(page(first[-1].url, html.replace("page=2", "page=3")), **first[-1].cb_kwargs))
    assert [len(first), len(again)] == [2, 1]


def test_lists_are_the_scope() -> None:
    crawler = get_crawler(StudyezSpider)
    scoped = StudyezSpider.from_crawler(crawler, lists=["psychology/lnst", "hushi"])
    home = page(f"{HOST}/", f'<a href="{HOST}/hushi/">护士</a><a href="{HOST}/yishi/">执业医师</a>')
    assert [(request.url, request.cb_kwargs["channel"]) for request in scoped.parse(home)] == [
        (f"{HOST}/psychology/lnst/", "心理咨询师"),
        (f"{HOST}/hushi/lnst/", "护士"),
        (f"{HOST}/hushi/mnst/", "护士"),
    ]
    for wrong in ("lnst", "psychology/all", "心理"):
        with pytest.raises(ValueError, match=r"sources.studyez: lists: .* expected channels and their sections"):
            StudyezSpider.from_crawler(crawler, lists=[wrong])
