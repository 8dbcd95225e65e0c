"""The second reader of papers: its roles obey the grammar, nothing of a paper is lost, and it is asked only where numbers are missing."""

import itertools
import re
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.papers.paper import read_paper
from crawlers.second_reader.reader import better_read, decode_paper
from crawlers.second_reader.roles import ALLOWED, FIRST, ROLES, best_roles, format_weights, parse_weights
from crawlers.second_reader.segments import segments_of
from tests.layouts.learn import WEIGHTS
from tests.layouts.unseen import LAYOUTS, counted

ASKED = (
    ("医学伦理学的核心问题是", ("医患关系", "医院管理", "药品价格", "科研经费"), "A"),
    ("下列属于知觉特性的是", ("选择性", "流动性", "挥发性", "可逆性"), "A"),
    ("测量血压时袖带下缘应距肘窝", ("一至两厘米", "两至三厘米", "五至六厘米", "八至九厘米"), "B"),
    ("急性胰腺炎患者应首先", ("进食流质", "禁食", "下床活动", "热敷"), "B"),
    ("儿童心理社会发展的第一个冲突是", ("自主对羞怯", "信任对不信任", "勤奋对自卑", "亲密对孤独"), "B"),
    ("铺无菌盘的有效时间是", ("两小时", "四小时", "八小时", "一天"), "B"),
    ("肝硬化最常见的并发症是", ("肝癌", "上消化道出血", "肾衰竭", "感染"), "B"),
)
FORMS = {
    "answer within": lambda stem, options, answer: [f"{stem}（{answer}）", *(f"{a}. {o}" for a, o in zip("ABCD", options, strict=True))],
    "no answer": lambda stem, options, _: [f"{stem}（ ）", *(f"{a}、{o}" for a, o in zip("ABCD", options, strict=True)), ""],
    "bullets": lambda stem, options, answer: [f"{stem}（ ）", *(f"- {o}" for o in options), f"答案：{answer}", ""],
    "own labels": lambda stem, options, answer: [
        *(f"{stem}？", *(f"{a}. {o}" for a, o in zip("ABCD", options, strict=True))),
        *(f"【答】{answer}", "【浅析】这是教材中的要点。"),
    ],
    "explained on": lambda stem, options, answer: [
        *(f"{stem}（ ）", *(f"{a}. {o}" for a, o in zip("ABCD", options, strict=True)), f"答案：{answer}"),
        *("解析：见教材第三章。", "这一点常被忽视，应当牢记。", ""),
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_banks_without_numbers_are_read(form: str) -> None:
    lines = [line for asked in ASKED for line in FORMS[form](*asked)]
    drafts = better_read(lines, read_paper(lines)).questions
    assert [re.sub(r"[（(].*|[？]", "", draft.stem) for draft in drafts] == [stem for stem, _, _ in ASKED]
    assert [tuple(re.sub(r"^[A-D][.、] ?", "", option) for option in draft.options) for draft in drafts] == [o for _, o, _ in ASKED]
    assert [draft.answer for draft in drafts] == [None if form == "no answer" else answer for _, _, answer in ASKED]


def test_a_paper_with_numbers_is_left_to_the_passes() -> None:
    lines = [line for at, (stem, *asked) in enumerate(ASKED, 1) for line in FORMS["bullets"](f"{at}. {stem}", *asked)]
    passes = read_paper(lines)
    assert better_read(lines, passes) is passes


@pytest.mark.parametrize(
    "lines",
    [
        ["清晨的雾气还没有散尽，巷口的早点铺已经升起了炊烟。", "老人说：“今天怎么来得这样早？”", "", "他没有回答，只是笑了笑。"] * 12,
        ["def read(path):", "    return open(path).read()", "", "# A. first", "# B. second"] * 10,
        ["白菜 3.5元", "萝卜 2.0元", "价格以当日为准"] * 15,
        ["2026-01-01 10:00:00 INFO started", "2026-01-01 10:00:01 WARN slow: 12 s"] * 20,
    ],
)
def test_prose_code_prices_and_logs_hold_no_questions(lines: list[str]) -> None:
    assert better_read(lines, read_paper(lines)).questions == []


def test_layouts_written_before_the_decoder_are_read_as_counted_in_the_decision() -> None:
    passes = sum(counted(name, read_paper)["equal"] for name in LAYOUTS)
    chosen = [counted(name, lambda lines: better_read(lines, read_paper(lines))) for name in LAYOUTS]
    assert sum(one["equal"] for one in chosen) >= max(passes + 55, 300)
    assert sum(one["silent"] for one in chosen) <= 30


WORDS = st.sampled_from(
    [
        "甲乙丙丁",
        "A. 甲",
        "B、乙",
        "答案：A",
        "【解析】因为",
        "（ ）",
        "？",
        "参考答案",
        "1",
        "一、选择题",
        "- 子",
        "2019年",
        " ",
        "【评】好",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=4).map("".join), max_size=25))
def test_each_character_is_in_a_question_or_unread_and_the_same_lines_give_the_same(lines: list[str]) -> None:
    reading = decode_paper(lines)
    drafts = reading.drafts
    kept = [
        text
        for draft in drafts
        for text in [draft.stem, *draft.options, draft.answer or "", draft.explanation or "", draft.above.heading or ""]
    ]
    kept += reading.unread
    for sign in "甲乙丙丁因为":
        assert sum(text.count(sign) for text in kept) >= sum(line.count(sign) for line in lines)
    assert decode_paper(lines) == reading


@pytest.mark.parametrize("line", ["1A. 甲", "2A 甲", "答案 1.A 甲"])
def test_words_of_an_answer_list_are_not_lost(line: str) -> None:
    reading = decode_paper(["乙丙【解析】因为", line])
    assert not reading.drafts and sum(text.count("甲") for text in reading.unread) == 1


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=1, max_size=30), st.integers(0, 99))
def test_roles_obey_the_grammar_and_are_the_best(features: list[list[str]], seed: int) -> None:
    rng = Random(seed)
    names = [*"abcdef", *(f"after {role}" for role in ROLES)]
    weights = {name: np.array([rng.randrange(-50, 50) for _ in ROLES]) for name in names}
    roles, margins = best_roles(features, weights)
    assert FIRST[roles[0]]
    assert all(ALLOWED[before, role] for before, role in itertools.pairwise(roles))
    assert min(margins) >= 0
    assert best_roles(features, parse_weights(format_weights(weights))) == (roles, margins)


def test_the_weights_are_whole_numbers_for_each_role() -> None:
    weights = parse_weights(WEIGHTS.read_text(encoding="utf-8"))
    assert all(len(row) == len(ROLES) for row in weights.values())
    assert {f"after {role}" for role in ROLES if role != "furniture"} <= set(weights)
    assert format_weights(weights) == WEIGHTS.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", ["（" * 4000, "A. " * 2000, "答案：" * 2000, "- " * 3000, "【甲】" * 1500])
def test_hostile_lines_take_no_long_time(line: str) -> None:
    assert segments_of([(0, line), (1, line)])
    decode_paper([line])
