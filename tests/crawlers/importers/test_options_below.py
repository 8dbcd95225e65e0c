"""Sheets with options in rows below their question, and with the blanks of a form above the header."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pytest

from crawlers.column_roles.values import bare
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

FORMS: dict[str, tuple[list[str], Callable[[int, str, str], list[Any]], int]] = {
    "in the column of the stem": (["题号", "内容", "答案"], lambda n, stem, key: [n, stem, key], 1),
    "answers first": (["答案", "题目"], lambda n, stem, key: [key, stem], 1),
    "in a column of their own": (["题号", "题干", "选项", "答案"], lambda n, stem, key: [n, stem, None, key], 2),
    "beside types and explanations": (
        ["序号", "题型", "题目内容", "正确答案", "解析"],
        lambda n, stem, key: [n, "单选题", stem, key, f"见第{n}章"],
        2,
    ),
}


def _sheet(rows: Sequence[Sequence[Any]]) -> bytes:
    book, body = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(list(row))
    book.save(body)
    return body.getvalue()


def _found(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [(stem, [bare(option) for option in options], key) for stem, options, key in triples_of(read("a.xlsx", _sheet(rows)))]


_GOLD = [(stem, options, "ABCD"[key]) for stem, options, key in GOLD]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sign", ["{letter}、{}", "{letter}. {}", "({letter}) {}", "{}"])
def test_options_in_rows_below_their_question_are_its_options(form: str, sign: str) -> None:
    header, head, column = FORMS[form]
    rows: list[list[Any]] = [header]
    for n, (stem, options, key) in enumerate(_GOLD, 1):
        rows.append(head(n, stem, key))
        rows += [[*[None] * column, sign.format(text, letter=letter)] for letter, text in zip("ABCD", options, strict=True)]
    assert _found(rows) == _GOLD


@pytest.mark.parametrize("sign", ["{letter}、{}", "{}"])
def test_an_answer_beside_the_last_option_is_the_answer(sign: str) -> None:
    rows: list[list[Any]] = [["题号", "内容", "答案"]]
    for n, (stem, options, key) in enumerate(_GOLD, 1):
        below = [[None, sign.format(text, letter=letter), None] for letter, text in zip("ABCD", options, strict=True)]
        rows += [[n, stem, None], *below[:-1], [*below[-1][:2], key]]
    assert _found(rows) == _GOLD


@pytest.mark.parametrize(
    "above",
    [
        [["题库"], ["填表人：", None, "日期："]],
        [["题库"], ["单位：甲", "填表人：", "日期：2024"]],
        [["题库"], [], ["说明：填对或错"], []],
        [["题库"], ["版本", "V1.0"]],
    ],
)
@pytest.mark.parametrize("header", [["序号", "判断题题目", "答案"], ["编号", "内容", "判断"]])
def test_blanks_of_a_form_above_the_header_are_none_of_the_table(above: list[list[Any]], header: list[str]) -> None:
    said = [(f"第{n}项作业应当由两人进行，一人操作，一人监护。", "对" if n % 3 else "错") for n in range(1, 13)]
    found = triples_of(read("a.xlsx", _sheet([*above, header, *([n, text, word] for n, (text, word) in enumerate(said, 1))])))
    assert [stem for stem, _, _ in found] == [text for text, _ in said]
