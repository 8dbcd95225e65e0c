"""Lines of a file that are read on demand."""

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

from atomexam.runtime.jsonl import BUFFER_BYTES, replacing
from splits.ledger.units import AssignedSplit

_RUN_BYTES = 1 << 20
State = tuple[int, int, int]
"""Inode, size and time of the last change of a file: equal until the file is written to or replaced."""


class Lines:
    """Lines of a file, each read on demand: a million take only the memory of their offsets.

    Raises:
        ValueError: the file changed since its offsets were read.
    """

    def __init__(self, path: Path, ends: array, was: State) -> None:
        """Args:
        ends: end offset of each line in the file.
        was: `state_of` the file before it was read.
        """
        self.path, self._ends, self._was = path, ends, was

    def each(self, line_numbers: Iterable[int]) -> Iterator[bytes]:
        """Yield some lines in a given order."""
        for run in self.runs(line_numbers):
            yield from BytesIO(run)

    def runs(self, line_numbers: Iterable[int]) -> Iterator[bytes]:
        """Yield some lines in a given order, adjacent lines of the file together."""
        refuse_changed(self.path, self._was)
        with open(self.path, "rb", buffering=0) as file:
            start = end = 0
            for line_number in line_numbers:
                if (first := self._ends[line_number - 1] if line_number else 0) != end or end - start > _RUN_BYTES:
                    yield _piece(file.fileno(), start, end)
                    start = first
                end = self._ends[line_number]
            yield _piece(file.fileno(), start, end)
        refuse_changed(self.path, self._was)


def write_questions(out: Path, lines: Lines, chosen: Mapping[AssignedSplit, Sequence[int]]) -> int:
    """Write the lines of each split unchanged; return their number. Not in `__main__`, where worker processes would not find it."""
    for split, indices in chosen.items():
        with replacing(out / split / "questions.jsonl") as part, open(part, "wb", buffering=BUFFER_BYTES) as file:
            file.writelines(lines.runs(indices))
    return sum(map(len, chosen.values()))


def state_of(path: Path) -> State:
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def refuse_changed(path: Path, was: State) -> None:
    """Raise ValueError if a file has changed."""
    if state_of(path) != was:
        raise ValueError(f"{path}: it changed while it was read; run the stage again when nothing writes to it")


def _piece(file: int, start: int, end: int) -> bytes:
    piece = os.pread(file, end - start, start)
    return piece if piece.endswith(b"\n") or not piece else piece + b"\n"
