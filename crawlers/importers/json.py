"""Importer of JSON: one document, an array of records, or one record a line."""

import json
from collections.abc import Iterator
from typing import Any

from crawlers.fields import sound_json

LINES = (".jsonl", ".ndjson")


def read_records(name: str, body: bytes, array: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each record of a file with its place, `line:3` or `record:3`, counted from one.

    Args:
        array: key of the document that holds the records; the document's other fields belong to every record.

    Raises:
        ValueError: the file is no JSON in UTF-8, or a record is no object; names file and line.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}: line {line}: byte {error.start} is not UTF-8 ({error.reason}); save the file as UTF-8") from None
    if name.lower().endswith(LINES):
        for number, line_text in enumerate(text.split("\n"), 1):
            if line_text.strip():
                where = f"{name}: line {number}"
                yield f"line:{number}", _object(_parse(line_text, where), where)
        return
    document = _parse(text, name)
    shared: dict[str, Any] = {}
    if array is not None:
        document = _object(document, name)
        shared = {key: value for key, value in document.items() if key != array}
        document = _array(document, array, name)
    for number, record in enumerate(document if isinstance(document, list) else [document], 1):
        yield f"record:{number}", shared | _object(record, f"{name}: record {number}")


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(sound_json(text), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        hint = "; one record a line? then name the file .jsonl" if error.msg == "Extra data" else ""
        raise ValueError(f"{where}: {place}: {error.msg}; expected JSON{hint}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    except RecursionError:
        raise ValueError(f"{where}: nested too deeply to be read; expected records of plain fields") from None


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON value; write null for what is not known")


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: found {type(value).__name__}, expected an object with named fields")
    return value


def _array(document: dict[str, Any], key: str, where: str) -> list[Any]:
    if not isinstance(document.get(key), list):
        raise ValueError(f"{where}: field {key!r}: found {type(document.get(key)).__name__}, expected a list of records")
    return document[key]
