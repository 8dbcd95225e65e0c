"""Scores of the models of a sweep -> curves over the amount of data, and the changes that each amount causes. Pure."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import mean, stdev
from typing import NamedTuple

from msgspec.structs import replace
from scipy import stats

from atomexam.records.prediction import Score
from eval.score.metrics import FIGURES, read_scores
from eval.statistics.intervals import DIGITS, LEVEL, Figures
from eval.tasks.request import Request

MEASURES = ("following_rate", "accuracy")
_GROUPS = {"by_type": "atomic_type", "by_exam": "exam"}


class SweepCell(NamedTuple):
    """A kind and an amount of data; all models without any are one cell, of the kind '', unless a type is excluded from claims."""

    kind: str
    amount: float


def amount_text(amount: float) -> str:
    """Return an amount as used in names and figures: different amounts have different texts."""
    return f"{amount:.15g}"


ScoresByCell = Mapping[SweepCell, Mapping[int, Sequence[Score]]]
"""By cell and seed."""


def curves(run: str, task: str, scored: ScoresByCell, requests: Sequence[Request]) -> list[Figures]:
    """Return for each cell following rate and accuracy over all seeds, each with its interval.

    An interval covers other items and other seeds: the half widths of an interval over items (clusters sampled, seeds together) and of
    Student's interval over the seeds are added in quadrature. Noise counted by both makes it a little too wide.
    """
    rows = []
    for cell, by_seed in sorted(scored.items()):
        together = _repeats_of_all(by_seed)
        whole = FIGURES[task](read_scores(together, requests))
        each = [FIGURES[task](read_scores(by_seed[seed], requests)) for seed in sorted(by_seed)]
        for measure in MEASURES:
            if whole.get(measure) is None:
                continue
            values = [figures[measure] for figures in each]
            low, high = _interval(whole[measure], whole.get(f"{measure}_interval"), values)
            at = {"run": run, "kind": cell.kind, "amount": cell.amount, "measure": measure}
            rows.append(at | {"value": whole[measure], "low": low, "high": high, "seeds": values})
    return rows


def figures_by_cell(rows: Sequence[Figures]) -> Figures:
    """Return the values of curves by run, kind, amount and measure: DVC compares named values, and ignores lists."""
    by_cell: Figures = {}
    for row in rows:
        amounts = by_cell.setdefault(row["run"], {}).setdefault(row["kind"] or "none", {})
        amounts.setdefault(amount_text(row["amount"]), {})[row["measure"]] = row["value"]
    return by_cell


def _repeats_of_all(by_seed: Mapping[int, Sequence[Score]]) -> list[Score]:
    """Return the scores of all seeds, each seed's repeats as repeats of their own."""
    repeats = 1 + max((one.repeat for scores in by_seed.values() for one in scores), default=0)
    return [replace(score, repeat=place * repeats + score.repeat) for place, seed in enumerate(sorted(by_seed)) for score in by_seed[seed]]


def _interval(value: float, over_items: Sequence[float] | None, seeds: Sequence[float]) -> tuple[float, float]:
    below, above = (value - over_items[0], over_items[1] - value) if over_items else (0.0, 0.0)
    spread = 0.0
    if len(seeds) > 1:
        spread = float(stats.t.ppf((1 + LEVEL) / 2, len(seeds) - 1)) * stdev(seeds) / sqrt(len(seeds))
    low, high = max(0.0, value - sqrt(below**2 + spread**2)), min(1.0, value + sqrt(above**2 + spread**2))
    return round(low, DIGITS), round(high, DIGITS)


def changes(run: str, task: str, scored: ScoresByCell, requests: Sequence[Request]) -> list[Figures]:
    """Return for each amount of each kind the change of accuracy against none of it, by atomic type and exam, over all seeds."""
    by_cell = {
        cell: [FIGURES[task](read_scores(scores, requests)) for _, scores in sorted(by_seed.items())] for cell, by_seed in scored.items()
    }
    rows = []
    for cell, figures in sorted(by_cell.items()):
        before = by_cell.get(SweepCell(cell.kind, 0.0), by_cell.get(SweepCell("", 0.0)))
        if before is None or not cell.amount:
            continue
        for part, named in _GROUPS.items():
            for group in figures[0].get(part, {}):
                then, now = (_mean([one[part][group].get("accuracy") for one in every]) for every in (before, figures))
                if then is None or now is None:
                    continue
                at = {"run": run, "kind": cell.kind, "amount": cell.amount, named: group}
                rows.append(at | {"before": round(then, DIGITS), "after": round(now, DIGITS), "change": round(now - then, DIGITS)})
    return rows


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None
