"""Read a source's folder of pages: one WARC segment per snapshot, one index of all, one list of failed requests."""

import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from atomexam.records.provenance import page_id
from atomexam.runtime.archive_index import INDEX, IndexRow, read_packed
from atomexam.runtime.jsonl import read_jsonl
from crawlers.store.request_keys import Key, digest_of
from crawlers.store.warc import Page, read_member

_LENGTH_BITS = 40
_OFFSET_BITS = 48
UNREADABLE = (OSError, zlib.error, ValueError, KeyError)
"""Exceptions that reading a damaged record raises."""
_SUFFIX = ".warc.gz"
_logger = logging.getLogger("crawlers.web.archive")


class RecordLocation(NamedTuple):
    """The location of a record in a source's folder."""

    file: str
    offset: int
    length: int


class StoredLocations:
    """Locations of the stored answers, by request."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._numbers: dict[str, int] = {}
        self._locations: dict[bytes, int] = {}  # file, offset and length packed into one number: a tuple takes three times the memory

    def __contains__(self, key: Key) -> bool:
        return digest_of(str(key)) in self._locations

    def __len__(self) -> int:
        return len(self._locations)

    def __setitem__(self, key: Key, location: RecordLocation) -> None:
        number = self._numbers.setdefault(location.file, len(self._files))
        if number == len(self._files):
            self._files.append(location.file)
        self._locations[digest_of(str(key))] = ((number << _OFFSET_BITS | location.offset) << _LENGTH_BITS) | location.length

    def get(self, key: Key) -> RecordLocation | None:
        """Return the location of the answer to a request, or None."""
        value = self._locations.get(digest_of(str(key)))
        if value is None:
            return None
        rest, length = value >> _LENGTH_BITS, value & ((1 << _LENGTH_BITS) - 1)
        return RecordLocation(self._files[rest >> _OFFSET_BITS], rest & ((1 << _OFFSET_BITS) - 1), length)

    def discard(self, key: Key) -> None:
        """Drop a request."""
        self._locations.pop(digest_of(str(key)), None)


class ArchiveRow(IndexRow, frozen=True):
    """A row of the index, with the methods that the archive needs."""

    @property
    def key(self) -> Key:
        """The key of the request."""
        return Key(self.url, self.method, self.body_sha256)

    def own(self, file: str) -> RecordLocation:
        """Return the location of this snapshot's own record, which is in `file`."""
        return RecordLocation(file, *self.revisit) if self.revisit else RecordLocation(file, self.offset, self.length)


def segment(folder: Path, snapshot: str) -> Path:
    """Return the file of a finished snapshot."""
    return folder / f"{snapshot}{_SUFFIX}"


def snapshots(folder: Path) -> list[str]:
    """Return the finished snapshots of a folder, oldest first."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))


def lines(folder: Path) -> Iterator[ArchiveRow]:
    """Yield all rows of the index, oldest snapshot first."""
    if (folder / INDEX).exists():
        yield from read_jsonl(folder / INDEX, ArchiveRow)


def read_index(folder: Path, snapshot: str) -> Iterator[ArchiveRow]:
    """Yield the rows of one snapshot, in the order of their requests.

    Raises:
        ValueError: nothing of that snapshot is stored.
    """
    rows = (row for row in lines(folder) if row.of == snapshot)
    first = next(rows, None)
    if first is None:
        raise ValueError(f"{folder}: no pages of {snapshot}; `dvc repro crawl@{folder.name}` fetches them")
    yield first
    yield from rows


def read_page(folder: Path, row: ArchiveRow) -> Page:
    """Return a stored page.

    Raises:
        ValueError: the file is gone or does not match the index.
    """
    page = read_at(folder, RecordLocation(row.file, row.offset, row.length), row.key)
    if row.snapshot and page_id(row.url, page.body) != row.page_id:
        raise _misplaced(folder, RecordLocation(row.file, row.offset, row.length), row.key)
    return page


def read_at(folder: Path, location: RecordLocation, key: Key) -> Page:
    """Return the page at a location; raises like read_page."""
    path = folder / location.file
    if not path.exists():
        advice = f"`dvc checkout` restores it, or `dvc repro -f crawl@{folder.name}` fetches its pages again"
        raise ValueError(f"{path} is missing, and with it {key}; later snapshots store only changed pages; {advice}")
    try:
        page = read_member(read_packed(path, location.offset, location.length))
    except UNREADABLE as error:
        raise _misplaced(folder, location, key, f"{key} cannot be read ({error})") from None
    if not isinstance(page, Page) or page.key != key:
        raise _misplaced(folder, location, key)
    return page


def read_or_forget(folder: Path, locations: StoredLocations, key: Key) -> Page | None:
    """Return a page, or None if there is none; an unreadable one is logged and dropped."""
    location = locations.get(key)
    if location is None:
        return None
    try:
        return read_at(folder, location, key)
    except ValueError as error:
        _logger.warning("fetched again: %s", error)
        locations.discard(key)
        return None


def _misplaced(folder: Path, location: RecordLocation, key: Key, what: str = "") -> ValueError:
    advice = f"`dvc repro -f crawl@{folder.name}` fetches it again"
    return ValueError(f"{folder / location.file} at {location.offset}: {what or f'not {key}, as {INDEX} states'}; {advice}")
