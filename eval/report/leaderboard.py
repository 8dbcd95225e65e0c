"""Runs of a task in the order of their accuracy, as the report shows them."""

from collections.abc import Mapping

from eval.statistics.intervals import Figures

TASKS = {"claim": "Claim pairs", "choice": "Choice questions", "tcm": "TCM questions", "essay": "Answers in words"}
"""Name of a task -> what people call it."""


def leaderboards(runs: Mapping[str, Figures]) -> list[tuple[str, str, dict[str, Figures]]]:
    """Return the runs of each task with its name for people; the highest accuracy first, the rest as they came.

    Returns:
        A row a task: its name, its name for people, and name -> figures of its runs.
    """
    tables = []
    for task in dict.fromkeys([*TASKS, *(run["task"] for run in runs.values())]):
        own = [(name, run) for name, run in runs.items() if run["task"] == task]
        own.sort(key=lambda entry: -(entry[1].get("accuracy") or 0.0))
        if own:
            tables.append((task, TASKS.get(task, task), dict(own)))
    return tables
