"""The tasks by name, and the requests of a run."""

from pathlib import Path

from atomexam.records.blocks import Run
from atomexam.records.checks import one_of
from eval.tasks import choice, claim, essay, fourfold, tcm
from eval.tasks.contract import Task, read_requests
from eval.tasks.request import Request
from eval.tasks.shots import Pools, from_pools, read_pools

TASKS: dict[str, Task] = {
    "fourfold": fourfold.TASK,
    "claim": claim.TASK,
    "choice": choice.TASK,
    "essay": essay.TASK,
    "tcm": tcm.TASK,
}


def wording(task: str, name: str | None) -> str:
    """Return the name of a task's wording, the default for None.

    Raises:
        ValueError: the task has no such wording; the message names the known ones.
    """
    prompts = TASKS[task].prompts
    return one_of(name, prompts, "prompt", f"task {task}") if name else prompts[0]


class RequestBuilder:
    """The requests of runs over one folder of splits; the test split is read once per task and prompt, and each request is built once."""

    def __init__(self, splits: Path) -> None:
        self._splits = splits
        self._zero_shot: dict[tuple[str, str], list[Request]] = {}
        self._pools: dict[tuple[str, str, int], Pools] = {}

    def zero_shot(self, task: str, prompt: str) -> list[Request]:
        """Return the requests of the test split for a task and one of its prompts, sorted by item id."""
        if (task, prompt) not in self._zero_shot:
            self._zero_shot[task, prompt] = read_requests(TASKS[task], self._splits / "test", prompt)
        return self._zero_shot[task, prompt]

    def of_run(self, run: Run) -> list[Request]:
        """Return the requests of a run, sorted by item id; few-shot examples come from train and dev, never from test."""
        prompt = wording(run.task, run.prompt)
        return from_pools(self.zero_shot(run.task, prompt), self._examples(run, prompt), run.shots)

    def _examples(self, run: Run, prompt: str) -> Pools:
        key = run.task, prompt, run.seed
        if run.shots and key not in self._pools:
            self._pools[key] = read_pools(TASKS[run.task], prompt, self._splits, run.seed)
        return self._pools[key] if run.shots else {}
