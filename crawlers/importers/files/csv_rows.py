"""Importer of csv and tsv: bytes in, rows of cells with their positions out; the first rows show the delimiter."""

import csv
import io
from collections.abc import Iterator

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.importers.files.legends import with_legends
from crawlers.tables.delimiters import delimiter_of

_MAX_CELL_CHARS = 1_000_000
_SAMPLE_CHARS = 64 * 1024


def csv_rows(name: str, body: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a file, with codes replaced by the meanings that column names state.

    Raises:
        ValueError: it is not a table.
    """
    return with_legends(_rows(name, body))


def _rows(name: str, body: bytes) -> Iterator[tuple[str, list[str]]]:
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
        raise Refusal(f"{name}: line {line}: {error}; expected a table") from None


def _closes_its_quotes(name: str, text: str, delimiter: str) -> bool:
    """Return whether every quote is where csv allows quotes.

    Raises:
        ValueError: a quote that is never closed puts the rest of the file into one cell.
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for _ in rows:
            line = rows.line_num + 1
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise Refusal(f"{name}: line {line}: a quote that opens here is never closed") from None
        return False
    return True


def _delimiter(name: str, text: str) -> str:
    """Return the delimiter that divides the first rows into cells."""
    if name.lower().endswith(".tsv"):
        return "\t"
    cut = text[:_SAMPLE_CHARS]
    return delimiter_of(cut[: cut.rfind("\n") + 1] or cut, is_table=True) or ","
