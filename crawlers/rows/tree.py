"""A document of any depth -> its tables: lists of alike objects, each row with the fields that stand above it.

A row is `path -> value`: keys of objects inside it are joined by a dot, lists stay values.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

MAX_DEPTH, MAX_NODES = 32, 20_000_000
EVERY = "*"
OPTIONS, STEM = "options", "题干"
"""Names of the columns that are made of several."""
_SHOWN_ROWS = 50
"""Which columns a table has is told by so many rows."""
_ALIKE, _LEAST_NAMED = 0.8, 2
_CARRIED_CHARS = 5000


class Rows(Struct):
    """A table found in a document."""

    way: tuple[str, ...]
    """Keys that lead to it; `*` stands for every place of a list, or every name of an object of alike objects."""
    rows: list[tuple[str, dict[str, Any]]]
    """Places and rows."""

    def columns(self) -> list[str]:
        """Return the names of its columns, those of fields that stand above it included."""
        return list(dict.fromkeys(key for _, row in self.rows[:_SHOWN_ROWS] for key in row))

    def own_columns(self) -> list[str]:
        """Return the names of its columns without those of fields that stand above it."""
        return [key for key in self.columns() if not key.startswith("^")]


def tables_in(name: str, document: Any) -> list[Rows]:
    """Return the tables of a document, in the order in which they begin.

    Raises:
        ValueError: it is larger or deeper than data is.
    """
    found: dict[tuple[str, ...], Rows] = {}
    nodes = 0
    waiting: list[tuple[tuple[str, ...], str, dict[str, Any], Any]] = [((), "", {}, document)]
    while waiting:
        way, place, above, value = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES or len(way) > MAX_DEPTH:
            raise ValueError(f"{name}: more than {MAX_NODES} values, or nested deeper than {MAX_DEPTH}; cut it into parts")
        if isinstance(value, list):
            inner = [(str(number), each) for number, each in enumerate(value, 1) if isinstance(each, dict | list)]
            waiting += reversed([((*way, EVERY), f"{place}:{number}", above, each) for number, each in inner])
        elif isinstance(value, dict) and _is_named(value):
            waiting += reversed([((*way, EVERY), f"{place}:{key}", above, each) for key, each in value.items()])
        elif isinstance(value, dict):
            row = dict(flat(value))
            found.setdefault(way, Rows(way, [])).rows.append((f"record{place}" if place else "record:1", _with(above, row)))
            down = {**above, **{key: each for key, each in row.items() if _is_short(each)}}
            waiting += reversed([((*way, key), f"{place}:{key}", down, each) for key, each in _lists_in(value)])
    return list(found.values())


def _with(above: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with what stands above it, under names that it does not have itself."""
    return row | {f"^{key}": value for key, value in above.items()} if above else row


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != "" and len(str(value)) <= _CARRIED_CHARS


def _is_named(value: dict[str, Any]) -> bool:
    """Tell whether an object is a list in truth, its keys names: all values are objects with the same keys."""
    inner = [each for each in value.values() if isinstance(each, dict)]
    if len(inner) < max(_LEAST_NAMED, len(value)):
        return False
    keys = inner[0].keys()
    return bool(keys) and sum(2 * len(keys & each.keys()) >= len(keys | each.keys()) for each in inner) >= _ALIKE * len(inner)


def _lists_in(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, each in value.items():
        if isinstance(each, dict | list):
            yield prefix + key, each


def flat(record: dict[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the paths of a record with their values; an object inside it is a value of its own, too."""
    for key, value in record.items():
        yield f"{prefix}{key}", value
        if isinstance(value, dict) and depth < 2 and len(value) <= 40 and not _are_marks(value):
            yield from flat(value, f"{prefix}{key}.", depth + 1)


def _are_marks(value: dict[str, Any]) -> bool:
    """Tell whether an object names texts and says of each whether it is right: its keys are no fields."""
    return len(value) > 1 and all(isinstance(each, bool) for each in value.values())
