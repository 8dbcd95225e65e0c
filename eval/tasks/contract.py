"""What a task is: what it asks of the records of a split, and in which wordings.

What figures it gives stands in `eval.metrics.FIGURES`: asking must not hang on how scores are counted, or mending a figure would ask anew.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from eval.tasks.request import Request

Ask = Callable[[Iterable[Question], Iterable[ClaimPair], str], list[Request]]
"""Questions and claim pairs of a split and the name of a wording in, requests sorted by item id out."""


class Task(Struct, frozen=True, kw_only=True):
    """One task; a new one is one file in `eval/tasks`, one entry in `eval.tasks.TASKS` and one in `eval.metrics.FIGURES`."""

    about: str
    """One line for people."""
    prompts: tuple[str, ...]
    """Names of its wordings, the default first."""
    requests: Ask
    published: tuple[str, ...] = ()
    """Rule sets in `eval.rules` whose figures stand beside ours."""
