"""The interface of a task: requests from the records of a split, in several wordings.

Its metrics are in `eval.score.metrics.FIGURES`: requests must not depend on how scores are counted, or a fix there would repeat them.
"""

import hashlib
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question
from atomexam.runtime.jsonl import jsonl_with_offsets, read_jsonl, read_optional
from eval.tasks.request import Request, duplicate_message

R = TypeVar("R", Question, ClaimPair | Fourfold)
_CHUNK = 512
"""Records converted to requests at a time."""


Ask = Callable[[Iterable[Question], Iterable[ClaimPair | Fourfold], str], list[Request]]
"""Questions, and claim pairs or fourfold rows, of a split and the name of a wording in, requests sorted by item id out."""


class Task(Struct, frozen=True, kw_only=True):
    """One task; a new one is one file in `eval/tasks`, one entry in `eval.tasks.TASKS` and one in `eval.score.metrics.FIGURES`."""

    about: str
    """One line of description."""
    prompts: tuple[str, ...]
    """Names of its wordings, the default first."""
    requests: Ask
    of: Literal["questions", "claims", "fourfold"] = "questions"
    """The records of a split that it uses; the others are not read."""
    case_of: Callable[[Question], Hashable] | None = None
    """Function from a question to the key of its conversation, None for a question in none; without a function there are no
    conversations."""
    published: tuple[str, ...] = ()
    """Rule sets in `eval.answers.published` whose metrics are reported next to the project's own."""


def read_split(folder: Path) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claim pairs of one split."""
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))


def read_claims(task: Task, folder: Path) -> Iterator[ClaimPair | Fourfold]:
    """Return the claim pairs or fourfold rows of a split that a task asks."""
    if task.of == "fourfold":
        return read_optional(folder / "fourfold.jsonl", Fourfold)
    return read_jsonl(folder / "claims.jsonl", ClaimPair)


def read_requests(task: Task, folder: Path, prompt: str) -> Iterator[list[Request]]:
    """Yield the requests of one split in chunks; questions of one conversation are in one list.

    Raises:
        ValueError: two adjacent lines have the same id.
    """
    if task.case_of:
        for questions in _whole_cases(folder / "questions.jsonl", task.case_of):
            yield task.requests(questions, [], prompt)
    else:
        yield from _in_file_order(task, folder, prompt)


def read_items(task: Task, folder: Path, prompt: str) -> Iterator[Request]:
    """Yield the requests of one split sorted by item id, in the order of its lines; in a conversation each covers its own item alone.

    They are for parsing and scoring replies; `read_requests` has those to send.

    Raises:
        ValueError: an item is listed twice, or the lines are not sorted.
    """
    last = ""
    for requests in _in_file_order(task, folder, prompt):
        for request in requests:
            if request.item_id == last:
                raise ValueError(duplicate_message(last))
            if request.item_id < last:
                raise ValueError(f"{request.item_id} comes after {last}; the split is not sorted: rebuild it with `dvc repro -f split`")
            last = request.item_id
            yield request


def _in_file_order(task: Task, folder: Path, prompt: str) -> Iterator[list[Request]]:
    if task.of == "questions":
        for questions in _chunks(read_jsonl(folder / "questions.jsonl", Question)):
            yield task.requests(questions, [], prompt)
    else:
        claims: Iterator[ClaimPair | Fourfold] = read_claims(task, folder)
        for some in _chunks(claims):
            yield task.requests([], some, prompt)


def _chunks(records: Iterator[R]) -> Iterator[list[R]]:
    last = None
    while chunk := list(islice(records, _CHUNK)):
        for record in chunk:
            if record.id == last:  # a split is sorted by id, so duplicates are adjacent
                raise ValueError(duplicate_message(record.id))
            last = record.id
        yield chunk


def _whole_cases(path: Path, case_of: Callable[[Question], Hashable]) -> Iterator[list[Question]]:
    """Yield the questions of a file outside cases, then those of cases: for these only hashes and offsets are in memory, 16 bytes each."""
    cases, offsets = array("Q"), array("Q")

    def alone() -> Iterator[Question]:
        for offset, _, question in jsonl_with_offsets(path, Question):
            if (case := case_of(question)) is None:
                yield question
            else:
                cases.append(int.from_bytes(hashlib.sha256(repr(case).encode()).digest()[:8], "big"))
                offsets.append(offset)

    yield from _chunks(alone())
    decoder = msgspec.json.Decoder(Question)
    chunk: list[Question] = []
    with open(path, "rb") as lines:
        for _, members in groupby(sorted(range(len(cases)), key=cases.__getitem__), cases.__getitem__):
            for member in members:
                lines.seek(offsets[member])
                chunk.append(decoder.decode(lines.readline()))
            if len(chunk) >= _CHUNK:
                yield chunk
                chunk = []
    if chunk:
        yield chunk
