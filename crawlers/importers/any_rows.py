"""The front door for structured files of any layout: bytes in, tables of rows `path -> value` out.

JSON of any depth, JSON lines, literals of JavaScript and TypeScript, INSERT and UPDATE of SQL, sheets and csv with or without a header;
told by what stands in the file, as the suffix may lie.
"""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from atomexam.text.encodings import decoded
from crawlers.importers.csv_rows import csv_rows
from crawlers.importers.layout import layout_of_keys
from crawlers.importers.table import named
from crawlers.importers.workbook import sheets_of
from crawlers.rows.literals import literals_of
from crawlers.rows.statements import statement_rows
from crawlers.rows.tree import Rows, tables_in

BOOKS = (".xlsx", ".xlsm")
SOURCES = (".js", ".ts", ".mjs", ".sql")
"""Suffixes of files of literals and of statements."""
_SQL = re.compile(r"\b(?:insert\s{1,8}(?:ignore\s{1,8})?into|update)\s{1,8}[\"`\[\w]", re.IGNORECASE)
_SHEETS = (".csv", ".tsv", ".txt")
_LONGEST_NAME_CHARS = 24
_LEAST_ROWS = 3
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,30}|q?[A-J]", re.ASCII)


def rows_of(name: str, body: bytes) -> list[Rows]:
    """Return the tables of a structured file, each with the way that leads to it; none where the file has no structure that is known.

    Raises:
        ValueError: the file is damaged, or larger or deeper than data is.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in BOOKS:
        sheets = ((title, list(rows)) for title, hidden, rows in sheets_of(name, body) if not hidden)
        return [table for title, rows in sheets for table in _table(title, rows)]
    if suffix in _SHEETS:
        return list(_table("", list(csv_rows(name, body))))
    return tables_in(name, document_of(name, decoded(name, body)))


def document_of(name: str, text: str) -> Any:
    """Return what a text holds as one document: of JSON, of lines of JSON, of statements or of literals."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "["):
        try:
            return _json(name, text)
        except ValueError:
            lines = [line for line in text.split("\n") if line.strip()]
            if len(lines) > 1 and lines[0].rstrip().endswith(("}", "]")):
                try:
                    return [_json(name, line) for line in lines]
                except ValueError:
                    pass
    if name.lower().endswith(".sql") or (
        start not in ("{", "[") and _SQL.search(text[:200_000]) and not name.lower().endswith((".js", ".ts"))
    ):
        return statement_rows(text)
    return literals_of(name, f"({text})" if start in ("{", "[") else text)


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff"), parse_constant=lambda _: None, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError(f"{name}: nested too deeply to be read; expected records of plain fields") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs) and any(found[key] != value for key, value in pairs):
        found["\0twice"] = True  # which value holds is not known
    return found


def _table(title: str, rows: list[tuple[str, list[str]]]) -> Iterator[Rows]:
    """Yield a sheet as rows; its first row names the columns where it stands out among them."""
    rows = [(place, cells) for place, cells in rows if any(cells)]
    if len(rows) < _LEAST_ROWS:
        return
    width = max(len(cells) for _, cells in rows[:200])
    headed = _is_header([cells for _, cells in rows[:200]])
    keys = named(rows[0][1]) if headed else []
    keys = [*keys, *(f"column {place}" for place in range(len(keys) + 1, width + 1))]
    below = rows[1:] if headed else rows
    yield Rows((title,) if title else (), [(place, dict(zip(keys, cells, strict=False))) for place, cells in below])


def _is_header(rows: list[list[str]]) -> bool:
    """Tell whether a first row names the columns: short words, each once, none of which stands below in its column."""
    first = [cell for cell in rows[0] if cell]
    if layout_of_keys(named(rows[0])) is not None or (len(first) > 1 and all(_IDENTIFIER.fullmatch(cell) for cell in first)):
        return True
    if not first or len(set(first)) < len(first) or any(len(cell) > _LONGEST_NAME_CHARS for cell in first):
        return False
    if any(re.fullmatch(r"[-\d.]+|[(（]\s{0,9}[)）]|.{0,23}[？?。（(]\s{0,9}[)）]?", cell) for cell in first):
        return False
    for place, cell in enumerate(rows[0]):
        below = {row[place] for row in rows[1:] if place < len(row)}
        if cell and cell in below:
            return False
        values = [each for each in below if each]
        if cell and len(cell) == 1 and values and max(map(len, values)) == 1 and len(set(values)) <= 8:
            return False
    lengths = [(len(cell), sorted(len(row[place]) for row in rows[1:] if place < len(row))) for place, cell in enumerate(rows[0]) if cell]
    return any(some and own * 2 <= some[len(some) // 2] for own, some in lengths)
