"""Importer of xlsx: bytes in, the rows of its sheets as text out; hidden rows are read as the others, hidden sheets are told."""

import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from atomexam.runtime.sheets import refuse_far_rows
from crawlers.importers.sheet_marks import Covered, Marks, Unsaved, marks_of
from crawlers.importers.zipped import BROKEN_PARTS, check_zipped

MAX_COLUMNS = 512
warnings.filterwarnings("ignore", module="openpyxl")  # it warns of every extension of Excel that it does not write back
_DAMAGED = (*BROKEN_PARTS, InvalidFileException, ParseError)


def sheets_of(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their places.

    Raises:
        ValueError: the file is no sound xlsx.
    """
    check_zipped(name, body, "xl/", "xlsx")
    try:
        refuse_far_rows(BytesIO(body))
        workbook = load_workbook(BytesIO(body), read_only=True, data_only=True)
        marks = marks_of(body)
    except _DAMAGED as error:
        raise ValueError(_damaged(name, error)) from None
    for sheet in workbook.worksheets:
        yield sheet.title, sheet.sheet_state != "visible", _rows(name, sheet, marks.get(sheet.title, Marks({}, {})))


def _rows(name: str, sheet: Any, marks: Marks) -> Iterator[tuple[str, list[str]]]:
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    covering: dict[int, tuple[int, str]] = {}  # column: the last row that is covered, and by what
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            if len(row) > MAX_COLUMNS and any(value is not None for value in row[MAX_COLUMNS:]):
                raise ValueError(f"row {number} has {len(row)} columns; at most {MAX_COLUMNS} are read")
            cells = [_text(value) for value in row[:MAX_COLUMNS]]
            for column in marks.unsaved.get(number, ()):
                if column < len(cells) and not cells[column]:
                    cells[column] = Unsaved()
            for column, (last, text) in [*covering.items()]:
                if number > last:
                    del covering[column]
                elif column < len(cells) and not cells[column]:
                    cells[column] = Covered(text)
            covering |= {each.column: (each.last, cells[each.column]) for each in marks.merged.get(number, ()) if each.column < len(cells)}
            yield f"{sheet.title}:row:{number}", cells
    except _DAMAGED as error:
        raise ValueError(_damaged(f"{name}: sheet {sheet.title}", error)) from None


def _text(value: Any) -> str:
    """Return a cell as Excel shows it: 3 for 3.0, TRUE for a truth value, a day without its midnight."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value).strip()


def _damaged(name: str, error: BaseException) -> str:
    return f"{name}: no readable xlsx ({type(error).__name__}: {str(error)[:80]}); open and save it in Excel"
