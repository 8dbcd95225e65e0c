"""A file of questions -> the sightings of each id, in the order of `merging.sighted`, held on disk: in memory is where each one lies."""

import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, overload

import msgspec

from atomexam.records.question import Question
from atomexam.runtime.external_sort import ExternalSort
from atomexam.runtime.jsonl import jsonl_with_offsets, read_jsonl
from curation.engine.engines import LOCAL, Engine, batched
from curation.near_duplicates.merging import BATCH, Rank, Sightings, ranked_groups, sighted
from curation.near_duplicates.pair_rules import ComparedQuestion

_FEW_BYTES = 32 << 20
"""A file of fewer is held in memory."""
_READ_BYTES = 1 << 20
_RANK = Struct(">??III")
_BIAS = 1 << 31

Span = tuple[int, int]
"""Where a line begins, and how many bytes it has."""


class _Stored(NamedTuple):
    """Sightings as they lie on disk."""

    id: str
    spans: list[Span]
    compared: ComparedQuestion
    conflict: bool
    missing: tuple[bool, bool]
    group_id: str | None


class _Unsorted(Exception):
    """Rows of one id do not stand together."""


def sighted_in(path: Path, ngram_chars: int, folder: Path, engine: Engine = LOCAL, few_bytes: int = _FEW_BYTES) -> Sequence[Sightings]:
    """Return what `merging.sighted` does of the questions of a file; what does not fit into memory lies in nameless files in a folder."""
    if path.exists() and path.stat().st_size > few_bytes:
        try:
            return StoredSightings(path, ngram_chars, folder, engine)
        except _Unsorted:
            pass  # written by hand: the rows of one id are gathered in memory
    return sighted(read_jsonl(path, Question), ngram_chars, engine)


class StoredSightings(Sequence[Sightings]):
    """Sightings that are read from disk when they are asked for, and their rows from the file of questions."""

    def __init__(self, path: Path, ngram_chars: int, folder: Path, engine: Engine) -> None:
        in_order = ExternalSort(folder)
        for batch, ranked in _ranked(path, ngram_chars, engine):
            for (key, rows), one in zip(batch, ranked, strict=True):
                spans = [rows[place][0] for place in one.places]
                stored = _Stored(key, spans, one.compared, one.conflict, one.rank.missing, one.group_id)
                in_order.add(_key(one.rank, key), msgspec.msgpack.encode(stored))
        self._questions = open(path, "rb")  # noqa: SIM115 - open as long as rows are asked for
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._starts = array("Q", [0])
        for line in in_order.lines():
            self._file.write(line)
            self._starts.append(self._starts[-1] + len(line))
        self._file.flush()
        self._decode = msgspec.msgpack.Decoder(_Stored).decode

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, place: int) -> Sightings: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Sightings]: ...

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        start, end = self._starts[place], self._starts[place + 1]
        return self._sightings(os.pread(self._file.fileno(), end - start, start))

    def __iter__(self) -> Iterator[Sightings]:
        first = 0
        while first < len(self):
            last, start = first, self._starts[first]
            while last < len(self) and (last == first or self._starts[last + 1] - start <= _READ_BYTES):
                last += 1
            held = os.pread(self._file.fileno(), self._starts[last] - start, start)
            for place in range(first, last):
                yield self._sightings(held[self._starts[place] - start : self._starts[place + 1] - start])
            first = last

    def _sightings(self, held: bytes) -> Sightings:
        one = self._decode(held)
        return Sightings(one.id, _Rows(self._questions.fileno(), one.spans), one.compared, one.conflict, one.missing, one.group_id)


class _Rows(Sequence[Question]):
    """Rows that are read when they are asked for."""

    def __init__(self, file: int, spans: Sequence[Span]) -> None:
        self._file, self._spans = file, spans

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        start, length = self._spans[place]
        return _decoder.decode(os.pread(self._file, length, start))


_decoder = msgspec.json.Decoder(Question)
_Placed = tuple[Span, Question]


def _ranked(path: Path, ngram_chars: int, engine: Engine) -> Iterator[tuple[list[tuple[str, list[_Placed]]], list[Any]]]:
    """Yield batches of ids with their rows, and what `ranked_groups` makes of them."""
    waiting: list[list[tuple[str, list[_Placed]]]] = []

    def batches() -> Iterator[list[list[Question]]]:
        for batch in batched(_by_id(path), BATCH):
            waiting.append(list(batch))
            yield [[row for _, row in rows] for _, rows in batch]

    for ranked in engine.mapped(ranked_groups, batches(), ngram_chars):
        yield waiting.pop(0), ranked


def _by_id(path: Path) -> Iterator[tuple[str, list[_Placed]]]:
    """Yield ids, in order, with their rows."""
    before = ""
    placed = (((place, length), row) for place, length, row in jsonl_with_offsets(path, Question))
    for key, rows in groupby(placed, lambda one: one[1].id):
        if key <= before:
            raise _Unsorted
        before = key
        yield key, list(rows)


def _key(rank: Rank, key: str) -> bytes:
    return _RANK.pack(*rank.missing, rank.rarity + _BIAS, rank.blemishes, rank.poverty + _BIAS) + key.encode("utf-8", "surrogatepass")
