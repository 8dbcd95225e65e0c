"""Questions and clusters as files in; what the draw must know of each, and the line it came as, out."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from tqdm import tqdm

from records.cluster import Cluster
from records.identity import canonical, canonical_all, content_id
from records.jsonl import read_jsonl
from records.question import Category, Form, Option, Question, QuestionType
from splits.units import Cell, Row

_TELLING_STEM_CHARS = 20  # letters; a stem as long asks for something
_ASKS_NOTHING = re.compile("下列|以下|上述|关于|有关|哪|说法|叙述|描述|表述|选项|正确|错误|不|属于|包括|除外|是|的|有|中|项|个|最")
_LETTERS = frozenset(_ASKS_NOTHING.pattern) - {"|"}  # nearly all stems have enough others: that is told at once
_TELLING_LETTERS = 4  # beside those words: 遗忘的进程是 asks for something, what 下列说法正确的是 asks for only the options tell
BUFFER_BYTES = 1 << 20  # a call to the system for each 8 kB costs a second a million questions


class Text(Struct, frozen=True, gc=False):
    """What is looked at of an option."""

    text: str


class Asked(Struct, frozen=True, kw_only=True, gc=False):
    """The fields of a question that the draw looks at; `validate` has looked at all."""

    id: str
    exam: str
    subject: str
    question_type: QuestionType
    form: Form | None = None
    category: Category = "kg"
    group_id: str | None = None
    shared_stem: str | None = None
    stem: str
    options: msgspec.Raw = msgspec.Raw(b"[]")
    """Read where they tell questions apart, a third of all; reading them all costs two seconds a million."""
    answer: str | None = None
    cluster_id: str | None = None


class Lines(Sequence[bytes]):
    """Lines of a file, each copied out of it when it is asked for: a million take no more room than their ends."""

    def __init__(self, path: Path, ends: array) -> None:
        """Args:
        ends: where each line ends, from the file's beginning.
        """
        self._ends = ends
        with open(path, "rb") as file:
            self._file = mmap(file.fileno(), 0, access=ACCESS_READ) if ends else b""

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


class Questions(NamedTuple):
    """Rows and lines side by side."""

    rows: list[Row]
    lines: Lines

    def texts(self, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield id and canonical text (case, stem, options) of some questions."""
        wanted = set(ids)
        decoder = msgspec.json.Decoder(Question)
        for at, row in enumerate(self.rows):
            if row.id in wanted:
                question = decoder.decode(self.lines[at])
                parts = (question.shared_stem or "", question.stem, *sorted(option.text for option in question.options))
                yield row.id, canonical("".join(parts))


def read_questions(path: Path, clusters: Path | None = None) -> Questions:
    """Return what the draw needs of each question, and each question as the line it came as.

    Args:
        clusters: names the other ids of near-duplicates; questions stand alone where there is no such file.

    Raises:
        ValueError: a line does not fit, or a question has no answer; the message names file, line and field, or where it was seen.
    """
    others: dict[str, tuple[str, ...]] = {}
    if clusters is not None and clusters.exists():
        for cluster in read_jsonl(clusters, Cluster):
            if cluster.kept is not None:
                others[cluster.kept] = tuple(sorted(member for member in cluster.members if member != cluster.kept))
    rows: list[Row] = []
    ends, end = array("Q"), 0
    decode = msgspec.json.Decoder(Asked).decode
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file; `dvc repro` builds it")
    with open(path, "rb", buffering=BUFFER_BYTES) as file:
        for number, line in enumerate(tqdm(file, desc="split", unit=" questions", disable=None), 1):
            try:
                asked = decode(line)
                row = row_of(asked, others.get(asked.id, ())) if asked.answer else None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise ValueError(f"{path}:{number}: {error}; expected Question; `dvc repro` builds it") from None
            if row is None:
                raise ValueError(_unanswered(line, f"{path}:{number}"))
            rows.append(row)
            ends.append(end := end + len(line))
    return Questions(rows, Lines(path, ends))


def row_of(question: Asked | Question, also: tuple[str, ...] = ()) -> Row:
    """Return what the draw must know of a question, which has an answer.

    Args:
        also: other ids of its near-duplicate cluster.
    """
    cell = _cell(question.category, question.exam, question.question_type, question.subject, question.form or "")
    asked = canonical((question.shared_stem or "") + question.stem)
    is_long = len(asked) >= _TELLING_STEM_CHARS
    stem_id = content_id("stem", asked) if is_long or _asks_something(asked) else None
    asked_id = None
    if (question.shared_stem or not is_long) and (options := _options(question)):
        parts = [canonical(question.stem), *sorted(canonical_all([option.text for option in options]))]
        asked_id = content_id("asked", *parts) if sum(map(len, parts)) >= _TELLING_STEM_CHARS else None
    return Row(question.id, cell, question.answer or "", question.group_id, question.cluster_id, stem_id, asked_id, also)


def _asks_something(stem: str) -> bool:
    others = [letter for letter in stem if letter not in _LETTERS]
    return len(others) >= _TELLING_LETTERS or len(_ASKS_NOTHING.sub("", stem)) >= _TELLING_LETTERS


_decode_options = msgspec.json.Decoder(list[Text]).decode


def _options(question: Asked | Question) -> Sequence[Text | Option]:
    return _decode_options(question.options) if isinstance(question, Asked) else question.options


# A pool has few cells and many questions: one cell for all of a kind takes less room, and is compared at once.
_cell = cache(Cell)


def _unanswered(line: bytes, where: str) -> str:
    question = msgspec.json.decode(line, type=Question)
    seen = question.provenance[0].url if question.provenance else "seen nowhere"
    return f"{where}: question {question.id} ({seen}) has no answer; clean rejects those as answer_missing: run `dvc repro clean`"
