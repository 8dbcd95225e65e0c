"""The tasks by name, and the requests of a run."""

from pathlib import Path
from typing import NamedTuple

from atomexam.records.blocks import TEST, Run
from atomexam.records.checks import one_of
from eval.tasks import blank, choice, claim, essay, fourfold, tcm, tf
from eval.tasks.contract import Task, read_requests
from eval.tasks.request import Request
from eval.tasks.shots import Pools, from_pools, read_pools

TASKS: dict[str, Task] = {
    "fourfold": fourfold.TASK,
    "claim": claim.TASK,
    "choice": choice.TASK,
    "essay": essay.TASK,
    "tcm": tcm.TASK,
    "tf": tf.TASK,
    "blank": blank.TASK,
}


def wording(task: str, name: str | None) -> str:
    """Return the name of a task's wording; for None, return that of the default.

    Raises:
        ValueError: the task does not have this wording; the message lists the known ones.
    """
    prompts = TASKS[task].prompts
    return one_of(name, prompts, "prompt", f"task {task}") if name else prompts[0]


class Variant(NamedTuple):
    """A variant of a run, in which each item is requested `repeats` times."""

    prompt: str
    order: int
    """0 leaves the options as in the split, N shifts them by N positions; an odd order also reverses the parts of groups."""


def variants_of(run: Run) -> list[Variant]:
    """Return the variants of a run, all orders of a wording in a row. With R repeats, variant v has repeats v * R to v * R + R - 1.

    Raises:
        ValueError: the task does not have this wording.
    """
    return [Variant(wording(run.task, name), order) for name in run.prompts or (run.prompt,) for order in range(run.orders)]


class RequestBuilder:
    """Builds the requests of runs from one folder of splits; caches them by task, prompt, order and split."""

    def __init__(self, splits: Path) -> None:
        self._splits = splits
        self._zero_shot: dict[tuple[str, str, int, str], list[Request]] = {}
        self._pools: dict[tuple[str, str, int], Pools] = {}

    def zero_shot(self, task: str, prompt: str, order: int = 0, split: str = TEST) -> list[Request]:
        """Return the requests for a split, given a task, a prompt and an order of options, sorted by item id."""
        key = task, prompt, order, split
        if key not in self._zero_shot:
            self._zero_shot[key] = read_requests(TASKS[task], self._splits / split, prompt, order)
        return self._zero_shot[key]

    def by_variant(self, run: Run) -> list[list[Request]]:
        """Return the requests of each variant of a run without examples, sorted by item id.

        Raises:
            ValueError: no question has as many options as the run has orders.
        """
        requests = [self.zero_shot(run.task, variant.prompt, variant.order, run.split) for variant in variants_of(run)]
        most = max((len(one.options) for one in requests[0]), default=run.orders)
        if run.orders > max(most, 1):
            reason = f"no question of {run.split} has more than {most} options"
            raise ValueError(f"orders: {run.orders}, but {reason}; set `orders: {most}`")
        return requests

    def with_shots(self, run: Run) -> list[list[Request]]:
        """Return the requests of each variant, sorted by item id, with few-shot examples from train and dev unrelated to the item."""
        by_prompt = zip(variants_of(run), self.by_variant(run), strict=True)
        return [from_pools(requests, self._examples(run, variant.prompt), run.shots) for variant, requests in by_prompt]

    def of_run(self, run: Run) -> list[Request]:
        """Return the requests of a run that has a single variant, including few-shot examples.

        Raises:
            ValueError: the run has several variants.
        """
        if len(variants_of(run)) > 1:
            raise ValueError(f"a sweep needs runs with a single variant; this run of {run.task} has several `prompts` or `orders`")
        return self.with_shots(run)[0]

    def _examples(self, run: Run, prompt: str) -> Pools:
        key = run.task, prompt, run.seed
        if run.shots and key not in self._pools:
            self._pools[key] = read_pools(TASKS[run.task], prompt, self._splits, run.seed)
        return self._pools[key] if run.shots else {}
