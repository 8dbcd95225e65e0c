"""Properties that note programs print above a question are no part of its stem, and an answer among them is its own."""

from collections.abc import Callable

import pytest

from crawlers.papers.paper import read_paper

STEMS = [
    "心脏有几个腔",
    "肺循环又称为",
    "男，29岁。转移性右下腹痛，最可能的诊断是",
    "凝血酶的主要作用是",
    "最大的感觉器官是",
    "构成脑干的是",
]
OPTIONS = ["甲类", "乙类", "丙类", "丁类"]
ANSWERS = ["A", "C", "B", "D", "A", "B"]
STATES = ["待复习", "已掌握", "未开始"]
Block = Callable[[int, str, str, str], str]


def _paper(block: Block, gap: str = "\n\n") -> list[str]:
    options = gap.join(f"{letter}. {words}" for letter, words in zip("ABCD", OPTIONS, strict=True))
    blocks = [
        block(number, stem, answer, STATES[number % 3]).format(options=options)
        for number, (stem, answer) in enumerate(zip(STEMS, ANSWERS, strict=True), 1)
    ]
    return ("# 刷题\n\n" + "\n\n".join(blocks)).split("\n")


def _assert_read(lines: list[str]) -> None:
    reading = read_paper(lines)
    assert not reading.rejected
    assert [draft.stem.split(". ")[-1] for draft in reading.questions] == STEMS
    assert [[option[3:] for option in draft.options] for draft in reading.questions] == [OPTIONS] * len(STEMS)
    assert [draft.answer for draft in reading.questions] == ANSWERS


BLOCKS: dict[str, Block] = {
    "Notion": lambda n, stem, answer, state: f"## Q{n:02d}\n\nAnswer: {answer}\nStatus: {state}\n\n{stem}\n\n{{options}}",
    "Chinese names": lambda n, stem, answer, state: f"## 第{n}题\n\n答案: {answer}\n状态：{state}\n\n{stem}\n\n{{options}}",
    "answer below": lambda n, stem, answer, state: f"## Q{n}\n\n状态: {state}\n标签: 内科, 呼吸\n\n{stem}\n\n{{options}}\n\n答案：{answer}",
    "dates": lambda n, stem, answer, state: (
        f"## {n}\n\nCreated: May {n}, 2023 10:21 AM\nTags: [内科, 错题]\nAnswer: {answer}\n\n{stem}\n\n{{options}}"
    ),
    "stem in the heading": lambda n, stem, answer, state: f"## {n}. {stem}\n\nAnswer: {answer}\nStatus: {state}\n\n{{options}}",
    "inline fields": lambda n, stem, answer, state: (
        f"## 第{n}题\n状态:: {state}\n标签:: #内科\n\n{stem}\n{{options}}\n\n**答案**：{answer}"
    ),
    "a list": lambda n, stem, answer, state: f"### {n}\n- **状态**：{state}\n- **答案**：{answer}\n\n{stem}\n\n{{options}}",
    "quoted": lambda n, stem, answer, state: f"## Q{n}\n\n> 状态: {state}\n> 复习次数: {n}\n\n{stem}\n\n{{options}}\n\n答案：{answer}",
    "between rules": lambda n, stem, answer, state: f"---\nid: {n}\nstatus: {state}\nanswer: {answer}\n---\n\n{stem}\n\n{{options}}",
    "an own name": lambda n, stem, answer, state: f"## Q{n}\n\n状态: {state}\n老师: 王{n}\n答案: {answer}\n\n{stem}\n\n{{options}}",
    "only the state": lambda n, stem, answer, state: f"## Q{n}\n\n{state}\n\n{stem}\n\n{{options}}\n\n答案：{answer}",
    "the state in the heading": lambda n, stem, answer, state: f"## Q{n} {state}\n\n{stem}\n\n{{options}}\n\n答案：{answer}",
    "below a numbered stem": lambda n, stem, answer, state: f"{n}. {stem}\n状态：{state}\n更新时间：{n}日\n{{options}}\n答案：{answer}",
    "without signs of Markdown": lambda n, stem, answer, state: f"第{n}题\n答案: {answer}\n状态: {state}\n{stem}\n{{options}}",
}


@pytest.mark.parametrize("gap", ["\n", "\n\n"], ids=["tight", "wide"])
@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_properties_above_a_question_are_no_part_of_it(block: Block, gap: str) -> None:
    _assert_read(_paper(block, gap))


def test_properties_below_each_question_make_no_chat() -> None:
    _assert_read(
        _paper(lambda n, stem, answer, state: f"{n}. {stem}\n{{options}}\n答案：{answer}\n状态：{state}\n创建时间：2023年5月{n}日 10:21")
    )


@pytest.mark.parametrize("name", ["病例", "主诉", "年龄", "性别"])
def test_what_describes_a_patient_is_not_left_out(name: str) -> None:
    lines = _paper(lambda n, stem, answer, state: f"## 第{n}题\n\n状态：{state}\n{name}：某{n}\n\n{stem}\n\n{{options}}\n\n答案：{answer}")
    reading = read_paper(lines)
    assert len(reading.drafts) == len(STEMS)
    assert all(f"某{n}" in draft.stem or draft.doubts for n, draft in enumerate(reading.drafts, 1))


def test_a_stem_that_is_a_property_is_left_to_other_passes() -> None:
    lines = _paper(lambda n, stem, answer, state: f"## 第{n}题\n\n状态：{state}\n正面：{stem}\n\n{{options}}\n\n答案：{answer}")
    assert all(stem in draft.stem for stem, draft in zip(STEMS, read_paper(lines).drafts, strict=True))


def test_an_answer_list_above_the_questions_of_a_chapter_is_not_moved() -> None:
    chapter = "\n".join(f"{n}. {stem}\nA. 甲类\nB. 乙类\nC. 丙类\nD. 丁类" for n, stem in enumerate(STEMS[:2], 1))
    lines = "\n".join(f"## 第{numeral}章\n来源: 教材\n答案: A\n\n{chapter}" for numeral in "一二三四").split("\n")
    assert {draft.answer for draft in read_paper(lines).questions} == {None} or not read_paper(lines).questions
