"""The tasks by name."""

from eval.tasks import choice, claim, tcm
from eval.tasks.contract import Task
from records.checks import one_of

TASKS: dict[str, Task] = {"claim": claim.TASK, "choice": choice.TASK, "tcm": tcm.TASK}


def wording(task: str, name: str | None) -> str:
    """Return the name of a task's wording, the default for None.

    Raises:
        ValueError: the task has no such wording; the message names those it has.
    """
    prompts = TASKS[task].prompts
    return one_of(name, prompts, "prompt", f"task {task}") if name else prompts[0]
