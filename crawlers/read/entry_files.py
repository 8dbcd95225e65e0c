"""Files of entries that are not a list of records -> items, recognized by labels such as 症状; nothing if there are no entries."""

from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from operator import getitem
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import structs

from atomexam.records.provenance import Provenance
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import headed_lines
from crawlers.read.containers.files.json import documents_of
from crawlers.read.containers.files.reading import Lost
from crawlers.read.containers.files.text import lines_with_headings
from crawlers.read.entries.lines import records_of_lines
from crawlers.read.entries.records import Located, graph_of, records_in
from crawlers.read.papers import LINE_READERS, lines_in
from crawlers.read.tables.any_rows import DATA, literals_as_json, rows_of
from crawlers.read.tables.columns import SECTION, is_unnamed, named
from crawlers.read.tables.headers import read_sheets
from crawlers.read.tables.legends import SHEETS, sheets_in
from crawlers.read.tables.records.arrays import ways_to_records
from crawlers.read.tables.records.entities import (
    SURE,
    LayoutProposal,
    are_record_keys,
    keys_for,
    kind_words,
    kinds_of,
    names_entry,
    propose_records,
    remark_in,
)
from crawlers.read.tables.records.grouped import grouped, of_people
from crawlers.read.tables.records.items import entity_of
from crawlers.read.tables.records.reading import FileReading, Misfit

_DOCUMENTS = (".json", ".jsonl", ".ndjson")
_SURE_ALONE = 0.7
"""Minimum confidence for a single record to count as an entry."""


class Entries(NamedTuple):
    """Records of entries with their layout."""

    proposal: LayoutProposal
    records: list[Located]


def entries_in(name: str, body: bytes) -> list[Entries]:
    """Return the entries in a file, grouped by kind, in the form that fits best; empty if no form is certain."""
    found: list[list[Entries]] = []
    for records in _forms(name, body):
        proposal = propose_records([record for _, record in records], name, least=1)
        if proposal and proposal.confidence >= (SURE if len(records) > 1 else _SURE_ALONE):
            found.append(_of_kinds(name, records) or [Entries(proposal, records)])
        elif parts := _of_kinds(name, records):
            found.append(parts)
    return max(found, key=_rank, default=[])


def _rank(parts: list[Entries]) -> tuple[bool, float]:
    return sum(len(part.records) for part in parts) > 1, max(part.proposal.confidence for part in parts)


def _of_kinds(name: str, records: list[Located]) -> list[Entries]:
    """Return the entries of each kind if a file has several kinds; empty if it has one, or if any kind is uncertain."""
    by_kind = dict[str, list[Located]]()
    for kind, row in zip(kinds_of([record for _, record in records]), records, strict=True):
        by_kind.setdefault(kind, []).append(row)
    if len(by_kind) < 2:
        return []
    parts = [(propose_records([record for _, record in part], name, least=1, of=kind), part) for kind, part in by_kind.items()]
    sure = [Entries(proposal, part) for proposal, part in parts if proposal and proposal.confidence >= SURE]
    return sure if len(sure) == len(parts) else []


def read_entries(name: str, body: bytes, provenance: Provenance) -> FileReading:
    """Return the reading of a file of entries.

    Raises:
        ValueError: the file has no entries.
    """
    found = entries_in(name, body)
    if not found:
        raise Refusal(f"{name}: found no diseases, medicines, examinations or foods with a name and labels such as 症状 or 功效")
    reading = FileReading(shape=structs.replace(found[0].proposal.layout, array=[]), rows=[row for part in found for row in part.records])
    for proposal, records in found:
        assert proposal.layout.entity is not None
        for position, record in records:
            if remark := remark_in(record, proposal.layout.entity.name):
                reading.unread.append(remark)
                continue
            own = structs.replace(provenance, position=position)
            try:
                reading.items.append(entity_of(record, proposal.layout.entity, own))
            except Misfit as error:
                reading.give_up(Lost(position, error.reason, str(error)), provenance)
    reading.record_count = len(reading.items)
    return reading


def _forms(name: str, body: bytes) -> Iterator[list[Located]]:
    """Yield the records of a file in each form that it may have."""
    suffix = PurePosixPath(name.lower()).suffix
    with suppress(ValueError, RecursionError):
        if suffix in (*_DOCUMENTS, *DATA):
            whole = _whole(name, literals_as_json(name, body) if suffix in DATA else body)
            yield from records_in(whole)
            if len(ways := ways_to_records([whole])) > 1:
                lists = ((way, reduce(getitem, way, whole)) for way in ways)
                records = ((way, at, each) for way, some in lists for at, each in enumerate(some, 1) if isinstance(each, dict))
                yield [(f"{'.'.join(way)}:{at}", {SECTION: way[-1], **each}) for way, at, each in records]
        elif suffix in SHEETS:
            for sheet in read_sheets(name, sheets_in(name, body), _names_entries):
                rows = [(position, dict(zip(sheet.header, cells, strict=False))) for position, cells in sheet.rows if any(cells)]
                yield grouped(rows)
                yield of_people(rows)
                yield graph_of([{key: value for key, value in row.items() if value} for _, row in rows])
        else:
            if suffix in LINE_READERS:
                yield records_of_lines(_lines(name, body, suffix))
            for table in rows_of(name, body):
                rows = _headed([(position, _own(row)) for position, row in table.rows])
                yield rows
                yield grouped(rows)


def _headed(rows: list[Located]) -> list[Located]:
    """Return rows with unnamed columns under the names in the first row, if that is certainly a header."""
    first = [str(cell) for _, row in rows[:1] for cell in row.values()]
    if not are_record_keys(first) or not all(map(is_unnamed, rows[0][1])):
        return rows
    return [(position, dict(zip(named(first), row.values(), strict=False))) for position, row in rows[1:]]


def _own(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the fields above it; an object that only wraps a list, as in XML, is replaced by that list."""
    own = {key: value for key, value in row.items() if key[:1] != "^" and key.rpartition(".")[0] not in row}
    return {
        key: next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 and not any(map(kind_words, value)) else value
        for key, value in own.items()
    }


def _whole(name: str, body: bytes) -> Any:
    """Return the document of a file; several documents as a list."""
    documents = [document for _, document in documents_of(name, body) if not isinstance(document, Lost)]
    return documents[0] if len(documents) == 1 else documents


def _names_entries(keys: Any) -> bool:
    return len(keys) > 1 and (any(names_entry(key) is not None for key in keys) or bool(keys_for("start", keys)))


def _lines(name: str, body: bytes, suffix: str) -> list[str]:
    if suffix in (".html", ".htm"):
        return lines_with_headings(name, body)
    return headed_lines(name, body) if suffix == ".docx" else lines_in(name, body, suffix).lines
