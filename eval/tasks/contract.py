"""The interface of a task: build requests from the records of a split, in several wordings.

Metrics are in `eval.score.metrics.FIGURES`: if requests depended on scoring code, a fix to it would rerun the models.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl, read_optional
from eval.tasks.orders import shift_of, shifted
from eval.tasks.prompt import read_prompt
from eval.tasks.request import Request, by_item_id

_PROMPTS = Path(__file__).parent / "prompts"
RequestMaker = Callable[[Iterable[Question], Iterable[ClaimPair | Fourfold], str], list[Request]]
"""Function of a split's questions, its claim pairs or fourfold rows, and the name of a wording; returns requests sorted by item id."""


class Task(Struct, frozen=True, kw_only=True):
    """One task. To add a task, write a file in `eval/tasks` and add an entry in `eval.tasks.runs.TASKS` and one in
    `eval.score.metrics.FIGURES`."""

    about: str
    """One-line description."""
    prompts: tuple[str, ...]
    """Names of the task's wordings, the default first."""
    requests: RequestMaker
    reversed_requests: RequestMaker | None = None
    """Returns the same requests with the parts of each group in reverse order; None if the task has no groups."""
    of: Literal["questions", "claims", "fourfold"] = "questions"
    """The records of a split that the task uses; other records are not read."""
    published: tuple[str, ...] = ()
    """Rule sets in `eval.answers.published` whose metrics are reported next to the project's own metrics."""


def task_prompt(name: str) -> str:
    """Return the prompt with this name.

    Raises:
        ValueError: the prompt does not exist.
    """
    return read_prompt(_PROMPTS / f"{name}.txt")


def prompt_files(wording: str) -> list[Path]:
    """Return the files of a wording; some wordings have one file for each form of question."""
    return sorted(_PROMPTS.glob(f"{wording}*.txt"))


def read_split(folder: Path) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claim pairs of one split."""
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))


def read_claims(task: Task, folder: Path) -> Iterator[ClaimPair | Fourfold]:
    """Yield the claim pairs or fourfold rows of a split, whichever the task uses."""
    if task.of == "fourfold":
        return read_optional(folder / "fourfold.jsonl", Fourfold)
    return read_jsonl(folder / "claims.jsonl", ClaimPair)


def read_requests(task: Task, folder: Path, prompt: str, order: int = 0) -> list[Request]:
    """Return the requests of one split, sorted by item id.

    Args:
        order: 0 leaves the options as in the split, N shifts them by N positions; an odd order also reverses the parts of groups.

    Raises:
        ValueError: an item occurs twice.
    """
    of_questions = task.of == "questions"
    questions: Iterable[Question] = read_jsonl(folder / "questions.jsonl", Question) if of_questions else ()
    make = task.reversed_requests if order % 2 and task.reversed_requests else task.requests
    if order:
        questions = (shifted(question, order) for question in questions)
    requests = make(questions, () if of_questions else read_claims(task, folder), prompt)
    by_item_id(requests)
    return [structs.replace(one, shift=shift_of(one.options, order)) for one in requests] if order else requests
