"""Hostile texts: nothing crashes, and every text terminates."""

import os
import random

import pytest

from atomexam.records.item import QuestionItem
from atomexam.runtime.jsonl import to_line
from curation.clean.__main__ import clean
from curation.clean.facts.entries import read_entity
from curation.clean.facts.tails import MAX_TAIL_CHARS
from tests.curation.records import CLEAN, entry, item

PIECES = [
    *("&amp;", "&#38;", "<b>", "<script>", "<!--", "<", "&", "（", "）", "（ ）", "(P1)", "“", "”", '"', "_ ", "a", "A.", "A、", "AB"),
    *("1、", "1. ", "l岁", "??", "？！", "……", "· ", "。", "，）", "￥", "单选", "多选:1、", "[1分]", "来源：", "考试吧", "更多", "答案："),
    *("【答案】", "题", "图", "该", "案例", "求助者：“", "。”", "鐨勬", "學", "ﷺ", "㍿", "e\u0301", "\u202e", "\u200b", "\ud800", "\x00"),
    *("\x85", "\u3000", "\t", "\n ", "\ue000"),
]
STRINGS = int(os.environ.get("HOSTILE", "6000"))
FIELDS = 5


def question(*texts: str) -> QuestionItem:
    stem, first, second, answer, explanation = texts
    said = {"answer_raw": answer, "explanation_raw": explanation}
    return item(section_raw="多选", stem_raw=stem, options_raw=["A." + first, second], **said)


@pytest.mark.slow
def test_hostile_strings_are_kept_or_rejected() -> None:
    draw = random.Random("hostile")
    drawn = ("".join(draw.choices(PIECES, k=draw.randrange(12))) for _ in range(STRINGS))
    items = [question(*texts) for texts in zip(*[drawn] * FIELDS, strict=True)]
    found = clean([("toy", items)], CLEAN)
    assert len(items) == STRINGS // FIELDS == len(found.questions) + len(found.rejected)
    for row in found.questions:
        assert to_line(row)


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_reads_a_long_run_of_one_piece_in_every_field(piece: str) -> None:
    """Not timed: quadratic time would be 10^8 steps per field and rule, and obvious."""
    text = piece * (15_000 // len(piece))
    case = question("案例：" + "一" * 40 + text, text, "乙", text, text)
    kept = question("下列属于感觉的是", "甲", "乙", "AB", text)
    found = clean([("toy", [case, kept])], CLEAN)
    assert len(found.questions) + len(found.rejected) == 2


BEHIND = [
    ("下列", "\u3000", "x"),
    ("", "，", "x"),
    ("甲…", " ", "x"),
    ("感冒是病。", "甲", "。乙…"),
    ("", "内容仅供医学科普使用", ""),
    ("（", " ", "x"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "piece", "behind"), BEHIND, ids=range(len(BEHIND)))
def test_reads_a_long_run_within_a_text_in_every_field(before: str, piece: str, behind: str) -> None:
    """A pattern that needs the end of the text must not search for it from each position of a run."""
    text = before + piece * (100_000 // len(piece)) + behind
    found = clean([("toy", [question(text, text, text, text, text)])], CLEAN)
    assert len(found.questions) + len(found.rejected) == 1
    for label in ("哪些症状", "挂什么科", "是否传染", "正常值", "病因"):
        reading = read_entity(entry({label: text}, None, "感冒", {label: text}))
        assert all(len(fact.tail) <= MAX_TAIL_CHARS for fact in reading.facts)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<b>", "&amp;", "（", "中", "\u202e", "a ", "??"])
def test_reads_a_line_of_a_million_characters(piece: str) -> None:
    found = clean([("toy", [question(piece * (1_000_000 // len(piece)), "甲", "乙", "A", "")])], CLEAN)
    assert [row.reason for row in found.rejected] == [found.rejected[0].reason]
