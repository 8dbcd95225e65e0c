"""Texts that are themselves data, JSON within a field of JSON or a cell -> the data, within the limits of any document."""

import ast
import json
from typing import Any

from crawlers.tables.tree import MAX_DEPTH, marked_object

_LONGEST, _LONGEST_CELL, _SHORTEST = 50_000_000, 100_000, 6


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
