"""Importer of xlsx and xls: bytes in, the rows of its sheets as text out; hidden rows are read like others, hidden sheets are reported."""

import struct
import warnings
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import lru_cache
from io import BytesIO, StringIO
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl.utils.escape import unescape
from openpyxl.utils.exceptions import InvalidFileException

from atomexam.runtime.sheets import bounded_rows, error_line, refuse_far_rows
from atomexam.text.refusal import Refusal
from crawlers.importers.files.legends import with_legends
from crawlers.importers.files.open_document import ODS, open_sheets
from crawlers.importers.files.plain_sheets import plain_workbook
from crawlers.importers.files.sheet_marks import CoveredCell, Marks, Unsaved, marks_of, with_comments
from crawlers.importers.files.zipped import BROKEN_PARTS, check_zipped

BOOKS = (".xlsx", ".xlsm", ".xls", ODS)
MAX_COLUMNS = 512
OLD_BOOK = b"\xd0\xcf\x11\xe0"
"""The first bytes of an .xls."""
warnings.filterwarnings("ignore", module="openpyxl")  # it warns of every Excel extension that it cannot write back
_DAMAGED = (*BROKEN_PARTS, InvalidFileException, ParseError)


def sheets_of(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions.

    Raises:
        ValueError: the file is not a valid workbook.
    """
    for title, hidden, rows in _whole_sheets(name, body):
        yield title, hidden, with_legends((position, [*cells]) for position, cells in rows)


@lru_cache(maxsize=1)  # a file is guessed, read and accounted for in turn
def _whole_sheets(name: str, body: bytes) -> list[tuple[str, bool, list[tuple[str, tuple[str, ...]]]]]:
    return [(title, hidden, [(position, tuple(cells)) for position, cells in rows]) for title, hidden, rows in _sheets(name, body)]


def _sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    if name.lower().endswith(".xls") and not body.startswith(b"PK"):  # many programs name an xlsx so
        yield from _old_sheets(name, body)
        return
    if name.lower().endswith(ODS):
        yield from open_sheets(name, body)
        return
    check_zipped(name, body, "xl/", "xlsx")
    try:
        refuse_far_rows(BytesIO(body))
        workbook = plain_workbook(BytesIO(body))
        parts = [sheet._worksheet_path for sheet in workbook.worksheets]
        if len(set(parts)) < len(parts):  # thousands of sheets that share one part: a small file that takes hours
            raise ValueError(f"{len(parts)} sheets in {len(set(parts))} parts; expected one part per sheet")
        marks = marks_of(body)
    except _DAMAGED as error:
        raise Refusal(_damaged(name, error)) from None
    bounded = bounded_rows(sheet.values_by_row() for sheet in workbook.worksheets)
    for sheet, rows in zip(workbook.worksheets, bounded, strict=True):
        own = marks.get(sheet.title, Marks({}, {}, {}))
        yield sheet.title, sheet.sheet_state != "visible", with_comments(_rows(name, sheet.title, rows, own), own.comments)


def _old_sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    if not body.startswith(OLD_BOOK):
        raise Refusal(
            f"{name}: not a workbook, though its name ends in .xls; save it as .xlsx, or rename it by its content, such as .html or .csv"
        )
    import xlrd  # only needed for old files

    broken = (*_DAMAGED, xlrd.XLRDError, xlrd.compdoc.CompDocError, struct.error, AssertionError)
    try:
        workbook = xlrd.open_workbook(file_contents=body, formatting_info=True, logfile=StringIO())
        sheets = workbook.sheets()
    except broken as error:
        raise Refusal(f"{name}: not a readable xls ({type(error).__name__}: {str(error)[:80]}); save it as .xlsx in Excel") from None
    for sheet in sheets:
        yield sheet.name, sheet.visibility != 0, _old_rows(sheet, workbook.datemode)


def _old_rows(sheet: Any, datemode: int) -> Iterator[tuple[str, list[str]]]:
    begun: dict[int, dict[int, int]] = defaultdict(dict)  # first row of merged cells -> column -> the row behind the last
    for first, last, left, right in sheet.merged_cells:
        if left < right:
            begun[first][left] = last
    above: dict[int, tuple[int, int]] = {}
    for number in range(sheet.nrows):
        cells = [_old_text(sheet.cell(number, column), datemode) for column in range(sheet.row_len(number))]
        for column, (first, last) in above.items():
            if number < last and column < min(len(cells), sheet.row_len(first)) and not cells[column]:
                cells[column] = CoveredCell(_old_text(sheet.cell(first, column), datemode))
        above |= {column: (number, last) for column, last in begun.get(number, {}).items()}
        yield f"{sheet.name}:row:{number + 1}", cells


def _old_text(cell: Any, datemode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return _text(xlrd.xldate_as_datetime(cell.value, datemode))
        except (ValueError, OverflowError):
            return _text(float(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return _text(
        bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value or None if cell.ctype == xlrd.XL_CELL_TEXT else cell.value
    )


def _rows(name: str, title: str, rows: Iterator[tuple[Any, ...]], marks: Marks) -> Iterator[tuple[str, list[str]]]:
    covering: dict[int, tuple[int, str]] = {}  # column: the last row that is covered, and the covering text
    try:
        for number, row in enumerate(rows, 1):
            if len(row) > MAX_COLUMNS and any(value is not None for value in row[MAX_COLUMNS:]):
                raise ValueError(f"row {number} has {len(row)} columns; at most {MAX_COLUMNS} are read")
            cells = [_text(value) for value in row[:MAX_COLUMNS]]
            for column in marks.unsaved.get(number, ()):
                if column < len(cells) and not cells[column]:
                    cells[column] = Unsaved()
            for column, (last, text) in [*covering.items()]:
                if number > last:
                    del covering[column]
                else:
                    cells += [""] * (column + 1 - len(cells))
                    cells[column] = cells[column] or CoveredCell(text)
            covering |= {each.column: (each.last, cells[each.column]) for each in marks.merged.get(number, ()) if each.column < len(cells)}
            yield f"{title}:row:{number}", cells
    except _DAMAGED as error:
        raise Refusal(_damaged(f"{name}: sheet {title}", error)) from None


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
    if isinstance(value, date | time):
        return value.isoformat()
    text = str(value)
    return (unescape(text).replace("\r\n", "\n").replace("\r", "\n") if "_x" in text else text).strip()  # _x000D_ is a line break


def _damaged(name: str, error: BaseException) -> str:
    return f"{name}: not a readable xlsx ({type(error).__name__}: {error_line(error)[:80]}); open and save it in Excel"
