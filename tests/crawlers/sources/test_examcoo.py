"""The codes of examcoo, and what its spider asks for and when."""

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.embedded.content import Content, Paper, PaperSection, Q
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import examcoo
from crawlers.embedded.sites.examcoo_paper import answers_of_call, parts_of_page
from crawlers.html.pages import MOST_PAGES
from crawlers.html.source_spider import NOTED
from crawlers.sources.examcoo.answers import answer_of_code
from crawlers.sources.examcoo.spider import ExamcooSpider
from crawlers.store.exchanges import of_session

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
    assert answer_of_code(kind, code, 5).raw == answer


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


def test_question_is_kept_if_its_explanation_fails(spider: ExamcooSpider) -> None:
    [request] = read(spider, [{"id": "123"}, row(e="1")])
    failure = Failure(OSError("no answer"))
    failure.request = request
    assert list(request.errback(failure)) == [request.cb_kwargs["item"]]


def test_a_line_of_a_block_whose_text_has_another_key_is_a_misfit(spider: ExamcooSpider) -> None:
    lines = [{"c": "一、案例问答题", "p": "1"}, {"c1": "求助者，女性，", "c2": "33岁。", "p": "0"}]
    read(spider, [{"id": "123"}, {"id": "b", "c": lines}, row()])
    [why] = spider.crawler.stats.get_value("misfit/pages")
    assert "a line of a block without text under c" in why


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"id": "123"}], "no questions"),
        ([], "no questions"),
        ("null", "no rows"),
        ('"shut"', "no rows"),
        ({"d": []}, "no rows: expected an array, alone or under b or c, found the keys d"),
        ("<html>", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ([1, {"id": "99"}], "2 rows cannot be read: a row without id"),
        ([{"id": "b", "c": [{"x": 1}, 2]}], "no questions"),
        ([{"id": "b", "c": "一、选择题"}], "a row without id s1 to s5 or b"),
        ("-1", "timed out"),
        ("-2", "wrong parameters"),
        ("-3", "no right"),
    ],
)
def test_a_call_without_questions_is_a_misfit(spider: ExamcooSpider, rows: Any, why: str) -> None:
    assert read(spider, rows) == []
    assert why in spider.crawler.stats.get_value("misfit/pages")[0]


@pytest.mark.parametrize(
    ("spoilt", "doubt"),
    [
        ({"b": '[{"o":"甲"'}, "options_unreadable"),
        ({"b": '["甲"]'}, "options_unreadable"),
        ({"b": {"o": "甲"}}, "options_unreadable"),
        ({"a": None}, "stem_unreadable"),
        ({"id": "s4_9", "c": '[{"a":'}, "answer_unreadable"),
        ({"c": ["1"]}, "answer_unreadable"),
        ({"id": "s6_9"}, "kind_unknown"),
        ({"id": "new"}, "row_unknown"),
    ],
)
def test_spoilt_question_is_kept_with_a_doubt(spider: ExamcooSpider, spoilt: dict[str, Any], doubt: str) -> None:
    given_up, item = read(spider, [{"id": "123"}, row(**spoilt), row(a="好题")])
    assert (given_up.doubt, item.doubt, item.stem_raw, item.number_raw) == (doubt, None, "好题", "2")
    [told] = spider.crawler.stats.get_value("misfit/pages")
    assert "1 rows cannot be read" in told and (doubt in told or "a row without id" in told)


@pytest.mark.parametrize(
    ("kind", "code", "options", "raw"),
    [("s2", "9", 2, "9"), ("s1", "16", 4, "16"), ("s1", "9" * 5000, 4, "9" * 5000), ("s2", "1024", 0, "1024")],
)
def test_mask_beyond_the_options_is_bad_data_not_a_misfit(spider: ExamcooSpider, kind: str, code: str, options: int, raw: str) -> None:
    listed = json.dumps([{"o": f"{number}"} for number in range(options)])
    [item] = read(spider, [{"id": "123"}, row(id=f"{kind}_9", b=listed, c=code)])
    assert (item.answer_raw, item.doubt) == (raw, "answer_mask_beyond_options")
    assert spider.crawler.stats.get_value("misfit/count") is None


@pytest.mark.parametrize("counters", [{}, {"e": "", "f": None}, {"e": "many"}])
@pytest.mark.parametrize("more", [{}, {"b": [{"o": "甲"}, {"o": "乙"}]}, {"c": 2}, {"e": True, "c": "2 "}])
@pytest.mark.parametrize("wrapped", [None, "b", "c"])
def test_reads_other_spellings(spider: ExamcooSpider, counters: dict[str, Any], more: dict[str, Any], wrapped: str | None) -> None:
    rows = [{"id": "123"}, row(**counters | more)]
    [item] = read(spider, {wrapped: rows} if wrapped else rows)
    assert (item.stem_raw, item.options_raw, item.answer_raw, item.doubt) == ("题干（ ）", ["甲", "乙"], "B", None)


def test_a_question_shown_twice_is_asked_for_twice(spider: ExamcooSpider) -> None:
    requests = read(spider, [{"id": "123"}, row(e="1"), row(e="1")])
    assert [request.dont_filter for request in requests] == [True, True]  # else the second would be lost with its question


_FIRST_CASE = "某女，35岁，某公司职员，因工作压力大来咨询，近三个月来失眠、焦虑，食欲下降。"


@pytest.mark.parametrize(
    ("block", "style", "case"),
    [
        ("患者，男，20岁，发热3天。", "0", "患者，男，20岁，发热3天。"),
        ("男性，45岁。咳嗽3天。", "0", "男性，45岁。咳嗽3天。"),
        ("某男，20岁，大学生。", "1", "某男，20岁，大学生。"),
        ("某男，20岁，大学生。<br>因学习成绩下降来咨询。", "0", "某男，20岁，大学生。\n因学习成绩下降来咨询。"),
        ("遗忘在学习之后立即开始。<br>先快后慢。", "0", "遗忘在学习之后立即开始。\n先快后慢。"),
        ("Passage Two<br>In 1990 the study of mind began.", "0", "In 1990 the study of mind began."),
        ("（以下为选做）", "0", _FIRST_CASE),
        ("遗忘先快后慢。<br>（每题2分，共4分）", "0", "遗忘先快后慢。"),
        ("二、单项选择题", "1", None),
    ],
)
def test_a_block_after_a_case_brings_the_next_case(spider: ExamcooSpider, block: str, style: str, case: str | None) -> None:
    first = {"id": "b", "c": [{"c": "一、案例分析题", "p": "1"}, {"c": _FIRST_CASE, "p": "0"}]}
    second = {"id": "b", "c": [{"c": block, "p": style}]}
    items = read(spider, [{"id": "123"}, first, row(), row(), second, row(), row()])
    assert [item.case_raw for item in items] == [_FIRST_CASE, _FIRST_CASE, case, case]
    assert len({item.group_raw for item in items}) == (1 if case == _FIRST_CASE else 2)
    assert not any(item.doubt for item in items)


def test_doubts_a_case_inside_an_announced_case(spider: ExamcooSpider) -> None:
    first = {"id": "b", "c": [{"c": "（1～3题共用题干）", "p": "0"}, {"c": _FIRST_CASE, "p": "0"}]}
    items = read(spider, [{"id": "123"}, first, row(), {"id": "b", "c": [{"c": "患者，男，20岁，发热3天。", "p": "0"}]}, row()])
    assert [item.doubt for item in items] == [None, "case_unsure"]


def test_prose_ends_shared_options(spider: ExamcooSpider) -> None:
    shared = {"id": "b", "c": [{"c": text, "p": "0"} for text in ("A.甲", "B.乙", "C.丙")]}
    prose = {"id": "b", "c": [{"c": "遗忘先快后慢。", "p": "0"}]}
    items = read(spider, [{"id": "123"}, shared, row(b=None), prose, row(), row()])
    assert [item.shared_options_raw for item in items] == [["A.甲", "B.乙", "C.丙"], None, None]


def test_printed_numbers_of_a_note_are_counted_from_the_question_below(spider: ExamcooSpider) -> None:
    note = {"id": "b", "c": [{"c": "（111～112题共用备选答案）", "p": "0"}, {"c": "A.甲", "p": "0"}, {"c": "B.乙", "p": "0"}]}
    items = read(spider, [{"id": "123"}, row(), note, row(b=None), row(b='[{"o":"Ａ．"},{"o":"Ｂ．"}]'), row()])
    assert [bool(item.shared_options_raw) for item in items] == [False, True, True, False]
    assert items[2].options_raw is None


def test_a_paper_whose_answers_are_hidden_is_counted(spider: ExamcooSpider) -> None:
    items = read(spider, [{"id": "123"}, row(c=""), row(c="0")])
    assert [item.answer_raw for item in items] == [None, None]
    assert spider.crawler.stats.get_value("noted/papers without answers") == 1


def test_title_comes_from_the_record_if_the_page_has_none(spider: ExamcooSpider) -> None:
    paper = {"pid": "123", "tokenpid": TOKEN}
    made = spider.parse_content(call([{"id": "123", "a": "甲&amp;乙"}, row()]), view=HOST, paper=paper, page={"paper_raw": None})
    assert [item.paper_raw for item in made] == ["甲&乙"]


def test_provenance_names_no_token(spider: ExamcooSpider) -> None:
    response = call([{"id": "123"}, row()])
    response.request.meta.update(of_session(TOKEN, response))
    paper = {"pid": "123", "tokenpid": TOKEN}
    [item] = spider.parse_content(response, view=HOST, paper=paper, page={"paper_raw": None})
    assert item.provenance.url == f"{HOST}/editor/rpc/getpapercontent/pid/123/tokenpid/-/fromAction/view"


def test_timed_out_token_is_renewed_once(spider: ExamcooSpider) -> None:
    html = f'<script>var pid = "7";var vp4tokenpid = "{TOKEN}";</script>'
    view = page(f"{HOST}/editor/do/view/id/7", html)
    [first] = spider.parse_view(view)
    answer = TextResponse(first.url, status=403, body=b"-1", request=first)
    assert spider.refusal(answer) == "the content call was answered with -1: the token of the page timed out"
    assert spider.refusal(answer.replace(body=b"-3")) is None and "no right" in _misfit_of(spider, answer.replace(body=b"-3"))

    def failed(request: Request) -> list[Request]:
        failure = Failure(HttpError(answer.replace(request=request)))
        failure.request = request  # type: ignore[attr-defined]
        return list(spider.without_content(failure))

    [again] = failed(first)
    assert (again.url, again.callback, again.dont_filter) == (view.url, spider.parse_view, True)
    [second] = spider.parse_view(view.replace(request=again))
    assert second.dont_filter and failed(second) == []
    assert spider.crawler.stats.get_value("misfit/pages")[-1].endswith("the content call was answered with status 403")


def _misfit_of(spider: ExamcooSpider, response: TextResponse) -> str:
    list(spider.parse_content(response, HOST, {}, {"paper_raw": None}))
    return spider.crawler.stats.get_value("misfit/pages")[-1]


@pytest.mark.parametrize(
    ("rows", "footer", "wanted"),
    [
        (25, "共 60条记录 总共：3页", [2, 3]),
        (25, "共 60条记录", [2, 3]),
        (5, "共 8条记录 总共：2页", [2]),
        (5, "共 5条记录 总共：1页", []),
        (25, "", [2]),
        (24, "", []),
    ],
)
def test_a_list_goes_on_while_there_are_pages(spider: ExamcooSpider, rows: int, footer: str, wanted: list[int]) -> None:
    table = "".join(f'<tr><td><a href="/editor/do/view/id/{number}/cid/0/kid/43/ad/0">查看</a></td></tr>' for number in range(rows))
    html = f'<table><tr><td><a href="/vip/index">开通</a></td></tr>{table}</table><div>{footer}</div>'
    urls = [request.url for request in spider.parse_list(page(f"{HOST}/paperlist/index/k/1743/p/1", html))]
    assert urls[0] == f"{HOST}/editor/do/view/id/0"
    assert urls[rows:] == [f"{HOST}/paperlist/index/k/1743/p/{number}" for number in wanted]


def test_a_list_that_shows_its_last_page_for_ever_ends(spider: ExamcooSpider) -> None:
    rows = "".join(f'<tr><td><a href="/editor/do/view/id/{number}">查看</a></td></tr>' for number in range(25))
    first = list(spider.parse_list(page(f"{HOST}/paperlist/index/k/1743/p/1", f"<table>{rows}</table>")))
    again = list(spider.parse_list(page(first[-1].url, f"<table>{rows}</table>"), **first[-1].cb_kwargs))
    assert len(first) == 26 and len(again) == 25


def test_a_list_that_claims_pages_without_end_is_bounded(spider: ExamcooSpider) -> None:
    html = '<table><tr><td><a href="/editor/do/view/id/7">查看</a></td></tr></table><div>总共：999999999页</div>'
    assert len(list(spider.parse_list(page(f"{HOST}/paperlist/index/k/1743/p/1", html)))) == MOST_PAGES


@pytest.mark.parametrize(("footer", "misfits"), [("共 0条记录", None), ("", 1), ("共 12条记录", 1)])
def test_an_empty_list_says_so(spider: ExamcooSpider, footer: str, misfits: int | None) -> None:
    assert list(spider.parse_list(page(f"{HOST}/paperlist/index/k/1743/p/1", f"<table></table><p>{footer}</p>"))) == []
    assert spider.crawler.stats.get_value("misfit/count") == misfits


@pytest.mark.parametrize("callback", ["parse", "parse_category", "parse_view"])
def test_a_page_without_links_or_token_is_a_misfit(spider: ExamcooSpider, callback: str) -> None:
    html = '<a href="http://[/index/detail/mid/">坏</a><div id="paperContent"></div>'
    assert list(getattr(spider, callback)(page(f"{HOST}/index/ku", html))) == []
    assert spider.crawler.stats.get_value("misfit/count") == 1


def test_lists_are_the_scope() -> None:
    crawler = get_crawler(ExamcooSpider)
    scoped = ExamcooSpider.from_crawler(crawler, lists=["1790", "1703"])
    assert scoped.start_urls == [f"{HOST}/paperlist/index/k/{kid}/p/1" for kid in (1790, 1703)]
    html = '<table><tr><td><a href="/editor/do/view/id/7">查看</a></td></tr></table><div>总共：1页</div>'
    assert [request.url for request in scoped.parse(page(scoped.start_urls[0], html))] == [f"{HOST}/editor/do/view/id/7"]
    with pytest.raises(ValueError, match=r"sources.examcoo: lists: found \['导游'\]; expected numbers"):
        ExamcooSpider.from_crawler(crawler, lists=["导游"])


def test_the_replica_answers_no_call_with_a_wrong_token() -> None:
    paper = Paper(id=2599999, exam="GEE", site="examcoo", title="卷", subject="普通心理学", sections=[PaperSection(questions=[])])
    respond = examcoo.build(Content(papers=[paper]))
    good = f"/editor/rpc/getpapercontent/pid/2599999/tokenpid/{examcoo.token_of(2599999)}/fromAction/view"
    bad = good.replace("tokenpid/", "tokenpid/0")
    view = respond(SiteRequest(method="GET", host="www.examcoo.com", target="/editor/do/view/id/2599999"))
    known = {"referer": f"{HOST}/editor/do/view/id/2599999", "cookie": view.headers["Set-Cookie"].partition(";")[0]}

    def status(target: str, headers: dict[str, str], method: str = "GET", body: bytes = b"") -> int:
        return respond(SiteRequest(method=method, host="www.examcoo.com", target=target, headers=headers, body=body)).status

    assert [status(good, known), status(bad, known)] == [200, 403]
    assert [status(good, {name: known[name]}) for name in known] == [403, 403]  # without the session, without the page it comes from
    assert status("/editor/comment/index", known, "POST", b"sdtId=s1_1&pid=2599999&tokenpid=0") == 403


def test_all_five_kinds_of_questions_round_trip(spider: ExamcooSpider) -> None:
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
    [saved] = (real_data / "examcoo").glob("getpapercontent_*.json")
    made = read(spider, json.loads(saved.read_text(encoding="utf-8")))
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
    heading, _, *first = (line["c"] for line in blocks[1]["c"])
    assert [item.section_raw for item in items][:4] == [heading] * 4
    assert items[0].shared_options_raw == first
    assert items[2].shared_options_raw == [line["c"] for line in blocks[2]["c"]][1:]


def area(number: int, inner: str = "") -> str:
    stem = f'<div class="qIndex">{number}.</div><div class="subjectBox">题{number}</div>'
    options = '<div class="optionContent">甲</div><div class="optionContent">乙</div>'
    answer = '<div class="answerBar"><span class="answerLabel">A</span></div>'
    return f'<div id="s1_9_{number}" class="singleContainer questionArea">{stem}{options}{answer}{inner}</div>'


@pytest.mark.slow
def test_mutilated_page_gives_no_wrong_questions(spider: ExamcooSpider) -> None:
    nested = ""
    for number in range(400, 0, -1):  # one tag is not closed, and each question holds all that follow
        nested = area(number, nested)
    start = time.process_time()
    items = list(spider.parse_view(page(f"{HOST}/editor/do/view/id/1", f'<div id="paperContent">{nested}</div>')))
    assert time.process_time() - start < 5
    assert [item.doubt for item in items] == ["question_torn"] * 399 + [None]
    assert items[0].stem_raw == "题1" and (items[-1].stem_raw, items[-1].options_raw, items[-1].answer_raw) == ("题400", ["甲", "乙"], "A")
    assert "399 rows cannot be read: s1_9 contains others" in spider.crawler.stats.get_value("misfit/pages")[0]


def rendered(number: int, kind: str, answer: str, stem: str = "题干") -> str:
    return f'''<div id="{kind}_{number}_{number}" class="singleContainer questionArea"><div class="qIndex">{number}.</div>
    <div class="subjectBox">{stem}</div>{answer}</div>'''


def test_a_rendered_page_has_a_profile_that_is_no_question_and_answers_by_kind(spider: ExamcooSpider) -> None:
    blank = '甲乙<input type="text" value="子>丑">丙<input type="text" value="寅">丁'
    html = f"""<div id="paperContent"><div id="profile" class="questionArea"><div id="paperName">某卷</div></div>
    <div class="blockContainer"><div class="blockBox part">第一部分 常识</div></div>
    {rendered(1, "s4", '<div class="answerBar"></div>', blank)}
    {rendered(2, "s5", '<div class="textAnswerBar"><div class="textAnswer">一则。<br>二则。</div></div>')}
    <div class="blockContainer"><div class="blockBox partIndex">第二部分 应用</div></div>
    {rendered(1, "s3", '<div class="answerBar"><label>对</label></div>')}
    <div id="s100_7_3" class="singleContainer questionArea"><a href="/editor/do/view/id/99/sa/0">另卷</a></div></div>"""
    *items, onward = spider.parse_view(page(f"{HOST}/editor/do/view/id/1", html))
    assert [(item.stem_raw, item.answer_raw, item.section_raw, item.number_raw) for item in items] == [
        ("甲乙____丙____丁", "子>丑；寅", "第一部分 常识", "1."),
        ("题干", "一则。\n二则。", "第一部分 常识", "2."),
        ("题干", "对", "第二部分 应用", "1."),
    ]
    assert onward.url == f"{HOST}/editor/do/view/id/99"
    assert spider.crawler.stats.get_value("misfit/count") is None


def test_heading_style_2_restarts_numbers_and_random_rules_are_followed(spider: ExamcooSpider) -> None:
    block = [{"c": "听觉部分", "p": "1"}], [{"c": "单选部分", "p": "2"}]
    rows = [{"id": "123"}, {"id": "b", "c": block[0]}, row(), row(), {"id": "b", "c": block[1]}, row()]
    *items, onward = read(spider, [*rows, {"id": "s100_1", "a": "99", "b": "另卷", "c": "9", "f": "3"}])
    assert [(item.section_raw, item.number_raw) for item in items] == [("听觉部分", "1"), ("听觉部分", "2"), ("单选部分", "1")]
    assert onward.url == f"{HOST}/editor/do/view/id/99"
    assert spider.crawler.stats.get_value(f"{NOTED}rules that draw questions from another paper") == 1
    assert spider.crawler.stats.get_value("misfit/count") is None


@pytest.mark.parametrize(
    ("html", "why"), [('<div class="error-bar">错误：格式不对</div>', "格式不对"), ("-1", "the token of the page timed out")]
)
def test_a_refused_explanation_is_a_misfit_that_says_why(spider: ExamcooSpider, html: str, why: str) -> None:
    [request] = read(spider, [{"id": "123"}, row(e="1")])
    [item] = spider.parse_explanation(page(request.url, html), **request.cb_kwargs)
    assert item.explanation_raw is None and why in spider.crawler.stats.get_value("misfit/pages")[0]
    assert not [name for name in spider.crawler.stats.get_stats() if "announced and absent" in name]


@pytest.mark.parametrize(
    ("category", "first", "link", "title", "is_wanted"),
    [
        ("职业资格(9)", "心理咨询师", "基础知识", "", True),
        ("医师资格", "某级", "基础知识", "", True),
        ("职业资格", "某级", "基础知识", "心理咨询师基础知识", True),
        ("职业资格", "心 理\u3000咨询师", "基础知识", "", True),
        ("学历类", "初一", "语文", "初一语文", False),
        ("献爱心", "理财规划师", "基础知识", "", False),
    ],
)
def test_a_list_is_wanted_by_row_category_or_title(
    spider: ExamcooSpider, category: str, first: str, link: str, title: str, is_wanted: bool
) -> None:
    html = f'<table class="courseTable"><tr><td>{first}</td><td><a href="/paperlist/index/k/7" title="{title}">{link}</a></td></tr></table>'
    urls = [one.url for one in spider.parse_category(page(f"{HOST}/index/detail/mid/1", html), category=category)]
    assert urls == ([f"{HOST}/paperlist/index/k/7"] if is_wanted else [])
    assert spider.crawler.stats.get_value("misfit/count") is None  # most categories of the site hold other examinations
    noted = [key for key in spider.crawler.stats.get_stats() if key.startswith(NOTED)]
    assert len(noted) == (0 if is_wanted else 1)


def test_a_list_is_wanted_by_the_name_of_its_part_of_the_page(spider: ExamcooSpider) -> None:
    def part(name: str, kid: int) -> str:
        table = f'<table class="courseTable"><tr><td>甲级</td><td><a href="/paperlist/index/k/{kid}/p/1">综合</a></td></tr></table>'
        return f'<div class="catSubBox"><a class="catSubAnchor" name="s{kid}">{name}</a>{table}</div>'

    html = part("导游资格(9)", 1) + part("中医医师(20)", 2) + part("会计资格(3)", 3)
    urls = [one.url for one in spider.parse_category(page(f"{HOST}/index/detail/mid/6", html), category="职业类")]
    assert urls == [f"{HOST}/paperlist/index/k/2/p/1"]


def test_links_into_a_category_do_not_name_the_whole_of_it(spider: ExamcooSpider) -> None:
    parts = [("", "职业类"), ("#s1", "中医医师(20)"), ("#s2", "导游资格(9)")]
    html = "".join(f'<a href="/index/detail/mid/6{place}">{name}</a>' for place, name in parts)
    assert [one.cb_kwargs for one in spider.parse(page(f"{HOST}/index/ku", html))] == [{"category": "职业类"}]
    alone = '<a class="catSubAnchor" href="/index/detail/mid/6#s1">中医医师(20)</a>'
    assert [one.cb_kwargs for one in spider.parse(page(f"{HOST}/index/ku", alone))] == [{"category": ""}]


@pytest.mark.parametrize("body", ["-1", "\ufeff-1\n", '"-1"'])
def test_recognizes_timed_out_token_in_any_form(spider: ExamcooSpider, body: str) -> None:
    assert "timed out" in (spider.refusal(call(body)) or "")


def test_rows_that_share_their_first_cell_are_of_one_examination(spider: ExamcooSpider) -> None:
    def row(kid: int, first: str = "") -> str:
        return f'<tr>{first}<td><a href="/paperlist/index/k/{kid}">第{kid}科</a></td></tr>'

    html = row(1, "<td>导游</td>") + row(2, "<td rowspan=2>心理咨询师</td>") + row(3) + row(4, "<td>会计</td>") + row(5)
    urls = [one.url for one in spider.parse_category(page(f"{HOST}/index/detail/mid/6", f"<table class=courseTable>{html}</table>"))]
    assert urls == [f"{HOST}/paperlist/index/k/{kid}" for kid in (2, 3)]


def test_a_wanted_row_without_lists_is_a_misfit(spider: ExamcooSpider) -> None:
    rows = '<tr><td>中医师</td><td><span data-k="7">综合</span></td></tr>'
    rows += '<tr><td>药师</td><td><a href="/paperlist/index/k/8">综合</a></td></tr>'
    urls = [one.url for one in spider.parse_category(page(f"{HOST}/index/detail/mid/6", f"<table class=courseTable>{rows}</table>"))]
    assert urls == [f"{HOST}/paperlist/index/k/8"]
    [told] = spider.crawler.stats.get_value("misfit/pages")
    assert "中医师" in told and "no list" in told


def shown(spider: ExamcooSpider, *parts: str) -> list[QuestionItem]:
    made = spider.parse_view(page(f"{HOST}/editor/do/view/id/1", f'<div id="paperContent">{"".join(parts)}</div>'))
    return [one for one in made if isinstance(one, QuestionItem)]


@pytest.mark.parametrize(
    ("style", "section", "case", "numbers"),
    [("part", "听觉能力", None, ["1.", "2."]), ("partIndex", "听觉能力", None, ["1.", "1."]), ("", None, None, ["1.", "2."])],
)
def test_a_style_of_a_page_makes_a_heading(
    spider: ExamcooSpider, style: str, section: str | None, case: str | None, numbers: list[str]
) -> None:
    block = f'<div class="blockContainer"><div class="blockBox {style}">听觉能力</div></div>'
    items = shown(spider, rendered(1, "s3", ""), block, rendered(2, "s3", "").replace(">2.<", f">{numbers[1]}<"))
    assert [(item.section_raw, item.case_raw, item.number_raw) for item in items] == [(None, None, "1."), (section, case, numbers[1])]


def test_a_rule_that_names_no_paper_is_a_misfit(spider: ExamcooSpider) -> None:
    shown(spider, rendered(1, "s3", ""), '<div id="s100_7_3" class="singleContainer questionArea">从某卷中抽取3题</div>')
    assert "s100_7_3 names no paper to sample from" in spider.crawler.stats.get_value("misfit/pages")[0]


@pytest.mark.parametrize(
    ("kind", "answer", "stem", "raw"),
    [
        ("s3", '<div class="answerBar"><label>参考答案：</label><label>错</label></div>', "题干", "错"),
        ("s3", '<div class="answerBar"><label>对</label><label>错</label></div>', "题干", None),
        (
            "s5",
            '<div class="textAnswerBar"><div class="textAnswer">一则</div><div class="textAnswer">二则</div></div>',
            "题干",
            "一则\n二则",
        ),
        ("s4", "", '甲<input type="hidden" value="7"><input type="text" value="子">乙', "子"),
    ],
)
def test_answers_of_a_page_in_other_writings(spider: ExamcooSpider, kind: str, answer: str, stem: str, raw: str | None) -> None:
    [item] = shown(spider, rendered(1, kind, answer, stem))
    assert item.answer_raw == raw
    assert item.stem_raw == ("甲____乙" if kind == "s4" else "题干")
