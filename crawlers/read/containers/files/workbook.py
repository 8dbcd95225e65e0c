"""Workbooks (xlsx, xls, ods): bytes in, the rows of their sheets as text out; hidden rows are read, and hidden sheets are reported."""

import posixpath
import re
import struct
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import lru_cache
from io import BytesIO, StringIO
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from lxml import etree

from atomexam.runtime.sheets import bounded_rows, error_line, refuse_far_rows
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.archives import BROKEN_PARTS, check_zipped, tree_of
from crawlers.read.containers.files.reading import MAX_COLUMNS, CoveredCell, Unsaved

ODS = ".ods"
_MOST_CELLS, _MOST_CHARS, _MOST_REPEATED_CHARS = 5_000_000, 1 << 26, 2000
_REPEATED = "number-columns-repeated"


def open_sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions.

    Raises:
        ValueError: the file is not a valid .ods, or has too many cells.
    """
    check_zipped(name, body, "content.xml", "ods")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts, parts.open("content.xml") as part:
            root = tree_of(part)
    except BROKEN_PARTS as error:
        raise Refusal(f"{name}: not a readable ods ({type(error).__name__}: {str(error)[:80]}); save it as .xlsx") from None
    cells = 0
    for sheet in root.iter("{*}table"):
        title = attributes_of(sheet).get("name") or "sheet"
        rows: list[tuple[str, list[str]]] = []
        for number, row in enumerate(sheet.iter("{*}table-row"), 1):
            values = _open_cells(row)
            cells += len(values) + 1
            if cells > _MOST_CELLS:
                raise Refusal(f"{name}: more than {_MOST_CELLS} cells; split it")
            rows.append((f"{title}:row:{number}", values))
        yield title, False, iter(rows)


def _open_cells(row: Any) -> list[str]:
    """Return the cells of a row up to the last non-empty one; ignore empty cells that repeat to the end of the sheet."""
    cells: list[str] = []
    for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
        text = "\n".join("".join(part.itertext()) for part in cell.iterchildren("{*}p")).strip()
        times = attributes_of(cell).get(_REPEATED, "")
        count = int(times) if times.isdigit() and len(times) < 8 else 1
        if text:  # a long text repeated hundreds of times would exhaust memory
            count = min(count, max(1, _MOST_REPEATED_CHARS // len(text)))
        cells += [text] * min(count, MAX_COLUMNS - len(cells)) if text or count <= MAX_COLUMNS else []
    while cells and not cells[-1]:
        cells.pop()
    return cells


def attributes_of(element: Any) -> dict[str, str]:
    """Return the attributes of an element by name without namespace."""
    return {etree.QName(key).localname: str(value) for key, value in element.attrib.items()}


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_REF = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=\"([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})\"")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s[^>]{0,200}?\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]{0,200}><(?:\w+:)?f(?:\s[^>]{0,500})?(?:/>|>[^<]{0,9000}</(?:\w+:)?f>)"
    rb"\s{0,9}(?:<(?:\w+:)?v\s?/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s{0,9}</(?:\w+:)?c>"
)
"""A cell with a formula but no stored value."""
_SOME_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


class MergedRange(NamedTuple):
    """Merged cells of one column (counted from 0) down to a row (counted from 1); only the first has a text."""

    column: int
    last: int


class Marks(NamedTuple):
    """Facts about a sheet that are needed before its rows are read."""

    merged: dict[int, list[MergedRange]]
    """By first row."""
    unsaved: dict[int, list[int]]
    """Columns, counted from 0, by row."""


def marks_of(body: bytes) -> dict[str, Marks]:
    """Return the marks of each sheet by its title."""
    with zipfile.ZipFile(BytesIO(body)) as parts:
        names = set(parts.namelist())
        book, relations = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
        if not {book, relations} <= names:
            return {}
        targets = {entry.get("Id"): entry.get("Target", "") for entry in etree.fromstring(parts.read(relations), _PARSER)}
        marks: dict[str, Marks] = {}
        for sheet in etree.fromstring(parts.read(book), _PARSER).iter(f"{_MAIN}sheet"):
            target = _joined("xl", targets.get(sheet.get(_RELATION), ""))
            if target in names:
                part = parts.read(target)
                marks[sheet.get("name", "")] = Marks(_ranges(part), _unsaved(part))
        return marks


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _unsaved(part: bytes) -> dict[int, list[int]]:
    columns_by_row: dict[int, list[int]] = {}
    for match in _FORMULA.finditer(part) if _SOME_FORMULA.search(part) else ():
        columns_by_row.setdefault(int(match[2]), []).append(_column(match[1]))
    return columns_by_row


def _ranges(part: bytes) -> dict[int, list[MergedRange]]:
    ranges: dict[int, list[MergedRange]] = {}
    for match in _REF.finditer(part, max(0, part.rfind(b"sheetData>"))):  # merged ranges come after the cells
        first, last = int(match[2]), int(match[3])
        if last > first:
            ranges.setdefault(first, []).append(MergedRange(_column(match[1]), last))
    return ranges


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1


BOOKS = (".xlsx", ".xlsm", ".xls", ODS)
OLD_BOOK = b"\xd0\xcf\x11\xe0"
"""First bytes of an .xls file."""
warnings.filterwarnings("ignore", module="openpyxl")  # it warns about each Excel extension that it cannot write
_DAMAGED = (*BROKEN_PARTS, ParseError)


def sheets_of(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions.

    Raises:
        ValueError: the file is not a valid workbook.
    """
    for title, hidden, rows in _whole_sheets(name, body):
        yield title, hidden, ((position, [*cells]) for position, cells in rows)


@lru_cache(maxsize=1)  # format guess, reading and accounting of a file share one result
def _whole_sheets(name: str, body: bytes) -> list[tuple[str, bool, list[tuple[str, tuple[str, ...]]]]]:
    return [(title, hidden, [(position, tuple(cells)) for position, cells in rows]) for title, hidden, rows in _sheets(name, body)]


def _sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    if name.lower().endswith(".xls") and not body.startswith(b"PK"):  # many programs give an xlsx this suffix
        yield from _old_sheets(name, body)
        return
    if name.lower().endswith(ODS):
        yield from open_sheets(name, body)
        return
    from openpyxl import load_workbook  # slow import, and most files are not workbooks
    from openpyxl.utils.exceptions import InvalidFileException

    check_zipped(name, body, "xl/", "xlsx")
    try:
        refuse_far_rows(BytesIO(body))
        workbook = load_workbook(BytesIO(body), read_only=True, data_only=True)
        parts = [sheet._worksheet_path for sheet in workbook.worksheets]
        if len(set(parts)) < len(parts):  # thousands of sheets may share one part: a small file could take hours
            raise ValueError(f"{len(parts)} sheets in {len(set(parts))} parts; expected one part per sheet")
        marks = marks_of(body)
    except (*_DAMAGED, InvalidFileException) as error:
        raise Refusal(_damaged(name, error)) from None
    for sheet in workbook.worksheets:
        sheet.reset_dimensions()  # the stated dimensions may be wrong
    bounded = bounded_rows(sheet.iter_rows(values_only=True) for sheet in workbook.worksheets)
    for sheet, rows in zip(workbook.worksheets, bounded, strict=True):
        own = marks.get(sheet.title, Marks({}, {}))
        yield sheet.title, sheet.sheet_state != "visible", _rows(name, sheet.title, rows, own)


def _old_sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    if not body.startswith(OLD_BOOK):
        raise Refusal(
            f"{name}: not a workbook, though its name ends in .xls; save it as .xlsx, or rename it to match its content: .html or .csv"
        )
    import xlrd  # needed only for old files

    broken = (*_DAMAGED, xlrd.XLRDError, xlrd.compdoc.CompDocError, struct.error, AssertionError)
    try:
        workbook = xlrd.open_workbook(file_contents=body, formatting_info=True, logfile=StringIO())
        sheets = workbook.sheets()
    except broken as error:
        raise Refusal(f"{name}: not a readable xls ({type(error).__name__}: {str(error)[:80]}); save it as .xlsx in Excel") from None
    for sheet in sheets:
        yield sheet.name, sheet.visibility != 0, _old_rows(sheet, workbook.datemode)


def _old_rows(sheet: Any, datemode: int) -> Iterator[tuple[str, list[str]]]:
    begun: dict[int, dict[int, int]] = defaultdict(dict)  # first row of merged cells -> column -> the row after the last
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
    covering: dict[int, tuple[int, str]] = {}  # column -> last covered row and covering text
    chars = 0  # many cells may share one text
    try:
        for number, row in enumerate(rows, 1):
            if len(row) > MAX_COLUMNS and any(value is not None for value in row[MAX_COLUMNS:]):
                raise ValueError(f"row {number} has {len(row)} columns; at most {MAX_COLUMNS} are read")
            cells = [_text(value) for value in row[:MAX_COLUMNS]]
            if (chars := chars + sum(map(len, cells))) > _MOST_CHARS:
                raise ValueError(f"more than {_MOST_CHARS} characters; split it")
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
    """Return a cell as Excel shows it: 3 for 3.0, TRUE for a boolean, a date without midnight."""
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
    if "_x" in text:
        from openpyxl.utils.escape import unescape

        text = unescape(text).replace("\r\n", "\n").replace("\r", "\n")  # _x000D_ is a line break
    return text.strip()


def _damaged(name: str, error: BaseException) -> str:
    return f"{name}: not a readable xlsx ({type(error).__name__}: {error_line(error)[:80]}); open and save it in Excel"
