"""Values of a parquet file, as Python holds them, in; those that JSON has out, and a sign for each image."""

from datetime import date, time
from decimal import Decimal
from typing import Any

from crawlers.importers.files.json import object_of
from crawlers.papers.signs.answer_marks import IMAGE

_VALUE_BYTES, _CHARACTER_BYTES = 8, 2
_IMAGE_KEYS = {"bytes", "path"}
"""Of an image or a sound as `datasets` stores it."""


def plain(value: Any) -> Any:
    """Return a value as JSON has it: nothing for NaN, 3 for 3.0 (what is missing makes pandas write both), a sign for an image."""
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value if abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        if value.keys() == _IMAGE_KEYS:
            return IMAGE if any(value.values()) else None
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(entry, tuple) for entry in value):  # a map
            return object_of([(str(key), plain(inner)) for key, inner in value])
        return [plain(entry) for entry in value]
    if isinstance(value, bytes):
        return _text_or_image(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int) else format(value, "f") if isinstance(value, Decimal) else str(value)


def _text_or_image(value: bytes) -> str:
    """Return bytes as text where they are text, as old writers store it."""
    try:
        return IMAGE if b"\0" in value else value.decode()
    except UnicodeDecodeError:
        return IMAGE


def size_of(value: Any) -> int:
    """Return about how many bytes a record takes."""
    if isinstance(value, dict | list):
        return _VALUE_BYTES + sum(map(size_of, value.values() if isinstance(value, dict) else value))
    return _VALUE_BYTES + (_CHARACTER_BYTES * len(value) if isinstance(value, str) else 0)
