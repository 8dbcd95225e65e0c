"""SQLite files: bytes in, the rows of each table out. The database is read only in memory, and no view or trigger is run."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import EVERY, Rows

SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
MAX_BYTES = 256 * 1024 * 1024
_MOST_ROWS, _MOST_TABLES, _MOST_STEPS = 1_000_000, 500, 500
_LONGEST, _MOST_CELLS, _MOST_CHARS = 16 * 1024 * 1024, 5_000_000, 256 * 1024 * 1024
"""Bytes of one value, and of all tables together: values that are computed, or default for all rows, take no space in the file."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY rowid"
_STEP = 1_000_000
"""SQLite instructions between two checks; a hostile query ends after `_MOST_STEPS` of them."""


@contextmanager
def opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """Open a database in memory that aborts a query without end."""
    steps = iter(range(_MOST_STEPS))
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(data)
        base.set_progress_handler(lambda: next(steps, None) is None, _STEP)
        base.execute("PRAGMA trusted_schema = OFF")
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        yield base
    finally:
        base.close()


def tables_of(name: str, body: bytes) -> list[Rows]:
    """Return the rows of each table by its name.

    Raises:
        ValueError: the file is not a valid database, or is larger than banks are.
    """
    if len(body) > MAX_BYTES:
        raise Refusal(f"{name}: a database of more than {MAX_BYTES} bytes; export its tables as .csv")
    try:
        with opened(body) as base:
            names = [str(row[0]) for row in base.execute(_TABLES)]
            names = [each for each in names if not each.startswith(("sqlite_", "android_"))]
            room = _Room()
            return [table for each in names[:_MOST_TABLES] if (table := _table(base, each, room)).rows]
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise Refusal(f"{name}: not a readable database ({type(error).__name__}: {str(error)[:80]}); export its tables as .csv") from None


class _Room(Struct):
    """What the tables of a database may still contain."""

    cells: int = _MOST_CELLS
    chars: int = _MOST_CHARS

    def take(self, row: tuple[Any, ...]) -> None:
        self.cells -= len(row)
        self.chars -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if min(self.cells, self.chars) < 0:
            raise ValueError(f"more than {_MOST_CELLS} values or {_MOST_CHARS} characters")


def _table(base: sqlite3.Connection, name: str, room: _Room) -> Rows:
    quoted = name.replace('"', '""')
    cursor = base.execute(f'SELECT * FROM "{quoted}" LIMIT {_MOST_ROWS}')
    columns = [str(column[0]) for column in cursor.description]
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, row in enumerate(cursor, 1):
        room.take(row)
        values = {key: value for key, value in zip(columns, row, strict=True) if not isinstance(value, bytes)}
        rows.append((f"{name}:row:{number}", values))
    return Rows((name, EVERY), rows)
