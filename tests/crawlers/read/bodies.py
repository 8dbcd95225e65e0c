"""Bodies of files for tests, and what is read from a body."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from docx import Document
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read.files import FileResult, read_steps
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.records.reading import FileReading

LETTERS = "ABCD"


class Asked(NamedTuple):
    """One question of the bank that files of all forms contain."""

    n: int
    stem: str
    texts: list[str]
    right: int

    @property
    def key(self) -> str:
        return LETTERS[self.right]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(zip(LETTERS, self.texts, strict=True))


BANK = [
    Asked(n, f"第{n}例患者最先受到影响的器官是（ ）", texts, n % 4)
    for n, texts in enumerate(
        [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"], ["耳", "鼻", "舌", "齿"]] * 3, 1
    )
]
GOLD = [(one.stem, one.texts, one.right) for one in BANK]
SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")


def saved(document: Any) -> bytes:
    """Return a document or workbook as a file."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def json_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def csv_of(rows: Iterable[Sequence[Any]], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue().encode(encoding)


def book_of(*sheets: Any, merged: Iterable[str] = (), hidden: str = "") -> bytes:
    """Return a workbook; a sheet is its rows, or a tuple of title and rows."""
    book = Workbook()
    book.remove(book.active)
    for given in sheets:
        title, rows = given if isinstance(given, tuple) else (None, given)
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
        for cells in merged:
            sheet.merge_cells(cells)
        sheet.sheet_state = "hidden" if title and title == hidden else "visible"
    return saved(book)


def word_of(*tables: Sequence[Sequence[str]], above: Sequence[str] = (), merged: Sequence[tuple[int, int, int, int]] = ()) -> bytes:
    """Return a Word document with tables."""
    document = Document()
    for line in above:
        document.add_paragraph(line)
    for rows in tables:
        table = document.add_table(len(rows), max(map(len, rows)))
        for cells, row in zip(table.rows, rows, strict=True):
            for cell, text in zip(cells.cells, row, strict=False):
                cell.text = text
        for top, left, bottom, right in merged:
            table.cell(top, left).merge(table.cell(bottom, right))
        document.add_paragraph("")
    return saved(document)


def zip_of(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as parts:
        for name, body in members.items():
            parts.writestr(name, body)
    return file.getvalue()


def result_of(name: str, body: str | bytes) -> FileResult:
    """Return the reading of a file and its account, which must add up."""
    given = body.encode() if isinstance(body, str) else body
    [result] = [step for step in read_steps(name, given, None, SEEN) if isinstance(step, FileResult)]
    assert result.account.difference == 0
    return result


def read(name: str, body: bytes, format_name: str | None = None) -> FileReading:
    return read_file(name, body, format_name or guess_format(name, body), SEEN)


def sound(reading: FileReading) -> list[QuestionItem]:
    """Return the questions without a doubt."""
    return [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]


def triples_of(reading: FileReading) -> list[tuple[str, list[str], str]]:
    """Return stem, options without letters, and answer of each question without a doubt."""
    return [
        (i.stem_raw or "", [o.removeprefix(f"{LETTERS[n]}.").strip() for n, o in enumerate(i.options_raw or [])], i.answer_raw or "")
        for i in sound(reading)
    ]
