"""Answers that stand as colour, and papers that stand in tables: the same bank in each form reads back equal."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from docx import Document
from docx.shared import RGBColor
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import account_of
from crawlers.importers.formats import guess_format, read_guessed

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_OPTIONS = [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"], ["耳", "鼻", "舌", "齿"]] * 3
_GOLD = [(f"第{n}例患者最先受到影响的器官是（ ）", options, n % 4) for n, options in enumerate(_OPTIONS, 1)]


def _book(stand_out: Callable[[Any], None] | None) -> bytes:
    book = Workbook()
    book.active.append(["序号", "题干", "A", "B", "C", "D"] if stand_out else [])
    for n, (stem, options, right) in enumerate(_GOLD, 1):
        if stand_out:
            book.active.append([n, stem, *options])
            stand_out(book.active.cell(n + 1, 3 + right))
            continue
        for line in (
            f"{n}、{stem}",
            *(f"{letter}、{text}" for letter, text in zip("ABCD", options, strict=True)),
            f"答案：{'ABCD'[right]}",
        ):
            book.active.append([line])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _filled(cell: Any) -> None:
    cell.fill = PatternFill("solid", fgColor="FFFF00")


def _red(cell: Any) -> None:
    cell.font = Font(color="FFFF0000", bold=True)


def _paper(kind: str) -> bytes:
    document = Document()
    for n, (stem, options, right) in enumerate(_GOLD, 1):
        if kind == "cards":
            rows = [["题号", str(n)], ["题干", stem], *([f"选项{letter}", text] for letter, text in zip("ABCD", options, strict=True))]
            _table(document, [*rows, ["答案", "ABCD"[right]]])
            continue
        document.add_paragraph(f"{n}. {stem}")
        for place, text in enumerate(options):
            run = document.add_paragraph().add_run(f"{'ABCD'[place]}. {text}")
            if kind == "red" and place == right:
                run.font.color.rgb = RGBColor(255, 0, 0)
            run.underline = kind == "underlined" and place == right
    if kind == "key":
        for start in (0, 6):
            part = range(start, start + 6)
            _table(document, [[str(n + 1) for n in part], ["ABCD"[_GOLD[n][2]] for n in part]])
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _table(document: Any, rows: list[list[str]]) -> None:
    table = document.add_table(len(rows), len(rows[0]))
    for row, words in zip(table.rows, rows, strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    document.add_paragraph("")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("fill.xlsx", _book(_filled)),
        ("red.xlsx", _book(_red)),
        ("lines.xlsx", _book(None)),
        ("red.docx", _paper("red")),
        ("underlined.docx", _paper("underlined")),
        ("key.docx", _paper("key")),
        ("cards.docx", _paper("cards")),
    ],
)
def test_answers_that_no_column_holds(name: str, body: bytes) -> None:
    told, reading = read_guessed(name, body, guess_format(name, body), _SEEN)
    assert account_of(name, body, told, reading).unread_share < 0.05
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    found = [([option.lstrip("ABCD.、 ") for option in item.options_raw or []], item.answer_raw) for item in items]
    assert found == [(options, "ABCD"[right]) for _, options, right in _GOLD]


def test_colours_on_every_option_say_nothing() -> None:
    book = Workbook()
    book.active.append(["题干", "A", "B", "C", "D"])
    for stem, options, _ in _GOLD:
        book.active.append([stem, *options])
        for column in range(2, 6):
            _red(book.active.cell(book.active.max_row, column))
    out = io.BytesIO()
    book.save(out)
    _, reading = read_guessed("b.xlsx", out.getvalue(), "table", _SEEN)
    assert not any(item.answer_raw for item in reading.items if isinstance(item, QuestionItem))
