"""Values of a file of records: each cell or leaf with its position, record and key, even if no reader supports the key.

They are read independently of the readers: JSON with duplicate keys, all rows of all sheets, all text of XML.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import Any

from lxml import etree
from msgspec import Struct

from atomexam.text.encodings import decoded
from crawlers.read.containers.files.archives import tree_of
from crawlers.read.containers.files.json import is_by_line
from crawlers.read.containers.files.parquet import SUFFIX as PARQUET
from crawlers.read.containers.files.parquet import read_rows
from crawlers.read.containers.files.reading import EVERY, CoveredCell, Lost
from crawlers.read.tables.any_rows import DATA, TEXTS, literals_as_json
from crawlers.read.tables.legends import TABLED, sheets_in
from crawlers.read.tables.records.arrays import every_key
from crawlers.read.tables.records.triples import triple_lines
from crawlers.read.tables.tree import listed
from crawlers.text.fields import parsed_json

LETTER = re.compile(r"[A-Ja-j]")


class Leaf(Struct, gc=False):
    """One value."""

    unit: str
    """Position of the record or row, as the readers state it; empty for values outside any record."""
    key: str
    """The value's path of keys, without list indices, or its column."""
    text: str
    is_key: bool = False
    """Whether the text is the name of the key rather than a value."""


class ObjectPairs(list[tuple[str, Any]]):
    """A JSON object with all its keys, including duplicates."""

    __slots__ = ()


_OBJECTS = (ObjectPairs, dict)


def leaves_of(name: str, body: bytes, array: Sequence[str] = ()) -> Iterator[Leaf]:
    """Yield the values of a JSON, parquet, csv, xlsx or XML file in order.

    Args:
        array: the keys that lead from a document to its records, as the file's layout lists them.
    """
    lower = name.lower()
    if lower.endswith(DATA):
        body = literals_as_json(name, body)
    if lower.endswith(TEXTS):
        yield from _of_triples(name, body)
    elif lower.endswith(TABLED):
        yield from _cells(name, body)
    elif lower.endswith(".xml"):
        yield from _xml(body)
    elif lower.endswith(PARQUET):
        for position, row in read_rows(name, body):
            yield from _values(row, position, "") if isinstance(row, dict) else [Leaf(position, "", row.raw or "")]
    elif is_by_line(name, text := decoded(name, body)):
        for number, line in enumerate(text.split("\n"), 1):
            unit = f"line:{number}"
            try:
                yield from _values(parsed_json(line, object_pairs_hook=ObjectPairs), unit, "") if line.strip() else ()
            except ValueError:
                yield Leaf(unit, "", line)
    else:
        yield from _document(parsed_json(text, object_pairs_hook=ObjectPairs), array)


def leaves_of_rows(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[Leaf]:
    """Yield the values of rows with their positions, without column names."""
    for position, row in rows:
        values = {key: _as_lines(listed(value) if isinstance(value, str) else value) for key, value in row.items()}
        yield from (leaf for leaf in _values(values, position, "") if not leaf.is_key)


def _as_lines(value: Any) -> Any:
    """Return the value with each letter-and-text object in it replaced by an option line."""
    if isinstance(value, list):
        return [_as_lines(each) for each in value]
    if not isinstance(value, dict):
        return value
    match list(value.values()):
        case [str() as letter, str() as text] if LETTER.fullmatch(letter):
            return f"{letter}. {text}"
    return {key: _as_lines(each) for key, each in value.items()}


def _of_triples(name: str, body: bytes) -> Iterator[Leaf]:
    """Yield the text of each line in the record of its head; repeated heads and relations are labels."""
    first: dict[str, str] = {}
    for triple in triple_lines(name, body):
        if isinstance(triple, Lost):
            yield Leaf(triple.position, "", triple.raw or "")
            continue
        unit = first.get(triple.head, f"line:{triple.line}")
        yield Leaf(unit, "head", triple.head, triple.head in first)
        first[triple.head] = unit
        yield Leaf(unit, "relation", triple.relation, True)
        yield Leaf(unit, "tail", triple.tail)


def _document(document: Any, array: Sequence[str]) -> Iterator[Leaf]:
    """Yield the leaves of a document by record; the records that `array` leads to are numbered as in the readers."""
    count = 0
    entries = document if isinstance(document, list) and not isinstance(document, ObjectPairs) else [document]
    waiting: list[tuple[Any, Sequence[str], str]] = [(entry, array, "") for entry in reversed(entries)]
    entries.clear()  # free each entry once its values are read
    while waiting:
        value, left, way = waiting.pop()
        if not left or not isinstance(value, ObjectPairs):
            count += 1
            yield from _values(value, f"record:{count}", way)
            continue
        values = {key: dict(inner) if isinstance(inner, ObjectPairs) else inner for key, inner in value}
        leading = every_key(values) if left[0] == EVERY else [left[0]]
        spread = left[0] == EVERY or left[1:]  # objects on the way are traversed like lists
        following: list[tuple[Any, Sequence[str], str]] = []
        for key, inner in value:
            path = f"{way}.{key}" if way else key
            yield Leaf("", path, key, True)
            if key in leading and (_is_list(inner) or (spread and isinstance(inner, ObjectPairs))):
                following += [(entry, left[1:], path) for entry in (inner if _is_list(inner) else [inner])]
            else:
                yield from _values(inner, "", path)
        count += sum(
            not isinstance(values.get(key), list if not spread else list | dict) for key in leading or left[:1]
        )  # missing entries count, too
        waiting += reversed(following)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, ObjectPairs)


def _values(value: Any, unit: str, way: str) -> Iterator[Leaf]:
    waiting = [(value, way)]
    while waiting:
        current, path = waiting.pop()
        if isinstance(current, _OBJECTS):
            pairs = list(current.items() if isinstance(current, dict) else current)
            ways = [f"{path}.{key}" for key, _ in pairs] if path else [key for key, _ in pairs]
            for (key, _), inner_way in zip(pairs, ways, strict=True):
                yield Leaf(unit, inner_way, key, True)
            waiting += [(inner, inner_way) for (_, inner), inner_way in zip(reversed(pairs), reversed(ways), strict=True)]
        elif isinstance(current, list):
            waiting += [(inner, path) for inner in reversed(current)]
        elif isinstance(current, str) and current.strip()[:1] in ("[", "{") and (inner := _written_out(current)) is not None:
            waiting.append((inner, path))
        elif current is not None:
            text = current if isinstance(current, str) else json.dumps(current) if isinstance(current, bool) else str(current)
            yield Leaf(unit, path, text)


def _written_out(text: str) -> Any:
    """Return the list that a text contains as JSON; None if it contains none."""
    try:
        value = parsed_json(text, object_pairs_hook=ObjectPairs)
    except ValueError:
        return None
    return value if isinstance(value, list) and value else None


def _cells(name: str, body: bytes) -> Iterator[Leaf]:
    for title, _, rows in sheets_in(name, body):
        for position, cells in rows:
            for number, cell in enumerate(cells, 1):
                if cell and not isinstance(cell, CoveredCell):
                    yield Leaf(position, intern(f"{title}:{number}" if title else str(number)), cell)


def _xml(body: bytes) -> Iterator[Leaf]:
    for element in tree_of(body.lstrip()).iter(etree.Element):
        tag = etree.QName(element).localname
        for text in (element.text, *(child.tail for child in element)):
            if text and text.strip():
                yield Leaf("", tag, text)
