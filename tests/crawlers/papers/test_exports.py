"""What platforms write around a question: verdicts offered in words of their own, and tags behind the stem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlers.papers.paper import read_paper

STATEMENTS = ["气质有好坏之分。( )", "肺循环又称小循环。", "心肌收缩时，\n其内钙离子增多"]
OFFERS = ["true. 正确\nfalse. 错误", "   true. 正确\n   false. 错误", "T. 对\nF. 错", "True、对\nFalse、错"]
BARE = ["正确\n错误", "对\n错", "  正确\n  错误"]


def _paper(offer: str, answers: list[str], gap: str = "") -> list[str]:
    asked = [
        f"{place}. {words}\n{offer}\n参考答案：{answer}"
        for place, (words, answer) in enumerate(zip(STATEMENTS * 2, answers, strict=True), 1)
    ]
    return f"\n{gap}".join(asked).split("\n")


@pytest.mark.parametrize("gap", ["", "\n", "--------\n\n"])
@pytest.mark.parametrize("offer", [*OFFERS, *BARE])
@pytest.mark.parametrize("right", ["✔ ❌", "正确 错误", "对 错", "√ ×"])
def test_verdicts_in_words_of_their_own_are_no_part_of_the_stem(offer: str, right: str, gap: str) -> None:
    yes, no = right.split()
    answers = [yes, no, yes, no, no, yes]
    reading = read_paper(_paper(offer, answers, gap))
    drafts = reading.questions
    assert [draft.answer for draft in drafts] == answers and not reading.rejected
    assert [draft.stem.removeprefix(f"{place}. ").replace("( )", "") for place, draft in enumerate(drafts, 1)] == [
        words.replace("( )", "") for words in STATEMENTS * 2
    ]
    assert all([option[-1] for option in draft.options] == [word.strip()[-1] for word in offer.split("\n")] for draft in drafts)


def test_verdicts_that_stand_twice_are_read_once() -> None:
    offer = "正确\n错误\nA. 对\nB. 错\n我的答案:正确答案:"
    lines = f"1. (判断题, 1.0 分) 气质有好坏之分，\n{offer}错\n2. (判断题, 1.0 分) 肺循环又称小循环。\n{offer}对"
    drafts = read_paper(lines.split("\n")).questions
    assert ["错误" in draft.stem for draft in drafts] == [False, False]
    assert [(draft.options, draft.answer) for draft in drafts] == [(["A. 对", "B. 错"], "错"), (["A. 对", "B. 错"], "对")]


@pytest.mark.parametrize("name", ["F. 错误", "错误", "false. 错误"])
def test_one_verdict_alone_is_left_where_it_stands(name: str) -> None:
    options = "A. 甲\nB. 乙\nC. 丙\nD. 丁\nE. 戊\n"
    lines = f"1. 下列属于判断的是（ ）\n{options}{name}\n答案：A\n2. 心是（ ）\n{options}答案：A"
    reading = read_paper(lines.split("\n"))
    said = "\n".join(text for draft in reading.drafts for text in [draft.stem, *draft.options, draft.explanation or ""])
    assert "错误" in said or any("错误" in line for line in reading.unread)


@pytest.mark.parametrize(
    "tag", ["（中；单选题）", "（易；单选题）", "(难, 单选题)", "（单选题，2分）", "【2分 单选题】", "（难度：易；单选题）"]
)
@pytest.mark.parametrize("words", ["感觉是（ ）。", "下列关于感觉的说法中，\n正确的是："])
def test_a_tag_behind_a_stem_says_the_type_and_is_no_part_of_it(tag: str, words: str) -> None:
    lines = f"1：{words}{tag}\nA. 甲\nB. 乙\n正确答案：B\n2：知觉是（ ）。{tag}\nA. 甲\nB. 乙\n正确答案：A".split("\n")
    drafts = read_paper(lines).questions
    assert [draft.stem.removeprefix("1：").removeprefix("2：") for draft in drafts] == [words, "知觉是（ ）。"]
    assert [(draft.type, draft.answer) for draft in drafts] == [("单选题", "B"), ("单选题", "A")]


@pytest.mark.parametrize("words", ["属于客观题的是（判断题）", "评分为（10分）", "难度为（中）"])
def test_words_in_brackets_without_a_type_and_a_weight_stay(words: str) -> None:
    drafts = read_paper(f"1、{words}\nA. 甲\nB. 乙\n答案：B\n2、知觉是（ ）。\nA. 甲\nB. 乙\n答案：A".split("\n")).questions
    assert drafts[0].stem == f"1、{words}"


@given(st.permutations(["正确", "错误"]), st.lists(st.sampled_from("AB"), min_size=3, max_size=6))
def test_a_letter_means_the_verdict_in_its_place(order: list[str], answers: list[str]) -> None:
    lines = [f"{place}. 第{place}种说法成立。\n{order[0]}\n{order[1]}\n答案：{answer}" for place, answer in enumerate(answers, 1)]
    drafts = read_paper("\n".join(lines).split("\n")).questions
    assert [(draft.options, draft.answer) for draft in drafts] == [([f"A. {order[0]}", f"B. {order[1]}"], answer) for answer in answers]


@pytest.mark.parametrize(
    "legend",
    [
        "学生答案：B\n正确答案：A",
        "您选择的是B，正确答案是A",
        "已选答案: B\n正确答案: A",
        "我的选项：B 正确答案：A",
        "你选的是 B\n参考答案：A",
        "同学答案：B；正确答案：A",
    ],
)
def test_what_a_reader_chose_is_no_answer(legend: str) -> None:
    text = "\n".join(f"{number}. 下列属于知觉的是（ ）\nA. 甲\nB. 乙\nC. 丙\n{legend}" for number in (1, 2, 3))
    assert [(draft.options, draft.answer, draft.doubt) for draft in read_paper(text.split("\n")).drafts] == [
        (["A. 甲", "B. 乙", "C. 丙"], "A", None)
    ] * 3
