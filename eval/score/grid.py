"""Scores as arrays, one row an item and one column a repeat: what figures are sums of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import stdev

import numpy as np
import numpy.typing as npt

from atomexam.records.prediction import Score
from eval.statistics.intervals import DIGITS, Figures, numbered, rate_interval
from eval.tasks.request import Request

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Grid:
    """What became of the requests of a run, in each repeat."""

    requests: list[Request]
    answered: Marks
    right: Marks
    committed: Marks
    """Whether the reply as a whole commits to an answer."""
    committed_right: Marks
    known: Marks
    """Per item: whether its right answer is known; one that the source keeps hidden is in no accuracy."""

    def rows(self, chosen: Sequence[int]) -> "Grid":
        """Return some of the rows."""
        places = np.asarray(chosen, np.int64)
        return Grid(
            requests=[self.requests[row] for row in chosen],
            answered=self.answered[places],
            right=self.right[places],
            committed=self.committed[places],
            committed_right=self.committed_right[places],
            known=self.known[places],
        )

    def where(self, holds: Callable[[Request], bool]) -> "Grid":
        """Return the rows of which something holds."""
        return self.rows([row for row, request in enumerate(self.requests) if holds(request)])

    def scored(self) -> "Grid":
        """Return the rows whose right answers are known."""
        return self.rows(np.flatnonzero(self.known).tolist())


def read_grid(scores: Sequence[Score], requests: Sequence[Request]) -> Grid:
    """Return scores as arrays.

    Raises:
        ValueError: an item has no score in a repeat, or a score has no request.
    """
    ordered = sorted(requests, key=lambda request: request.item_id)
    rows = {request.item_id: row for row, request in enumerate(ordered)}
    columns = {repeat: column for column, repeat in enumerate(sorted({score.repeat for score in scores}))}
    seen, answered, right, committed, committed_right = (np.zeros((len(rows), len(columns)), bool) for _ in range(5))
    known = np.ones(len(rows), bool)
    for score in scores:
        if score.item_id not in rows:
            raise ValueError(f"score of {score.item_id}, which was not asked; rebuild the scores with `dvc repro`")
        place = rows[score.item_id], columns[score.repeat]
        seen[place] = True
        answered[place] = score.outcome == "answered"
        right[place] = score.correct is True
        committed[place] = score.committed is not None
        committed_right[place] = score.committed_correct is True
        known[place[0]] &= score.correct is not None
    if not seen.all():
        missing = ordered[int(np.argmin(seen.all(axis=1)))].item_id
        raise ValueError(f"{missing} has no score in one of the repeats {list(columns)}; rebuild the scores with `dvc repro`")
    return Grid(requests=ordered, answered=answered, right=right, committed=committed, committed_right=committed_right, known=known)


def whole_units(marks: Marks, requests: Sequence[Request]) -> tuple[Marks, list[Request]]:
    """Return for each unit and repeat whether all its items are marked, and one request of each unit."""
    units = numbered([request.unit for request in requests])
    first = {request.unit: request for request in reversed(requests)}
    unmarked = np.zeros((len(first), marks.shape[1]), np.int64)
    np.add.at(unmarked, units, ~marks)
    return unmarked == 0, [first[unit] for unit in dict.fromkeys(request.unit for request in requests)]


def rate(name: str, marks: Marks, requests: Sequence[Request], clusters: dict[str, Callable[[Request], str]], where: str = "") -> Figures:
    """Return a rate under its name: mean over the repeats, their sample standard deviation, and an interval for each kind of cluster.

    Args:
        clusters: what the interval's name ends in -> the cluster that a row belongs to.
        where: what the rows are a part of; with the name it seeds the draws.
    """
    if not marks.size:
        return {name: None}
    figures: Figures = {name: round(float(marks.mean()), DIGITS)}
    shares = [float(column.mean()) for column in marks.T]
    if len(shares) > 1:
        figures[f"{name}_std"] = round(stdev(shares), DIGITS)
    for ending, cluster_of in clusters.items():
        numbers = numbered([cluster_of(request) for request in requests])
        sums = np.bincount(numbers, weights=marks.sum(axis=1)).astype(np.int64)
        counts = np.bincount(numbers) * marks.shape[1]
        if interval := rate_interval(sums, counts, f"{where}/{name}{ending}"):
            figures[f"{name}_interval{ending}"] = [round(bound, DIGITS) for bound in interval]
    return figures
