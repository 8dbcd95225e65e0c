"""Compare two sets of scores: shared items, where they differ, and how certain the difference is."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import fmean
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.runtime.stage_summary import LEAST, missing_replies
from eval.statistics.bootstrap import DIGITS, Figures, difference, numbered, sign_flip_test

METRICS: dict[str, Callable[[Score], bool | None]] = {
    "following_rate": lambda score: score.outcome == "answered",
    "accuracy": lambda score: score.correct,
}
"""Maps each headline metric to the property of a score that counts; None leaves the score out."""


def committed_right(score: Score) -> bool | None:
    """Return whether the answer that the complete reply commits to is correct."""
    return score.committed_correct


class Tally(NamedTuple):
    """Number of repeats in which one pair or question met a condition."""

    marks: int
    repeats: int

    @property
    def share(self) -> Fraction:
        """Share of the repeats that met the condition."""
        return Fraction(self.marks, self.repeats)


Tallies = dict[str, Tally]
_STEPS = 10_000  # marks have a resolution of one hundredth


class QuestionKey(Struct, frozen=True):
    """The key and group of a question in any version of the data; other fields are ignored."""

    id: str
    stem: str = ""
    group_id: str | None = None
    answer: str | None = None


def scored_id(item_id: str) -> str:
    """Return the id under which an item is counted: the id of the pair for both sides of a claim pair, otherwise the id of the question."""
    return item_id.partition("/")[0]


def tally(scores: Iterable[Score], counts: Callable[[Score], bool | None]) -> Tallies:
    """Return, for each pair or question, in how many repeats all its items meet a condition."""
    whole: dict[str, dict[int, bool]] = {}
    for score in scores:
        holds = counts(score)
        if holds is not None:
            repeats = whole.setdefault(scored_id(score.item_id), {})
            repeats[score.repeat] = repeats.get(score.repeat, True) and holds
    return {name: Tally(sum(repeats.values()), len(repeats)) for name, repeats in whole.items()}


def without_missing(scores: Sequence[Score]) -> Figures:
    """If replies are missing, return the accuracy over the pairs or questions to which the run replied, and their number."""
    failed = {(scored_id(score.item_id), score.repeat) for score in scores if score.outcome == "failed"}
    replied = tally((score for score in scores if (scored_id(score.item_id), score.repeat) not in failed), METRICS["accuracy"])
    share = mean(replied.values())
    return {} if not failed or share is None else {"replied": len(replied), "accuracy_of_replied": round(float(share), DIGITS)}


def missing_of(name: str, scores: Sequence[Score]) -> list[str]:
    """Return a warning about a run's missing replies; empty if none are missing."""
    note = missing_replies({"outcomes": Counter(score.outcome for score in scores)} | without_missing(scores))
    return [f"{name}: {note}"] if note else []


def tally_marks(scores: Iterable[Score], judgements: Iterable[Judgement], markable: Container[str]) -> Tallies:
    """Return each answer's mean mark as a share of 100, taken over all judgements and repeats."""
    marks_by_item: dict[str, list[float]] = {}
    for (item, _), mark in marks_of(scores, judgements, markable).items():
        marks_by_item.setdefault(item, []).append(mark)
    return {item: Tally(round(_STEPS / 100 * fmean(repeats)), _STEPS) for item, repeats in marks_by_item.items()}


def marks_of(scores: Iterable[Score], judgements: Iterable[Judgement], markable: Container[str]) -> dict[tuple[str, int], float]:
    """Map item and repeat to the mean mark over the reply's judgements; a reply without an answer gets 0.

    Args:
        markable: questions with a reference answer.
    """
    given: dict[tuple[str, int], list[float]] = {}
    for one in judgements:
        if one.mark is not None:
            given.setdefault((one.item_id, one.repeat), []).append(one.mark)
    marks = {}
    for score in scores:
        key = score.item_id, score.repeat
        read = given.get(key, []) if score.outcome == "answered" else [0.0]
        if read and score.item_id in markable:
            marks[key] = fmean(read)
    return marks


def mean(tallies: Iterable[Tally]) -> Fraction | None:
    """Return the exact mean of the shares; None if there are none."""
    total, number = Fraction(0), 0
    for kind, times in Counter(tallies).items():
        total, number = total + kind.share * times, number + times
    return total / number if number else None


def paired(one: Tallies, other: Tallies, groups: Mapping[str, str], name: str) -> Figures:
    """Return how two runs differ on their shared items: the difference, its interval, the items on which each run is better, and two
    p-values.

    `mcnemar_p` treats pairs or questions as independent; with several repeats, it comes from a sign-flip test of their differences.
    `bootstrap_p` comes from resampling complete cases and groups.

    Args:
        groups: maps a question to its case or group of shared options, if it has one.
    """
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return {"shared": 0}
    more = np.fromiter((one[key].marks * other[key].repeats - other[key].marks * one[key].repeats for key in shared), np.int64)
    weight = np.fromiter((one[key].repeats * other[key].repeats for key in shared), np.int64)
    clusters = numbered([groups.get(key, key) for key in shared])
    sums, counts = (np.bincount(clusters, weights=values).astype(np.int64) for values in (more, weight))
    result = difference(sums, counts, name)
    better, worse = int((more > 0).sum()), int((more < 0).sum())
    gap = (mean(one[key] for key in shared) or Fraction(0)) - (mean(other[key] for key in shared) or Fraction(0))
    return {
        "shared": len(shared),
        "difference": float(round(gap, DIGITS)),
        "interval": [round(bound, DIGITS) for bound in result.interval] if result.interval else None,
        "better": better,
        "worse": worse,
        "alike": len(shared) - better - worse,
        "mcnemar_p": significant_digits(sign_flip_test(more / weight)),
        "bootstrap_p": significant_digits(result.p_value),
    }


def with_holm(rows: list[Figures], untested: Callable[[Figures], bool] = lambda row: False) -> list[Figures]:
    """Add to each row p-values corrected for the size of the family (S. Holm, 1979), and whether both tests find a difference on at least
    `LEAST` shared items.

    A family is the set of rows that a reader compares at once. Rows that show no difference or were not tested belong to no family and get
    no corrected value.
    """
    family = [row for row in rows if row["shared"] and (row["better"] or row["worse"]) and not untested(row)]
    for row in rows:
        if row["shared"]:
            row |= {"family": 0, "mcnemar_p_holm": None, "bootstrap_p_holm": None, "differs": False}
    for test in ("mcnemar", "bootstrap"):
        for row, value in zip(family, holm([row[f"{test}_p"] for row in family]), strict=True):
            row |= {"family": len(family), f"{test}_p_holm": significant_digits(value)}
    for row in family:
        row["differs"] = both_find(row) and row["shared"] >= LEAST
    return rows


def both_find(row: Figures) -> bool:
    """Return whether both corrected tests find a difference."""
    p_value = larger_p(row)
    return p_value is not None and p_value <= 0.05


def larger_p(row: Figures) -> float | None:
    """Return the larger of the two tests' corrected p-values; None if the row is in no family."""
    p_values = row["mcnemar_p_holm"], row["bootstrap_p_holm"]
    return None if None in p_values else max(p_values)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, in the given order (S. Holm, 1979).

    statsmodels is not used, because its `multipletests` runs a full garbage collection in each call, which takes most of the time of a
    comparison.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1)
    return corrected.tolist()


def significant_digits(p_value: float) -> float:
    """Return a p-value rounded to three significant digits, so that small ones do not become 0."""
    return float(f"{p_value:.3g}")
