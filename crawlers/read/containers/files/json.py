"""JSON: bytes in; its single document, or one document per line, out."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from atomexam.text.encodings import decoded
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.reading import MAX_RECORD_CHARS, Lost, RepeatedKey, short_lines
from crawlers.text.fields import check_values, parsed_json

LINES = (".jsonl", ".ndjson")
_TWO_LINES = re.compile(r"[\ufeff\s]{0,99}(?P<first>\{[^\n]{0,9999999})\n\s{0,99}\{")
_RAW_CHARS = 2000


def documents_of(name: str, body: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the single document, with an empty position, or each line of a JSON lines file with its position (`line:3`); a Lost for a line
    that cannot be read.

    Raises:
        ValueError: the file, or every line of it, is not JSON; the message gives file and line.
    """
    text = decoded(name, body)
    try:
        if not is_by_line(name, text):
            yield "", _parse(text)
            return
        check_values(text, text.count("\n"))
    except ValueError as error:
        raise Refusal(f"{name}: {error}") from None
    faults, read = [], 0
    for number, line in enumerate(short_lines(name, text.split("\n"), MAX_RECORD_CHARS), 1):
        if line.strip():
            try:
                yield f"line:{number}", _parse(line)
                read += 1
            except ValueError as error:
                faults.append(f"line {number}: {error}")
                yield f"line:{number}", Lost(f"line:{number}", "record_unreadable", str(error), line[:_RAW_CHARS])
    if faults and not read:
        advice = "; the file is one document, not one record per line, so name it .json" if _is_whole(text) else ""
        raise Refusal(f"{name}: {faults[0]}; no line of the file is JSON{advice}")


def is_by_line(name: str, text: str) -> bool:
    """Return whether a file has one record per line, judging by its name or first lines: two consecutive objects are not one document."""
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


def _parse(text: str) -> Any:
    try:
        return parsed_json(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        position = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        hint = "; if it has one record per line, name the file .jsonl" if error.msg == "Extra data" else ""
        raise ValueError(f"{position}: {error.msg}; expected JSON{hint}") from None
    except ValueError as error:
        if "digits" not in str(error):
            raise
        raise ValueError("a number of more than 4,300 digits cannot be read; write it as text") from None


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; a key repeated with different values gets a RepeatedKey, because Python would silently drop all but the last
    value."""
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
