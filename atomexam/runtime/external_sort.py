"""Sort keyed lines: in memory if they fit, otherwise in sorted runs on disk that are merged during reading."""

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct

MEMORY_BYTES = 32 << 20
_ENTRY_BYTES = 160  # Python's overhead for a key and a line
_READ_BYTES = 1 << 18
_SIZES = Struct("<II")

KeyedLine = tuple[bytes, bytes]
"""Sort key and line; equal keys are ordered by their lines."""
SortedRun = tuple[int, int]
"""Start and end offset of a sorted run in its file."""


def sort_key(*texts: str) -> bytes:
    """Return bytes that sort like the tuple of texts."""
    if any("\0" in text for text in texts):
        texts = tuple(text.replace("\0", "\0\1") for text in texts)
    return "\0\0".join(texts).encode("utf-8", "surrogatepass")


class ExternalSort:
    """Entries added by one process. The file of its runs is unnamed, so nothing is left behind, however the process ends."""

    def __init__(self, folder: str | Path | None = None, memory_bytes: int | None = None) -> None:
        """Start empty.

        Args:
            folder: where the runs are written, preferably next to the final output; default: the system's temporary folder.
            memory_bytes: maximum size of the entries in memory; beyond it, they are written to disk; default: MEMORY_BYTES.
        """
        self._folder = str(folder or tempfile.gettempdir())
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - stays open while runs are read
        self._limit, self._memory_used = memory_bytes or MEMORY_BYTES, 0
        self._entries: list[KeyedLine] = []
        self._runs: list[SortedRun] = []

    def add(self, key: bytes, line: bytes) -> None:
        """Add an entry.

        Raises:
            OSError: the disk is full; the message has the folder.
        """
        self._entries.append((key, line))
        self._memory_used += len(key) + len(line) + _ENTRY_BYTES
        if self._memory_used > self._limit:
            self._spill()

    def lines(self) -> Iterator[bytes]:
        """Yield all lines in order, then discard them."""
        if not self._runs:
            self._entries.sort()
            yield from (line for _, line in self._entries)
        else:
            yield from merge_runs(self.read(self.finish()))
        self._entries = []
        self.close()

    def finish(self) -> list[SortedRun]:
        """Write the entries in memory to disk, and return the runs; another process that has the file open can read them."""
        if self._entries:
            self._spill()
        with self._naming_folder():
            self._file.flush()
        return self._runs

    def read(self, runs: Iterable[SortedRun]) -> list[Iterator[KeyedLine]]:
        """Return the entries of each run."""
        return [_entries(self._file.fileno(), start, end) for start, end in runs]

    def close(self) -> None:
        """Free the disk space that the runs use."""
        self._file.close()

    def _spill(self) -> None:
        start = self._file.tell()
        self._entries.sort()
        with self._naming_folder():
            self._file.writelines(part for key, line in self._entries for part in (_SIZES.pack(len(key), len(line)), key, line))
        self._runs.append((start, self._file.tell()))
        self._entries, self._memory_used = [], 0

    @contextmanager
    def _naming_folder(self) -> Iterator[None]:
        """Add the folder to a full-disk error, because the file itself has no name."""
        try:
            yield
        except OSError as error:
            with suppress(OSError):
                self._file.close()  # otherwise it would try to write the rest later, when nothing reports the error
            raise OSError(
                error.errno, f"{error.strerror} while sorting; free disk space and run the same command again", self._folder
            ) from None


def merge_runs(runs: Iterable[Iterator[KeyedLine]]) -> Iterator[bytes]:
    """Yield the lines of all runs in order."""
    for _, line in heapq.merge(*runs):
        yield line


def _entries(file: int, start: int, end: int) -> Iterator[KeyedLine]:
    """Yield the entries between two offsets of a file without moving its position, because runs are read alternately."""
    buffer = b""
    while start < end or buffer:
        if start < end:
            more = os.pread(file, min(_READ_BYTES, end - start), start)
            buffer, start = buffer + more, start + len(more)
        at = 0
        while len(buffer) - at >= _SIZES.size:
            key_bytes, line_bytes = _SIZES.unpack_from(buffer, at)
            line = at + _SIZES.size + key_bytes
            if len(buffer) < line + line_bytes:
                break
            yield buffer[at + _SIZES.size : line], buffer[line : line + line_bytes]
            at = line + line_bytes
        buffer = buffer[at:]
