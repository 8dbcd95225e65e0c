"""Tables for people to fill in: write reproducible workbooks without formulas, and read filled workbooks or CSV files."""

import csv
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from atomexam.runtime.jsonl import replacing

_WRITTEN = datetime(2000, 1, 1, tzinfo=UTC)  # a fixed date, so that the bytes depend only on the content
_MAX_CELL_CHARS = 32_767  # Excel's limit for a cell
_READABLE_CHARS = 10_000
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_WIDTH = 60
_MARKED = re.compile("'(?:[=+@-]|[^']*$)")
_SUFFIXES = (".xlsx", ".csv")
_SAVE = "save the table as .xlsx or as CSV UTF-8"


MAX_ROWS = 1_048_576
"""Maximum number of rows in a sheet (Excel's limit): openpyxl creates all rows up to the largest row number."""
MAX_CELLS = 10_000_000
"""Maximum number of cells in a table, including the empty ones that openpyxl creates: up to 16,383 before a cell in the last column."""
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
_ROW = re.compile(rb'<(?:\w{1,20}:)?(?:row|c)\s[^<>]{0,200}?\br="[A-Z]{0,3}(\d{7,})"')
_CHUNK_BYTES = 1 << 20


class SheetRow(NamedTuple):
    """One row of a filled table."""

    where: str
    """File and line, for messages."""
    cells: dict[str, str]
    """Text by column name."""


def write_sheet(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]], choices: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write a workbook in which all cells are text, even if they look like formulas; columns with choices get a drop-down list.

    Raises:
        ValueError: a text is too long for a cell, or the path does not end in .xlsx.
    """
    import xlsxwriter

    if path.suffix.lower() != ".xlsx":
        raise ValueError(f"{path}: found the ending {path.suffix!r}; expected .xlsx, since a workbook is written")

    lines = [list(columns), *map(list, rows)]
    with replacing(path) as part:
        book = xlsxwriter.Workbook(part, {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False})
        book.set_properties({"created": _WRITTEN})
        text = book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"})  # @: typed values also stay text
        head = book.add_format({"bold": True, "bottom": 1})
        page = book.add_worksheet()
        page.freeze_panes(1, 0)
        for column, name in enumerate(columns):
            widest = max(len(line[column]) for line in lines)
            page.set_column(column, column, min(max(2 * widest, 12), _MAX_WIDTH), text)
            if offered := (choices or {}).get(name):
                page.data_validation(1, column, max(len(lines) - 1, 1), column, {"validate": "list", "source": list(offered)})
        for number, line in enumerate(lines):
            for column, cell in enumerate(line):
                if len(cell) > _MAX_CELL_CHARS:
                    raise ValueError(
                        f"{path}: row {number + 1}, {columns[column]}: {len(cell)} characters; at most {_MAX_CELL_CHARS} fit in a cell"
                    )
                page.write_string(number, column, cell, text if number else head)
        book.close()


def cell_text(text: str) -> str:
    """Return a text for a cell: without characters that workbooks do not allow, and shortened if it is very long."""
    text = _NOT_IN_XML.sub("\ufffd", text)
    return text if len(text) <= _READABLE_CHARS else f"{text[:_READABLE_CHARS]} … ({len(text)} characters in all)"


def read_sheet(path: Path) -> list[SheetRow]:
    """Return the non-empty rows of a filled workbook (its first sheet) or CSV file.

    Raises:
        ValueError: the file is missing, is not a table, has no header, or has two columns with the same name.
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name a filled table, .xlsx or .csv")
    if path.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"{path}: found the ending {path.suffix!r}, expected {' or '.join(_SUFFIXES)}; {_SAVE}")
    lines = _workbook(path) if path.suffix.lower() == ".xlsx" else _csv(path)
    named = next(((number, line) for number, line in enumerate(lines, 1) if any(line)), None)
    if named is None:
        raise ValueError(f"{path}: no header; expected the names of the columns in the first row")
    header = [name.strip() for name in named[1]]
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise ValueError(f"{path}: columns named twice: {', '.join(twice)}; keep one of each")
    return [
        SheetRow(f"{path}:{number}", {name: cell for name, cell in zip_longest(header, line[: len(header)], fillvalue="") if name})
        for number, line in enumerate(lines, 1)
        if number > named[0] and any(line)
    ]


def without_apostrophe(cell: str) -> str:
    """Return a cell without the apostrophe that people and programs add before a text that looks like a formula."""
    return cell[1:] if _MARKED.match(cell) else cell


def _csv(path: Path) -> list[list[str]]:
    for encoding in ("utf-8-sig", "gb18030"):  # GB 18030 is what Excel saves in China
        try:
            with open(path, encoding=encoding, newline="") as file:
                named = file.readline()
                file.seek(0)
                sign = max(",;\t", key=named.count)  # the separator depends on the country
                return [[cell.strip() for cell in line] for line in csv.reader(file, delimiter=sign)]
        except UnicodeDecodeError:
            continue
        except csv.Error as error:
            raise ValueError(f"{path}: not a CSV file ({error}); {_SAVE}") from None
    raise ValueError(f"{path}: neither UTF-8 nor GB 18030; {_SAVE}")


def refuse_far_rows(book: BinaryIO) -> None:
    """Check that no row number of a workbook exceeds the limit of a sheet.

    Raises:
        ValueError: a row number exceeds it.
        BadZipFile: it is not a workbook.
    """
    with zipfile.ZipFile(book) as parts:
        for entry in parts.infolist():
            if not entry.filename.startswith("xl/worksheets/"):
                continue
            with parts.open(entry) as part:
                end = b""
                while chunk := part.read(_CHUNK_BYTES):
                    for number in _ROW.findall(end + chunk):
                        if len(number) > 9 or int(number) > MAX_ROWS:
                            raise ValueError(f"{entry.filename} has row number {number[:12].decode()}; the limit is {MAX_ROWS}")
                    end = chunk[-300:]


def _workbook(path: Path) -> list[list[str]]:
    """Return the cells of the first sheet: values, or formulas for cells whose value no program has computed."""
    lines = zip(_cells(path, True), _cells(path, False), strict=True)
    return [[_text(formula if value is None else value) for value, formula in zip(*line, strict=True)] for line in lines]


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _cells(path: Path, computed: bool) -> list[tuple[Any, ...]]:
    from zipfile import BadZipFile
    from zlib import error as BadStream

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    torn = (BadZipFile, BadStream, InvalidFileException, EOFError, OSError, NotImplementedError)
    other = (LookupError, SyntaxError, TypeError, ValueError)  # raised by openpyxl for invalid parts and XML
    try:
        with open(path, "rb") as file:
            with zipfile.ZipFile(file) as parts:
                if (size := sum(entry.file_size for entry in parts.infolist())) > MAX_UNPACKED_BYTES:
                    raise ValueError(f"{size} bytes when unpacked; at most {MAX_UNPACKED_BYTES} are read")
            refuse_far_rows(file)
        book = openpyxl.load_workbook(path, read_only=True, data_only=computed)
        try:
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # the size stated in the file may be wrong, and rows beyond it would be lost
            [rows] = bounded_rows([sheet.iter_rows(values_only=True)])
            return list(rows)
        finally:
            book.close()
    except (*torn, *other) as error:
        raise ValueError(f"{path}: not a workbook ({error_line(error)[:200]}); {_SAVE}") from None


def bounded_rows(sheets: Iterable[Iterable[tuple[Any, ...]]]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Yield the rows of each sheet of a workbook, including the empty ones that openpyxl creates, up to the limits.

    Raises:
        ValueError: a sheet has too many rows, or the sheets together have too many cells.
    """
    cells = 0

    def bounded(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        nonlocal cells
        for number, row in enumerate(rows, 1):
            if number > MAX_ROWS:
                raise ValueError(f"a row number above {MAX_ROWS}, the limit")
            if (cells := cells + len(row)) > MAX_CELLS:
                raise ValueError(f"more than {MAX_CELLS} cells up to row {number}, including empty ones; that is the limit")
            yield row

    yield from map(bounded, sheets)


def error_line(error: BaseException) -> str:
    """Return an error message on one line; replace Python's advice to programmers about numbers with thousands of digits."""
    words = " ".join(str(error).split())
    return "a number of more than 4,300 digits; write it as text" if "set_int_max_str_digits" in words else words
