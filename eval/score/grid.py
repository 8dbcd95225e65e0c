"""Scores as arrays, one row per item and one column per repeat, from which metrics are computed. About thirty bytes per item."""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import stdev
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from atomexam.records.prediction import Outcome, Score
from eval.answers.reply_files import by_item
from eval.statistics.intervals import DIGITS, Figures, hash_of, rate_interval
from eval.tasks.claim import NEGATIONS
from eval.tasks.request import Request

Marks = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_OUTCOME_NUMBERS = {outcome: number for number, outcome in enumerate(OUTCOMES)}
_HEAD = "head"  # of a claim: nearly as many as items, and no metrics are broken down by it


class Kind(NamedTuple):
    """The common properties of many items."""

    question_type: str
    reader: str
    in_group: bool
    """Right only together with others: a side of a claim pair, a question of a case or with shared options."""
    facets: Mapping[str, str]
    """Facets of the request, without the head of a claim."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The outcomes of the items of a run, in each repeat."""

    kinds: Sequence[Kind]
    kind: npt.NDArray[np.int32]
    """Per item, like the other one-dimensional arrays: its index in `kinds`."""
    unit: Hashes
    """Hash of the scored group."""
    wider: Hashes
    """Hash of the head of a claim, the subject of a question, else of the scored group: the clusters of the second interval."""
    negations: npt.NDArray[np.int32]
    """Number of negation words in a claim."""
    known: Marks
    """Whether the right answer is known; an item with a hidden answer is in no accuracy."""
    outcome: npt.NDArray[np.uint8]
    """Index in `OUTCOMES`."""
    right: Marks
    committed: Marks
    """Whether the complete reply commits to an answer."""
    committed_right: Marks

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def answered(self) -> Marks:
        """Whether an answer was parsed from the reply."""
        return self.outcome == _OUTCOME_NUMBERS["answered"]

    def rows(self, chosen: Numbers | Marks) -> "Grid":
        """Return some of the rows."""
        return Grid(
            kinds=self.kinds,
            kind=self.kind[chosen],
            unit=self.unit[chosen],
            wider=self.wider[chosen],
            negations=self.negations[chosen],
            known=self.known[chosen],
            outcome=self.outcome[chosen],
            right=self.right[chosen],
            committed=self.committed[chosen],
            committed_right=self.committed_right[chosen],
        )

    def where(self, holds: Callable[[Kind], bool]) -> "Grid":
        """Return the rows whose kind meets a condition."""
        return self.rows(np.array([holds(kind) for kind in self.kinds], bool)[self.kind])

    def scored(self) -> "Grid":
        """Return the rows whose right answers are known."""
        return self if self.known.all() else self.rows(self.known)

    def codes(self, facet: str) -> tuple[list[str], Numbers]:
        """Return the values of a facet, sorted, and for each row the index of its value; -1 for none."""
        values = [kind.facets.get(facet) for kind in self.kinds]
        names = sorted({value for value in values if value is not None})
        numbers = {name: number for number, name in enumerate(names)}
        return names, np.array([numbers.get(value or "", -1) for value in values], np.int64)[self.kind]

    def parts(self, facet: str) -> Iterator[tuple[str, "Grid"]]:
        """Yield the rows by the value of a facet; those without one are in no part."""
        names, codes = self.codes(facet)
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(names) + 1))
        for name, start, end in zip(names, bounds[:-1], bounds[1:], strict=True):
            if start < end:
                yield name, self.rows(order[start:end])


class RunScores:
    """The data for metrics from the scores of a run, which are added item by item and not stored."""

    def __init__(self) -> None:
        self.answer_counts: Counter[tuple[str, str | None, str | None]] = Counter()
        """Replies by question type, answer, and right answer; without answers in words."""
        self._kinds: dict[tuple, int] = {}
        self._kind, self._negations = array("i"), array("i")
        self._unit, self._wider = array("Q"), array("Q")
        self._known, self._outcome, self._right, self._committed, self._committed_right = (bytearray() for _ in range(5))

    def __len__(self) -> int:
        return len(self._kind)

    def add(self, request: Request, scores: Sequence[Score]) -> None:
        """Add the scores of an item, one per repeat."""
        facets = tuple(pair for pair in request.facets.items() if pair[0] != _HEAD)
        kind = request.question_type, request.reader, request.unit != request.item_id, facets
        self._kind.append(self._kinds.setdefault(kind, len(self._kinds)))
        self._unit.append(hash_of(request.unit))
        self._wider.append(hash_of(request.facets.get(_HEAD) or request.facets.get("subject") or request.unit))
        self._negations.append(sum(request.claim.count(word) for word in NEGATIONS) if request.claim else 0)
        self._known.append(all(score.correct is not None for score in scores))
        for score in scores:
            self._outcome.append(_OUTCOME_NUMBERS[score.outcome])
            self._right.append(score.correct is True)
            self._committed.append(score.committed is not None)
            self._committed_right.append(score.committed_correct is True)
            if request.reader != "qa":
                self.answer_counts[request.question_type, score.answer, request.answer] += 1

    def grid(self) -> Grid:
        """Return all scores as arrays."""
        shape = len(self), len(self._outcome) // max(len(self), 1)

        def replies(marks: bytearray, of: type) -> npt.NDArray:
            return np.frombuffer(marks, of).reshape(shape)

        return Grid(
            kinds=[Kind(kind, reader, in_group, dict(facets)) for kind, reader, in_group, facets in self._kinds],
            kind=np.frombuffer(self._kind, np.int32),
            unit=np.frombuffer(self._unit, np.uint64),
            wider=np.frombuffer(self._wider, np.uint64),
            negations=np.frombuffer(self._negations, np.int32),
            known=np.frombuffer(self._known, np.bool_),
            outcome=replies(self._outcome, np.uint8),
            right=replies(self._right, np.bool_),
            committed=replies(self._committed, np.bool_),
            committed_right=replies(self._committed_right, np.bool_),
        )


def read_scores(scores: Collection[Score], requests: Iterable[Request]) -> RunScores:
    """Return the data for metrics from scores in memory, in any order.

    Raises:
        ValueError: an item has no score in a repeat, or a score has no request.
    """
    ordered, repeats = sorted(scores, key=lambda score: (score.item_id, score.repeat)), sorted({score.repeat for score in scores})
    run = RunScores()
    asked = sorted(requests, key=attrgetter("item_id"))
    for request, of_item in by_item(ordered, asked, "scores", "rebuild them with `dvc repro score`", repeats):
        run.add(request, of_item)
    return run


class Units:
    """The scored groups of some rows: each is right only if all its rows are."""

    def __init__(self, grid: Grid) -> None:
        _, self.first, self.numbers = np.unique(grid.unit, return_index=True, return_inverse=True)
        """The first row of each group, and for each row its group; in the order of their hashes."""

    def __len__(self) -> int:
        return len(self.first)

    def sums(self, values: npt.NDArray) -> npt.NDArray:
        """Return for each group the sum of a value of its rows; exact for integers."""
        return np.bincount(self.numbers, weights=values, minlength=len(self))

    def whole(self, marks: Marks) -> Marks:
        """Return for each group and repeat whether all its rows are marked."""
        complete = np.empty((len(self), marks.shape[1]), np.bool_)
        for repeat, column in enumerate(marks.T):
            complete[:, repeat] = self.sums(~column) == 0
        return complete


def rate(name: str, marks: Marks, clusters: Mapping[str, Hashes], where: str = "") -> Figures:
    """Return a rate under its name: mean over the repeats, their sample standard deviation, and an interval for each kind of cluster.

    Args:
        clusters: suffix of the interval's name -> the cluster of each row.
        where: the part that the rows belong to; with the name it seeds the sampling.
    """
    if not marks.size:
        return {name: None}
    figures: Figures = {name: round(float(marks.mean()), DIGITS)}
    shares = [float(column.mean()) for column in marks.T]
    if len(shares) > 1:
        figures[f"{name}_std"] = round(stdev(shares), DIGITS)
    for ending, cluster in clusters.items():
        numbers = np.unique(cluster, return_inverse=True)[1]
        sums = np.bincount(numbers, weights=marks.sum(axis=1)).astype(np.int64)
        counts = np.bincount(numbers) * marks.shape[1]
        if interval := rate_interval(sums, counts, f"{where}/{name}{ending}"):
            figures[f"{name}_interval{ending}"] = [round(bound, DIGITS) for bound in interval]
    return figures
