"""A file of questions -> the sightings of each id, in the order of `merging.sightings_by_id`, on disk; only offsets are in memory."""

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
from curation.near_duplicates.merging import BATCH, Sightings, SoundnessRank, ranked_groups, sightings_by_id
from curation.near_duplicates.pair_rules import ComparedQuestion

_FEW_BYTES = 32 << 20
"""A smaller file is read into memory."""
_READ_BYTES = 1 << 20
_RANK = Struct(">??III")
_BIAS = 1 << 31

Span = tuple[int, int]
"""Start and length in bytes of a line."""


class _StoredSighting(NamedTuple):
    """Sightings as they are stored on disk."""

    id: str
    spans: list[Span]
    compared: ComparedQuestion
    conflict: bool
    missing: tuple[bool, bool]
    group_id: str | None


class _Unsorted(Exception):
    """Rows of one id are not adjacent."""


def sightings_of_file(
    path: Path, ngram_chars: int, folder: Path, engine: Engine = LOCAL, few_bytes: int = _FEW_BYTES
) -> Sequence[Sightings]:
    """Return the result of `merging.sightings_by_id` for a file of questions; what does not fit into memory is in unnamed files."""
    if path.exists() and path.stat().st_size > few_bytes:
        try:
            return StoredSightings(path, ngram_chars, folder, engine)
        except _Unsorted:
            pass  # a handwritten file: the rows of each id are collected in memory
    return sightings_by_id(read_jsonl(path, Question), ngram_chars, engine)


class StoredSightings(Sequence[Sightings]):
    """Sightings read from disk on access, and their rows from the file of questions."""

    def __init__(self, path: Path, ngram_chars: int, folder: Path, engine: Engine) -> None:
        in_order = ExternalSort(folder)
        for batch, ranked in _ranked(path, ngram_chars, engine):
            for (key, rows), one in zip(batch, ranked, strict=True):
                spans = [rows[index][0] for index in one.order]
                stored = _StoredSighting(key, spans, one.compared, one.conflict, one.rank.missing, one.group_id)
                in_order.add(_key(one.rank, key), msgspec.msgpack.encode(stored))
        self._questions = open(path, "rb")  # noqa: SIM115 - open as long as rows are read
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._starts = array("Q", [0])
        for line in in_order.lines():
            self._file.write(line)
            self._starts.append(self._starts[-1] + len(line))
        self._file.flush()
        self._decode = msgspec.msgpack.Decoder(_StoredSighting).decode

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> Sightings: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Sightings]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        start, end = self._starts[index], self._starts[index + 1]
        return self._sightings(os.pread(self._file.fileno(), end - start, start))

    def __iter__(self) -> Iterator[Sightings]:
        first = 0
        while first < len(self):
            last, start = first, self._starts[first]
            while last < len(self) and (last == first or self._starts[last + 1] - start <= _READ_BYTES):
                last += 1
            buffer = os.pread(self._file.fileno(), self._starts[last] - start, start)
            for index in range(first, last):
                yield self._sightings(buffer[self._starts[index] - start : self._starts[index + 1] - start])
            first = last

    def _sightings(self, buffer: bytes) -> Sightings:
        one = self._decode(buffer)
        return Sightings(one.id, _StoredRows(self._questions.fileno(), one.spans), one.compared, one.conflict, one.missing, one.group_id)


class _StoredRows(Sequence[Question]):
    """Rows read on access."""

    def __init__(self, file: int, spans: Sequence[Span]) -> None:
        self._file, self._spans = file, spans

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        start, length = self._spans[index]
        return _decoder.decode(os.pread(self._file, length, start))


_decoder = msgspec.json.Decoder(Question)
_LocatedRow = tuple[Span, Question]


def _ranked(path: Path, ngram_chars: int, engine: Engine) -> Iterator[tuple[list[tuple[str, list[_LocatedRow]]], list[Any]]]:
    """Yield batches of ids with their rows, and the results of `ranked_groups`."""
    waiting: list[list[tuple[str, list[_LocatedRow]]]] = []

    def batches() -> Iterator[list[list[Question]]]:
        for batch in batched(_by_id(path), BATCH):
            waiting.append(list(batch))
            yield [[row for _, row in rows] for _, rows in batch]

    for ranked in engine.mapped(ranked_groups, batches(), ngram_chars):
        yield waiting.pop(0), ranked


def _by_id(path: Path) -> Iterator[tuple[str, list[_LocatedRow]]]:
    """Yield ids, in order, with their rows."""
    before = ""
    located = (((offset, length), row) for offset, length, row in jsonl_with_offsets(path, Question))
    for key, rows in groupby(located, lambda one: one[1].id):
        if key <= before:
            raise _Unsorted
        before = key
        yield key, list(rows)


def _key(rank: SoundnessRank, key: str) -> bytes:
    return _RANK.pack(*rank.missing, rank.rarity + _BIAS, rank.blemishes, rank.poverty + _BIAS) + key.encode("utf-8", "surrogatepass")
