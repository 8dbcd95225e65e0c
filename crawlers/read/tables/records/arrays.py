"""Records within documents: JSON or parquet -> the records that a chain of keys leads to, and the chains that a document has."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from crawlers.read.containers.files.json import documents_of
from crawlers.read.containers.files.parquet import SUFFIX, first_row, read_rows
from crawlers.read.containers.files.reading import EVERY, Lost, RepeatedKey

_LETTERED, _NUMBER = re.compile(r"[A-Ja-j](?:[\s,，、]?[A-Ja-j]){0,9}"), re.compile(r"\D{0,12}?0{0,6}\d{1,6}\D{0,3}")
_FEWEST_ANSWERS = 3
_RAW_CHARS = 2000
_ALIKE = 0.9
"""Minimum share of named objects that have the keys of the first one."""
_DEEPEST = 4
"""Maximum key depth at which records are searched for."""


def read_records(name: str, body: bytes, array: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield each record of a JSON or parquet file with its position, `line:3` or `record:3`, counted from one; an unreadable record is
    yielded as a Lost.

    Args:
        array: keys that lead from a document or row to its records; the fields next to them belong to every record below. `*` stands for
                every key with a list; the records store that key under `*`.

    Raises:
        ValueError: the file is damaged, or of another format; the message gives file and line.
    """
    return records_below(read_rows(name, body) if name.lower().endswith(SUFFIX) else documents_of(name, body), array)


def records_below(documents: Iterable[tuple[str, Any]], array: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield the records of documents; a single document needs no position."""
    count = 0
    for where, document in documents:
        if isinstance(document, Lost):
            yield where, document
            continue
        records = document if isinstance(document, list) and not where else [document]
        for number, record in enumerate(chain.from_iterable(_below(record, array) for record in records), 1):
            count += 1
            position = f"record:{count}" if not where else where if number == 1 else f"{where}:record:{number}"
            yield position, record if isinstance(record, dict) else _no_object(position, record)


def first_document(name: str, body: bytes) -> Any:
    """Return the first document or row of a file, used to infer its layout; None if the file is empty.

    Raises:
        ValueError: as for `read_records`.
    """
    if name.lower().endswith(SUFFIX):
        return first_row(name, body)
    return next((document for _, document in documents_of(name, body) if not isinstance(document, Lost)), None)


def below(document: Any, array: Sequence[str]) -> Any:
    """Return the first record that `array` leads to; None if there is none."""
    records = document if isinstance(document, list) else [document]
    return next((record for entry in records[:1] for record in _below(entry, array) if isinstance(record, dict)), None)


def ways_to_entities(document: Any) -> list[list[str]]:
    """Return the key chains to lists of objects, or to objects keyed by name, inside a document; shortest first."""
    ways = ways_to_records([document])
    waiting: list[tuple[list[str], Any]] = [([], document)]
    for way, value in waiting:
        if not isinstance(value, dict) or len(way) >= _DEEPEST:
            continue
        inner = [each for each in value.values() if isinstance(each, dict)]
        if len(inner) > 1 and len(inner) == len(value) and sum(_alike(inner[0], each) for each in inner) >= _ALIKE * len(inner):
            ways.append([*way, EVERY])
        else:
            waiting += [([*way, key], each) for key, each in value.items() if isinstance(each, dict)]
    return sorted(ways, key=len)


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return 2 * len(one.keys() & other.keys()) >= min(len(one), len(other)) > 0


def ways_to_records(records: Sequence[Any]) -> list[list[str]]:
    """Return the key chains to each list of objects inside the first record, as in `array` of a layout; shortest first."""
    waiting: list[tuple[list[str], Any]] = [([], record) for record in records[:1]]
    ways: list[list[str]] = []
    for way, value in waiting:
        if way and isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
            ways.append(way)
        elif isinstance(value, dict) and len(way) < _DEEPEST:
            waiting += [([*way, key], inner) for key, inner in value.items()]
    return ways


def _below(record: Any, array: Sequence[str]) -> Iterator[Any]:
    """Yield the values that a chain of keys leads to, each with the fields next to the path."""
    if not array or not isinstance(record, dict):
        yield record
        return
    keys = every_key(record) if array[0] == EVERY else [array[0]]
    beside = {key: value for key, value in record.items() if key not in keys}
    if tuple(array[1:2]) == (EVERY,):  # otherwise they would be traversed as well
        beside = {key: value for key, value in beside.items() if not isinstance(value, dict | list)}
    beside = {key: value for key, value in beside.items() if not _is_key(value)}
    for key in keys:
        inner = record.get(key)
        named = beside | {EVERY: key} if array[0] == EVERY else beside
        follows = isinstance(inner, dict) and (array[1:] or array[0] == EVERY)
        for entry in inner if isinstance(inner, list) else [inner if follows else None]:
            yield from _below(named | entry if isinstance(entry, dict) else entry, array[1:])


def _is_key(value: Any) -> bool:
    """Return whether a value answers several questions, as a list of letters or by number, and so is not a field of each question."""
    values = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(values, list) or len(values) < _FEWEST_ANSWERS or not all(isinstance(each, str) for each in values):
        return False
    return all(map(_LETTERED.fullmatch, values)) and (isinstance(value, list) or all(map(_NUMBER.fullmatch, value)))


def every_key(record: dict[str, Any]) -> list[str]:
    """Return the keys that `*` stands for: those with lists or, if there are none, those with objects, one record each."""
    lists = [key for key, value in record.items() if isinstance(value, list)]
    return lists or [key for key, value in record.items() if isinstance(value, dict) and not isinstance(value, RepeatedKey)]


def _no_object(position: str, value: Any) -> Lost:
    advice = "; is the entire file one array? then name it .json" if isinstance(value, list) and position.startswith("line:") else ""
    words = f"found {type(value).__name__}, expected an object with named fields{advice}"
    return Lost(position, "record_unreadable", words, json.dumps(value, ensure_ascii=False)[:_RAW_CHARS])
