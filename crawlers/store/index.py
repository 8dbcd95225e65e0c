"""Keep the index of a source's folder consistent with its files: make rows from records, and write all rows to index.jsonl."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from atomexam.records.provenance import page_id
from atomexam.runtime.archive_index import INDEX
from atomexam.runtime.jsonl import replacing, to_line
from crawlers.store.segments import ArchiveRow, RecordLocation, StoredLocations, lines, read_index, segment, snapshots
from crawlers.store.warc import Origin, Page, Revisit, SentRequest, members, read_member

_logger = logging.getLogger("crawlers.web.archive")


class Record(NamedTuple):
    """An answer with its location in its file."""

    what: Page | Revisit
    offset: int
    length: int
    request_length: int


def rows_of(folder: Path, snapshot: str) -> Iterator[ArchiveRow]:
    """Yield the rows of a finished snapshot: from the index, or from the file if the index does not match it."""
    if _ends(folder).get(snapshot) == segment(folder, snapshot).stat().st_size:
        yield from read_index(folder, snapshot)
    else:
        yield from _scanned(folder, snapshot)


def scan(path: Path, start: int = 0) -> Iterator[Record]:
    """Yield the answers of a file, starting at an offset."""
    request_length, end = 0, start
    for offset, member in members(path, start):
        record = read_member(member)
        if isinstance(record, Page | Revisit):
            yield Record(record, offset, len(member), request_length if offset == end else 0)
        request_length, end = len(member) if isinstance(record, SentRequest) else 0, offset + len(member)


def origin_of(path: Path) -> str | None:
    """Return the origin stated in a file; None if there is no such file or its first record is truncated.

    Raises:
        ValueError: the file has pages but does not state their origin.
    """
    first = next(members(path), None) if path.exists() else None
    origin = read_member(first[1]) if first else None
    if origin is None:
        return None
    if not isinstance(origin, Origin):
        advice = "restore the file with `dvc checkout`, or move it away: the next crawl then fetches its pages again"
        raise ValueError(f"{path}: its first record, which states where its pages come from, cannot be read; {advice}")
    return origin.name


def mend_index(folder: Path) -> None:
    """Rebuild a missing or unreadable index from the records, which have all of its content."""
    path = folder / INDEX
    try:
        deque(lines(folder), maxlen=0)
        if path.exists() or not snapshots(folder):
            return
    except ValueError as error:
        _logger.warning("%s is rebuilt from the records: %s", path, error)
        path.unlink()
    with replacing(path) as part, open(part, "wb") as out:
        for _, rows in _finished_snapshots(folder):
            out.writelines(map(to_line, rows))


def page_row(page: Page, file: str, offset: int, length: int, request_length: int = 0) -> ArchiveRow:
    """Return the row of a page at an offset of a file."""
    return ArchiveRow(
        page_id=page_id(page.key.url, page.body),
        method=page.key.method,
        url=page.key.url,
        body_sha256=page.key.body_sha256,
        status=page.status,
        file=file,
        offset=offset,
        length=length,
        request_length=request_length,
    )


def revisit_row(answer: Revisit, older: RecordLocation, snapshot: str, record: tuple[int, int], request_length: int) -> ArchiveRow:
    """Return the row of an answer that has not changed since an older snapshot."""
    return ArchiveRow(
        page_id=answer.page_id,
        method=answer.key.method,
        url=answer.key.url,
        body_sha256=answer.key.body_sha256,
        status=200,
        file=older.file,
        offset=older.offset,
        length=older.length,
        request_length=request_length,
        snapshot=snapshot,
        revisit=record,
    )


def write_index(folder: Path, snapshot: str, rows: Iterable[ArchiveRow]) -> None:
    """Rewrite the index with new rows for the one snapshot whose file has changed."""
    changed = _Changed(segment(folder, snapshot).name, max(snapshots(folder)) > snapshot)
    with replacing(folder / INDEX) as part, open(part, "wb") as out:
        for each, stored in _finished_snapshots(folder):
            if each == snapshot:
                out.writelines(to_line(changed.note(row)) for row in rows)
            else:
                out.writelines(to_line(changed.follow(row)) for row in stored)


class _Changed:
    """New locations of the pages of a changed file, for the rows of newer snapshots that point to it."""

    def __init__(self, file: str, is_pointed_to: bool) -> None:
        self._file = file
        self._locations = StoredLocations() if is_pointed_to else None

    def note(self, row: ArchiveRow) -> ArchiveRow:
        """Store a row of the changed file itself, and return it."""
        if self._locations is not None:
            self._locations[row.key] = RecordLocation(row.file, row.offset, row.length)
        return row

    def follow(self, row: ArchiveRow) -> ArchiveRow:
        """Return a row of another snapshot with its new location."""
        location = self._locations.get(row.key) if self._locations is not None and row.file == self._file else None
        return msgspec.structs.replace(row, offset=location.offset, length=location.length) if location else row


def _finished_snapshots(folder: Path) -> Iterator[tuple[str, Iterator[ArchiveRow]]]:
    """Yield each finished snapshot, oldest first, with its rows."""
    ends = _ends(folder)
    blocks = groupby(lines(folder), key=lambda row: row.of)
    block = next(blocks, None)
    for each in snapshots(folder):
        while block and block[0] < each:
            block = next(blocks, None)
        if block and block[0] == each and ends[each] == segment(folder, each).stat().st_size:
            yield each, block[1]
        else:
            yield each, _scanned(folder, each)


def _ends(folder: Path) -> dict[str, int]:
    """Return the end of each snapshot's last record according to the index, which may lack some of the file's records after a kill."""
    ends: dict[str, int] = {}
    for row in lines(folder):
        own = row.own("")
        ends[row.of] = max(ends.get(row.of, 0), own.offset + own.length)
    return ends


def _scanned(folder: Path, snapshot: str) -> Iterator[ArchiveRow]:
    older: dict[str, StoredLocations] = {}
    path = segment(folder, snapshot)
    for what, offset, length, request_length in scan(path):
        if isinstance(what, Page):
            yield page_row(what, path.name, offset, length, request_length)
            continue
        file = segment(folder, what.snapshot)
        if what.snapshot not in older:
            older[what.snapshot] = StoredLocations()
            for record in scan(file) if file.exists() else ():
                older[what.snapshot][record.what.key] = RecordLocation(file.name, record.offset, record.length)
        location = older[what.snapshot].get(what.key) or RecordLocation(file.name, 0, 0)
        yield revisit_row(what, location, snapshot, (offset, length), request_length)
