"""A document of any depth -> its tables: lists of similar objects; each row includes the fields above it.

A row is `path -> value`: keys of nested objects are joined by dots, and lists remain values. JSON texts are parsed.
"""

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import EVERY, MAX_DEPTH, MAX_NODES, Rows, marked_object
from crawlers.read.tables.columns import names_of, plain
from crawlers.text.fields import parsed_json

_ALIKE, _LEAST_NAMED = 0.8, 2
_LEAST_BESIDE, _BESIDE = 3, 4
"""For objects keyed by name next to plain values: the minimum number of objects, in total and per plain value."""
_CARRIED_CHARS = 5000
_LONGEST_OF_GROUP = 12  # characters; a longer text is a stem, which has its own options


def tables_in(name: str, document: Any) -> list[Rows]:
    """Return the tables of a document, in the order in which they begin.

    Raises:
        ValueError: the document is too large or too deeply nested.
    """
    tables: dict[tuple[str, ...], Rows] = {}
    nodes = 0
    waiting: list[tuple[tuple[str, ...], str, dict[str, Any], Any]] = [((), "", {}, document)]
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
            waiting += reversed([((*way, EVERY if usual & each.keys() else key), f"{index}:{key}", down, each) for key, each in named])
        elif isinstance(value, dict):
            if options := _shared_options(value):
                value = _with_options_passed_down(value, options)
            row = dict(flat(value))
            tables.setdefault(way, Rows(way, [])).rows.append((f"record{index}" if index else "record:1", _with(above, row)))
            down = {**above, **{key: each for key, each in row.items() if _is_short(each)}}
            below = [(key, each) for key, each in value.items() if isinstance(each, dict | list)]
            waiting += reversed([((*way, key), f"{index}:{key}", down, each) for key, each in below])
    return list(tables.values())


def _shared_options(value: dict[str, Any]) -> str | None:
    """Return the key of a group's options, which are in an object without stem and answer, above records that have both but no options."""
    filled = {key: each for key, each in value.items() if each}
    options = [key for key, each in filled.items() if plain(key) in names_of("options_raw") and isinstance(each, list | dict)]
    has_stem = any(isinstance(each, str) and len(each) > _LONGEST_OF_GROUP for each in value.values())
    if len(options) != 1 or has_stem or names_of("answer_raw") & set(map(plain, filled)):
        return None
    below = [each for key, each in value.items() if key != options[0] and _are_records(each)]
    keys = [{plain(key) for key, each in record.items() if each} for record in (below[0] if len(below) == 1 else ())]
    is_shared = all(names_of("answer_raw") & own and plain(options[0]) not in own for own in keys)
    return options[0] if keys and is_shared else None


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _with_options_passed_down(value: dict[str, Any], options: str) -> dict[str, Any]:
    """Return an object with its options copied into each record below it."""
    shared = {options: value[options]}
    passed = {key: [each | shared for each in records] if _are_records(records) else records for key, records in value.items()}
    return {key: each for key, each in passed.items() if key != options}


def _with(above: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the fields above it, under keys that begin with ^."""
    return row | {f"^{key}": value for key, value in above.items()} if above else row


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != "" and len(str(value)) <= _CARRIED_CHARS


def _is_named(value: dict[str, Any], outer: bool) -> bool:
    """Return whether an object is in fact a list keyed by name: nearly all values are objects with the same keys.

    Args:
        outer: whether plain values may be next to them, such as a title at the top of a file; in a record, they are its own fields.
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
    """Return whether objects are keyed by letters, like the options of one question."""
    return all(len(key) == 1 for key, each in value.items() if isinstance(each, dict))


def flat(record: dict[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the paths of a record with their values; a nested object is also yielded as a value."""
    for key, value in record.items():
        yield f"{prefix}{key}", value
        if isinstance(value, dict) and depth < 2 and len(value) <= 40 and not _are_marks(value):
            yield from flat(value, f"{prefix}{key}.", depth + 1)


def _are_marks(value: dict[str, Any]) -> bool:
    """Return whether an object maps texts to whether each is correct; its keys are then not fields."""
    return len(value) > 1 and all(isinstance(each, bool) for each in value.values())


_LONGEST, _LONGEST_CELL, _SHORTEST = 50_000_000, 100_000, 6
_FEWEST_STEPS = 2


def opened(document: Any, depth: int = 0) -> Any:
    """Return a document in which each text that is the JSON of an object, or of a list of words or objects, is replaced by its value."""
    if depth > MAX_DEPTH:
        return document
    if isinstance(document, dict):
        return {key: opened(value, depth + 1) for key, value in document.items()}
    if isinstance(document, list):
        return [opened(value, depth + 1) for value in document]
    if (inner := json_of(document)) is not None:
        return opened(inner, depth + 1)
    return document


def json_of(text: Any) -> Any:
    """Return the parsed JSON of a text; None if it has only numbers or is not JSON."""
    if not isinstance(text, str) or not _SHORTEST <= len(text) <= _LONGEST or text[0] not in "{[ \n\t\r":
        return None
    stripped = text.strip()
    if stripped[:1] + stripped[-1:] not in ("[]", "{}"):
        return None
    try:
        value = parsed_json(stripped, strict=False, parse_constant=lambda _: None, object_pairs_hook=marked_object)
    except ValueError:
        return None
    return value if isinstance(value, dict) or any(isinstance(each, str | list | dict) for each in value) else None


def listed(text: str) -> Any:
    """Return the value of a text that is JSON or a Python list; otherwise the text itself. Nothing is executed."""
    stripped = text.strip()
    if stripped[:1] + stripped[-1:] not in ("[]", "{}") or len(stripped) > _LONGEST_CELL:
        return text
    for read in (partial(json.loads, strict=False), ast.literal_eval):  # a database may have turned \\n into a line break
        try:
            value = read(stripped)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # TypeError: a list as a key
            continue
        if isinstance(value, list | dict):
            return value
    return text


def with_inner(rows: list[tuple[str, dict[str, Any]]], names: Iterable[str]) -> None:
    """Add to rows the values that dotted names reach in nested objects and lists: `parts.words` lists the words of all parts."""
    for name in names:
        steps = name.split(".")
        if len(steps) < _FEWEST_STEPS or any(name in row for _, row in rows):
            continue
        for _, row in rows:
            head = next((".".join(steps[:end]) for end in range(len(steps) - 1, 0, -1) if ".".join(steps[:end]) in row), None)
            if head is not None and (value := _reached(row[head], steps[head.count(".") + 1 :])) is not None:
                row[name] = value


def keys_within(value: Any) -> list[str]:
    """Return the keys of the objects in a list; empty for other values, since an object's keys are columns already."""
    return [*dict.fromkeys(key for each in value if isinstance(each, dict) for key in each)] if isinstance(value, list) else []


def is_within(name: str, row: Mapping[str, Any]) -> bool:
    """Return whether the value under a name is also inside a list in its row."""
    steps = name.split(".")
    return any(isinstance(row.get(".".join(steps[:end])), list) for end in range(1, len(steps)))


def _reached(value: Any, steps: Sequence[str]) -> Any:
    """Return the value that the keys lead to; for a list, the values of all its objects, or the value itself if there is only one; None if
    there is none.
    """
    if not steps:
        return value
    if isinstance(value, dict):
        return _reached(value.get(steps[0]), steps[1:])
    if not isinstance(value, list):
        return None
    found = [inner for each in value if (inner := _reached(each, steps)) is not None]
    flattened = [each for inner in found for each in (inner if isinstance(inner, list) else [inner])]
    return found[0] if len(value) == 1 and found else flattened or None


_FEWEST = 3
_MOST_FIELDS, _DEEPEST = 15, 2
_LEAST_TEXT_CHARS = 4

Cells = list[tuple[str, list[str]]]


def turned_document(document: Any, depth: int = 0) -> Any:
    """Return a document of columns, `{"question": [...], "answer": [...]}` or as written by pandas, as a list of records."""
    if isinstance(document, dict) and depth < _DEEPEST and len(document) <= _MOST_FIELDS:
        containers = [value for value in document.values() if isinstance(value, dict | list)]
        if len(containers) == 1 and isinstance(containers[0], dict):  # a key around all of the data
            return {key: turned_document(value, depth + 1) if isinstance(value, dict) else value for key, value in document.items()}
    if not isinstance(document, dict) or not 1 < len(document) <= _MOST_FIELDS:
        return document
    columns = {key: value for key, value in document.items() if isinstance(value, list)}
    rest = {key: value for key, value in document.items() if key not in columns}
    if len(columns) > 1 and len({*map(len, columns.values())}) == 1 and _are_columns([*columns.values()], bool(rest)):
        records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return {**rest, next(iter(columns)): records} if rest else records
    inner = [value for value in document.values() if isinstance(value, dict)]
    if len(inner) < len(document) or len(inner[0]) < _FEWEST or not all(key.isdigit() for key in inner[0]):
        return document
    alike = all(value.keys() == inner[0].keys() and not any(isinstance(each, dict) for each in value.values()) for value in inner)
    return [{key: value[index] for key, value in document.items()} for index in inner[0]] if alike else document


def _are_columns(lists: Sequence[list[Any]], has_more: bool) -> bool:
    """Return whether lists of equal length are the columns of records, with at least one that has texts as long as stems.

    Args:
        has_more: whether there are other values; the lists may then be those of one question, which are not longer than its options.
    """
    if len(lists[0]) < _FEWEST or any(isinstance(each, dict) for value in lists for each in value) or not any(map(_are_texts, lists)):
        return False
    return not has_more or len(lists[0]) > len(LETTERS) or any(isinstance(each, list) for value in lists for each in value)


def _are_texts(column: list[Any]) -> bool:
    """Return whether a column has texts as long as stems."""
    return all(isinstance(each, str) for each in column) and sum(map(len, column)) >= _LEAST_TEXT_CHARS * len(column)
