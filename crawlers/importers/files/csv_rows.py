"""Importer of csv and tsv: bytes in, rows of cells with their positions out; the first rows show the delimiter."""

import csv
import io
import re
from collections.abc import Iterator

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.importers.files.legends import with_legends
from crawlers.tables.delimiters import delimiter_of
from crawlers.text.fields import text_of

_MAX_CELL_CHARS = 1_000_000
_SAMPLE_CHARS = 64 * 1024
_DIRECTIVE = re.compile(
    r"#(?P<key>separator|html|columns|tags|deck|notetype|guid|(?:tags|deck|notetype|guid) column):(?P<value>[^\r\n]{0,400})\r?\n"
)
"""A line at the head of the text files that Anki exports (docs.ankiweb.net/importing/text-files.html)."""
_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}


def csv_rows(name: str, body: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a file, with codes replaced by the meanings that column names state.

    Raises:
        ValueError: it is not a table.
    """
    return with_legends(_rows(name, body))


def _rows(name: str, body: bytes) -> Iterator[tuple[str, list[str]]]:
    directives, text = directives_of(decoded(name, body))
    csv.field_size_limit(_MAX_CELL_CHARS)
    delimiter = _delimiter(name, directives, text)
    strict = _closes_its_quotes(name, text, delimiter)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    start = line = len(directives) + 1
    if columns := directives.get("columns"):
        yield "line:1", columns.split(delimiter)
    try:
        for cells in rows:
            yield f"line:{line}", [text_of(cell) if directives.get("html") == "true" else cell.strip() for cell in cells]
            line = rows.line_num + start
    except csv.Error as error:
        raise Refusal(f"{name}: line {line}: {error}; expected a table") from None


def delimiter_in(name: str, body: bytes) -> str:
    """Return the delimiter that divides the rows of a file into cells."""
    return _delimiter(name, *directives_of(decoded(name, body)))


def directives_of(text: str) -> tuple[dict[str, str], str]:
    """Return the directives at the head of a text that Anki exported, and the text below them."""
    directives: dict[str, str] = {}
    end = 0
    while match := _DIRECTIVE.match(text, end):
        directives[match["key"]] = match["value"].strip()
        end = match.end()
    return directives, text[end:]


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


def _delimiter(name: str, directives: dict[str, str], text: str) -> str:
    """Return the delimiter that the file states, or that divides its first rows into cells."""
    if stated := _SEPARATORS.get(directives.get("separator", "").lower()):
        return stated
    if name.lower().endswith(".tsv"):
        return "\t"
    cut = text[:_SAMPLE_CHARS]
    return delimiter_of(cut[: cut.rfind("\n") + 1] or cut, is_table=True) or ","
