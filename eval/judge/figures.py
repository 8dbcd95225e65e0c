"""Marks of answers in words -> a run's figures: mean, spread and interval, by exam, subject and category, and how far both orders agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from sys import intern
from typing import Literal, NamedTuple, get_args

import numpy as np

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from eval.judge.marks import ORDERS, PUBLISHED
from eval.statistics.intervals import Figures, rate_interval

_DIGITS = 2  # of marks, as in CPsyExam, Table 3
_HUNDREDTHS, _FULL = 100, 100
MarkOutcome = Literal["read", "unread", "failed"]
_FACETS = ("exam", "subject", "category")


class MarkedReply(NamedTuple):
    """One reply of the run and its mark."""

    cluster: str
    """Of the question: its case or group of shared options, or itself."""
    exam: str
    subject: str
    category: str | None
    repeat: int
    mark: float | None
    """Mean of the marks that were read; 0 where the reply has no answer, None where no mark of an answer was read."""
    by_order: tuple[float, ...] | None
    """Mean of the marks that were read in each order; None where one of them has none."""
    published: tuple[float | None, ...]
    """Its mark by each published parser: of one judging, in the published order."""


def mark_reply(question: Question, score: Score, judgements: Sequence[Judgement]) -> MarkedReply:
    """Return a reply with its mark, from its judgements."""
    read = [one for one in judgements if one.mark is not None]
    marks = [one.mark or 0.0 for one in read] if score.answer else [0.0]
    by_order = [[one.mark or 0.0 for one in read if one.order == order] for order in ORDERS]
    published = [one.reply for one in judgements if one.order == "standard_first" and one.draw == 0]
    return MarkedReply(
        cluster=question.group_id or question.id,
        exam=intern(question.exam),
        subject=intern(f"{question.exam} {question.subject}"),
        category=question.category,
        repeat=score.repeat,
        mark=fmean(marks) if marks else None,
        by_order=tuple(map(fmean, by_order)) if all(by_order) else None,
        published=tuple(reading(published[0]) if published else 0.0 for reading in PUBLISHED.values()),
    )


def figures(marked: Sequence[MarkedReply], readings: Counter[MarkOutcome]) -> Figures:
    """Return the figures of a run, from its replies sorted by question and repeat, and from the outcomes of all judgings.

    A reply without a mark is in no mean; it is counted, and the bounds show what it could change.
    """
    return {
        **_part(marked, "all"),
        **_spread(marked),
        **_bounds(marked),
        "readings": {name: readings[name] for name in get_args(MarkOutcome)},
        "read_share": round(readings["read"] / readings.total(), 4) if readings else None,
        "published": {name: _published(one.published[index] for one in marked) for index, name in enumerate(PUBLISHED)},
        "orders": agreement_of_orders(marked),
        **{f"by_{name}": _grouped(marked, name) for name in _FACETS},
    }


def mark_outcome(judgement: Judgement) -> MarkOutcome:
    """Return the outcome of a judging."""
    return "failed" if judgement.finish_reason == "error" else "unread" if judgement.mark is None else "read"


def _part(marked: Sequence[MarkedReply], where: str) -> Figures:
    """Return how many replies there are, the mean mark, and its interval by bootstrap over questions, and cases where they share one."""
    known = [one for one in marked if one.mark is not None]
    summary = {"replies": len(marked), "without_mark": len(marked) - len(known), "mark": _mean(known)}
    sums: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for one in known:
        sums[one.cluster] += round(_HUNDREDTHS * (one.mark or 0))  # whole numbers, whose sums are the same on every machine
        counts[one.cluster] += _HUNDREDTHS * _FULL
    if summary["mark"] not in (None, 0.0, float(_FULL)) and len({one.mark for one in known}) == 1:
        return summary  # always the same mark: nothing to draw from, and no certainty either
    clusters = sorted(counts)
    interval = rate_interval(np.array([sums[name] for name in clusters]), np.array([counts[name] for name in clusters]), f"{where}/mark")
    return summary | ({"mark_interval": [round(_FULL * bound, _DIGITS) for bound in interval]} if interval else {})


def _mean(known: Iterable[MarkedReply]) -> float | None:
    marks = [one.mark for one in known if one.mark is not None]
    return round(fmean(marks), _DIGITS) if marks else None


def _spread(marked: Sequence[MarkedReply]) -> Figures:
    """Return the sample standard deviation of single marks, and with repeats that of the repeats' means."""
    marks = [one.mark for one in marked if one.mark is not None]
    spread: Figures = {"mark_spread": round(stdev(marks), _DIGITS) if len(marks) > 1 else None}
    repeats = sorted({one.repeat for one in marked})
    by_repeat = [[one.mark for one in marked if one.repeat == repeat and one.mark is not None] for repeat in repeats]
    means = [fmean(row) for row in by_repeat if row]
    return spread | ({"mark_std": round(stdev(means), _DIGITS)} if len(means) > 1 else {})


def _bounds(marked: Sequence[MarkedReply]) -> Figures:
    """Return the mean if each reply without a mark had been worth nothing, and if each had been worth 100."""
    bounds = {"mark_at_least": 0.0, "mark_at_most": float(_FULL)}
    return {name: _mean([one if one.mark is not None else one._replace(mark=bound) for one in marked]) for name, bound in bounds.items()}


def _published(marks: Iterable[float | None]) -> Figures:
    """Return the mean by a published parser."""
    every = list(marks)
    known = [mark for mark in every if mark is not None]
    return {"mark": round(fmean(known), _DIGITS) if known else None, "without_mark": len(every) - len(known)}


def _grouped(marked: Iterable[MarkedReply], name: str) -> Figures:
    groups: dict[str, list[MarkedReply]] = defaultdict(list)
    for one in marked:
        if group := getattr(one, name):
            groups[group].append(one)
    return {group: _part(groups[group], f"{name}/{group}") for group in sorted(groups)}


def agreement_of_orders(marked: Iterable[MarkedReply]) -> Figures:
    """Return how far the marks of one answer in the two orders are apart, over answers of which both were read."""
    both = [one.by_order for one in marked if one.by_order]
    if not both:
        return {"answers": 0}
    first, second = np.array(both).T
    return {
        "answers": len(both),
        "mean_absolute_difference": round(float(np.abs(second - first).mean()), _DIGITS),
        "mean_difference": round(float((second - first).mean()), _DIGITS),
        "pearson": _pearson(first, second),
        "krippendorff": _alpha(first, second),
    }


def _pearson(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Pearson's correlation; None where one order gives every answer the same mark."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return round(float(np.corrcoef(first, second)[0, 1]), 4)


def _alpha(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Krippendorff's alpha of interval data; None where all marks are the same.

    For two marks an answer it follows from sums; a table of answers by different marks, which more marks would need, grows with both.
    """
    marks = np.concatenate([first, second])
    if np.ptp(marks) == 0:
        return None
    expected = ((marks - marks.mean()) ** 2).sum() / (len(marks) - 1)
    return round(1 - float(((first - second) ** 2).sum() / (len(marks) * expected)), 4)
