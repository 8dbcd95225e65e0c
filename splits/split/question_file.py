"""Files of questions and clusters -> the summary of each question, and access to its line.

A large file is read in chunks by several processes: hashing the texts of a million questions takes one process ten seconds.
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
from splits.ledger.summaries import Fields, stratum_of, summary_of
from splits.ledger.units import QuestionSummary, Stratum
from splits.split.lines import Lines, State, refuse_changed, state_of

_PIECE_BYTES = 1 << 22  # some five thousand questions
_NO_QUESTION = (msgspec.DecodeError, UnicodeDecodeError)


class Questions(NamedTuple):
    """Summaries and lines of the same questions, in the same order."""

    summaries: list[QuestionSummary]
    lines: Lines

    def texts(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield id and canonical text (case, stem, options) of some questions."""
        for question in self.records(set(ids)):
            parts = (question.shared_stem or "", question.stem, *sorted(option.text for option in question.options))
            yield question.id, canonical("".join(parts))

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Question]:
        """Yield the full records with some ids, or all."""
        indices = (
            range(len(self.summaries))
            if wanted is None
            else [index for index, summary in enumerate(self.summaries) if summary.id in wanted]
        )
        decoder = msgspec.json.Decoder(Question)
        for index, line in zip(indices, self.lines.each(indices), strict=True):
            try:
                yield decoder.decode(line)
            except _NO_QUESTION as error:
                raise ValueError(f"{self.lines.path}:{index + 1}: {_decode_message(error)}") from None


class Piece(Struct, array_like=True, gc=False):
    """Summaries of one chunk in columns, which are fast to send between processes."""

    ids: list[str]
    kinds: list[tuple[Stratum, str]]
    """Distinct pairs of stratum and answer; `kind` has the index of each question's."""
    kind: list[int]
    group_ids: list[str | None]
    cluster_ids: list[str | None]
    stem_ids: list[str | None]
    stem_options_ids: list[str | None]
    ends: bytes
    """End offset of each line in the file, 64 bits each."""

    def summaries(self, others: Mapping[str, tuple[str, ...]]) -> Iterator[QuestionSummary]:
        kinds = [(stratum_of(*stratum), sys.intern(answer)) for stratum, answer in self.kinds]
        strata, answers = zip(*map(kinds.__getitem__, self.kind), strict=True)
        also = [others.get(key, ()) for key in self.ids] if others else repeat(())
        return map(QuestionSummary, self.ids, strata, answers, self.group_ids, self.cluster_ids, self.stem_ids, self.stem_options_ids, also)


class Pieces(NamedTuple):
    """A file that is being read."""

    was: State
    coming: Iterator[bytes]


def read_pieces(path: Path, workers: Executor) -> Pieces:
    """Start reading a file of questions in workers; pass the result to `read_questions`, after other work.

    Raises:
        FileNotFoundError: there is no such file.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file; `dvc repro` builds it")
    was = state_of(path)
    return Pieces(was, workers.map(partial(_read_piece, path), _cut(path)))


def read_questions(path: Path, pieces: Pieces, clusters: Path) -> Questions:
    """Return the summary of each question, with access to its line.

    Args:
        pieces: the result of `read_pieces` for that file.
        clusters: gives the other ids of near-duplicates; without such a file there are none.

    Raises:
        ValueError: a line is invalid, or a question has no answer; the message names file, line and field, or the source.
            Or the file changed in the meantime.
    """
    others: dict[str, tuple[str, ...]] = {}
    if clusters.exists():
        for cluster in read_jsonl(clusters, Cluster):
            if cluster.kept is not None:
                others[cluster.kept] = tuple(sorted(member for member in cluster.members if member != cluster.kept))
    summaries: list[QuestionSummary] = []
    ends = array("Q")
    try:
        with tqdm(desc="split", unit=" questions", disable=None) as bar:
            for piece in map(msgspec.msgpack.Decoder(Piece).decode, pieces.coming):
                summaries += piece.summaries(others)
                ends.frombytes(piece.ends)
                bar.update(len(piece.ids))
    except _Unfit as error:
        offset, message = error.args
        refuse_changed(path, pieces.was)
        with open(path, "rb") as file:
            number = file.read(offset).count(b"\n") + 1
        raise ValueError(f"{path}:{number}: {message}") from None
    refuse_changed(path, pieces.was)
    return Questions(summaries, Lines(path, ends, pieces.was))


class _Unfit(Exception):
    """An invalid line: its offset in the file, and the message."""


def _cut(path: Path) -> list[tuple[int, int]]:
    """Return start and end of each chunk of a file, in complete lines."""
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
    summaries: list[QuestionSummary] = []
    ends = array("Q")
    for line in lines:
        try:
            question = decode(line)
            message = None if question.answer else _unanswered(line)
            summaries.append(summary_of(question))
        except _NO_QUESTION as error:
            message = _decode_message(error)
        if message:
            raise _Unfit(start, message)
        ends.append(start := start + len(line))
    return msgspec.msgpack.encode(_piece(summaries, ends))


def _piece(summaries: Sequence[QuestionSummary], ends: array) -> Piece:
    kinds: dict[tuple[Stratum, str], int] = {}
    kind = [kinds.setdefault((summary.stratum, summary.answer), len(kinds)) for summary in summaries]
    names = ("id", "group_id", "cluster_id", "stem_id", "stem_options_id")
    ids, groups, clusters, stems, stem_options = ([getattr(summary, name) for summary in summaries] for name in names)
    return Piece(ids, [*kinds], kind, groups, clusters, stems, stem_options, ends.tobytes())


def _decode_message(error: Exception) -> str:
    return f"{error}; expected Question; `dvc repro` builds it"


def _unanswered(line: bytes) -> str:
    question = msgspec.json.decode(line, type=Question)
    source_url = question.provenance[0].url if question.provenance else "without a source"
    return f"question {question.id} ({source_url}) has no answer; clean rejects those as answer_missing: run `dvc repro clean`"
