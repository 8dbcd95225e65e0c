"""What containers give: lines with marks, tables of rows, and what of them could not be read."""

from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Any, ParamSpec

from msgspec import Struct

from atomexam.text.refusal import Refusal

MAX_DEPTH, MAX_NODES, MAX_COLUMNS = 32, 20_000_000, 512
MAX_LINES, MAX_LINE_CHARS, MAX_RECORD_CHARS = 1 << 20, 1_000_000, 5_000_000
"""Of a text, a page or a document: as many lines as a sheet has rows, and in a line as many characters as in a cell, or five such cells if
it is a record or a row.
"""
P = ParamSpec("P")
EVERY = "*"
"""In the way to a table: every index of a list, or every name in an object of similar objects."""
TWICE = "\0twice"
"""Key of a record with the names of keys that occur twice with different values."""
_EXCERPT_ROWS = 50
"""Number of rows that show which columns a table has."""


class Rows(Struct):
    """A table found in a file."""

    way: tuple[str, ...]
    """Keys that lead to it, or the name of its sheet."""
    rows: list[tuple[str, dict[str, Any]]]
    """Positions and rows."""

    def columns(self) -> list[str]:
        """Return the names of its columns, including those of fields above it."""
        return list(dict.fromkeys(key for _, row in self.rows[:_EXCERPT_ROWS] for key in row))

    def own_columns(self) -> list[str]:
        """Return the names of its columns without those of fields above it."""
        return [key for key in self.columns() if not key.startswith("^")]


def bounded(name: str, lines: list[str]) -> list[str]:
    """Return the lines of a document.

    Raises:
        ValueError: there are too many, or one is too long.
    """
    if len(lines) > MAX_LINES:
        raise Refusal(f"{name}: {len(lines)} lines; at most {MAX_LINES} are read: split it")
    return short_lines(name, lines, MAX_LINE_CHARS)


def short_lines(name: str, lines: list[str], most_chars: int) -> list[str]:
    """Return lines, or raise ValueError if one is too long."""
    if at := next((at for at, line in enumerate(lines, 1) if len(line) > most_chars), 0):
        found = f"line {at} has {len(lines[at - 1])} characters"
        raise Refusal(f"{name}: {found}; at most {most_chars} are read: divide it, or remove it if it is no text")
    return lines


def check_depth(name: str, depth: int) -> None:
    """Raise ValueError if a document is nested deeper than data is."""
    if depth > MAX_DEPTH:
        raise Refusal(f"{name}: nested deeper than {MAX_DEPTH}; expected records of plain fields")


def marked_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with the last value of each key, and the keys that occur twice with different values, none of which is certain."""
    fields: dict[str, Any] = {}
    twice = set[str]()
    for key, value in pairs:
        if key in fields and fields[key] != value:
            twice.add(key)
        fields[key] = value
    return {**fields, TWICE: tuple(sorted(twice))} if twice else fields


class Lost(Struct, frozen=True):
    """A part of a file, or one of its records, that could not be read."""

    position: str
    reason: str
    """In snake_case: the value of `doubt`."""
    words: str
    """What was found there and what was expected."""
    raw: str | None = None
    """The original part, as far as it is text."""


class RepeatedKey(dict[str, Any]):
    """The values of a key that occurs several times in one JSON object, in order, if they differ: none can be trusted."""


class CoveredCell(str):
    """Text of a merged cell, in one of the cells that it covers."""

    __slots__ = ()


class Unsaved(str):
    """The empty text of a cell with a formula whose value was never saved."""

    __slots__ = ()


class Text(Struct, frozen=True):
    """The lines of a document."""

    lines: list[str]
    dropped: list[str] = []
    """What is printed on the pages but no part of the text: watermarks, repeated headers of tables."""
    lost: list[Lost] = []
    rows: list[tuple[str, list[str]]] = []
    """Positions and cells of a document that is one table, as of a sheet."""
    marked: list[str] = []
    """The same lines with tags around the words that stand out, as crawlers.read.lines reads them; none if nothing does."""
    tables: list[list[list[str]]] = []
    """The cells of each table that has no other in it, row by row, empty ones too; a cell merged over rows is in each of them."""


def remembered(read: Callable[P, Text]) -> Callable[P, Text]:
    """Return a reader that keeps its last text or refusal: a file is guessed, read and accounted for in turn."""

    @lru_cache(maxsize=1)
    def result(*args: P.args, **kwargs: P.kwargs) -> Text | ValueError:
        try:
            return read(*args, **kwargs)
        except ValueError as error:
            return error.with_traceback(None)

    @wraps(read)
    def again(*args: P.args, **kwargs: P.kwargs) -> Text:
        text = result(*args, **kwargs)  # type: ignore[arg-type]
        if isinstance(text, ValueError):
            raise text
        return text

    return again
