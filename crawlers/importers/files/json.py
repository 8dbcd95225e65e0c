"""Importer of JSON: bytes in, records out: one document, an array of records, or one record per line."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.importers.files.reading import Lost, RepeatedKey
from crawlers.tables.beside import fields_beside, is_key
from crawlers.text.fields import sound_json

LINES = (".jsonl", ".ndjson")
EVERY = "*"
"""In `array`, stands for every key with a list; the records have that key under this one."""
_TWO_LINES = re.compile(r"[\ufeff\s]{0,99}(?P<first>\{[^\n]{0,9999999})\n\s{0,99}\{")
_RAW_CHARS = 2000
_ALIKE = 0.9
"""Share of the objects under names that must have keys of the first one."""
_DEEPEST = 4
"""Nesting of keys under which records are searched."""


def read_records(name: str, body: bytes, array: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Return each record of a file with its position, `line:3` or `record:3`, counted from one; for one that cannot be read, a Lost.

    Args:
        array: keys that lead from the document to its records; the fields beside them belong to every record below.

    Raises:
        ValueError: the file is not JSON, or none of its lines is; the message gives file and line.
    """
    return records_below(_documents(name, decoded(name, body)), array)


def records_below(documents: Iterable[tuple[str, Any]], array: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Any] | Lost]]:
    """Yield the records of documents that each have a position, or of the only one, which has none."""
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


def first_record(name: str, body: bytes) -> Any:
    """Return the first document of a file, from which its layout is inferred.

    Raises:
        ValueError: the file is not JSON.
    """
    text = decoded(name, body)
    return next((document for _, document in _documents(name, text) if not isinstance(document, Lost)), None)


def below(document: Any, array: Sequence[str]) -> Any:
    """Return the first record that `array` leads to, None if there is none."""
    records = document if isinstance(document, list) else [document]
    return next((record for entry in records[:1] for record in _below(entry, array) if isinstance(record, dict)), None)


def _documents(name: str, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the lines of a JSON lines file with their positions, or the one document, which has none."""
    if not is_by_line(name, text):
        try:
            yield "", _parse(text)
        except ValueError as error:
            raise Refusal(f"{name}: {error}") from None
        return
    faults, read = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line:{number}", _parse(line)
                read += 1
            except ValueError as error:
                faults.append(f"line {number}: {error}")
                yield f"line:{number}", Lost(f"line:{number}", "record_unreadable", str(error), line[:_RAW_CHARS])
    if faults and not read:
        advice = "; the file is one document, not a record per line: name it .json" if _is_whole(text) else ""
        raise Refusal(f"{name}: {faults[0]}; no line of the file is JSON{advice}")


def is_by_line(name: str, text: str) -> bool:
    """Return whether a file has a record per line, judging by its name or its first lines: two objects in a row are not one document."""
    if name.lower().endswith(LINES):
        return True
    opening = _TWO_LINES.match(text)
    try:
        return opening is not None and isinstance(_parse(opening["first"]), dict)
    except ValueError:
        return False


def _is_whole(text: str) -> bool:
    try:
        _parse(text)
    except ValueError:
        return False
    return True


def ways_to_entities(document: Any) -> list[list[str]]:
    """Return the keys that lead to lists of objects, or to objects with names as keys, inside a document; the shortest first."""
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
    """Return the keys that lead to each list of objects inside the first record, as `array` of a layout names them; the shortest first."""
    waiting: list[tuple[list[str], Any]] = [([], record) for record in records[:1]]
    ways: list[list[str]] = []
    for way, value in waiting:
        if way and isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
            ways.append(way)
        elif isinstance(value, dict) and len(way) < _DEEPEST:
            waiting += [([*way, key], inner) for key, inner in value.items()]
    return ways


def _parse(text: str) -> Any:
    try:
        return json.loads(sound_json(text), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        position = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        hint = "; one record per line? then name the file .jsonl" if error.msg == "Extra data" else ""
        raise ValueError(f"{position}: {error.msg}; expected JSON{hint}") from None
    except ValueError as error:
        if "digits" not in str(error):
            raise
        raise ValueError("a number of more than 4,300 digits; expected fields of a question: write it as text") from None
    except RecursionError:
        raise ValueError("nested too deeply to be read; expected records of plain fields") from None


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; for a repeated key, Python would silently keep only the last value."""
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    by_key: dict[str, list[Any]] = {}
    for key, value in pairs:
        by_key.setdefault(key, []).append(value)
    for key, values in by_key.items():
        if any(value != values[0] for value in values):
            record[key] = RepeatedKey({str(number): value for number, value in enumerate(values, 1)})
    return record


def _finite(word: str) -> float:
    if math.isinf(number := float(word)):
        raise ValueError(f"{word[:20]} is larger than any supported number; write it as text")
    return number


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a JSON value; write null for unknown values")


def _below(record: Any, array: Sequence[str]) -> Iterator[Any]:
    """Yield what a chain of keys leads to, each with the fields beside the path."""
    if not array or not isinstance(record, dict):
        yield record
        return
    keys = every_key(record) if array[0] == EVERY else [array[0]]
    beside = {key: value for key, value in record.items() if key not in keys}
    if tuple(array[1:2]) == (EVERY,):  # otherwise they would be traversed as well
        beside = {key: value for key, value in beside.items() if not isinstance(value, dict | list)}
    columns = fields_beside(record[keys[0]], beside) if len(keys) == 1 and isinstance(record.get(keys[0]), list) else {}
    beside = {key: value for key, value in beside.items() if key not in columns and not is_key(value)}
    for key in keys:
        inner = record.get(key)
        named = beside | {EVERY: key} if array[0] == EVERY else beside
        follows = isinstance(inner, dict) and (array[1:] or array[0] == EVERY)
        for index, entry in enumerate(inner if isinstance(inner, list) else [inner if follows else None]):
            own = {column: values[index] for column, values in columns.items()}
            yield from _below(named | own | entry if isinstance(entry, dict) else entry, array[1:])


def every_key(record: dict[str, Any]) -> list[str]:
    """Return the keys that `*` stands for: those with lists; if there are none, those with objects, one record each."""
    lists = [key for key, value in record.items() if isinstance(value, list)]
    return lists or [key for key, value in record.items() if isinstance(value, dict) and not isinstance(value, RepeatedKey)]


def _no_object(position: str, value: Any) -> Lost:
    advice = "; is the entire file one array? then name it .json" if isinstance(value, list) and position.startswith("line:") else ""
    words = f"found {type(value).__name__}, expected an object with named fields{advice}"
    return Lost(position, "record_unreadable", words, json.dumps(value, ensure_ascii=False)[:_RAW_CHARS])
