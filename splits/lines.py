"""Lines of a file that stay in it until they are asked for."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any


class Lines(Sequence[bytes]):
    """Lines of a file, each copied out of it when it is asked for: a million take no more room than their ends."""

    def __init__(self, path: Path, ends: array) -> None:
        """Args:
        ends: where each line ends, from the file's beginning.
        """
        self._path, self._ends = path, ends
        with open(path, "rb") as file:
            self._file = mmap(file.fileno(), 0, access=ACCESS_READ) if ends else b""

    def __reduce__(self) -> Any:
        return Lines, (self._path, self._ends)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: Any) -> Any:
        return b"".join(self.runs([at]))

    def runs(self, places: Iterable[int]) -> Iterator[bytes]:
        """Yield some lines in a given order, those that follow each other in the file in one piece."""
        start = end = 0
        for at in places:
            if (first := self._ends[at - 1] if at else 0) != end:
                yield self._piece(start, end)
                start = first
            end = self._ends[at]
        yield self._piece(start, end)

    def _piece(self, start: int, end: int) -> bytes:
        piece = self._file[start:end]
        return piece if piece.endswith(b"\n") or not piece else piece + b"\n"
