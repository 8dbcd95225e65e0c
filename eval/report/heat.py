"""Figures of runs by part -> tables of accuracies, a row per part and a column per run, and every two runs as a matrix."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from eval.statistics.bootstrap import Figures

PARTS = (
    ("by_side", "side"),
    ("by_type", "atomic_type"),
    ("by_exam", "exam"),
    ("by_question_type", "question_type"),
    ("by_category", "category"),
    ("by_case_type", "case_type"),
    ("by_form", "form"),
    ("by_subject", "subject"),
)
"""Part of a run's figures -> the corresponding facet of items."""


class AccuracyCell(NamedTuple):
    """One accuracy."""

    accuracy: float | None
    interval: tuple[float, float] | None
    items: int


class Heat(NamedTuple):
    """The accuracies of several runs by one facet."""

    facet: str
    runs: list[str]
    rows: list[tuple[str, list[AccuracyCell | None]]]
    """Value of the facet, and a cell per run; none if the run has no such items."""


class Versus(NamedTuple):
    """One run against another."""

    difference: float
    p: float | None
    """The larger one of both tests, corrected for all comparisons."""
    differs: bool
    shared: int


class Matrix(NamedTuple):
    """Every two runs of a task."""

    runs: list[str]
    cells: list[list[Versus | None]]
    """A row and a column per run: the row's figure minus the column's; none on the diagonal and for runs without shared items."""


def heats(runs: Mapping[str, Figures]) -> list[Heat]:
    """Return the tables of runs of one task: one for each facet with more than one value."""
    heats = []
    for part, facet in PARTS:
        values = dict.fromkeys(value for run in runs.values() for value in run.get(part) or {})
        if len(values) > 1:
            rows = [(value, [_cell((run.get(part) or {}).get(value)) for run in runs.values()]) for value in values]
            heats.append(Heat(facet, list(runs), rows))
    return heats


def _cell(group: Figures | None) -> AccuracyCell | None:
    if group is None:
        return None
    bounds = group.get("accuracy_interval")
    return AccuracyCell(group.get("accuracy"), tuple(bounds) if bounds else None, size_of(group))


def size_of(group: Figures) -> int:
    """Return the number of groups, facts, pairs, sides or questions in a part."""
    return next((group[unit] for unit in ("groups", "facts", "pairs", "claims", "questions") if unit in group), 0)


def matrix(rows: Iterable[Figures]) -> Matrix:
    """Return the comparisons of one task, each from both sides."""
    versus: dict[tuple[str, str], Versus] = {}
    names: dict[str, None] = {}
    for row in rows:
        names |= {row["a"]: None, row["b"]: None}
        if row["shared"]:
            p = _larger(row.get("mcnemar_p_holm"), row.get("bootstrap_p_holm"))
            for a, b, sign in ((row["a"], row["b"], 1), (row["b"], row["a"], -1)):
                versus[a, b] = Versus(sign * row["difference"] + 0.0, p, bool(row.get("differs")), row["shared"])
    runs = list(names)
    return Matrix(runs, [[versus.get((a, b)) for b in runs] for a in runs])


def _larger(*values: float | None) -> float | None:
    known: Sequence[float] = [value for value in values if value is not None]
    return max(known) if known else None
