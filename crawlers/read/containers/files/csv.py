"""csv and tsv: bytes in, rows of cells with their positions out; the delimiter must divide nearly all rows into the same number of
cells."""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import MAX_COLUMNS, MAX_RECORD_CHARS

USUAL = (",", "\t", ";", "|", "，", "；")
SHARE = 0.95
"""Share of rows that a delimiter must divide into the same number of cells."""
_LEAST_USUAL_SHARE = 0.6
"""The same for a common delimiter in a file with a table suffix, where rows with a single cell are titles and headings."""
_KNOWN = ("\t", "#", "|", ",", ";", "，", "；", "$", "^", "~")
_OF_PROSE = frozenset("，；、：！")
_LINES, _STRAY_QUOTES = 2000, 4
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|[\r\n])|[^\r\n]++")


class _Parted(NamedTuple):
    sign: str
    rows: list[list[str]]
    """Number of rows with the usual number of cells."""
    share: float
    score: float
    has_title: bool
    """Whether the first line is undivided, because it is a title or a table header with another delimiter."""


def delimiter_of(text: str, is_table: bool = False) -> str:
    """Return the delimiter that divides nearly all rows of a text into the same number of cells; empty if there is none.

    If there are several, return the outer one, such as the comma in `题,甲|乙|丙,A`: its cells contain the other delimiters in fewer
    columns than theirs contain it.

    Args:
        is_table: whether the file has a table suffix; if so, two columns are enough and a common delimiter may fail in more rows.
    """
    parted = [one for sign in _KNOWN if (one := _parted(text, sign, _least_cells(sign, is_table)))]
    sound = [one for one in parted if one.share >= (_LEAST_USUAL_SHARE if is_table and one.sign in USUAL else SHARE)]
    if not sound:
        rest = [one for one in parted if is_table and one.sign in USUAL]
        return max(rest, key=lambda one: one.score).sign if rest else ""
    if all(one.sign in _OF_PROSE or one.sign == "\t" for one in sound):
        sound = [one for one in sound if one.sign == "\t"] or sound  # prose has no tabs, but sentences may have equally many commas
    return min(sound, key=lambda one: (one.has_title, sum(_share_with(other.sign, one.rows) for other in sound), -one.score)).sign


def _least_cells(sign: str, is_table: bool) -> int:
    return 2 if sign == "\t" or (is_table and sign in USUAL) else 3


def _parted(text: str, sign: str, least: int) -> _Parted | None:
    """Return the rows of a text divided by a delimiter; None if they have too few cells."""
    try:
        rows, fits_quotes = _rows_of(text, sign)
    except csv.Error:
        return None
    rows = [row for row in rows if any(row)]
    has_title = len(rows) > 1 and len(rows[0]) == 1
    rows = rows[1:] if has_title else rows
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
    if usual < least:
        return None
    share = widths.count(usual) / len(widths)
    score = share * (usual - 1) ** 0.5 / (1 if fits_quotes else _STRAY_QUOTES)
    return _Parted(sign, [row for row in rows if len(row) == usual], share, score, has_title)


def _share_with(sign: str, rows: Sequence[Sequence[str]]) -> float:
    """Return the share of columns in which most cells contain a given delimiter; empty columns, as in `甲||乙`, do not count."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    return sum(2 * sum(sign in cell for cell in column) > len(rows) for column in columns) / max(1, len(columns))


def _rows_of(text: str, sign: str) -> tuple[list[list[str]], bool]:
    """Return the first rows of a text, and whether every cell that begins with a quote also ends with one."""
    try:
        return _parsed(text, sign, strict=True), True
    except csv.Error as error:
        return _parsed(text, sign, strict=False), "unexpected end of data" in str(error)  # the text ends within a cell


def _lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; StringIO would copy the text at four bytes a character."""
    for line in _LINE.finditer(text):
        if line.end() - line.start() > MAX_RECORD_CHARS:
            raise csv.Error(f"{line.end() - line.start()} characters; at most {MAX_RECORD_CHARS} are read")
        yield line[0]


def _parsed(text: str, sign: str, strict: bool) -> list[list[str]]:
    return list(islice(csv.reader(_lines_of(text), delimiter=sign, strict=strict), _LINES))


_MAX_CELL_CHARS = 1_000_000
_SAMPLE_CHARS = 64 * 1024


def csv_rows(name: str, body: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a file with their positions.

    Raises:
        ValueError: the file is not a table.
    """
    for position, cells in _whole_rows(name, body):
        yield position, [*cells]


@lru_cache(maxsize=1)  # format guess, reading and accounting of a file then share one result
def _whole_rows(name: str, body: bytes) -> list[tuple[str, tuple[str, ...]]]:
    text = decoded(name, body)
    csv.field_size_limit(_MAX_CELL_CHARS)
    delimiter = _delimiter(name, text)
    strict = _closes_its_quotes(name, text, delimiter)
    rows = csv.reader(_lines_of(text), delimiter=delimiter, strict=strict)
    line, found = 1, list[tuple[str, tuple[str, ...]]]()
    try:
        for cells in rows:
            if any(map(str.strip, cells[MAX_COLUMNS:])):
                raise Refusal(f"{name}: line {line} has {len(cells)} columns; at most {MAX_COLUMNS} are read")
            found.append((f"line:{line}", tuple([cell.strip() for cell in cells[:MAX_COLUMNS]])))
            line = rows.line_num + 1
    except csv.Error as error:
        raise Refusal(f"{name}: line {line}: {error}; expected a table") from None
    return found


def _closes_its_quotes(name: str, text: str, delimiter: str) -> bool:
    """Return whether every quote is where csv allows quotes.

    Raises:
        ValueError: a quote is never closed, so the rest of the file would be one cell.
    """
    rows = csv.reader(_lines_of(text), delimiter=delimiter, strict=True)
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
    """Return the delimiter that divides the first rows of a file into cells."""
    if name.lower().endswith(".tsv"):
        return "\t"
    cut = text[:_SAMPLE_CHARS]
    return delimiter_of(cut[: cut.rfind("\n") + 1] or cut, is_table=True) or ","
