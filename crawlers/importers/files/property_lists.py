"""Importer of Apple's property lists, XML or binary: bytes in, objects, lists and plain values out."""

import plistlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from xml.parsers.expat import ExpatError

from atomexam.text.refusal import Refusal
from crawlers.tables.tree import check_depth

PLIST = ".plist"
_MOST_REPEATED = 100_000
"""Maximum of values beyond the bytes of the file: a small binary one with lists that contain each other may expand beyond any memory."""


def property_list(name: str, body: bytes) -> Any:
    """Return the data of a property list.

    Raises:
        ValueError: it is not a property list, is nested deeper than data is, or repeats its values too often.
    """
    try:
        return _plain(name, plistlib.loads(body), 0, iter(range(len(body) + _MOST_REPEATED)))
    except (plistlib.InvalidFileException, ExpatError, KeyError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise Refusal(f"{name}: not a property list ({type(error).__name__}: {str(error)[:80]}); is it complete?") from None


def _plain(name: str, value: Any, depth: int, left: Iterator[int]) -> Any:
    if next(left, None) is None:
        raise Refusal(f"{name}: its lists contain each other and expand far beyond its size; export it again")
    check_depth(name, depth)
    if isinstance(value, dict):
        return {str(key): _plain(name, each, depth + 1, left) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(name, each, depth + 1, left) for each in value]
    if isinstance(value, bytes | plistlib.UID):
        return None
    return value.isoformat() if isinstance(value, datetime) else value
