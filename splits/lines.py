"""Lines of a file that stay in it until they are asked for."""

import os
from array import array
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

_RUN_BYTES = 1 << 20


class Lines:
    """Lines of a file, each copied out of it when it is asked for: a million take no more room than their ends.

    Raises:
        ValueError: when lines are asked for, the file is no longer as it was when this was made.
    """

    def __init__(self, path: Path, ends: array) -> None:
        """Args:
        ends: where each line ends, from the file's beginning.
        """
        self._path, self._ends, self._was = path, ends, _state(path.stat())

    def each(self, places: Iterable[int]) -> Iterator[bytes]:
        """Yield some lines in a given order."""
        for run in self.runs(places):
            yield from BytesIO(run)

    def runs(self, places: Iterable[int]) -> Iterator[bytes]:
        """Yield some lines in a given order, those that follow each other in the file together."""
        with open(self._path, "rb", buffering=0) as file:
            if _state(os.fstat(file.fileno())) != self._was:
                raise ValueError(f"{self._path}: it was changed while it was read; run the stage again when nothing writes to it")
            start = end = 0
            for at in places:
                if (first := self._ends[at - 1] if at else 0) != end or end - start > _RUN_BYTES:
                    yield _piece(file.fileno(), start, end)
                    start = first
                end = self._ends[at]
            yield _piece(file.fileno(), start, end)


def _state(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _piece(file: int, start: int, end: int) -> bytes:
    piece = os.pread(file, end - start, start)
    return piece if piece.endswith(b"\n") or not piece else piece + b"\n"
