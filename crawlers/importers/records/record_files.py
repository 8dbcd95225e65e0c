"""Files of records: one file's name and bytes and the layout of its records in, its items out; without a layout its keys tell it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import PurePath
from typing import Any

from msgspec import structs

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.importers.files.json import read_records, ways_to_entities, ways_to_records
from crawlers.importers.files.parquet import SUFFIX as PARQUET
from crawlers.importers.files.parquet import read_rows
from crawlers.importers.files.reading import Lost, Reading
from crawlers.importers.files.workbook import BOOKS
from crawlers.importers.layouts.columns import Layout, layout_of_keys
from crawlers.importers.layouts.table import IsHeader, read_sheets
from crawlers.importers.records.record_fields import counted_from_zero
from crawlers.importers.records.record_items import items_of
from crawlers.importers.records.record_proposals import layout_text
from crawlers.importers.records.record_roles import SURE, Proposal, are_record_keys, beside_way, propose_records
from crawlers.importers.records.record_tails import Placed, passed_on
from crawlers.importers.records.row_groups import records_of

SHEETS = (".csv", ".tsv", *BOOKS)
_KEYS_SHOWN, _KEY_CHARS_SHOWN = 12, 80
_MOST_WAYS = 40
"""Lists of one document that may be those of entities."""


def read_plain_records(name: str, body: bytes, shape: Layout | None, seen: Provenance, asked: Collection[str]) -> Reading:
    """Return what a file of JSON or parquet gives; without a layout its keys tell the fields."""
    read = read_rows if name.lower().endswith(PARQUET) else read_records
    records = list(read(name, body, shape.array if shape else ()))
    array: tuple[str, ...] = ()
    if shape is None:
        keys = _keys_of(records)
        shape = layout_of_keys(keys)
        ways = ways_to_records([record for _, record in records if isinstance(record, dict)]) if shape is None else []
        if len(records) == len(ways) == 1:  # one document that holds one list: its records can be no others
            inner = list(read(name, body, ways[0]))
            if (shape := layout_of_keys(_keys_of(inner))) is not None:
                records, array = inner, tuple(ways[0])
        if shape is None and (found := _entities(name, body, read, records)) is not None:
            return _entity_reading(*found, seen, name, asked)
        if shape is None:
            raise Refusal(_unknown_keys(name, records, keys, ways))
        shape = structs.replace(shape, zero_based_answer=counted_from_zero((record for _, record in records), shape))
    reading = Reading(array=array)
    _take(reading, passed_on(records, shape), shape, seen, name, asked)
    return reading


def _entities(name: str, body: bytes, read: Callable[..., Iterator[Placed]], records: list[Placed]) -> tuple[Layout, list[Placed]] | None:
    """Return the layout of a file of diseases, medicines, examinations or foods, and its records; None where it is none."""
    best, found = _proposal_of(name, body, read, records)
    return (best.layout, found) if best and best.confidence >= SURE else None


def _proposal_of(
    name: str, body: bytes, read: Callable[..., Iterator[Placed]], records: list[Placed]
) -> tuple[Proposal | None, list[Placed]]:
    objects = [record for _, record in records if isinstance(record, dict)]
    best = propose_records(objects, name)
    if best is None and len(objects) == 1:
        for way in islice(ways_to_entities(objects[0]), _MOST_WAYS):  # the file is read again for each
            below = list(read(name, body, way))
            inner = [record for _, record in below if isinstance(record, dict)]
            found = propose_records(inner, " ".join((name, *way)), way, beside_way(objects[0], way))
            if found and (best is None or found.confidence > best.confidence):
                best, records = found, below
    return best, records


def propose_layout(name: str, body: bytes) -> str:
    """Return the text of a layout for a file of records or its first such table, for a person to confirm or mend.

    Raises:
        ValueError: the file is damaged, or holds no entries of an encyclopedia.
    """
    if name.lower().endswith(SHEETS):
        for sheet in read_sheets(name, body, are_record_keys):
            rows = [dict(zip(sheet.header, cells, strict=False)) for _, cells in sheet.rows] if sheet.header else []
            if found := propose_records(rows, f"{name} {sheet.name}"):
                return layout_text(PurePath(name).stem, found, rows)
    else:
        read = read_rows if name.lower().endswith(PARQUET) else read_records
        best, records = _proposal_of(name, body, read, list(read(name, body, ())))
        if best:
            return layout_text(PurePath(name).stem, best, [record for _, record in records if isinstance(record, dict)])
    raise Refusal(f"{name}: no entries of diseases, medicines, examinations or foods; a layout of questions: docs/importing.md")


def _entity_reading(shape: Layout, records: list[Placed], seen: Provenance, name: str, asked: Collection[str]) -> Reading:
    reading = Reading(shape=shape)
    _take(reading, records, shape, seen, name, asked)
    return reading


def _keys_of(records: Iterable[tuple[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for _, record in records if isinstance(record, dict) for key in record))


def _unknown_keys(name: str, records: list[tuple[str, Any]], keys: list[str], ways: list[list[str]]) -> str:
    """Return what is wrong with records in which no question is seen, and what to do."""
    shown = ", ".join(key[:_KEY_CHARS_SHOWN] for key in keys[:_KEYS_SHOWN])
    known = "expected question or 题干 and options or answer, or for entries a name and what is said of it, such as 症状 or 功效"
    if not keys:
        first = records[0][1].words if records and isinstance(records[0][1], Lost) else "no records"
        return f"{name}: {first}; {known}"
    if ways:
        layout_of = f"a layout with `array: [{', '.join(ways[0])}]` reads them: docs/importing.md"
        return f"{name}: no fields of a question among the keys {shown}; its records lie under {', '.join(ways[0])}: {layout_of}"
    return f"{name}: no fields of a question among the keys {shown}; {known}; other keys take a layout of your own: docs/importing.md"


def read_tables(name: str, body: bytes, shape: Layout | None, seen: Provenance, asked: Collection[str]) -> Reading:
    """Return what the tables of a file give; without a layout each header tells the fields."""
    reading = Reading()

    def is_header(keys: Iterable[str]) -> bool:
        return shape.required() <= set(keys) if shape else layout_of_keys(list(keys)) is not None

    try:
        return _under_headers(reading, name, body, shape, is_header, seen, asked)
    except ValueError:
        if shape is not None or (found := _entity_tables(name, body, seen, asked)) is None:
            raise
        return found


def _entity_tables(name: str, body: bytes, seen: Provenance, asked: Collection[str]) -> Reading | None:
    """Return what the tables of a file say of diseases, medicines, examinations or foods; None where they say nothing."""
    reading = Reading()
    try:
        sheets = list(read_sheets(name, body, are_record_keys))
    except ValueError:
        return None
    for sheet in sheets:
        rows = list(sheet.rows)
        records = [dict(zip(sheet.header, cells, strict=False)) for _, cells in rows]
        found = propose_records(records, f"{name} {sheet.name}") if sheet.header else None
        if found is None or found.confidence < SURE:
            reading.skipped.append(f"sheet {sheet.name}: no header that is known, so its rows are not read: {' '.join(sheet.above[:1])}")
            continue
        sheet.rows = iter(rows)
        reading.unread += sheet.above
        reading.shape = found.layout
        _take(reading, records_of(sheet, found.layout, reading.unread), found.layout, seen, name, asked)
    return reading if reading.found else None


def _under_headers(
    reading: Reading, name: str, body: bytes, shape: Layout | None, is_header: IsHeader, seen: Provenance, asked: Collection[str]
) -> Reading:
    for sheet in read_sheets(name, body, is_header):
        if not sheet.header:
            reading.skipped.append(f"sheet {sheet.name}: {sheet.why}: {sheet.above[0]}")
            continue
        reading.unread += sheet.above
        if found := shape or layout_of_keys(sheet.header):
            _take(reading, passed_on(records_of(sheet, found, reading.unread), found), found, seen, name, asked)
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
