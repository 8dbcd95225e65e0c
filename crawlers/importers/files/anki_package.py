"""Importer of .apkg, Anki's export format for decks: bytes in, the notes of each kind as rows out. The database is read only in memory."""

import json
import sqlite3
import zipfile
from collections import defaultdict
from io import BytesIO
from typing import Any

from backports import zstd

from atomexam.text.refusal import Refusal
from crawlers.importers.files.databases import MAX_BYTES, opened
from crawlers.importers.files.zipped import BROKEN_ZIP
from crawlers.tables.tree import Rows

SUFFIX = ".apkg"
_BASES = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""The newest first: if it is present, the others contain one note that says so."""
_MOST_NOTES = 1_000_000
_FIELD_END = "\x1f"


def notes_of(name: str, body: bytes) -> list[Rows]:
    """Return the notes of each kind, with the names of their fields.

    Raises:
        ValueError: the file is not a valid package, or is larger than decks are.
    """
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            base = next((each for each in _BASES if each in parts.namelist()), None)
            if base is None:
                raise Refusal(f"{name}: not an Anki deck: none of {', '.join(_BASES)} in it")
            with parts.open(base) as part:
                data = part.read(MAX_BYTES + 1)
    except BROKEN_ZIP as error:
        raise Refusal(f"{name}: not a readable deck ({error}); export it again" if name not in str(error) else str(error)) from None
    if base.endswith("b"):
        data = _unpacked(name, data)
    if len(data) > MAX_BYTES:
        raise Refusal(f"{name}: a deck of more than {MAX_BYTES} bytes; export it in parts")
    try:
        return _notes(data)
    except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refusal(
            f"{name}: not a readable deck ({type(error).__name__}: {str(error)[:80]}); export it again as text or .apkg"
        ) from None


def _unpacked(name: str, data: bytes) -> bytes:
    try:
        return zstd.ZstdDecompressor().decompress(data, MAX_BYTES + 1)
    except (zstd.ZstdError, EOFError) as error:
        raise Refusal(f"{name}: not a readable deck ({error}); export it again") from None


def _notes(data: bytes) -> list[Rows]:
    with opened(data) as base:
        tables = {row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "notes" not in tables:
            raise ValueError("no table of notes")
        kinds = _kinds(base, tables)
        rows_by_kind: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        for number, kind, fields, tags in base.execute("SELECT id, mid, flds, tags FROM notes ORDER BY id LIMIT ?", (_MOST_NOTES,)):
            values = str(fields).split(_FIELD_END)
            keys = [*kinds.get(kind, []), *(f"column {index}" for index in range(1, len(values) + 1))]
            row: dict[str, Any] = dict(zip(keys, values, strict=False))
            rows_by_kind[kind].append((f"note:{number}", row | ({"标签": str(tags).strip()} if str(tags or "").strip() else {})))
        return [Rows((str(kind),), rows) for kind, rows in rows_by_kind.items()]


def _kinds(base: sqlite3.Connection, tables: set[str]) -> dict[int, list[str]]:
    """Return the names of the fields of each kind of note."""
    if "fields" in tables:
        kinds: dict[int, list[str]] = defaultdict(list)
        for kind, name in base.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            kinds[kind].append(str(name))
        return kinds
    [models] = base.execute("SELECT models FROM col LIMIT 1").fetchone()
    return {int(kind): [str(field["name"]) for field in model["flds"]] for kind, model in json.loads(models).items()}
