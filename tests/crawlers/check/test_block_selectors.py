"""Selectors that `check` proposes for pages with one container per question."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse, Response

from crawlers.check.block_selectors import selectors_of
from crawlers.check.check_report import as_text
from crawlers.check.findings import Findings
from crawlers.check.page_hints import PageHints
from crawlers.check.watch_middleware import PageOutput
from crawlers.html.question_blocks import Blocks, questions_on

LAYOUTS = {
    "classes throughout": (
        '<section class="item"><h4 class="tm">{n}、{stem}</h4><p class="xx">A. 甲</p><p class="xx">B. 乙</p>'
        '<div class="da">正确答案：<b>{key}</b></div><div class="jx">答案解析：因为。</div></section>'
    ),
    "a list of options": (
        '<div class="card mb-20"><div class="q-title"><span>{n}.</span>{stem}</div><ul><li>A、甲</li><li>B、乙</li></ul>'
        '<p class="ans">【答案】{key}</p><p class="exp">【解析】因为。</p></div>'
    ),
    "a box around all of it": (
        '<li class="one"><div class="inner"><p class="wt">{n}．{stem}</p><div class="opts"><label>A．甲</label><label>B．乙</label></div>'
        '<div class="key">参考答案：{key}</div><div class="why">解析：因为。</div></div></li>'
    ),
}


def page(layout: str, number: int = 3) -> HtmlResponse:
    stems = ("下列各项中属于意志品质的是（ ）。", "心理的实质是（ ）", "记忆的首要环节是（ ）。", "情绪的外部表现是（ ）。")
    blocks = [LAYOUTS[layout].format(n=n, stem=stem, key="AB"[n % 2]) for n, stem in enumerate(stems[:number], 1)]
    head = '<div class="nav"><a href="/">首页</a></div><div class="crumbs">首页 &gt; 心理学 &gt; 卷一</div><h1>卷一</h1>'
    body = f"{head}<div>{''.join(blocks)}</div>"
    return HtmlResponse("https://www.toy.example/1", body=body.encode(), encoding="utf-8")


LAYOUTS["letters in elements of their own"] = LAYOUTS["classes throughout"].replace("A.", "<b>A</b>、").replace("B.", "<b>B</b>、")
LAYOUTS["each part beside the others"] = (
    '<div class="main"><h4 class="tm">{n}、{stem}</h4><div class="opts"><p>A. 甲</p><p>B. 乙</p></div>'
    '<div class="da">正确答案：{key}</div><div class="jx">解析：因为。</div></div><div class="foot">版权所有</div>'
)

LAYOUTS["options named again in answer and analysis"] = (
    '<div class="qbox"><p class="stem">{n}. {stem}</p><ul class="q-opt"><li>A. 甲</li><li>B. 乙</li></ul>'
    '<div class="ans">答案：{key}.</div><div class="why">解析：因为。<i>A、甲</i></div></div>'
)
LAYOUTS["a container without a class"] = (
    '<div class="list"><div><p class="stem">{n}. {stem}</p><ul class="q-opt"><li>A. 甲</li><li>B. 乙</li></ul>'
    '<div class="ans">答案：{key}</div><div class="why">解析：因为。</div></div></div>'
)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_proposed_selectors_read_the_page(layout: str, count: int) -> None:
    shown = page(layout, count)
    found = selectors_of(shown)
    assert found["EXAM"] == "div.crumbs"
    where = Blocks(
        container=found["QUESTION"], stem=found["STEM"], options=found["OPTIONS"], answer=found["ANSWER"], analysis=found["ANALYSIS"]
    )
    read = list(questions_on(shown, where))
    assert len(read) == count
    for number, one in enumerate(read, 1):
        assert one["stem_raw"].startswith(str(number)) and len(one["options_raw"]) == 2 and one["options_raw"][1].endswith("乙")
        assert one["answer_raw"].strip(".") == "AB"[number % 2] and one["explanation_raw"].startswith("因为。")


def test_a_type_above_each_question_is_not_the_stem() -> None:
    block = (
        '<div class="card"><p class="kind">{kind}</p><p class="wt">{n}. 记忆的环节{n}是（ ）。</p>'
        '<ol class="opts"><li>A. 甲</li><li>B. 乙</li></ol><div class="key">正确答案：A</div></div>'
    )
    blocks = "".join(block.format(n=n, kind=["单选题", "[多选题]"][n % 2]) for n in range(1, 5))
    body = f'<p class="way">首页 / 教师资格 / 心理学</p><div>{blocks}</div>'
    found = selectors_of(HtmlResponse("https://www.toy.example/1", body=body.encode(), encoding="utf-8"))
    parts = {"QUESTION": "div.card", "TYPE": "p.kind", "STEM": "p.wt", "OPTIONS": "ol.opts li", "ANSWER": "div.key"}
    assert found == {**parts, "EXAM": "p.way"}


def test_running_text_gets_no_selectors() -> None:
    lines = "".join(f"<p>{n}. 题干（ ）。</p><p>A. 甲</p><p>B. 乙</p><p>答案：A</p>" for n in range(4))
    assert selectors_of(HtmlResponse("https://www.toy.example/1", body=f"<div class='text'>{lines}</div>".encode(), encoding="utf-8")) == {}
    assert selectors_of(Response("https://www.toy.example/1.png", body=b"\x89PNG")) == {}
    assert selectors_of(HtmlResponse("https://www.toy.example/1", body=b"")) == {}


def test_check_proposes_only_new_selectors() -> None:
    asked = PageOutput(
        url="https://www.toy.example/1", callback="parse_paper", hints=PageHints(blocks={"QUESTION": "li.one", "STEM": "p.wt"})
    )
    found = Findings(source="toy", mode="live", blocks={"QUESTION": "div.question", "STEM": "p.wt"}, pages=[asked])
    text = as_text(found)
    assert 'selectors for crawlers/sources/toy/spider.py:\nQUESTION = "li.one"\n' in text and "STEM" not in text
    assert "Add the selectors above to crawlers/sources/toy/spider.py" in text
    other = Findings(source="toy", mode="live", pages=[asked])
    assert "QUESTION =" not in as_text(other) and "--kind exam-blocks" in as_text(other)


@given(st.text(alphabet='<>/div class="a"AB. 答案甲\n', max_size=200))
@example("<div class='a'>" * 1_000 + "1. 题干 A.甲")
def test_odd_pages_do_not_break_it(body: str) -> None:
    selectors_of(HtmlResponse("https://www.toy.example/1", body=body.encode(), encoding="utf-8"))
