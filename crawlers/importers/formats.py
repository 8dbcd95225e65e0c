"""Formats by name, and the reader of each: one file's name and bytes in, its items out."""

from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import Any

from msgspec import structs

from crawlers.importers.exchange import EXCHANGES, exchange_format, read_exchange
from crawlers.importers.json import below, first_record, read_records, way_to_records
from crawlers.importers.layout import Layout, layout, layout_by_keys, layout_of_keys, layouts
from crawlers.importers.papers import LINE_READERS, read_questions
from crawlers.importers.reading import Lost, Reading
from crawlers.importers.record_fields import counted_from_zero
from crawlers.importers.record_items import items_of
from crawlers.importers.row_groups import records_of
from crawlers.importers.table import read_sheets
from records.checks import one_of
from records.provenance import Provenance

PAPERS = {"paper": tuple(LINE_READERS), "docx": (".docx",), "pdf": (".pdf",)}
"""Formats whose files are exam papers, and the suffixes they read."""
TABLE = "table"
"""The format that tells its fields by the words of the header."""
_JSON = (".json", ".jsonl", ".ndjson")
_SHEETS = (".csv", ".tsv", ".xlsx", ".xlsm")
_XML = (".xml",)
MAX_FILE_BYTES = 512 * 1024 * 1024
"""A larger file is refused before it is read: all of it has to fit into memory several times."""
_KEYS_SHOWN = 12


def known_formats() -> list[str]:
    """Return the names that `format` may have."""
    return sorted({*PAPERS, *EXCHANGES, TABLE, *layouts()})


def known_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that any format reads."""
    return (*LINE_READERS, *_JSON, *_SHEETS, *_XML)


def suffixes_of(format_name: str) -> tuple[str, ...]:
    """Return the suffixes of files that a format reads.

    Raises:
        ValueError: there is no such format; names the known ones.
    """
    one_of(format_name, known_formats(), "format", "crawlers/importers/layouts.yaml")
    return PAPERS.get(format_name) or EXCHANGES.get(format_name) or (*_JSON, *_SHEETS)


def read_file(name: str, body: bytes, format_name: str, seen: Provenance, asked: Collection[str] = ()) -> Reading:
    """Return what one file gives.

    Args:
        seen: provenance without its place.
        asked: keys in small letters; what a record holds under the first that it has is told beside its items.

    Raises:
        ValueError: the file is not what its suffix or its format says; names the file, the place and what was expected.
    """
    suffix = suffix_of(name, format_name)
    if not body.strip():
        raise ValueError(f"{name}: the file is empty")
    if format_name in PAPERS:
        return read_questions(name, body, suffix, seen)
    if format_name in EXCHANGES:
        return read_exchange(name, body, format_name, seen)
    shape = None if format_name == TABLE else layout(format_name)
    return (_read_json if suffix in _JSON else _read_sheets)(name, body, shape, seen, asked)


def suffix_of(name: str, format_name: str) -> str:
    """Return a file's suffix, which tells its reader.

    Raises:
        ValueError: the format reads no such files.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in suffixes_of(format_name):
        known = ", ".join(suffixes_of(format_name))
        raise ValueError(f"{name}: format {format_name} reads no file {_ending(suffix)}; it reads {known}")
    return suffix


def guess_format(name: str, body: bytes) -> str:
    """Return the format of a file: a paper by its suffix, XML by its root, records by the keys they have.

    Raises:
        ValueError: no format reads such a file; names the known ones.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in LINE_READERS:
        return "paper"
    if suffix in _XML:
        return exchange_format(name, body)
    if suffix in _JSON:
        document = first_record(name, body)
        firsts = [(format_name, below(document, layout(format_name).array)) for format_name in layouts()]
        return layout_by_keys(firsts) or TABLE
    if suffix in _SHEETS:
        header = next(read_sheets(name, body, _is_some_header)).header
        return layout_by_keys((format_name, dict.fromkeys(header)) for format_name in layouts()) or TABLE
    old = suffix in (".doc", ".wps", ".xls", ".et", ".rtf")
    advice = "save it as .docx, .xlsx or .txt" if old else "give it the suffix of what is in it, such as .txt or .csv"
    if suffix == ".parquet":
        advice = """write it as lines: python -c "import polars as p; p.read_parquet('FILE').write_ndjson('FILE.jsonl')\""""
    formats = ", ".join(known_formats())
    raise ValueError(f"{name}: no format reads a file {_ending(suffix)}; {advice}; known formats: {formats}")


def _ending(suffix: str) -> str:
    return f"that ends in {suffix!r}" if suffix else "without a suffix"


def _is_some_header(keys: Iterable[str]) -> bool:
    named = dict.fromkeys(keys)
    return layout_of_keys(list(named)) is not None or layout_by_keys((name, named) for name in layouts()) is not None


def _read_json(name: str, body: bytes, shape: Layout | None, seen: Provenance, asked: Collection[str]) -> Reading:
    records = list(read_records(name, body, shape.array if shape else ()))
    if shape is None:
        keys = list(dict.fromkeys(key for _, record in records if isinstance(record, dict) for key in record))
        shape = layout_of_keys(keys)
        if shape is None:
            raise ValueError(_unknown_keys(name, records, keys))
        shape = structs.replace(shape, zero_based_answer=counted_from_zero((record for _, record in records), shape))
    reading = Reading()
    _take(reading, records, shape, seen, name, asked)
    return reading


def _unknown_keys(name: str, records: list[tuple[str, Any]], keys: list[str]) -> str:
    """Return what is wrong with records in which no question is seen, and what to do."""
    shown = ", ".join(keys[:_KEYS_SHOWN])
    known = "expected question or 题干 and options or answer"
    if not keys:
        first = records[0][1].words if records and isinstance(records[0][1], Lost) else "no records"
        return f"{name}: {first}; {known}"
    if way := way_to_records([record for _, record in records if isinstance(record, dict)]):
        layout_of = f"a layout with `array: [{', '.join(way)}]` in crawlers/importers/layouts.yaml reads them"
        return f"{name}: no fields of a question among the keys {shown}; its records lie under {', '.join(way)}: {layout_of}"
    return f"{name}: no fields of a question among the keys {shown}; {known}; other keys take a layout in crawlers/importers/layouts.yaml"


def _read_sheets(name: str, body: bytes, shape: Layout | None, seen: Provenance, asked: Collection[str]) -> Reading:
    reading = Reading()

    def is_header(keys: Iterable[str]) -> bool:
        return shape.required() <= set(keys) if shape else layout_of_keys(list(keys)) is not None

    for sheet in read_sheets(name, body, is_header):
        if not sheet.header:
            reading.skipped.append(f"sheet {sheet.name}: {sheet.why}: {sheet.above[0]}")
            continue
        reading.unread += sheet.above
        if found := shape or layout_of_keys(sheet.header):
            _take(reading, records_of(sheet, found, reading.unread), found, seen, name, asked)
    return reading


def _take(
    reading: Reading,
    records: Iterable[tuple[str, dict[str, Any] | Lost]],
    shape: Layout,
    seen: Provenance,
    name: str,
    asked: Collection[str],
) -> None:
    """Read records into items, and say which keys are read, which nothing reads, and what was asked for beside them."""
    subject, used, spare, met = shape.subject_of(name), shape.used(), Counter[str](), set[str]()
    for position, record in records:
        place = structs.replace(seen, position=position)
        for item in [record] if isinstance(record, Lost) else items_of(record, shape, place, subject):
            reading.found += 1
            if isinstance(item, Lost):
                reading.give_up(item, seen)
            else:
                reading.items.append(item)
        if isinstance(record, dict):
            parts = record.get(shape.split_on) if shape.split_on else None
            met |= record.keys() | {key for part in (parts if isinstance(parts, list) else ()) if isinstance(part, dict) for key in part}
            if said := next((text for key in asked if (text := _text_under(key, record))), None):
                reading.beside[position] = said
            if shape.entity is None:
                spare.update(key for key, value in record.items() if key not in used and value not in (None, ""))
    reading.columns |= shape.columns_of(met)
    reading.unread += [f"field {key!r} of {count} records" for key, count in spare.items()]


def _text_under(asked: str, record: dict[str, Any]) -> str | None:
    value = next((record[key] for key in record if key.casefold() == asked), None)
    return str(value).strip() or None if isinstance(value, (str, int)) and not isinstance(value, bool) else None
