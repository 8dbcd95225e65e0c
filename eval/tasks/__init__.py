"""The tasks by name, and what a run asks."""

from pathlib import Path

from atomexam.records.checks import one_of
from atomexam.records.run import Run
from eval.tasks import choice, claim, essay, tcm
from eval.tasks.contract import Task, read_split
from eval.tasks.request import Request
from eval.tasks.shots import examples_of, with_shots

TASKS: dict[str, Task] = {"claim": claim.TASK, "choice": choice.TASK, "essay": essay.TASK, "tcm": tcm.TASK}


def wording(task: str, name: str | None) -> str:
    """Return the name of a task's wording, the default for None.

    Raises:
        ValueError: the task has no such wording; the message names those it has.
    """
    prompts = TASKS[task].prompts
    return one_of(name, prompts, "prompt", f"task {task}") if name else prompts[0]


def build_requests(run: Run, splits: Path) -> list[Request]:
    """Return the requests of the test split, sorted by item id; few-shot examples come from train and dev, never from test."""
    ask, prompt = TASKS[run.task].requests, wording(run.task, run.prompt)
    examples = examples_of(ask, prompt, splits, run.seed) if run.shots else []
    return with_shots(ask(*read_split(splits / "test"), prompt), examples, run.shots)
