"""Importer of SQLite files: bytes in, the rows of each table out. The database is read in memory alone, and no view or trigger is run."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from crawlers.rows.tree import EVERY, Rows

SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
MAX_BYTES = 256 * 1024 * 1024
_MOST_ROWS, _MOST_TABLES, _MOST_STEPS = 1_000_000, 500, 500
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY rowid"
_STEP = 1_000_000
"""Instructions of SQLite between two looks; a hostile query ends after `_MOST_STEPS` of them."""


@contextmanager
def opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """Open a database in memory, where a query that does not end is ended."""
    steps = iter(range(_MOST_STEPS))
    base = sqlite3.connect(":memory:")
    try:
        base.deserialize(data)
        base.set_progress_handler(lambda: next(steps, None) is None, _STEP)
        base.execute("PRAGMA trusted_schema = OFF")
        yield base
    finally:
        base.close()


def tables_of(name: str, body: bytes) -> list[Rows]:
    """Return the rows of each table, under its name.

    Raises:
        ValueError: the file is no sound database, or larger than banks are.
    """
    if len(body) > MAX_BYTES:
        raise ValueError(f"{name}: a database of more than {MAX_BYTES} bytes; export its tables as .csv")
    try:
        with opened(body) as base:
            names = [str(row[0]) for row in base.execute(_TABLES)]
            names = [each for each in names if not each.startswith(("sqlite_", "android_"))]
            return [table for each in names[:_MOST_TABLES] if (table := _table(base, each)).rows]
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name}: no readable database ({type(error).__name__}: {str(error)[:80]}); export its tables as .csv") from None


def _table(base: sqlite3.Connection, name: str) -> Rows:
    quoted = name.replace('"', '""')
    found = base.execute(f'SELECT * FROM "{quoted}" LIMIT {_MOST_ROWS}')
    columns = [str(column[0]) for column in found.description]
    rows: list[tuple[str, dict[str, Any]]] = [
        (f"{name}:row:{number}", {key: value for key, value in zip(columns, row, strict=True) if not isinstance(value, bytes)})
        for number, row in enumerate(found, 1)
    ]
    return Rows((name, EVERY), rows)
