"""Pairs of contradictory signs in one question; docs/cleaning.md lists those that are not a reason to reject it."""

from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.source_context import context_of
from tests.curation.records import CLEAN, item

DOC = Path(__file__).parents[4] / "docs/cleaning.md"
FOUR = ["A.感觉", "B.知觉", "C.记忆", "D.表象"]
ONE, TWO, THREE = ([f"{letter}.第{number}组{letter}" for letter in "ABCD"] for number in (1, 2, 3))
VERDICTS = ["A.正确", "B.错误"]
CASES: dict[tuple[str, str], list[tuple[dict[str, Any], str]]] = {
    ("true or false", "three options or more"): [({"type_raw": "判断题", "options_raw": FOUR}, "type_and_options_disagree")],
    ("true or false", "two options that are no verdicts"): [
        ({"section_raw": "三、判断题", "options_raw": ["A.男", "B.女"]}, "type_and_options_disagree")
    ],
    ("true or false", "two options, a word and its negation"): [
        ({"type_raw": "判断题", "options_raw": ["A.可以", "B.不可以"]}, "mcqa A"),
        ({"type_raw": "判断题", "options_raw": ["A.没有", "B.有"], "answer_raw": "B"}, "mcqa B"),
    ],
    ("true or false", "a letter behind B, or several"): [
        ({"type_raw": "判断题", "options_raw": VERDICTS, "answer_raw": "C"}, "answer_not_in_options"),
        ({"type_raw": "判断题", "options_raw": VERDICTS, "answer_raw": "AB"}, "type_and_answer_disagree"),
    ],
    ("single choice", "two options, 正确 and 错误"): [({"type_raw": "单选题", "options_raw": VERDICTS}, "tf A")],
    ("single choice, best answer or matching", "several letters"): [
        ({"type_raw": "单选题", "answer_raw": "AB"}, "type_and_answer_disagree"),
        ({"section_raw": "一、最佳选择题", "answer_raw": "A,C"}, "type_and_answer_disagree"),
        ({"section_raw": "二、配伍选择题", "answer_raw": "C,A"}, "type_and_answer_disagree"),
    ],
    ("any choice", "a verdict, or words that are no option"): [
        ({"type_raw": "单选题", "answer_raw": "正确"}, "answer_not_in_options"),
        ({"answer_raw": "想象"}, "answer_not_in_options"),
    ],
    ("any choice", "no options"): [({"type_raw": "单选题", "options_raw": None}, "too_few_options")],
    ("multiple response", "one letter"): [({"type_raw": "多选题"}, "type_and_answer_disagree")],
    ("multiple response", "one letter, and so beside it"): [({"type_raw": "多选题", "beside": ["B", "C"]}, "mcqa A")],
    ("multiple response or 不定项", "letters out of order"): [
        ({"type_raw": "多选题", "answer_raw": "CA"}, "mrqa AC"),
        ({"section_raw": "四、不定项选择题", "answer_raw": "C，A"}, "mrqa AC"),
    ],
    ("none, or 选择题", "letters out of order"): [
        ({"answer_raw": "C,A"}, "key_out_of_order"),
        ({"section_raw": "一、选择题", "answer_raw": "CA"}, "key_out_of_order"),
    ],
    ("any", "a letter twice"): [
        ({"section_raw": "一、选择题", "answer_raw": "AA"}, "key_out_of_order"),
        ({"type_raw": "多选题", "answer_raw": "BEE", "options_raw": [*FOUR, "E.想象"]}, "key_out_of_order"),
    ],
    ("none", "several letters in order"): [({"answer_raw": "AC"}, "mrqa AC")],
    ("none", "no options, and a letter"): [({"options_raw": None, "answer_raw": "答案：B"}, "too_few_options")],
    ("none", "no options, and a verdict"): [({"options_raw": None, "answer_raw": "对"}, "tf A")],
    ("in words", "no options, and a letter"): [({"type_raw": "简答题", "options_raw": None, "answer_raw": "B"}, "too_few_options")],
    ("in words, or a blank", "options, and the letter of one"): [
        ({"type_raw": "简答题"}, "mcqa A"),
        ({"section_raw": "二、填空题", "answer_raw": "B"}, "mcqa B"),
    ],
    ("in words, or a blank", "options, and words that are none of them"): [
        ({"type_raw": "简答题", "answer_raw": "反映个别属性。"}, "answer_not_in_options")
    ],
    ("a blank", "no options, and a letter"): [
        ({"section_raw": "二、填空题", "stem_raw": "血型为____型。", "options_raw": None, "answer_raw": "AB"}, "blank AB")
    ],
    ("a blank", "a number before the words for each blank"): [
        (
            {"type_raw": "填空题", "stem_raw": "每" + "（ ）查" * blanks + "。", "options_raw": None, "answer_raw": raw},
            f"blank {words}",
        )
        for blanks, raw, words in [
            (1, "(1) 每年", "每年"),
            (2, "(1) 甲\n(2) 乙", "甲；乙"),
            (2, "第一空：甲；第二空：乙", "甲；乙"),
            (1, "（2）甲", "（2）甲"),
            (1, "第一空间站", "第一空间站"),
            (1, "（1）肥胖（2）高盐", "（1）肥胖（2）高盐"),
            (2, "（1）甲；（2）", "（1）甲；（2）"),
        ]
    ],
    ("the stem says 多选", "the heading says single choice"): [
        ({"section_raw": "一、单项选择题", "stem_raw": "[多选题]知觉是（ ）", "answer_raw": "AB"}, "mrqa AB")
    ],
    ("shared options, no type", "several letters"): [
        ({"options_raw": None, "shared_options_raw": FOUR, "answer_raw": "AB"}, "type_and_answer_disagree")
    ],
    ("neighbours with the same options and no key", "a letter for each of them"): [({"before": [FOUR], "answer_raw": "A,D"}, "mcqa D")],
    ("neighbours with the same options and no key", "letters more or fewer than they"): [
        ({"before": [FOUR], "answer_raw": "A,D,B"}, "keys_joined")
    ],
    ("neighbours with neither options nor key", "a letter for each of them"): [
        ({"before": [None, None], "answer_raw": "A,C,D"}, "keys_joined")
    ],
    ("neighbours with the same options and no key", "a letter for each, at the other end than most keys of the page"): [
        ({"before": [ONE, ONE, (ONE, "C,A,B"), TWO], "answer_raw": "A,D", "beside": [None]}, "keys_joined")
    ],
    ("as many neighbours without a key in front (or behind)", "a letter for each, as in three or more keys of the page"): [
        ({"before": [ONE, (ONE, "C,A"), TWO, (TWO, "B,C"), THREE], "answer_raw": "A,D", "type_raw": kind}, "keys_joined")
        for kind in (None, "多项选择题")
    ],
    ("letters of the options", "one missing, or twice"): [({"options_raw": ["B.感觉", "C.知觉", "D.记忆"]}, "empty_options")],
    ("letters of the options", "a letter that no option has"): [({"answer_raw": "E"}, "answer_not_in_options")],
    ("letter and text of the answer", "the text is another option's"): [({"answer_raw": "A、知觉"}, "mcqa B")],
}


def asked(number: int, **fields: Any) -> QuestionItem:
    sound = {"stem_raw": f"第{number}种属性的反映称为（ ）。", "options_raw": FOUR, "answer_raw": "A"}
    return item(f"q{number}", **(sound | fields))


def outcome(fields: dict[str, Any]) -> str:
    own = {key: value for key, value in fields.items() if key not in ("before", "beside")}
    before = [one if isinstance(one, tuple) else (one, None) for one in fields.get("before", [])]
    rows = [asked(number, options_raw=options, answer_raw=answer) for number, (options, answer) in enumerate(before)]
    rows += [asked(50, **own)]
    rows += [asked(60 + number, **(own | {"answer_raw": answer})) for number, answer in enumerate(fields.get("beside", []))]
    reading = read_questions(rows, CLEAN, context_of(rows))[len(fields.get("before", []))]
    if reading.question:
        return f"{reading.question.question_type} {reading.question.answer}"
    assert reading.rejected is not None
    return reading.rejected.reason


@pytest.mark.parametrize(
    ("fields", "expected"),
    [pytest.param(*case, id=f"{said}: {other}") for (said, other), cases in CASES.items() for case in cases],
)
def test_signs_that_disagree(fields: dict[str, Any], expected: str) -> None:
    assert outcome(fields) == expected


def test_docs_list_each_pair_that_is_not_rejected() -> None:
    section = DOC.read_text(encoding="utf-8").partition("## Signs that disagree\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("| ")][1:]
    read = [pair for pair, cases in CASES.items() if all("_" not in expected for _, expected in cases)]
    assert [(row[0], row[1]) for row in rows] == read
