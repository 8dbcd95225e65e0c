"""The index of a snapshot as flat bytes: request -> location of its page. Forked processes share it without copying."""

import hashlib
from array import array
from bisect import bisect_left
from pathlib import Path

import msgspec

from crawlers.store.missing_pages import beyond_digest, read_beyond, read_broken, read_failed
from crawlers.store.request_keys import Key, canonical, is_robots
from crawlers.store.segments import ArchiveRow, read_index

_FIELDS = ArchiveRow.__struct_fields__
_decode = msgspec.msgpack.Decoder(list).decode


class PageIndex:
    """Locations of the pages of a snapshot, and the failed requests.

    A row takes 20 bytes more than its text; as objects, the rows of 300,000 pages would take 300 MB.
    """

    def __init__(self, folder: Path, snapshot: str, reader: str = "") -> None:
        self.failed = read_failed(folder)
        self.broken = read_broken(folder, reader)
        """Request -> how its page broke this version of the code."""
        self._beyond = read_beyond(folder, snapshot)
        self.pages = 0
        rows, ends, digests = bytearray(), array("Q"), array("Q")
        for row in read_index(folder, snapshot):
            rows += msgspec.msgpack.encode([getattr(row, name) for name in _FIELDS])
            ends.append(len(rows))
            digests.append(_digest(str(row.key)))
            if not is_robots(row.key.url):
                self.pages += 1
        self._rows, self._ends = bytes(rows), ends
        self._digests, self._order = _sorted(digests)
        self._variants: tuple[array[int], array[int]] | None = None

    def find(self, key: Key) -> ArchiveRow | None:
        """Return the row of the answer to a request.

        Sites link to a page by several URLs, and a crawl requests the first one it finds. A replay reads in a different order and may find
        another URL first; it then gets the page stored under the URL that was crawled.
        """
        row = self._find(_digest(str(key)), self._digests, self._order)
        if row is not None and row.key == key:
            return row
        if self._variants is None:  # 30 µs per page, so only when needed
            self._variants = _sorted(array("Q", (_digest(canonical(self._row(number).key)) for number in range(len(self._ends)))))
        row = self._find(_digest(canonical(key)), *self._variants)
        return row if row is not None and canonical(row.key) == canonical(key) else None

    def is_beyond(self, key: Key) -> bool:
        """Return whether a request was beyond the crawl's limit."""
        return bool(self._beyond) and beyond_digest(key) in self._beyond

    def _find(self, digest: int, digests: "array[int]", order: "array[int]") -> ArchiveRow | None:
        at = bisect_left(digests, digest)
        return self._row(order[at]) if at < len(digests) and digests[at] == digest else None

    def _row(self, number: int) -> ArchiveRow:
        start = self._ends[number - 1] if number else 0
        return ArchiveRow(**dict(zip(_FIELDS, _decode(self._rows[start : self._ends[number]]), strict=True)))


def _sorted(digests: "array[int]") -> tuple["array[int]", "array[int]"]:
    """Return digests in order, and the original index of each; for equal digests, the first index comes first."""
    order = sorted(range(len(digests)), key=digests.__getitem__)
    return array("Q", map(digests.__getitem__, order)), array("L", order)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
