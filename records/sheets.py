"""Tables for people to fill in: rows of text to a workbook without formulas, always of the same bytes; a filled workbook or CSV to rows."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from records.jsonl import replacing

_WRITTEN = datetime(2000, 1, 1, tzinfo=UTC)  # of every workbook, so that its bytes hang on its content alone
_MAX_CELL_CHARS = 32_767  # more does not fit into a cell of a workbook
_MAX_WIDTH = 60


class Row(NamedTuple):
    """One line of a filled table."""

    where: str
    """File and line, for what is said of it."""
    cells: dict[str, str]
    """By the names in the first line."""


def write_sheet(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]], choices: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write a workbook whose cells are text, whatever they begin with; columns with choices offer them in a list.

    Raises:
        ValueError: a text is longer than a cell can be.
    """
    import xlsxwriter

    lines = [list(columns), *map(list, rows)]
    with replacing(path) as part:
        book = xlsxwriter.Workbook(part, {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False})
        book.set_properties({"created": _WRITTEN})
        text = book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"})  # @: what is typed in stays text, too
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
                    raise ValueError(f"{path}: row {number + 1}, {columns[column]}: {len(cell)} characters; a cell holds {_MAX_CELL_CHARS}")
                page.write_string(number, column, cell, text if number else head)
        book.close()


def read_sheet(path: Path) -> list[Row]:
    """Return the rows of a filled workbook (its first page) or CSV; rows without any text are left out.

    Raises:
        ValueError: it is no such file, has no header, or names a column twice.
    """
    lines = _workbook(path) if path.suffix.lower() == ".xlsx" else _csv(path)
    named = next(((number, line) for number, line in enumerate(lines, 1) if any(line)), None)
    if named is None:
        raise ValueError(f"{path}: no line with the names of the columns; expected them in the first one")
    header = [name.strip() for name in named[1]]
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise ValueError(f"{path}: columns named twice: {', '.join(twice)}; leave one of each")
    return [
        Row(f"{path}:{number}", {name: cell for name, cell in zip(header, line, strict=False) if name})
        for number, line in enumerate(lines, 1)
        if number > named[0] and any(line)
    ]


def _csv(path: Path) -> list[list[str]]:
    for encoding in ("utf-8-sig", "gb18030"):  # what Excel saves in China
        try:
            with open(path, encoding=encoding, newline="") as file:
                return [[cell.strip() for cell in line] for line in csv.reader(file)]
        except UnicodeDecodeError:
            continue
        except csv.Error as error:
            raise ValueError(f"{path}: no CSV ({error}); save the table as .xlsx or CSV") from None
    raise ValueError(f"{path}: neither UTF-8 nor GB 18030; save the table as .xlsx or as CSV UTF-8")


def _workbook(path: Path) -> list[list[str]]:
    from zipfile import BadZipFile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, InvalidFileException, KeyError, OSError) as error:
        raise ValueError(f"{path}: no workbook ({error}); save the table as .xlsx or CSV") from None
    try:
        return [["" if cell is None else str(cell).strip() for cell in line] for line in book.worksheets[0].iter_rows(values_only=True)]
    finally:
        book.close()
