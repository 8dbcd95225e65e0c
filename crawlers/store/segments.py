"""A source's folder of pages as readers see it: one WARC segment a snapshot, one index of them all, one list of what failed."""

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
"""What reading a damaged record fails with."""
_SUFFIX = ".warc.gz"
_logger = logging.getLogger("crawlers.web.archive")


class Place(NamedTuple):
    """A record in a source's folder."""

    file: str
    offset: int
    length: int


class StoredPlaces:
    """Requests to places."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._numbers: dict[str, int] = {}
        self._places: dict[bytes, int] = {}  # file, offset and length in one number: a tuple of them takes thrice the memory

    def __contains__(self, key: Key) -> bool:
        return digest_of(str(key)) in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, key: Key, place: Place) -> None:
        number = self._numbers.setdefault(place.file, len(self._files))
        if number == len(self._files):
            self._files.append(place.file)
        self._places[digest_of(str(key))] = ((number << _OFFSET_BITS | place.offset) << _LENGTH_BITS) | place.length

    def get(self, key: Key) -> Place | None:
        """Return where the answer to a request lies, or None."""
        value = self._places.get(digest_of(str(key)))
        if value is None:
            return None
        rest, length = value >> _LENGTH_BITS, value & ((1 << _LENGTH_BITS) - 1)
        return Place(self._files[rest >> _OFFSET_BITS], rest & ((1 << _OFFSET_BITS) - 1), length)

    def discard(self, key: Key) -> None:
        """Forget a request."""
        self._places.pop(digest_of(str(key)), None)


class Row(IndexRow, frozen=True):
    """A line of the index, with what the archive asks of it."""

    @property
    def key(self) -> Key:
        """What was asked."""
        return Key(self.url, self.method, self.body_sha256)

    def own(self, file: str) -> Place:
        """Return the record of this snapshot itself, in its `file`."""
        return Place(file, *self.revisit) if self.revisit else Place(file, self.offset, self.length)


def segment(folder: Path, snapshot: str) -> Path:
    """Return the file that holds a snapshot when its crawl is done."""
    return folder / f"{snapshot}{_SUFFIX}"


def snapshots(folder: Path) -> list[str]:
    """Return the finished snapshots of a folder, oldest first."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))


def lines(folder: Path) -> Iterator[Row]:
    """Yield all rows of the index, oldest snapshot first."""
    if (folder / INDEX).exists():
        yield from read_jsonl(folder / INDEX, Row)


def read_index(folder: Path, snapshot: str) -> Iterator[Row]:
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


def read_page(folder: Path, row: Row) -> Page:
    """Return a stored page.

    Raises:
        ValueError: the file is gone or does not hold what the index says.
    """
    page = read_at(folder, Place(row.file, row.offset, row.length), row.key)
    if row.snapshot and page_id(row.url, page.body) != row.page_id:
        raise _misplaced(folder, Place(row.file, row.offset, row.length), row.key)
    return page


def read_at(folder: Path, place: Place, key: Key) -> Page:
    """Return the page at a place; raises like read_page."""
    path = folder / place.file
    if not path.exists():
        advice = f"`dvc checkout` brings it back, `dvc repro -f crawl@{folder.name}` fetches its pages again"
        raise ValueError(f"{path} is gone, and {key} lies in it; a later snapshot stores only what changed; {advice}")
    try:
        page = read_member(read_packed(path, place.offset, place.length))
    except UNREADABLE as error:
        raise _misplaced(folder, place, key, f"{key} cannot be read ({error})") from None
    if not isinstance(page, Page) or page.key != key:
        raise _misplaced(folder, place, key)
    return page


def read_or_forget(folder: Path, places: StoredPlaces, key: Key) -> Page | None:
    """Return a page, or None where there is none; one that cannot be read is told, and counts as none from now on."""
    place = places.get(key)
    if place is None:
        return None
    try:
        return read_at(folder, place, key)
    except ValueError as error:
        _logger.warning("fetched anew: %s", error)
        places.discard(key)
        return None


def _misplaced(folder: Path, place: Place, key: Key, what: str = "") -> ValueError:
    advice = f"`dvc repro -f crawl@{folder.name}` fetches it anew"
    return ValueError(f"{folder / place.file} at {place.offset}: {what or f'not {key}, as {INDEX} says'}; {advice}")
