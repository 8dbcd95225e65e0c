"""Files of records and rows -> their items, by a layout, by column names, or by the content of the columns."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.parquet import SUFFIX as PARQUET
from crawlers.read.containers.files.reading import EVERY, Lost
from crawlers.read.tables.any_rows import DATA, PAGES, SOURCES, TEXTS, literals_as_json
from crawlers.read.tables.columns import RecordLayout, layout_of_keys
from crawlers.read.tables.headers import IsHeader, LocatedRow, SheetTable, read_sheets
from crawlers.read.tables.legends import TABLED, sheets_in
from crawlers.read.tables.records.arrays import read_records, ways_to_entities, ways_to_records
from crawlers.read.tables.records.between import LocatedRecord, passed_on, records_of
from crawlers.read.tables.records.by_content import inferred_tables, read_by_content, with_advice
from crawlers.read.tables.records.entities import (
    SURE,
    LayoutProposal,
    are_record_keys,
    beside_way,
    keys_for,
    names_entry,
    propose_records,
    remark_in,
)
from crawlers.read.tables.records.fields import counted_from_zero
from crawlers.read.tables.records.grouped import grouped
from crawlers.read.tables.records.items import RecordReader
from crawlers.read.tables.records.reading import FileReading, answered_count, are_numbers, has_empty, may_miss_options
from crawlers.read.tables.roles.solver import SURE as SURE_ROLES

_SAMPLE = 300
"""Number of rows checked against the column names."""
NOWHERE = Provenance(source="", url="", snapshot="", page_id="", position="")
_MOST_KEYS_NAMED, _MOST_KEY_CHARS = 12, 80
_MOST_WAYS = 40
"""Maximum number of lists in a document that are tried as lists of entities."""


class Part(NamedTuple):
    """Records with one layout."""

    layout: RecordLayout
    records: list[LocatedRecord]


def read_with_layout(name: str, body: bytes, layout: RecordLayout, provenance: Provenance, beside_keys: Collection[str]) -> FileReading:
    """Return the reading of a file of records or rows by a given layout."""
    reading = FileReading()
    if _are_records(name):
        parts = [Part(layout, list(passed_on(read_records(name, body, layout.array), layout)))]
    else:
        parts = _parts_of_sheets(reading, name, body, lambda keys: layout.required() <= set(keys), lambda sheet, rows: layout)
    return _added(reading, parts, provenance, name, beside_keys)


def read_without_layout(name: str, body: bytes, provenance: Provenance, beside_keys: Collection[str]) -> FileReading:
    """Return the reading of a file of records or rows: by column names if the first rows fit them, else by content.

    Raises:
        ValueError: neither gives questions or entries; the message says what was expected.
    """
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in (*SOURCES, *TEXTS, *PAGES, ".xml"):
        return _read_data(name, body, suffix, provenance, beside_keys)
    reading = FileReading()
    try:
        parts = (_named_records if _are_records(name) else _named_sheets)(reading, name, body)
    except RecursionError:
        raise Refusal(f"{name}: nested too deeply; expected records of plain fields") from None
    except ValueError as error:
        if suffix == PARQUET:
            raise
        if by_content := read_by_content(name, body, provenance):
            return by_content
        raise Refusal(with_advice(str(error), name, body)) from None
    if suffix != PARQUET and reading.shape is None and _shows_more(name, body, parts, reading.array):
        with suppress(Refusal):
            items = _added(FileReading(), parts, provenance, name, ()).items
            if by_content := read_by_content(name, body, provenance, items):
                return by_content
    return _added(reading, parts, provenance, name, beside_keys)


def _shows_more(name: str, body: bytes, parts: Iterable[Part], array: Sequence[str]) -> bool:
    """Return whether the first rows contradict the column names, and the content certainly shows options, answers or other lists."""
    sample = _added(FileReading(), [Part(part.layout, part.records[:_SAMPLE]) for part in parts], NOWHERE, name, ())
    answered = 0 if are_numbers(sample) else answered_count(sample)
    if 2 * answered >= sample.record_count and not may_miss_options(sample) and not has_empty(sample):
        return False
    try:
        sure = [each for each in inferred_tables(name, body) if each[1].confidence >= SURE_ROLES]
    except ValueError:
        return False
    if _are_records(name) and any([step for step in table.way if step != EVERY] != [*array] for table, _ in sure):
        return True
    return bool(sure) and (answered == 0 or (may_miss_options(sample) and any(roles.options for _, roles in sure)))


def _read_data(name: str, body: bytes, suffix: str, provenance: Provenance, beside_keys: Collection[str]) -> FileReading:
    """Return the questions, or else the entries, in a program, a database, a text or a page."""
    if by_content := read_by_content(name, body, provenance):
        return by_content
    if suffix in DATA:
        with suppress(Refusal):
            reading = FileReading()
            parts = _named_records(reading, name, literals_as_json(name, body))
            if reading.shape is not None:
                return _added(reading, parts, provenance, name, beside_keys)
    none = f"{name}: found neither questions nor named entries in its data; to read it as .json, write a layout (docs/importing.md)"
    raise Refusal(with_advice(none, name, body))


def _are_records(name: str) -> bool:
    return name.lower().endswith((".json", ".jsonl", ".ndjson", PARQUET))


def _named_records(reading: FileReading, name: str, body: bytes) -> list[Part]:
    """Return the records of a JSON or parquet file with the layout inferred from their keys; for entries, also set `shape` of the reading.

    Raises:
        ValueError: the keys fit neither questions nor entries.
    """
    records = list(read_records(name, body))
    keys = _keys_of(records)
    shape = layout_of_keys(keys)
    ways = ways_to_records([record for _, record in records if isinstance(record, dict)]) if shape is None else []
    if len(records) == len(ways) == 1:  # one document with one list: these must be its records
        inner = list(read_records(name, body, ways[0]))
        if (shape := layout_of_keys(_keys_of(inner))) is not None:
            records, reading.array = inner, tuple(ways[0])
    if shape is None:
        best, entries = _proposal_of(name, body, records)
        if best is None or best.confidence < SURE:
            raise Refusal(_unknown_keys(name, records, keys, ways))
        reading.shape = best.layout
        return [Part(best.layout, entries)]
    shape = structs.replace(shape, zero_based_answer=counted_from_zero((record for _, record in records), shape))
    return [Part(shape, list(passed_on(records, shape)))]


def _proposal_of(
    name: str, body: bytes, records: list[LocatedRecord], by_values: bool = False
) -> tuple[LayoutProposal | None, list[LocatedRecord]]:
    objects = [record for _, record in records if isinstance(record, dict)]
    best, sure = propose_records(objects, name, by_values=by_values), 0
    if best is None and len(objects) == 1:
        for way in islice(ways_to_entities(objects[0]), _MOST_WAYS):  # the file is read again for each list
            below = list(read_records(name, body, way))
            inner = [record for _, record in below if isinstance(record, dict)]
            if len(inner) > 1 and all(keys_for("start", each) and keys_for("end", each) for each in inner):
                return None, records  # the edges of a graph, without which its nodes mean little
            proposal = propose_records(inner, " ".join((name, *way)), way, beside_way(objects[0], way), by_values=by_values)
            sure += proposal is not None and EVERY not in way and proposal.confidence >= SURE
            if sure > 1:
                return None, records  # entries of several kinds, which must be read together
            if proposal and (best is None or proposal.confidence > best.confidence):
                best, records = proposal, below
    return best, records


def proposed_records(name: str, body: bytes) -> tuple[LayoutProposal, list[dict[str, Any]]]:
    """Return the layout that a file of records, or its first such table, probably has, and the records.

    Raises:
        ValueError: the file is damaged, or contains no entries of an encyclopedia.
    """
    if name.lower().endswith(TABLED):
        for sheet in read_sheets(name, sheets_in(name, body), lambda keys: any(names_entry(key) is not None for key in keys)):
            rows = [dict(zip(sheet.header, cells, strict=False)) for _, cells in sheet.rows] if sheet.header else []
            if proposal := propose_records(rows, f"{name} {sheet.name}", by_values=True):
                return proposal, rows
    else:
        best, records = _proposal_of(name, body, list(read_records(name, body)), by_values=True)
        if best:
            return best, [record for _, record in records if isinstance(record, dict)]
    raise Refusal(f"{name}: found no diseases, medicines, examinations or foods; to read questions, write a layout (docs/importing.md)")


def _keys_of(records: Iterable[tuple[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for _, record in records if isinstance(record, dict) for key in record))


def _unknown_keys(name: str, records: list[tuple[str, Any]], keys: list[str], ways: list[list[str]]) -> str:
    """Return what is wrong with records that contain no known question, and what to do."""
    key_names = ", ".join(key[:_MOST_KEY_CHARS] for key in keys[:_MOST_KEYS_NAMED])
    known = "expected question or 题干 and options or answer, or for entries a name and what describes it, such as 症状 or 功效"
    if not keys:
        first = records[0][1].words if records and isinstance(records[0][1], Lost) else "no records"
        return f"{name}: {first}; {known}"
    if ways:
        layout_of = f"a layout with `array: [{', '.join(ways[0])}]` reads them (docs/importing.md)"
        return f"{name}: no fields of a question among the keys {key_names}; its records are under {', '.join(ways[0])}; {layout_of}"
    return f"{name}: no fields of a question among the keys {key_names}; {known}; for other keys, write a layout (docs/importing.md)"


def _named_sheets(reading: FileReading, name: str, body: bytes) -> list[Part]:
    """Return the rows of each table with the layout inferred from its header: questions, else entries.

    Raises:
        ValueError: no header is known.
    """
    try:
        return _parts_of_sheets(reading, name, body, _names_question, lambda sheet, rows: layout_of_keys(sheet.header))
    except ValueError:
        entries = FileReading()
        with suppress(ValueError):
            parts = _parts_of_sheets(entries, name, body, are_record_keys, lambda sheet, rows: _entry_layout(name, sheet, rows))
            if any(part.records for part in parts):
                reading.unread, reading.skipped, reading.shape = entries.unread, entries.skipped, parts[-1].layout
                return parts
        raise


def _names_question(keys: Iterable[str]) -> bool:
    return layout_of_keys(list(keys)) is not None


def _entry_layout(name: str, sheet: SheetTable, rows: Iterable[LocatedRow]) -> RecordLayout | None:
    records = [dict(zip(sheet.header, cells, strict=False)) for _, cells in rows]
    proposal = propose_records(records, f"{name} {sheet.name}")
    return proposal.layout if proposal and proposal.confidence >= SURE else None


def _parts_of_sheets(
    reading: FileReading,
    name: str,
    body: bytes,
    is_header: IsHeader,
    layout_of: Callable[[SheetTable, list[LocatedRow]], RecordLayout | None],
) -> list[Part]:
    """Return the rows of a file's tables that have a layout; text above them and tables without one are added to the reading."""
    parts: list[Part] = []
    for sheet in read_sheets(name, sheets_in(name, body), is_header):
        rows = list(sheet.rows)
        layout = layout_of(sheet, rows) if sheet.header else None
        if layout is None:
            why = sheet.why or "no known header, so its rows are not read"
            reading.skipped.append(f"sheet {sheet.name}: {why}: {' '.join(sheet.above[:1])}")
            continue
        sheet.rows = iter(rows)
        reading.unread += sheet.above
        parts.append(Part(layout, list(passed_on(records_of(sheet, layout, reading.unread), layout))))
    return parts


def _added(reading: FileReading, parts: Iterable[Part], provenance: Provenance, name: str, beside_keys: Collection[str]) -> FileReading:
    for layout, records in parts:
        rows = [(position, record) for position, record in records if isinstance(record, dict)]
        if layout.entity and not layout.entity.label and len(rows) == len(records) and (whole := grouped(rows, layout.entity.name)):
            reading.rows, records = [*(reading.rows or []), *whole], list[LocatedRecord](whole)
        _add_records(reading, records, layout, provenance, name, beside_keys)
    return reading


def _add_records(
    reading: FileReading,
    records: Iterable[tuple[str, dict[str, Any] | Lost]],
    shape: RecordLayout,
    provenance: Provenance,
    name: str,
    beside_keys: Collection[str],
) -> None:
    """Read records into items; note which keys are read and which are not, and the values under `beside_keys`."""
    reader, used, spare, keys_present = RecordReader(shape, shape.subject_of(name)), shape.used(), Counter[str](), set[str]()
    left = Counter[str]()
    for position, record in records:
        if shape.entity and isinstance(record, dict) and (remark := remark_in(record, shape.entity.name)):
            reading.unread.append(remark)
            continue
        record_provenance = structs.replace(provenance, position=position)
        for item in [record] if isinstance(record, Lost) else reader.items(record, record_provenance):
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
    advice = "`options_raw` reads only the first filled key; list columns with one option each as `option_keys` (docs/importing.md)"
    reading.skipped += [f"field {key!r} of {count} records: not read: {advice}" for key, count in left.items()]


def _text_under(wanted: str, record: dict[str, Any]) -> str | None:
    value = next((record[key] for key in record if key.casefold() == wanted), None)
    return str(value).strip() or None if isinstance(value, (str, int)) and not isinstance(value, bool) else None
