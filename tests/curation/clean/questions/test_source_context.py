"""What the questions of a source reveal about each other: single-choice sections filed under multiple response."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from curation.clean.__main__ import clean
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of
from tests.curation.records import CLEAN, seen


def question(number: int, answer: str | None, section: str = "二、多项选择题", page: str = "page-1", stem: str = "") -> QuestionItem:
    options = ["A.整体性", "B.选择性", "C.恒常性", "D.理解性"]
    about = {"url": "https://toy/1", "provenance": seen(f"q{number}", page=page)}
    asked = {"stem_raw": stem or f"第{number}种知觉的特征是（ ）。", "options_raw": options, "answer_raw": answer}
    return QuestionItem(**about, section_raw=section, **asked)


def relabelled(answers: list[str | None]) -> list[int]:
    return mislabelled([question(number, answer) for number, answer in enumerate(answers)])


def mislabelled(items: list[QuestionItem]) -> list[int]:
    return sorted(int(position[1:]) for page in context_of(items).pages.values() for position in page.mislabelled)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["A", "B", "C", "D"], [0, 1, 2, 3]),
        (["AB", "CD", "A", "BC", "ABD"], []),
        (["AB", "CD", "A", "B", "ABD", "CD", "AD", "BC", "AB", "C"], [2, 3]),
        (["A", "AB", "B", "AC", "C"], [0, 2, 4]),
        (["A", "AB", "B", "AC", "ABD"], []),
        (["AB", "C,", "D,", "A，B"], []),
        (["A", None, "", "略"], []),
    ],
)
def test_single_answer_among_single_answers_is_single_choice(answers: list[str | None], expected: list[int]) -> None:
    assert relabelled(answers) == expected


def test_pages_and_sections_are_independent() -> None:
    items = [question(1, "A"), question(2, "B", page="page-2"), question(3, "C", section="一、单项选择题"), question(4, "AB")]
    assert mislabelled(items) == []


def test_tenth_question_follows_the_ninth() -> None:
    answers = {1: "AB", 2: "A", 9: "CD", 10: "AC", 11: "BD", 12: "ABC", 19: "AC", 20: "B"}
    assert mislabelled([question(number, answer) for number, answer in answers.items()]) == []


@given(st.lists(st.sampled_from(["A", "B", "AB", "CD", "ABC"]), max_size=30), st.randoms(use_true_random=False))
def test_order_of_items_does_not_matter(answers: list[str], random) -> None:
    items = [question(number, answer) for number, answer in enumerate(answers)]
    mixed = random.sample(items, len(items))
    assert context_of(mixed) == context_of(items)


def test_keeps_and_reports_relabelled_questions() -> None:
    found = clean([("toy", [question(1, "A"), question(2, "B"), question(3, "C"), question(9, "AB", page="page-2")])], CLEAN)
    assert [row.question_type for row in found.questions].count("mcqa") == 3
    assert found.metrics["repaired_by_rule"]["section_type"] == 3
    assert sum("section_type" in row.rules for row in found.changes) == 3


def test_rejects_a_question_that_itself_declares_several_answers() -> None:
    items = [question(number, "A", section="三、", stem=f"[多选题]第{number}种知觉是（ ）。") for number in range(3)]
    found = clean([("toy", items)], CLEAN)
    assert {row.reason for row in found.rejected} == {"type_and_answer_disagree"}


@given(st.lists(st.sampled_from(["A", "B", "AB", "E", None]), max_size=12), st.integers(1, 5))
def test_batch_size_does_not_matter(answers: list[str | None], size: int) -> None:
    items = [question(number, answer) for number, answer in enumerate(answers)]
    context = context_of(items)
    whole = read_questions(items, CLEAN, context)
    parts = [row for start in range(0, len(items), size) for row in read_questions(items[start : start + size], CLEAN, context)]
    assert parts == whole


@pytest.mark.parametrize(("others", "expected"), [(30, 1), (10, 0)])
def test_detects_joined_options_among_many_complete_ones(others: int, expected: int) -> None:
    whole = [question(number, "AB") for number in range(others)]
    short = msgspec.structs.replace(question(99, "AB"), options_raw=["A.利多卡因", "B.普鲁卡因胺 去乙酰毛花苷", "C.胺碘酮"])
    plain = msgspec.structs.replace(question(98, "AB"), options_raw=["A.利多卡因", "B.胺碘酮", "C.维拉帕米"])
    assert sum(len(page.glued) for page in context_of([*whole, short, plain]).pages.values()) == expected


LEANING = [
    "患者属于", "处方中用量超出每日剂量的饮片是", "乙的下列情形符合规定的是", "为增强疗效，宜与上药配伍的是",
    "若患者同时服用上述药物，可能的反应是",
]  # fmt: skip
WHOLE = [
    "肌酸激酶活性升高的临床意义是", "甲状腺激素的作用是", "患者，男，60岁，突发胸痛，首选的检查是", "乙类非处方药的标志是",
    "下列说法，正确的是（ ）。",
]  # fmt: skip


def _outcomes(stems: list[str], beside: str) -> list[str | None]:
    items = []
    for number, stem in enumerate(stems):
        items += [question(2 * number, "A", "一、单项选择题", stem=stem), question(2 * number + 1, "A", "一、单项选择题", stem=beside)]
    found = read_questions(items, CLEAN, context_of(items))[::2]
    return [reading.rejected.reason if reading.rejected else None for reading in found]


@pytest.mark.parametrize(("beside", "reason"), [("四诊合参，辨析其证候是", "case_missing"), ("知觉的特征是（ ）。", None)])
def test_weak_sign_suffices_among_questions_without_their_case(beside: str, reason: str | None) -> None:
    assert _outcomes(LEANING, beside) == [reason] * len(LEANING)
    assert _outcomes(WHOLE, beside) == [None] * len(WHOLE)
