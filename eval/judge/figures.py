"""Marks of answers in words -> a run's metrics: mean, spread and interval, by exam, subject and category, and agreement of both orders."""

from array import array
from collections import Counter
from collections.abc import Sequence
from math import nan
from statistics import fmean, stdev
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from eval.judge.marks import ORDERS, PUBLISHED
from eval.statistics.intervals import Figures, hash_of, rate_interval

_DIGITS = 2  # of marks, as in CPsyExam, Table 3
_HUNDREDTHS, _FULL = 100, 100
MarkOutcome = Literal["read", "unread", "failed"]
_FACETS = ("exam", "subject", "category")
Numbers = npt.NDArray[np.float64]


class MarkedReply(NamedTuple):
    """One reply of the run and its mark."""

    cluster: str
    """The question's case or group of shared options, or the question itself."""
    exam: str
    subject: str
    category: str | None
    repeat: int
    mark: float | None
    """Mean of the parsed marks; 0 if the reply has no answer, None if no mark of its answer could be parsed."""
    by_order: tuple[float, ...] | None
    """Mean of the parsed marks in each order; None if one order has none."""
    published: tuple[float | None, ...]
    """Its mark by each published parser, from one judging, in the published order."""


def mark_reply(question: Question, score: Score, judgements: Sequence[Judgement]) -> MarkedReply:
    """Return a reply with its mark, from its judgements."""
    read = [one for one in judgements if one.mark is not None]
    marks = [one.mark or 0.0 for one in read] if score.answer else [0.0]
    by_order = [[one.mark or 0.0 for one in read if one.order == order] for order in ORDERS]
    published = [one.reply for one in judgements if one.order == "standard_first" and one.draw == 0]
    return MarkedReply(
        cluster=question.group_id or question.id,
        exam=question.exam,
        subject=f"{question.exam} {question.subject}",
        category=question.category,
        repeat=score.repeat,
        mark=fmean(marks) if marks else None,
        by_order=tuple(map(fmean, by_order)) if all(by_order) else None,
        published=tuple(reading(published[0]) if published else 0.0 for reading in PUBLISHED.values()),
    )


class ReplyColumns(NamedTuple):
    """Marked replies as columns, a row per reply; NaN for missing numbers."""

    mark: Numbers
    by_order: Numbers
    """Two columns; both NaN if one order has no mark."""
    published: Numbers
    """One column a parser."""
    repeat: npt.NDArray[np.int32]
    cluster: npt.NDArray[np.uint64]
    """Hash of its name."""
    facets: Sequence[tuple[str | None, ...]]
    """Different values of exam, subject and category together."""
    facet: npt.NDArray[np.int32]
    """Index in `facets`."""

    def with_value(self, name: str, value: str) -> "ReplyColumns":
        """Return the rows with a value of a facet."""
        chosen = np.array([values[_FACETS.index(name)] == value for values in self.facets], bool)[self.facet]
        return ReplyColumns(
            mark=self.mark[chosen],
            by_order=self.by_order[chosen],
            published=self.published[chosen],
            repeat=self.repeat[chosen],
            cluster=self.cluster[chosen],
            facets=self.facets,
            facet=self.facet[chosen],
        )


class MarkedReplies:
    """Marked replies, added one at a time and stored as columns, about fifty bytes each."""

    def __init__(self) -> None:
        self._mark, self._by_order, self._published = array("d"), array("d"), array("d")
        self._repeat, self._facet, self._cluster = array("i"), array("i"), array("Q")
        self._facets: dict[tuple[str | None, ...], int] = {}

    def add(self, one: MarkedReply) -> None:
        """Add a reply."""
        self._mark.append(nan if one.mark is None else one.mark)
        self._by_order.extend(one.by_order or (nan, nan))
        self._published.extend(nan if mark is None else mark for mark in one.published)
        self._repeat.append(one.repeat)
        self._facet.append(self._facets.setdefault((one.exam, one.subject, one.category), len(self._facets)))
        self._cluster.append(hash_of(one.cluster))

    def columns(self) -> ReplyColumns:
        """Return all replies."""
        return ReplyColumns(
            mark=np.frombuffer(self._mark, np.float64),
            by_order=np.frombuffer(self._by_order, np.float64).reshape(-1, len(ORDERS)),
            published=np.frombuffer(self._published, np.float64).reshape(-1, len(PUBLISHED)),
            repeat=np.frombuffer(self._repeat, np.int32),
            cluster=np.frombuffer(self._cluster, np.uint64),
            facets=list(self._facets),
            facet=np.frombuffer(self._facet, np.int32),
        )


def figures(replies: ReplyColumns, readings: Counter[MarkOutcome]) -> Figures:
    """Return the figures of a run, from its replies and from the outcomes of all judgings.

    A reply without a mark is in no mean; it is counted, and the bounds show its possible effect.
    """
    return {
        **_part(replies, "all"),
        **_spread(replies),
        **_bounds(replies),
        "readings": {name: readings[name] for name in get_args(MarkOutcome)},
        "read_share": round(readings["read"] / readings.total(), 4) if readings else None,
        "published": {name: _published(marks) for name, marks in zip(PUBLISHED, replies.published.T, strict=True)},
        "orders": agreement_of_orders(replies.by_order),
        **{f"by_{name}": _grouped(replies, name) for name in _FACETS},
    }


def mark_outcome(judgement: Judgement) -> MarkOutcome:
    """Return the outcome of a judging."""
    return "failed" if judgement.finish_reason == "error" else "unread" if judgement.mark is None else "read"


def _known(marks: Numbers) -> Numbers:
    return marks[~np.isnan(marks)]


def _part(replies: ReplyColumns, where: str) -> Figures:
    """Return the number of replies, the mean mark, and its bootstrap interval over questions, with questions of one case together."""
    known = _known(replies.mark)
    summary = {"replies": len(replies.mark), "without_mark": len(replies.mark) - len(known), "mark": _mean(known)}
    if summary["mark"] not in (None, 0.0, float(_FULL)) and np.ptp(known) == 0:
        return summary  # all marks are equal: no variance to sample from, but no certainty either
    _, numbers = np.unique(replies.cluster[~np.isnan(replies.mark)], return_inverse=True)
    hundredths = np.rint(_HUNDREDTHS * known)  # integers, whose sums are the same on every machine
    sums = np.bincount(numbers, weights=hundredths).astype(np.int64)
    interval = rate_interval(sums, np.bincount(numbers) * _HUNDREDTHS * _FULL, f"{where}/mark")
    return summary | ({"mark_interval": [round(_FULL * bound, _DIGITS) for bound in interval]} if interval else {})


def _mean(marks: Numbers) -> float | None:
    return round(fmean(marks), _DIGITS) if len(marks) else None


def _spread(replies: ReplyColumns) -> Figures:
    """Return the sample standard deviation of single marks and, with repeats, of the repeats' means."""
    known = _known(replies.mark)
    spread: Figures = {"mark_spread": round(float(stdev(known)), _DIGITS) if len(known) > 1 else None}
    by_repeat = [_known(replies.mark[replies.repeat == repeat]) for repeat in np.unique(replies.repeat)]
    means = [fmean(marks) for marks in by_repeat if len(marks)]
    return spread | ({"mark_std": round(stdev(means), _DIGITS)} if len(means) > 1 else {})


def _bounds(replies: ReplyColumns) -> Figures:
    """Return the mean if each reply without a mark were worth 0, and if each were worth 100."""
    bounds = {"mark_at_least": 0.0, "mark_at_most": float(_FULL)}
    return {name: _mean(np.where(np.isnan(replies.mark), bound, replies.mark)) for name, bound in bounds.items()}


def _published(marks: Numbers) -> Figures:
    """Return the mean by a published parser."""
    known = _known(marks)
    return {"mark": _mean(known), "without_mark": len(marks) - len(known)}


def _grouped(replies: ReplyColumns, name: str) -> Figures:
    groups = {values[_FACETS.index(name)] for values in replies.facets}
    return {group: _part(replies.with_value(name, group), f"{name}/{group}") for group in sorted(filter(None, groups))}


def agreement_of_orders(by_order: Numbers) -> Figures:
    """Return how far the marks of one answer in the two orders differ, over answers with marks in both."""
    both = by_order[~np.isnan(by_order[:, 0])]
    if not len(both):
        return {"answers": 0}
    first, second = both.T
    return {
        "answers": len(both),
        "mean_absolute_difference": round(float(np.abs(second - first).mean()), _DIGITS),
        "mean_difference": round(float((second - first).mean()), _DIGITS),
        "pearson": _pearson(first, second),
        "krippendorff": _alpha(first, second),
    }


def _pearson(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Pearson's correlation; None if one order gives every answer the same mark."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return round(float(np.corrcoef(first, second)[0, 1]), 4)


def _alpha(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Krippendorff's alpha of interval data; None if all marks are equal.

    With two marks per answer it follows from sums; more marks would need a table of answers by different marks, which grows with both.
    """
    marks = np.concatenate([first, second])
    if np.ptp(marks) == 0:
        return None
    expected = ((marks - marks.mean()) ** 2).sum() / (len(marks) - 1)
    return round(1 - float(((first - second) ** 2).sum() / (len(marks) * expected)), 4)
