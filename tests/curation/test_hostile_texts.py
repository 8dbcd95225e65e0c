"""Hostile texts: nothing crashes, and ten times the text takes no hundred times the time."""

import random
import time

import pytest

from curation.clean import clean
from records.item import QuestionItem
from records.jsonl import to_line
from records.params import Clean
from records.provenance import Provenance

PARAMS = Clean(min_stem_chars=2, min_chinese_share=0.3)
PIECES = [
    *("&amp;", "&#38;", "<b>", "<script>", "<!--", "<", "&", "（", "）", "（ ）", "(P1)", "“", "”", '"', "_ ", "a", "A.", "A、", "AB"),
    *("1、", "1. ", "l岁", "??", "？！", "……", "· ", "。", "，）", "￥", "单选", "多选:1、", "[1分]", "来源：", "考试吧", "更多", "答案："),
    *("【答案】", "题", "图", "该", "案例", "求助者：“", "。”", "鐨勬", "學", "ﷺ", "㍿", "e\u0301", "\u202e", "\u200b", "\ud800", "\x00"),
    *("\x85", "\u3000", "\t", "\n ", "\ue000"),
]
STRINGS = 100_000
FIELDS = 5


def question(*texts: str) -> QuestionItem:
    stem, first, second, answer, explanation = texts
    seen = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position="q1")
    return QuestionItem(
        url=seen.url,
        provenance=seen,
        section_raw="多选",
        stem_raw=stem,
        options_raw=["A." + first, second],
        answer_raw=answer,
        explanation_raw=explanation,
    )


def test_a_hundred_thousand_hostile_strings_are_kept_or_rejected() -> None:
    draw = random.Random("hostile")
    drawn = ("".join(draw.choices(PIECES, k=draw.randrange(12))) for _ in range(STRINGS))
    items = [question(*texts) for texts in zip(*[drawn] * FIELDS, strict=True)]
    found = clean([("toy", items)], PARAMS)
    assert len(items) == STRINGS // FIELDS == len(found.questions) + len(found.rejected)
    for row in found.questions:
        assert to_line(row)


def seconds(text: str) -> float:
    item = question("案例：" + "一" * 40 + text, text, "乙", text, text)
    began = time.process_time()
    clean([("toy", [item])], PARAMS)
    return time.process_time() - began


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_sixteen_times_the_text_takes_no_quadratic_time(piece: str) -> None:
    """Quadratic time would be 256 times as long; what takes a hundredth of a second is not measured but floored."""
    short, long = 2_000 // len(piece), 32_000 // len(piece)
    assert seconds(piece * long) < 90 * max(seconds(piece * short), 0.01)


@pytest.mark.parametrize("piece", ["<b>", "&amp;", "（", "中", "\u202e", "a ", "??"])
def test_a_line_of_a_million_characters_is_read(piece: str) -> None:
    found = clean([("toy", [question(piece * (1_000_000 // len(piece)), "甲", "乙", "A", "")])], PARAMS)
    assert [row.reason for row in found.rejected] == [found.rejected[0].reason]
