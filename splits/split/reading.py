"""Questions and clusters as files in; what the draw must know of each, and the line it came as, out.

A file is read in pieces, by several processes where it is large: what is hashed of a million questions takes one of them ten seconds.
"""

import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from io import SEEK_END, BytesIO
from itertools import pairwise, repeat
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from tqdm import tqdm

from atomexam.records.cluster import Cluster
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from splits.ledger.kept_together import Cell, Row
from splits.ledger.rows import Fields, cell_of, row_of
from splits.split.lines import Lines, State, refuse_changed, state_of

_PIECE_BYTES = 1 << 22  # some five thousand questions
_NO_QUESTION = (msgspec.DecodeError, UnicodeDecodeError)


class Questions(NamedTuple):
    """Rows and lines side by side."""

    rows: list[Row]
    lines: Lines

    def texts(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield id and canonical text (case, stem, options) of some questions."""
        for question in self.whole(set(ids)):
            parts = (question.shared_stem or "", question.stem, *sorted(option.text for option in question.options))
            yield question.id, canonical("".join(parts))

    def whole(self, wanted: Collection[str] | None = None) -> Iterator[Question]:
        """Yield the questions of some ids, or all, with all that they say."""
        places = range(len(self.rows)) if wanted is None else [at for at, row in enumerate(self.rows) if row.id in wanted]
        decoder = msgspec.json.Decoder(Question)
        for at, line in zip(places, self.lines.each(places), strict=True):
            try:
                yield decoder.decode(line)
            except _NO_QUESTION as error:
                raise ValueError(f"{self.lines.path}:{at + 1}: {_told(error)}") from None


class Piece(Struct, array_like=True, gc=False):
    """What the draw must know of some questions, in columns: as such it goes from one process to another in little time."""

    ids: list[str]
    kinds: list[tuple[Cell, str]]
    """Cells and answers: few, of which `kind` tells each question's."""
    kind: list[int]
    group_ids: list[str | None]
    cluster_ids: list[str | None]
    stem_ids: list[str | None]
    asked_ids: list[str | None]
    ends: bytes
    """Where each line ends in the file, 64 bits each."""

    def rows(self, others: Mapping[str, tuple[str, ...]]) -> Iterator[Row]:
        kinds = [(cell_of(*cell), sys.intern(answer)) for cell, answer in self.kinds]
        cells, answers = zip(*map(kinds.__getitem__, self.kind), strict=True)
        also = [others.get(key, ()) for key in self.ids] if others else repeat(())
        return map(Row, self.ids, cells, answers, self.group_ids, self.cluster_ids, self.stem_ids, self.asked_ids, also)


class Pieces(NamedTuple):
    """A file that is being read."""

    was: State
    coming: Iterator[bytes]


def read_pieces(path: Path, workers: Executor) -> Pieces:
    """Have a file of questions read, and return what `read_questions` takes; other work can be done before it is taken.

    Raises:
        FileNotFoundError: there is no such file.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file; `dvc repro` builds it")
    was = state_of(path)
    return Pieces(was, workers.map(partial(_read_piece, path), _cut(path)))


def read_questions(path: Path, pieces: Pieces, clusters: Path) -> Questions:
    """Return what the draw needs of each question, and each question as the line it came as.

    Args:
        pieces: what `read_pieces` returned for that file.
        clusters: names the other ids of near-duplicates; questions stand alone where there is no such file.

    Raises:
        ValueError: a line does not fit, or a question has no answer; the message names file, line and field, or where it was seen.
            Or the file was changed meanwhile.
    """
    others: dict[str, tuple[str, ...]] = {}
    if clusters.exists():
        for cluster in read_jsonl(clusters, Cluster):
            if cluster.kept is not None:
                others[cluster.kept] = tuple(sorted(member for member in cluster.members if member != cluster.kept))
    rows: list[Row] = []
    ends = array("Q")
    try:
        with tqdm(desc="split", unit=" questions", disable=None) as bar:
            for piece in map(msgspec.msgpack.Decoder(Piece).decode, pieces.coming):
                rows += piece.rows(others)
                ends.frombytes(piece.ends)
                bar.update(len(piece.ids))
    except _Unfit as error:
        at, told = error.args
        refuse_changed(path, pieces.was)
        with open(path, "rb") as file:
            number = file.read(at).count(b"\n") + 1
        raise ValueError(f"{path}:{number}: {told}") from None
    refuse_changed(path, pieces.was)
    return Questions(rows, Lines(path, ends, pieces.was))


class _Unfit(Exception):
    """Where in the file the line begins that does not fit, and what is wrong with it."""


def _cut(path: Path) -> list[tuple[int, int]]:
    """Return where pieces of a file begin and end, each of whole lines."""
    ends = [0]
    with open(path, "rb") as file:
        size = file.seek(0, SEEK_END)
        while ends[-1] < size:
            file.seek(ends[-1] + _PIECE_BYTES)
            file.readline()
            ends.append(min(file.tell(), size))
    return [*pairwise(ends)]


def _read_piece(path: Path, piece: tuple[int, int]) -> bytes:
    start, end = piece
    with open(path, "rb") as file:
        file.seek(start)
        lines = BytesIO(file.read(end - start))
    decode = msgspec.json.Decoder(Fields).decode
    rows: list[Row] = []
    ends = array("Q")
    for line in lines:
        try:
            question = decode(line)
            told = None if question.answer else _unanswered(line)
            rows.append(row_of(question))
        except _NO_QUESTION as error:
            told = _told(error)
        if told:
            raise _Unfit(start, told)
        ends.append(start := start + len(line))
    return msgspec.msgpack.encode(_piece(rows, ends))


def _piece(rows: Sequence[Row], ends: array) -> Piece:
    kinds: dict[tuple[Cell, str], int] = {}
    kind = [kinds.setdefault((row.cell, row.answer), len(kinds)) for row in rows]
    names = ("id", "group_id", "cluster_id", "stem_id", "asked_id")
    ids, groups, clusters, stems, asked = ([getattr(row, name) for row in rows] for name in names)
    return Piece(ids, [*kinds], kind, groups, clusters, stems, asked, ends.tobytes())


def _told(error: Exception) -> str:
    return f"{error}; expected Question; `dvc repro` builds it"


def _unanswered(line: bytes) -> str:
    question = msgspec.json.decode(line, type=Question)
    seen = question.provenance[0].url if question.provenance else "seen nowhere"
    return f"question {question.id} ({seen}) has no answer; clean rejects those as answer_missing: run `dvc repro clean`"
