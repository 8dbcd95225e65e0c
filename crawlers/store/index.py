"""The index of a source's folder, kept in step with its files: rows from records, and all snapshots' rows to index.jsonl."""

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
from crawlers.store.segments import Place, Row, StoredPlaces, lines, read_index, segment, snapshots
from crawlers.store.warc import Asked, Origin, Page, Revisit, members, read_member

_logger = logging.getLogger("crawlers.web.archive")


class Record(NamedTuple):
    """What a file holds at a place."""

    what: Page | Revisit
    offset: int
    length: int
    request_length: int


def rows_of(folder: Path, snapshot: str) -> Iterator[Row]:
    """Yield the rows of a finished snapshot: from the index, or from the file where the index does not fit it."""
    if _ends(folder).get(snapshot) == segment(folder, snapshot).stat().st_size:
        yield from read_index(folder, snapshot)
    else:
        yield from _scanned(folder, snapshot)


def scan(path: Path, start: int = 0) -> Iterator[Record]:
    """Yield the answers of a file from a place on, each with its place."""
    request_length, end = 0, start
    for offset, member in members(path, start):
        found = read_member(member)
        if isinstance(found, Page | Revisit):
            yield Record(found, offset, len(member), request_length if offset == end else 0)
        request_length, end = len(member) if isinstance(found, Asked) else 0, offset + len(member)


def origin_of(path: Path) -> str | None:
    """Return the origin that a file names; None where there is no such file or it is torn before that.

    Raises:
        ValueError: the file holds pages, and no word of where they come from.
    """
    first = next(members(path), None) if path.exists() else None
    found = read_member(first[1]) if first else None
    if found is None:
        return None
    if not isinstance(found, Origin):
        advice = "bring the file back with `dvc checkout`, or move it away, and the next crawl fetches its pages anew"
        raise ValueError(f"{path}: its first record, which says where its pages come from, cannot be read; {advice}")
    return found.name


def mend_index(folder: Path) -> None:
    """Write an index that is gone or cannot be read anew, from the records: it says nothing that they do not say."""
    path = folder / INDEX
    try:
        deque(lines(folder), maxlen=0)
        if path.exists() or not snapshots(folder):
            return
    except ValueError as error:
        _logger.warning("%s is written anew from the records: %s", path, error)
        path.unlink()
    with replacing(path) as part, open(part, "wb") as out:
        for _, rows in _kept(folder):
            out.writelines(map(to_line, rows))


def page_row(page: Page, file: str, offset: int, length: int, request_length: int = 0) -> Row:
    """Return the row of a page that lies at a place."""
    return Row(
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


def revisit_row(seen: Revisit, older: Place, snapshot: str, record: tuple[int, int], request_length: int) -> Row:
    """Return the row of an answer that said nothing new."""
    return Row(
        page_id=seen.page_id,
        method=seen.key.method,
        url=seen.key.url,
        body_sha256=seen.key.body_sha256,
        status=200,
        file=older.file,
        offset=older.offset,
        length=older.length,
        request_length=request_length,
        snapshot=snapshot,
        revisit=record,
    )


def write_index(folder: Path, snapshot: str, rows: Iterable[Row]) -> None:
    """Write the index anew with these rows of one snapshot, whose file has changed."""
    changed = _Changed(segment(folder, snapshot).name, max(snapshots(folder)) > snapshot)
    with replacing(folder / INDEX) as part, open(part, "wb") as out:
        for each, found in _kept(folder):
            if each == snapshot:
                out.writelines(to_line(changed.note(row)) for row in rows)
            else:
                out.writelines(to_line(changed.follow(row)) for row in found)


class _Changed:
    """Where the pages of a changed file lie now, for the rows of newer snapshots that point into it."""

    def __init__(self, file: str, is_pointed_to: bool) -> None:
        self._file = file
        self._places = StoredPlaces() if is_pointed_to else None

    def note(self, row: Row) -> Row:
        """Take in a row of the file itself."""
        if self._places is not None:
            self._places[row.key] = Place(row.file, row.offset, row.length)
        return row

    def follow(self, row: Row) -> Row:
        """Return a row of another snapshot as it is now."""
        place = self._places.get(row.key) if self._places is not None and row.file == self._file else None
        return msgspec.structs.replace(row, offset=place.offset, length=place.length) if place else row


def _kept(folder: Path) -> Iterator[tuple[str, Iterator[Row]]]:
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
    """Return where the last record of each snapshot ends, as the index has it: a kill may have come between a file and its index."""
    ends: dict[str, int] = {}
    for row in lines(folder):
        own = row.own("")
        ends[row.of] = max(ends.get(row.of, 0), own.offset + own.length)
    return ends


def _scanned(folder: Path, snapshot: str) -> Iterator[Row]:
    older: dict[str, StoredPlaces] = {}
    path = segment(folder, snapshot)
    for what, offset, length, request_length in scan(path):
        if isinstance(what, Page):
            yield page_row(what, path.name, offset, length, request_length)
            continue
        file = segment(folder, what.snapshot)
        if what.snapshot not in older:
            older[what.snapshot] = StoredPlaces()
            for record in scan(file) if file.exists() else ():
                older[what.snapshot][record.what.key] = Place(file.name, record.offset, record.length)
        place = older[what.snapshot].get(what.key) or Place(file.name, 0, 0)
        yield revisit_row(what, place, snapshot, (offset, length), request_length)
