"""Importer of tables: csv, tsv or xlsx in, one record a row under its header out."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from crawlers.importers.layout import SECTION
from crawlers.importers.merged import Covered
from crawlers.importers.reading import Lost
from crawlers.importers.text import decoded
from crawlers.importers.workbook import sheets_of

_HEADER_WITHIN = 20
"""Rows among which the header is looked for: titles and remarks may stand above it."""
_DELIMITERS = (",", "\t", ";", "|", "，", "；")
_MAX_CELL_CHARS = 1_000_000
_SHOWN_CHARS = 80
_SEEN = 64 * 1024
Row = tuple[str, list[str]]
IsHeader = Callable[[Sequence[str]], bool]


class Sheet(Struct):
    """One table of a file."""

    name: str
    """Empty where a file has but one."""
    above: list[str]
    """Rows above the header, or the first ones of a sheet without one."""
    header: list[str]
    rows: Iterator[Row]
    """Places and cells of the rows below it."""


def read_sheets(name: str, body: bytes, is_header: IsHeader) -> Iterator[Sheet]:
    """Yield the tables of a file, last those without a header, which have no rows either.

    Args:
        is_header: tells the row that names the columns.

    Raises:
        ValueError: the file is no table, or none of its sheets has a header that is known.
    """
    tables = sheets_of(name, body) if name.lower().endswith((".xlsx", ".xlsm")) else [("", _csv_rows(name, body))]
    without, found = [], 0
    for title, rows in tables:
        sheet = _under_its_header(title, rows, is_header)
        if sheet.header:
            found += 1
            yield sheet
        elif sheet.above:
            without.append(sheet)
    if not found:
        wanted = "expected a row that names the columns: 题干 or question, and 选项, A, 答案 or answer, or the keys of the format"
        first = without[0].above[0][:_SHOWN_CHARS] if without else "no row at all"
        raise ValueError(f"{name}: no header in the first {_HEADER_WITHIN} rows; {wanted}; found {first}")
    yield from without


def _under_its_header(title: str, rows: Iterator[Row], is_header: IsHeader) -> Sheet:
    above: list[str] = []
    for _, cells in rows:
        keys = _named(cells)
        if is_header(keys):
            return Sheet(title, above, keys, rows)
        if any(cells):
            above.append(" ".join(filter(None, cells)))
        if len(above) >= _HEADER_WITHIN:
            break
    return Sheet(title, above, [], iter(()))


def records_of(sheet: Sheet) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield each row as a record; rows without text are none, a row of one cell under a wider header is a heading of those below."""
    heading = None
    for place, cells in sheet.rows:
        filled = [cell for cell in cells if cell and not isinstance(cell, Covered)]
        if not filled or _named(cells) == sheet.header:
            continue
        if len(filled) == 1 and cells[0] and len(sheet.header) > 2 and not cells[0].isdigit():
            heading = cells[0]
            continue
        if any(cells[len(sheet.header) :]):
            words = f"{len(cells)} cells under {len(sheet.header)} columns; is a cell with the separator in it not in quotes?"
            yield place, Lost(place, "record_unreadable", words, "\t".join(cells)[:2000])
            continue
        padded = [*cells, *[""] * (len(sheet.header) - len(cells))]
        record = {key: cell or None for key, cell in zip(sheet.header, padded, strict=False)}
        yield place, record | ({SECTION: heading} if heading else {})


def _named(cells: Iterable[str]) -> list[str]:
    """Return the names of columns, each once: those without one by their place."""
    names: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = cell.strip() or f"column {place}"
        names.append(name if name not in names else f"{name} (column {place})")
    while names and names[-1].startswith("column "):
        names.pop()
    return names


def _csv_rows(name: str, body: bytes) -> Iterator[Row]:
    text = decoded(name, body)
    csv.field_size_limit(_MAX_CELL_CHARS)
    delimiter = _delimiter(name, text)
    strict = _closes_its_quotes(name, text, delimiter)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    line = 1
    try:
        for cells in rows:
            yield f"line:{line}", [cell.strip() for cell in cells]
            line = rows.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}: line {line}: {error}; expected a table") from None


def _closes_its_quotes(name: str, text: str, delimiter: str) -> bool:
    """Tell whether every quote stands where csv has quotes.

    Raises:
        ValueError: a quote that is never closed takes the rest of the file into one cell.
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for _ in rows:
            line = rows.line_num + 1
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise ValueError(f"{name}: line {line}: a quote that opens here is never closed") from None
        return False
    return True


def _delimiter(name: str, text: str) -> str:
    """Return the delimiter that makes the most cells in the first rows, the same number in most of them."""
    if name.lower().endswith(".tsv"):
        return "\t"
    cut = text[:_SEEN]
    head = cut[: cut.rfind("\n") + 1] or cut
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if any(row)]
        except csv.Error:
            continue
        usual = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
        score = widths.count(usual) / len(widths) * (usual - 1) ** 0.5 if usual > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best
