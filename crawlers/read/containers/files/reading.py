"""Results of reading containers: lines with marks, tables of rows, and parts that could not be read."""

from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Any, ParamSpec

from msgspec import Struct

from atomexam.text.refusal import Refusal

MAX_DEPTH, MAX_NODES, MAX_COLUMNS = 32, 20_000_000, 512
MAX_LINES, MAX_LINE_CHARS, MAX_RECORD_CHARS = 1 << 20, 1_000_000, 5_000_000
"""Limits for a text, page or document: as many lines as a sheet has rows, as many characters in a line as in a cell, and five times as
many in a record or row.
"""
P = ParamSpec("P")
EVERY = "*"
"""In the path to a table: any index of a list, or any name in an object whose values are similar objects."""
TWICE = "\0twice"
"""Key under which a record lists those of its keys that occur twice with different values."""
_EXCERPT_ROWS = 50
"""Number of rows that are read to determine the columns of a table."""


class Rows(Struct):
    """A table found in a file."""

    way: tuple[str, ...]
    """Keys that lead to it, or the name of its sheet."""
    rows: list[tuple[str, dict[str, Any]]]
    """Positions and rows."""

    def columns(self) -> list[str]:
        """Return the names of its columns, including fields above it."""
        return list(dict.fromkeys(key for _, row in self.rows[:_EXCERPT_ROWS] for key in row))

    def own_columns(self) -> list[str]:
        """Return the names of its columns, excluding fields above it."""
        return [key for key in self.columns() if not key.startswith("^")]


def bounded(name: str, lines: list[str]) -> list[str]:
    """Return the lines of a document.

    Raises:
        ValueError: there are too many lines, or one is too long.
    """
    if len(lines) > MAX_LINES:
        raise Refusal(f"{name}: {len(lines)} lines; at most {MAX_LINES} are read, so split it")
    return short_lines(name, lines, MAX_LINE_CHARS)


def short_lines(name: str, lines: list[str], most_chars: int) -> list[str]:
    """Return the lines; raise ValueError if one is too long."""
    if at := next((at for at, line in enumerate(lines, 1) if len(line) > most_chars), 0):
        found = f"line {at} has {len(lines[at - 1])} characters"
        raise Refusal(f"{name}: {found}; at most {most_chars} are read; split the line, or remove it if it is not text")
    return lines


def check_depth(name: str, depth: int) -> None:
    """Raise ValueError if a document is nested too deeply."""
    if depth > MAX_DEPTH:
        raise Refusal(f"{name}: nested deeper than {MAX_DEPTH}; expected records of plain fields")


def marked_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with the last value of each key, and the uncertain keys, which occur twice with different values."""
    fields: dict[str, Any] = {}
    twice = set[str]()
    for key, value in pairs:
        if key in fields and fields[key] != value:
            twice.add(key)
        fields[key] = value
    return {**fields, TWICE: tuple(sorted(twice))} if twice else fields


class Lost(Struct, frozen=True):
    """A record or another part of a file that could not be read."""

    position: str
    reason: str
    """The reason in snake_case; it becomes the value of `doubt`."""
    words: str
    """What was found there and what was expected."""
    raw: str | None = None
    """The original part, if it is text."""


class RepeatedKey(dict[str, Any]):
    """The different values of a repeated key in one JSON object, in order; none can be trusted."""


class CoveredCell(str):
    """Text of a merged cell in one of the cells that it covers."""

    __slots__ = ()


class Unsaved(str):
    """Empty text of a formula cell whose value was never saved."""

    __slots__ = ()


class Text(Struct, frozen=True):
    """The lines of a document."""

    lines: list[str]
    dropped: list[str] = []
    """Text printed on the pages that is not part of the document: watermarks and repeated table headers."""
    lost: list[Lost] = []
    rows: list[tuple[str, list[str]]] = []
    """Positions and cells of a document that is a single table, like those of a sheet."""
    marked: list[str] = []
    """The same lines with tags around emphasised words, as crawlers.read.lines reads them; empty if nothing is emphasised."""
    tables: list[list[list[str]]] = []
    """Cells of each table that contains no other table, row by row, including empty ones; a cell merged over several rows is in each of
    them."""


def remembered(read: Callable[P, Text]) -> Callable[P, Text]:
    """Cache the last text or refusal of a reader, because format detection, reading and the account of a file all need it."""

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
