"""What a task is: what it asks of the records of a split, and in which wordings.

Its figures stand in `eval.score.metrics.FIGURES`: asking must not depend on how scores are counted, or mending a figure would ask anew.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.tasks.request import Request


def read_split(folder: Path) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claim pairs of one split."""
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))


Ask = Callable[[Iterable[Question], Iterable[ClaimPair], str], list[Request]]
"""Questions and claim pairs of a split and the name of a wording in, requests sorted by item id out."""


class Task(Struct, frozen=True, kw_only=True):
    """One task; a new one is one file in `eval/tasks`, one entry in `eval.tasks.TASKS` and one in `eval.score.metrics.FIGURES`."""

    about: str
    """One line for people."""
    prompts: tuple[str, ...]
    """Names of its wordings, the default first."""
    requests: Ask
    published: tuple[str, ...] = ()
    """Rule sets in `eval.answers.published` whose figures stand beside ours."""
