"""Files of records: one file's name and bytes and the layout of its records in, its items out; without a layout, its keys determine it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import PurePath
from typing import Any

from msgspec import structs

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.importers.documents.sheets import SHEETS, sheets_in
from crawlers.importers.files.json import read_records, ways_to_entities, ways_to_records
from crawlers.importers.files.parquet import SUFFIX as PARQUET
from crawlers.importers.files.parquet import read_rows
from crawlers.importers.files.reading import FileReading, Lost
from crawlers.importers.layouts.columns import RecordLayout, layout_of_keys
from crawlers.importers.layouts.table import IsHeader, read_sheets
from crawlers.importers.records.record_fields import counted_from_zero
from crawlers.importers.records.record_items import items_of
from crawlers.importers.records.record_proposals import layout_text
from crawlers.importers.records.record_roles import SURE, LayoutProposal, are_record_keys, beside_way, propose_records
from crawlers.importers.records.record_tails import LocatedRecord, passed_on
from crawlers.importers.records.row_groups import records_of

_MOST_KEYS_NAMED, _MOST_KEY_CHARS = 12, 80
_MOST_WAYS = 40
"""Lists of one document that may be those of entities."""


def read_plain_records(
    name: str, body: bytes, shape: RecordLayout | None, provenance: Provenance, beside_keys: Collection[str]
) -> FileReading:
    """Return the reading of a JSON or parquet file; without a layout, its keys name the fields."""
    read = read_rows if name.lower().endswith(PARQUET) else read_records
    records = list(read(name, body, shape.array if shape else ()))
    array: tuple[str, ...] = ()
    if shape is None:
        keys = _keys_of(records)
        shape = layout_of_keys(keys)
        ways = ways_to_records([record for _, record in records if isinstance(record, dict)]) if shape is None else []
        if len(records) == len(ways) == 1:  # one document with only one list: its records can be no others
            inner = list(read(name, body, ways[0]))
            if (shape := layout_of_keys(_keys_of(inner))) is not None:
                records, array = inner, tuple(ways[0])
        if shape is None and (entities := _entities(name, body, read, records)) is not None:
            return _entity_reading(*entities, provenance, name, beside_keys)
        if shape is None:
            raise Refusal(_unknown_keys(name, records, keys, ways))
        shape = structs.replace(shape, zero_based_answer=counted_from_zero((record for _, record in records), shape))
    reading = FileReading(array=array)
    _add_records(reading, passed_on(records, shape), shape, provenance, name, beside_keys)
    return reading


def _entities(
    name: str, body: bytes, read: Callable[..., Iterator[LocatedRecord]], records: list[LocatedRecord]
) -> tuple[RecordLayout, list[LocatedRecord]] | None:
    """Return the layout of a file of diseases, medicines, examinations or foods, and its records; None if it is not one."""
    best, entity_records = _proposal_of(name, body, read, records)
    return (best.layout, entity_records) if best and best.confidence >= SURE else None


def _proposal_of(
    name: str, body: bytes, read: Callable[..., Iterator[LocatedRecord]], records: list[LocatedRecord]
) -> tuple[LayoutProposal | None, list[LocatedRecord]]:
    objects = [record for _, record in records if isinstance(record, dict)]
    best = propose_records(objects, name)
    if best is None and len(objects) == 1:
        for way in islice(ways_to_entities(objects[0]), _MOST_WAYS):  # the file is read again for each
            below = list(read(name, body, way))
            inner = [record for _, record in below if isinstance(record, dict)]
            proposal = propose_records(inner, " ".join((name, *way)), way, beside_way(objects[0], way))
            if proposal and (best is None or proposal.confidence > best.confidence):
                best, records = proposal, below
    return best, records


def propose_layout(name: str, body: bytes) -> str:
    """Return the text of a layout for a file of records or its first such table, for a person to confirm or correct.

    Raises:
        ValueError: the file is damaged, or contains no entries of an encyclopedia.
    """
    if name.lower().endswith(SHEETS):
        for sheet in read_sheets(name, sheets_in(name, body), are_record_keys):
            rows = [dict(zip(sheet.header, cells, strict=False)) for _, cells in sheet.rows] if sheet.header else []
            if proposal := propose_records(rows, f"{name} {sheet.name}"):
                return layout_text(PurePath(name).stem, proposal, rows)
    else:
        read = read_rows if name.lower().endswith(PARQUET) else read_records
        best, records = _proposal_of(name, body, read, list(read(name, body, ())))
        if best:
            return layout_text(PurePath(name).stem, best, [record for _, record in records if isinstance(record, dict)])
    raise Refusal(f"{name}: no entries of diseases, medicines, examinations or foods; a layout of questions: docs/importing.md")


def _entity_reading(
    shape: RecordLayout, records: list[LocatedRecord], provenance: Provenance, name: str, beside_keys: Collection[str]
) -> FileReading:
    reading = FileReading(shape=shape)
    _add_records(reading, records, shape, provenance, name, beside_keys)
    return reading


def _keys_of(records: Iterable[tuple[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for _, record in records if isinstance(record, dict) for key in record))


def _unknown_keys(name: str, records: list[tuple[str, Any]], keys: list[str], ways: list[list[str]]) -> str:
    """Return what is wrong with records without a known question, and what to do."""
    key_names = ", ".join(key[:_MOST_KEY_CHARS] for key in keys[:_MOST_KEYS_NAMED])
    known = "expected question or 题干 and options or answer, or for entries a name and what describes it, such as 症状 or 功效"
    if not keys:
        first = records[0][1].words if records and isinstance(records[0][1], Lost) else "no records"
        return f"{name}: {first}; {known}"
    if ways:
        layout_of = f"a layout with `array: [{', '.join(ways[0])}]` reads them: docs/importing.md"
        return f"{name}: no fields of a question among the keys {key_names}; its records are under {', '.join(ways[0])}: {layout_of}"
    return f"{name}: no fields of a question among the keys {key_names}; {known}; other keys need a layout of your own: docs/importing.md"


def read_tables(name: str, body: bytes, shape: RecordLayout | None, provenance: Provenance, beside_keys: Collection[str]) -> FileReading:
    """Return the reading of the tables of a file; without a layout, the words of each header name the fields."""
    reading = FileReading()

    def is_header(keys: Iterable[str]) -> bool:
        return shape.required() <= set(keys) if shape else layout_of_keys(list(keys)) is not None

    try:
        return _under_headers(reading, name, body, shape, is_header, provenance, beside_keys)
    except ValueError:
        if shape is not None or (entities := _entity_tables(name, body, provenance, beside_keys)) is None:
            raise
        return entities


def _entity_tables(name: str, body: bytes, provenance: Provenance, beside_keys: Collection[str]) -> FileReading | None:
    """Return what the tables of a file state about diseases, medicines, examinations or foods; None if they do not."""
    reading = FileReading()
    try:
        sheets = list(read_sheets(name, sheets_in(name, body), are_record_keys))
    except ValueError:
        return None
    for sheet in sheets:
        rows = list(sheet.rows)
        records = [dict(zip(sheet.header, cells, strict=False)) for _, cells in rows]
        proposal = propose_records(records, f"{name} {sheet.name}") if sheet.header else None
        if proposal is None or proposal.confidence < SURE:
            reading.skipped.append(f"sheet {sheet.name}: no header that is known, so its rows are not read: {' '.join(sheet.above[:1])}")
            continue
        sheet.rows = iter(rows)
        reading.unread += sheet.above
        reading.shape = proposal.layout
        _add_records(reading, records_of(sheet, proposal.layout, reading.unread), proposal.layout, provenance, name, beside_keys)
    return reading if reading.record_count else None


def _under_headers(
    reading: FileReading,
    name: str,
    body: bytes,
    shape: RecordLayout | None,
    is_header: IsHeader,
    provenance: Provenance,
    beside_keys: Collection[str],
) -> FileReading:
    for sheet in read_sheets(name, sheets_in(name, body), is_header):
        if not sheet.header:
            reading.skipped.append(f"sheet {sheet.name}: {sheet.why}: {sheet.above[0]}")
            continue
        reading.unread += sheet.above
        if layout := shape or layout_of_keys(sheet.header):
            _add_records(reading, passed_on(records_of(sheet, layout, reading.unread), layout), layout, provenance, name, beside_keys)
    return reading


def _add_records(
    reading: FileReading,
    records: Iterable[tuple[str, dict[str, Any] | Lost]],
    shape: RecordLayout,
    provenance: Provenance,
    name: str,
    beside_keys: Collection[str],
) -> None:
    """Read records into items; record which keys are read, which are not, and the values under `beside_keys`."""
    subject, used, spare, keys_present = shape.subject_of(name), shape.used(), Counter[str](), set[str]()
    left = Counter[str]()
    for position, record in records:
        record_provenance = structs.replace(provenance, position=position)
        for item in [record] if isinstance(record, Lost) else items_of(record, shape, record_provenance, subject):
            reading.record_count += 1
            if isinstance(item, Lost):
                reading.give_up(item, provenance)
            else:
                reading.items.append(item)
        if isinstance(record, dict):
            parts = record.get(shape.split_on) if shape.split_on else None
            keys_present |= record.keys() | {
                key for part in (parts if isinstance(parts, list) else ()) if isinstance(part, dict) for key in part
            }
            if beside_text := next((text for key in beside_keys if (text := _text_under(key, record))), None):
                reading.beside[position] = beside_text
            left.update([key for key in shape.keys_of("options_raw") if record.get(key) not in (None, "")][1:])
            if shape.entity is None:
                spare.update(key for key, value in record.items() if key not in used and value not in (None, ""))
    reading.columns |= shape.columns_of(keys_present)
    reading.unread += [f"field {key!r} of {count} records" for key, count in spare.items()]
    advice = "`options_raw` is the first of its keys that is filled; options in columns, one each, are `option_keys`: docs/importing.md"
    reading.skipped += [f"field {key!r} of {count} records: not read: {advice}" for key, count in left.items()]


def _text_under(wanted: str, record: dict[str, Any]) -> str | None:
    value = next((record[key] for key in record if key.casefold() == wanted), None)
    return str(value).strip() or None if isinstance(value, (str, int)) and not isinstance(value, bool) else None
