"""Items in, their lines out in the order of data/items: sorted in memory as long as they fit, else in runs on disk that are merged."""

import heapq
import os
import tempfile
from collections.abc import Iterator
from struct import Struct

from atomexam.records.item import Item
from atomexam.runtime.jsonl import to_line
from atomexam.text.natural_order import natural_bytes

MEMORY_BYTES = 32 << 20
_ENTRY_BYTES = 160  # what Python adds to a key and a line
_READ_BYTES = 1 << 18
_SIZES = Struct("<II")

Entry = tuple[bytes, bytes]
"""Sort key and line."""
Run = tuple[int, int]
"""Where a sorted run begins and ends in its file."""


def order(item: Item) -> bytes:
    """Return bytes that sort items by url, then by position, q2 before q10."""
    return item.url.encode("utf-8", "surrogatepass") + b"\0" + natural_bytes(item.provenance.position)


class SortedItems:
    """What one process adds; the file has no name, so nothing is left of it when the process ends, however it ends."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the replay runs
        self._limit, self._held = memory_bytes, 0
        self._entries: list[Entry] = []
        self._runs: list[Run] = []

    def add(self, item: Item) -> None:
        """Keep an item."""
        entry = (order(item), to_line(item))
        self._entries.append(entry)
        self._held += len(entry[0]) + len(entry[1]) + _ENTRY_BYTES
        if self._held > self._limit:
            self._spill()

    def finish(self) -> list[Run]:
        """Write down what is still in memory; return the runs. Another process that holds the file reads them."""
        if self._entries:
            self._spill()
        self._file.flush()
        return self._runs

    def read(self, runs: list[Run]) -> list[Iterator[Entry]]:
        """Return the entries of each run."""
        return [_entries(self._file.fileno(), start, end) for start, end in runs]

    def close(self) -> None:
        """Give the disk space back."""
        self._file.close()

    def _spill(self) -> None:
        start = self._file.tell()
        for key, line in sorted(self._entries):
            self._file.write(_SIZES.pack(len(key), len(line)) + key + line)
        self._runs.append((start, self._file.tell()))
        self._entries, self._held = [], 0


def merged(runs: list[Iterator[Entry]]) -> Iterator[bytes]:
    """Yield the lines of all runs in order; what two runs hold in equal places is ordered by its bytes."""
    for _, line in heapq.merge(*runs):
        yield line


def _entries(file: int, start: int, end: int) -> Iterator[Entry]:
    """Yield what stands between two places of a file, read apart from the file's own place: runs are read in turns."""
    held = b""
    while start < end or held:
        if start < end:
            more = os.pread(file, min(_READ_BYTES, end - start), start)
            held, start = held + more, start + len(more)
        at = 0
        while len(held) - at >= _SIZES.size:
            key_bytes, line_bytes = _SIZES.unpack_from(held, at)
            line = at + _SIZES.size + key_bytes
            if len(held) < line + line_bytes:
                break
            yield held[at + _SIZES.size : line], held[line : line + line_bytes]
            at = line + line_bytes
        held = held[at:]
