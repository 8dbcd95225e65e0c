"""The end of a crawl: merge the pages stored by all runs into the snapshot's segment, and update the index."""

import logging
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from atomexam.runtime.external_sort import ExternalSort, sort_key
from atomexam.runtime.jsonl import replacing, to_line
from crawlers.store.index import mend_index, origin_of, rows_of, write_index
from crawlers.store.part_writer import discard_parts, part_name, part_rows, parts
from crawlers.store.request_keys import is_robots
from crawlers.store.segments import UNREADABLE, ArchiveRow, RecordLocation, StoredLocations, lines, read_page, segment, snapshots
from crawlers.store.warc import Page, Revisit, SentRequest, origin_member, page_member, read_member

_MEMORY_BYTES = 8 << 20
_LAST = 10**10 - 1
_decoder = msgspec.json.Decoder(tuple[str, ArchiveRow])

_logger = logging.getLogger("crawlers.web.archive")


def in_request_order(stored: Iterable[tuple[str, ArchiveRow]], memory_bytes: int = _MEMORY_BYTES) -> Iterator[tuple[str, ArchiveRow]]:
    """Yield files and rows in the order of the requests; of several answers to one request, the valid one comes first.

    The valid answer is the one stored first, except for robots.txt: each run of a live crawl requests it again, so the last one counts.
    """
    rows = ExternalSort(memory_bytes=memory_bytes)
    for number, (file, row) in enumerate(stored):
        turn = _LAST - number if is_robots(row.url) else number
        rows.add(sort_key(*row.key.sort_key, f"{turn:010}"), msgspec.json.encode((file, row)))
    yield from map(_decoder.decode, rows.lines())


class FileRow(NamedTuple):
    """A row of the index, and the file that contains the snapshot's own record."""

    file: str
    row: ArchiveRow


class CopiedRecord(NamedTuple):
    """A row of the index, and the records to write for it."""

    row: ArchiveRow
    request: bytes
    answer: bytes


def copied(folder: Path, rows: Iterator[tuple[str, ArchiveRow]]) -> Iterator[CopiedRecord]:
    """Yield the records of each request. Each one is checked, since the files that they are copied from will be removed."""
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {}
        for key, same in groupby(rows, key=lambda one: one[1].key):
            for file, row in same:
                if file not in files:
                    files[file] = stack.enter_context(open(folder / file, "rb"))
                if entry := _copied_record(folder, files[file], row, row.own(file).offset, row.own(file).length):
                    yield entry
                    break
            else:
                _logger.warning("%s at %d: %s cannot be read and is left out", folder / file, row.own(file).offset, key)


def _copied_record(folder: Path, file: BinaryIO, row: ArchiveRow, offset: int, length: int) -> CopiedRecord | None:
    """Return the records to write for a row; None if its record or the older page that it refers to is damaged."""
    both = os.pread(file.fileno(), row.request_length + length, offset - row.request_length)
    request, answer = both[: row.request_length], both[row.request_length :]
    try:
        record = read_member(answer)
        if isinstance(record, Revisit):
            read_page(folder, row)
    except UNREADABLE:
        return None
    if not isinstance(record, Revisit if row.revisit else Page) or record.key != row.key:
        return None
    if _is_request(request, row):
        return CopiedRecord(row, request, answer)
    return CopiedRecord(msgspec.structs.replace(row, request_length=0), b"", answer)


def _is_request(member: bytes, row: ArchiveRow) -> bool:
    try:
        record = read_member(member)
    except UNREADABLE:
        return False
    return isinstance(record, SentRequest) and record.key == row.key


def stored_rows(folder: Path, snapshot: str, origin: str, with_segment: bool) -> Iterator[FileRow]:
    """Yield the stored rows of one snapshot and origin, oldest first. A request may occur twice.

    Revisits of a missing older page are skipped, so that it is fetched again.

    Args:
        with_segment: include the finished segment, because stored pages of a live site are not requested again.
    """
    done = segment(folder, snapshot)
    if with_segment and origin_of(done) == origin:
        file_names = {path.name for path in folder.iterdir()}
        yield from (FileRow(done.name, row) for row in rows_of(folder, snapshot) if row.file in file_names)
    older: StoredLocations | None = None
    for path in parts(folder, snapshot):
        if origin_of(path) != origin:
            continue
        name = part_name(path)
        for row in part_rows(path, snapshot):
            if not row.revisit:
                yield FileRow(name, row)
                continue
            older = older_pages(folder, snapshot, origin) if older is None else older
            location = older.get(row.key)
            if location and location.file == row.file:  # the older file may have grown since
                yield FileRow(name, msgspec.structs.replace(row, offset=location.offset, length=location.length))


def origins(folder: Path, snapshot: str) -> set[str | None]:
    """Return the origins stated in a snapshot's files."""
    return {origin_of(path) for path in [segment(folder, snapshot), *parts(folder, snapshot)] if path.exists()}


def older_pages(folder: Path, snapshot: str, origin: str) -> StoredLocations:
    """Return the locations of the pages in older snapshots of one origin; newer snapshots take precedence."""
    file_names = {path.name for path in folder.iterdir()}
    same = {each for each in snapshots(folder) if each < snapshot and origin_of(segment(folder, each)) == origin.split()[0]}
    pages = StoredLocations()
    for row in lines(folder) if same else ():
        if row.of in same and row.status == 200 and row.file in file_names:
            pages[row.key] = RecordLocation(row.file, row.offset, row.length)
    return pages


def finish(folder: Path, snapshot: str, origin: str, with_segment: bool = False) -> int:
    """Merge the stored pages into the snapshot's segment, in the order of the requests; return the number of pages.

    The bytes depend only on the pages, not on their order, the number of runs, or kills. Unreadable records are skipped with a warning.

    Raises:
        ValueError: the folder cannot be written; the parts are kept.
    """
    public_origin = origin.split()[0]  # the replicas' state only separates concurrent crawls of one snapshot
    mend_index(folder)
    try:
        if not with_segment or origin_of(segment(folder, snapshot)) != public_origin:
            _free_newer(folder, snapshot)
        rows = in_request_order(stored_rows(folder, snapshot, origin, with_segment))
        pages = _write_segment(folder, snapshot, public_origin, copied(folder, rows))
    except OSError as error:
        advice = f"fetched pages are kept; check the disk, then continue with `dvc repro crawl@{folder.name}`"
        raise ValueError(f"{folder}: {snapshot} cannot be written: {error}; {advice}") from error
    discard_parts(folder, snapshot)
    return pages


def _write_segment(folder: Path, snapshot: str, origin: str, entries: Iterator[CopiedRecord]) -> int:
    """Write a segment and update the index; return the number of pages."""
    done, pages = segment(folder, snapshot), 0
    with tempfile.TemporaryFile() as rows:
        with replacing(done) as whole, open(whole, "wb") as out:
            out.write(origin_member(origin))
            for row, request, answer in entries:
                offset = out.tell() + len(request)
                out.write(request + answer)
                if row.revisit:
                    moved = msgspec.structs.replace(row, snapshot=snapshot, revisit=(offset, len(answer)), request_length=len(request))
                else:
                    moved = msgspec.structs.replace(row, file=done.name, offset=offset, length=len(answer), request_length=len(request))
                rows.write(to_line(moved))
                pages += 1
        rows.seek(0)
        decoder = msgspec.json.Decoder(ArchiveRow)
        write_index(folder, snapshot, map(decoder.decode, rows))
    return pages


def _free_newer(folder: Path, snapshot: str) -> None:
    """Copy the pages that newer snapshots share with this one into their own files, before this file is replaced."""
    file = segment(folder, snapshot).name
    for newer in sorted({row.of for row in lines(folder) if row.snapshot and row.file == file} & set(snapshots(folder))):
        own = segment(folder, newer)
        rows = (FileRow(own.name, row) for row in rows_of(folder, newer))
        entries = (_freed(folder, entry, file) for entry in copied(folder, rows))
        _write_segment(folder, newer, origin_of(own) or "", entries)


def _freed(folder: Path, entry: CopiedRecord, file: str) -> CopiedRecord:
    if entry.row.file != file or not entry.row.revisit:
        return entry
    record = read_member(entry.answer)
    if not isinstance(record, Revisit):
        raise ValueError(f"{file}: found {type(record).__name__}, expected a revisit record; the archive is damaged")
    page = msgspec.structs.replace(read_page(folder, entry.row), date=record.date)
    return CopiedRecord(msgspec.structs.replace(entry.row, snapshot=None, revisit=None), entry.request, page_member(page))
