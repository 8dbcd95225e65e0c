"""What a task is: what it asks of the records of a split, in which wordings, and the figures it gives."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from eval.tasks.request import Request
from records.claim import ClaimPair
from records.prediction import Score
from records.question import Question

Ask = Callable[[Iterable[Question], Iterable[ClaimPair], str], list[Request]]
"""Questions and claim pairs of a split and the name of a wording in, requests sorted by item id out."""


class Task(Struct, frozen=True, kw_only=True):
    """One task; a new one is one file in `eval/tasks` and one entry in `eval.tasks.TASKS`."""

    about: str
    """One line for people."""
    prompts: tuple[str, ...]
    """Names of its wordings, the default first."""
    requests: Ask
    figures: Callable[[Sequence[Score], Sequence[Request]], dict]
    """Scores of all repeats and the requests that were asked in, a run's figures out (`eval.metrics`)."""
    published: tuple[str, ...] = ()
    """Rule sets in `eval.rules` whose figures stand beside ours."""
