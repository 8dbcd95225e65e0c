"""Texts that are themselves data, JSON within a field of JSON or a cell -> the data, within the limits of any document."""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crawlers.tables.tree import MAX_DEPTH, marked_object

_LONGEST, _LONGEST_CELL, _SHORTEST = 50_000_000, 100_000, 6
_FEWEST_STEPS = 2


def opened(document: Any, depth: int = 0) -> Any:
    """Return a document in which each text that is JSON of an object, or of a list of words or objects, is replaced by its value."""
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
    """Return the JSON value of a text; None if it is none, contains only numbers or is not JSON."""
    if not isinstance(text, str) or not _SHORTEST <= len(text) <= _LONGEST or text[0] not in "{[ \n\t\r":
        return None
    stripped = text.strip()
    if stripped[:1] + stripped[-1:] not in ("[]", "{}"):
        return None
    try:
        parsed = json.loads(stripped, parse_constant=lambda _: None, object_pairs_hook=marked_object)
    except (ValueError, RecursionError):
        return None
    if isinstance(parsed, dict):
        return parsed
    return parsed if any(isinstance(each, str | list | dict) for each in parsed) else None


def listed(text: str) -> Any:
    """Return the value of a text that is JSON or a Python list; the text itself if it is neither. Nothing is executed."""
    stripped = text.strip()
    if stripped[:1] + stripped[-1:] not in ("[]", "{}") or len(stripped) > _LONGEST_CELL:
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            parsed = read(stripped)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # TypeError: a list as a key
            continue
        if isinstance(parsed, list | dict):
            return parsed
    return text


def with_inner(rows: list[tuple[str, dict[str, Any]]], names: Iterable[str]) -> None:
    """Add to rows the values that names reach in objects and lists of theirs: `parts.words` is the list of the words of all parts."""
    for name in names:
        steps = name.split(".")
        if len(steps) < _FEWEST_STEPS or any(name in row for _, row in rows):
            continue
        for _, row in rows:
            head = next((".".join(steps[:end]) for end in range(len(steps) - 1, 0, -1) if ".".join(steps[:end]) in row), None)
            if head is not None and (value := _reached(row[head], steps[head.count(".") + 1 :])) is not None:
                row[name] = value


def keys_within(value: Any) -> list[str]:
    """Return the keys of the objects in a list; none of any other value, since those of an object are columns themselves."""
    return [*dict.fromkeys(key for each in value if isinstance(each, dict) for key in each)] if isinstance(value, list) else []


def is_within(name: str, row: Mapping[str, Any]) -> bool:
    """Return whether the value of a name is within a list of its row, too."""
    steps = name.split(".")
    return any(isinstance(row.get(".".join(steps[:end])), list) for end in range(1, len(steps)))


def _reached(value: Any, steps: Sequence[str]) -> Any:
    """Return what keys reach in a value: for a list, that of all its objects, alone if there is only one; None if there is none."""
    if not steps:
        return value
    if isinstance(value, dict):
        return _reached(value.get(steps[0]), steps[1:])
    if not isinstance(value, list):
        return None
    found = [inner for each in value if (inner := _reached(each, steps)) is not None]
    flattened = [each for inner in found for each in (inner if isinstance(inner, list) else [inner])]
    return found[0] if len(value) == 1 and found else flattened or None
