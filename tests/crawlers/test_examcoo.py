"""The codes of examcoo, and what its spider asks for and when."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, TextResponse
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawlers.embedded.content import Content, Paper, PaperSection, Q
from crawlers.embedded.site import Ask
from crawlers.embedded.sites import examcoo
from crawlers.embedded.sites.examcoo_paper import answers_of_call, parts_of_page
from crawlers.sources.examcoo import ExamcooSpider, _answer
from records.item import QuestionItem

HOST = "https://www.examcoo.com"
TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def spider() -> ExamcooSpider:
    return ExamcooSpider.from_crawler(get_crawler(ExamcooSpider), snapshot="2026-01-01")


def page(url: str, html: str) -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), encoding="utf-8", request=Request(url))


def call(rows: Any) -> TextResponse:
    url = f"{HOST}/editor/rpc/getpapercontent/pid/123/tokenpid/{TOKEN}/fromAction/view"
    body = rows if isinstance(rows, str) else json.dumps(rows)
    return TextResponse(url, body=body.encode(), encoding="utf-8", request=Request(url))


def read(spider: ExamcooSpider, rows: Any) -> list[QuestionItem | Request]:
    paper = {"pid": "123", "tokenpid": TOKEN}
    return list(spider.parse_content(call(rows), view=f"{HOST}/editor/do/view/id/123", paper=paper, page={"paper_raw": "某卷"}))


def row(**more: Any) -> dict[str, Any]:
    return {"id": "s1_9", "a": "题干（ ）", "b": '[{"o":"甲"},{"o":"乙"}]', "c": "2", "e": "0", "f": 0, **more}


@pytest.mark.parametrize(
    ("kind", "code", "answer"),
    [
        ("s1", "1", "A"),
        ("s1", "16", "E"),
        ("s2", "13", "ACD"),
        ("s1", "0", None),
        ("s1", "", None),
        ("s3", "1", "对"),
        ("s3", "2", "错"),
        ("s3", "", None),
        ("s4", '[{"a":"甲|||乙"},{"a":"丙"}]', "甲|||乙；丙"),
        ("s5", "一是<br>二是&nbsp;", "一是\n二是\u00a0"),
    ],
)
def test_an_answer_is_a_code(kind: str, code: str, answer: str | None) -> None:
    assert _answer(kind, code) == answer


@pytest.mark.parametrize("counters", [{"e": "1", "f": 0}, {"e": "0", "f": 1}, {"e": "2"}])
def test_an_explanation_is_asked_for_where_there_is_one(spider: ExamcooSpider, counters: dict[str, Any]) -> None:
    made = read(spider, [{"id": "123"}, row(**counters)])
    assert [type(one).__name__ for one in made] == ["FormRequest"]
    [request] = made
    form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
    assert request.method == "POST"
    assert request.url == f"{HOST}/editor/comment/index"
    nothing = dict.fromkeys(("l", "msgid", "cmid", "tid", "verifydtid"), "0")
    assert form == {"id": "9", "sdtId": "s1_9", "pid": "123", "p": "1", "tokenpid": TOKEN, **nothing}


@pytest.mark.parametrize("counters", [{"e": "0", "f": 0}, {"e": "", "f": None}])
def test_no_explanation_is_asked_for_where_there_is_none(spider: ExamcooSpider, counters: dict[str, Any]) -> None:
    [item] = read(spider, [{"id": "123"}, row(**counters)])
    assert isinstance(item, QuestionItem)


@pytest.mark.parametrize(
    ("html", "explanation"),
    [
        ('<div class="marginTop8 bold">试题解析：</div><div>因为<br>所以</div><div class="bold">纠错或评论：</div>', "因为\n所以"),
        ('<div class="marginTop8 bold">纠错或评论：</div><div>[ 尚无记录 ]</div>', None),
        ("", None),
    ],
)
def test_the_explanation_stands_below_its_title(spider: ExamcooSpider, html: str, explanation: str | None) -> None:
    [request] = read(spider, [{"id": "123"}, row(e="1")])
    [item] = spider.parse_explanation(page(request.url, html), **request.cb_kwargs)
    assert (item.explanation_raw, item.answer_raw, item.url) == (explanation, "B", f"{HOST}/editor/do/view/id/123")


def test_a_question_outlives_its_explanation(spider: ExamcooSpider) -> None:
    [request] = read(spider, [{"id": "123"}, row(e="1")])
    failure = Failure(OSError("no answer"))
    failure.request = request
    assert list(request.errback(failure)) == [request.cb_kwargs["item"]]


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"b": rows}, lambda rows: {"c": rows}], ids=["list", "b", "c"])
def test_three_calls_wrap_the_same_rows(spider: ExamcooSpider, wrap: Any) -> None:
    [item] = read(spider, wrap([{"id": "123"}, row()]))
    assert item.stem_raw == "题干（ ）"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"id": "123"}], "no questions"),
        ([], "no questions"),
        ("null", "no questions"),
        ('"shut"', "no questions"),
        ("<html>", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ([1, {"a": "题干"}], "a row without id"),
        ([{"id": "b", "c": [{"x": 1}, 2]}], "no questions"),
    ],
)
def test_a_call_without_questions_is_a_misfit(spider: ExamcooSpider, rows: Any, why: str) -> None:
    assert read(spider, rows) == []
    assert why in spider.crawler.stats.get_value("misfit/pages")[0]


@pytest.mark.parametrize("spoilt", [{"b": '[{"o":"甲"'}, {"b": '["甲"]'}, {"a": None}, {"c": "9" * 5000}, {"e": "many"}])
def test_a_question_that_is_spoilt_costs_no_other(spider: ExamcooSpider, spoilt: dict[str, Any]) -> None:
    [item] = read(spider, [{"id": "123"}, row(**spoilt), row(a="好题")])
    assert (item.stem_raw, item.number_raw) == ("好题", "2")
    assert "s1_9" in spider.crawler.stats.get_value("misfit/pages")[0]


def test_a_page_without_questions_or_token_is_a_misfit(spider: ExamcooSpider) -> None:
    assert list(spider.parse_view(page(f"{HOST}/editor/do/view/id/1", '<div id="paperContent"></div>'))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_the_call_names_paper_token_and_where_it_comes_from(spider: ExamcooSpider) -> None:
    html = f"""<title>某卷-某类试卷与试题-考试酷(examcoo)</title><script>var pid = "123";var vp4tokenpid = "{TOKEN}";</script>
    <span class="naviState"><a href="/">考试酷</a><a href="/paperlist/index/k/43/p/1">某类试卷</a></span><div id="paperContent"></div>"""
    [request] = spider.parse_view(page(f"{HOST}/editor/do/view/id/123", html))
    assert request.url == f"{HOST}/editor/rpc/getpapercontent/pid/123/tokenpid/{TOKEN}/fromAction/view"
    assert request.headers["Referer"].decode() == f"{HOST}/editor/do/view/id/123"
    assert request.cb_kwargs["page"] == {"exam_raw": "某类", "subject_raw": "某类", "paper_raw": "某卷"}


@pytest.mark.parametrize(
    ("rows", "footer", "wanted"),
    [
        (25, "共 60条记录 总共：3页", True),
        (5, "共 8条记录 总共：2页", True),
        (5, "共 5条记录 总共：1页", False),
        (25, "", True),
        (24, "", False),
    ],
)
def test_a_list_goes_on_while_there_are_pages(spider: ExamcooSpider, rows: int, footer: str, wanted: bool) -> None:
    table = "".join(f'<tr><td><a href="/editor/do/view/id/{number}/cid/0/kid/43/ad/0">查看</a></td></tr>' for number in range(rows))
    html = f'<table><tr><td><a href="/vip/index">开通</a></td></tr>{table}</table><div>{footer}</div>'
    urls = [request.url for request in spider.parse_list(page(f"{HOST}/paperlist/index/k/43/p/1", html))]
    assert urls[0] == f"{HOST}/editor/do/view/id/0"
    assert len(urls) == rows + wanted
    assert (f"{HOST}/paperlist/index/k/43/p/2" in urls) == wanted


def test_a_list_whose_address_names_no_page_is_the_first(spider: ExamcooSpider) -> None:
    html = '<table><tr><td><a href="/editor/do/view/id/7">查看</a></td></tr></table><div>总共：2页</div>'
    urls = [request.url for request in spider.parse_list(page(f"{HOST}/paperlist/index/k/43", html))]
    assert urls == [f"{HOST}/editor/do/view/id/7", f"{HOST}/paperlist/index/k/43/p/2"]


def test_the_replica_answers_no_call_with_a_wrong_token() -> None:
    paper = Paper(id=2599999, exam="GEE", site="examcoo", title="卷", subject="普通心理学", sections=[PaperSection(questions=[])])
    respond = examcoo.build(Content(papers=[paper]))
    good = f"/editor/rpc/getpapercontent/pid/2599999/tokenpid/{examcoo.token_of(2599999)}/fromAction/view"
    bad = good.replace("tokenpid/", "tokenpid/0")
    assert [respond(Ask(method="GET", host="www.examcoo.com", target=target)).status for target in (good, bad)] == [200, 403]
    form = b"sdtId=s1_1&pid=2599999&tokenpid=0"
    assert respond(Ask(method="POST", host="www.examcoo.com", target="/editor/comment/index", body=form)).status == 403


def test_all_five_kinds_of_questions_come_back(spider: ExamcooSpider) -> None:
    questions = [
        Q(type="mcqa", stem="甲<b>（ ）", options=["一&", "二"], answer="B"),
        Q(type="mrqa", stem="乙（ ）", options=["一", "二", "三"], answer="AC"),
        Q(type="tf", stem="丙", answer="错误"),
        Q(type="blank", stem="丁是______", answer="戊"),
        Q(type="qa", stem="己", answer="一；二", images=1),
    ]
    section = PaperSection(heading="一、选择题", questions=questions)
    paper = Paper(id=2599999, exam="GEE", site="examcoo", title="卷", subject="普通心理学", sections=[section])
    items = read(spider, answers_of_call(paper, parts_of_page(paper)))
    assert [(item.type_raw, item.answer_raw, item.images) for item in items] == [
        ("s1", "B", 0), ("s2", "AC", 0), ("s3", "错", 0), ("s4", "戊", 0), ("s5", "一；\n二", 1),
    ]  # fmt: skip
    assert items[0].options_raw == ["一&", "二"]
    assert items[3].stem_raw == "丁是\u00a0____\u00a0"


def test_a_real_answer_of_the_call_is_read(spider: ExamcooSpider, real_data: Path) -> None:
    made = read(spider, json.loads((real_data / "examcoo" / "getpapercontent_2430396_excerpt.json").read_text(encoding="utf-8")))
    items = [one if isinstance(one, QuestionItem) else one.cb_kwargs["item"] for one in made]
    assert [(item.type_raw, item.answer_raw, item.images) for item in items] == [
        ("s1", "C", 0), ("s1", "B", 1), ("s1", "A", 1), ("s3", "对", 0), ("s3", "错", 0),
        ("s4", "126|||+126；-150", 0), ("s5", "解：\n原式=70", 0),
    ]  # fmt: skip
    assert [item.section_raw[0] for item in items] == list("一一一二二三四")
    assert items[2].options_raw == ["|b|<|c|", "|b|>|c|", "|a|>|b|", "|a|>|c|"]
    assert len(made) - sum(isinstance(one, QuestionItem) for one in made) == 2


def test_real_blocks_of_shared_options_are_read(spider: ExamcooSpider, real_data: Path) -> None:
    blocks = json.loads((real_data / "examcoo" / "b1_shared_options_blocks_excerpt.json").read_text(encoding="utf-8"))["c"]
    rows = [blocks[0], blocks[1], row(b=None), row(b=None), blocks[2], row(b=None), row(b=None), blocks[3], row()]
    items = read(spider, rows)
    assert [item.group_raw for item in items] == ["g1", "g1", "g2", "g2", None]
    assert [item.section_raw for item in items][:4] == ["三、B1型题（111-150）"] * 4
    assert (items[0].shared_options_raw[0], items[0].shared_options_raw[4]) == ("A.桑菊饮合苇茎汤", "E.竹叶石膏汤")
    assert items[2].shared_options_raw == ["A.风邪", "B.寒邪", "C.湿邪", "D.燥邪", "E.火邪"]
