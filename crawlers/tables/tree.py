"""A document of any depth -> its tables: lists of similar objects, each row with the fields above it.

A row is `path -> value`: keys of objects inside it are joined by a dot, lists stay values.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from atomexam.text.refusal import Refusal

MAX_DEPTH, MAX_NODES = 32, 20_000_000
MOST_TABLES = 60
"""If a document has more tables, they are not compared with each other."""
EVERY = "*"
OPTIONS, STEM, NUMBER = "options", "题干", "题号"
"""Names of the columns added here."""
NAME, ABOVE = "^\0name", "^\0above"
"""Keys of a record's name among others, and of the name above it: not columns, but what other records refer to."""
TWICE = "\0twice"
"""Key of a record with the names of keys that occur twice with different values."""
UNCLEAR = "^\0unclear"
"""Key of a question of a page with a text of which it is unclear whether all is its stem."""
_EXCERPT_ROWS = 50
"""Number of rows that show which columns a table has."""
_ALIKE, _LEAST_NAMED = 0.8, 2
_LEAST_BESIDE, _BESIDE = 3, 4
"""Of objects by name with plain values beside them: their minimum number, and their minimum number per plain value."""
_CARRIED_CHARS = 5000


def check_depth(name: str, depth: int, most: int = MAX_DEPTH) -> None:
    """Raise ValueError if a document is nested deeper than data is."""
    if depth > most:
        raise Refusal(f"{name}: nested deeper than {most}; expected records of plain fields")


class Rows(Struct):
    """A table found in a document."""

    way: tuple[str, ...]
    """Keys that lead to it; `*` stands for every index of a list, or every name in an object of similar objects."""
    rows: list[tuple[str, dict[str, Any]]]
    """Positions and rows."""

    def columns(self) -> list[str]:
        """Return the names of its columns, including those of fields above it."""
        return list(dict.fromkeys(key for _, row in self.rows[:_EXCERPT_ROWS] for key in row if not key.startswith("^\0")))

    def own_columns(self) -> list[str]:
        """Return the names of its columns without those of fields above it."""
        return [key for key in self.columns() if not key.startswith("^")]


def marked_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with the last value of each key, and the keys that occur twice with different values, none of which is certain."""
    fields: dict[str, Any] = {}
    twice = set[str]()
    for key, value in pairs:
        if key in fields and fields[key] != value:
            twice.add(key)
        fields[key] = value
    return {**fields, TWICE: tuple(sorted(twice))} if twice else fields


def tables_in(name: str, document: Any) -> list[Rows]:
    """Return the tables of a document, in the order in which they begin.

    Raises:
        ValueError: it is larger or deeper than data is.
    """
    tables: dict[tuple[str, ...], Rows] = {}
    nodes = 0
    waiting: list[tuple[tuple[str, ...], str, dict[str, Any], Any]] = [((), "", {}, document)]
    names: dict[str, dict[str, str]] = {}
    """Position of a named record -> its name, and the one above it."""
    while waiting:
        way, index, above, value = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES or len(way) > MAX_DEPTH:
            raise Refusal(f"{name}: more than {MAX_NODES} values, or nested deeper than {MAX_DEPTH}; split it")
        if isinstance(value, list):
            inner = [(str(number), each) for number, each in enumerate(value, 1) if isinstance(each, dict | list)]
            waiting += reversed([((*way, EVERY), f"{index}:{number}", above, each) for number, each in inner])
        elif isinstance(value, dict) and _is_named(value, outer=len(way) < 2):
            down = {**above, **{key: each for key, each in value.items() if _is_short(each)}}
            usual = _usual_keys([each for each in value.values() if isinstance(each, dict)])
            named = [(key, each) for key, each in value.items() if isinstance(each, dict)]
            above_it = {ABOVE: own_name[NAME]} if (own_name := names.get(index)) else {}
            names |= {f"{index}:{key}": {NAME: key, **above_it} for key, each in named}
            waiting += reversed([((*way, EVERY if usual & each.keys() else key), f"{index}:{key}", down, each) for key, each in named])
        elif isinstance(value, dict):
            row = dict(flat(value))
            tables.setdefault(way, Rows(way, [])).rows.append(
                (f"record{index}" if index else "record:1", _with(above, row) | names.get(index, {}))
            )
            down = {**above, **{key: each for key, each in row.items() if _is_short(each)}}
            waiting += reversed([((*way, key), f"{index}:{key}", down, each) for key, each in _lists_in(value)])
    return list(tables.values())


def _with(above: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the fields above it, under names that it does not have itself."""
    return row | {f"^{key}": value for key, value in above.items()} if above else row


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != "" and len(str(value)) <= _CARRIED_CHARS


def _is_named(value: dict[str, Any], outer: bool) -> bool:
    """Return whether an object is actually a list, with names as keys: nearly all values are objects with the same keys.

    Args:
        outer: whether plain values may be beside them, like a title at the head of a file; in a record they are its own fields.
    """
    inner = [each for each in value.values() if isinstance(each, dict)]
    plain = sum(not isinstance(each, dict | list) for each in value.values())
    if len(inner) < max(_LEAST_NAMED, len(value)) and not (
        outer and len(inner) + plain == len(value) and len(inner) >= max(_LEAST_BESIDE, _BESIDE * plain) and not _are_letters(value)
    ):
        return False
    usual = _usual_keys(inner)
    return bool(usual) and sum(2 * len(usual & each.keys()) >= len(usual | each.keys()) for each in inner) >= _ALIKE * len(inner)


def _usual_keys(records: list[dict[str, Any]]) -> frozenset[str]:
    return Counter(frozenset(each) for each in records).most_common(1)[0][0]


def _are_letters(value: dict[str, Any]) -> bool:
    """Return whether objects are named by letters, as the options of one question are."""
    return all(len(key) == 1 for key, each in value.items() if isinstance(each, dict))


def _lists_in(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, each in value.items():
        if isinstance(each, dict | list):
            yield prefix + key, each


def flat(record: dict[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the paths of a record with their values; an object inside it is also a value itself."""
    for key, value in record.items():
        yield f"{prefix}{key}", value
        if isinstance(value, dict) and depth < 2 and len(value) <= 40 and not _are_marks(value):
            yield from flat(value, f"{prefix}{key}.", depth + 1)


def _are_marks(value: dict[str, Any]) -> bool:
    """Return whether an object names texts and states whether each is correct: its keys are not fields."""
    return len(value) > 1 and all(isinstance(each, bool) for each in value.values())
