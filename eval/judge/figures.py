"""Marks of answers in words -> a run's metrics: mean, spread and interval, by exam, subject and category, and agreement of both orders."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

import numpy as np
import pandas as pd

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from eval.judge.marks import ORDERS, PUBLISHED
from eval.statistics.bootstrap import Figures, rate_interval

_DIGITS = 2  # of marks, as in CPsyExam, Table 3
_HUNDREDTHS, _FULL = 100, 100
_OUTCOMES = ("read", "unread", "failed")
_FACETS = ("exam", "subject", "category")
MarkedReply = tuple[Question, Score, Sequence[Judgement]]
"""A question with a standard answer, the score of one reply to it, and the judgements of the answer, if it has one."""


def figures(replies: Iterable[MarkedReply]) -> Figures:
    """Return the figures of a run.

    A reply without a mark is in no mean; it is counted, and the bounds show its possible effect.
    """
    rows = list(replies)
    table = pd.DataFrame([_row(*one) for one in rows], columns=["cluster", *_FACETS, "repeat", "mark", *ORDERS, *PUBLISHED])
    table = table.astype(dict.fromkeys(["mark", *ORDERS, *PUBLISHED], float))
    outcomes = Counter(_outcome(one) for _, _, judgements in rows for one in judgements)
    return {
        **_part(table, "all"),
        **_spread(table),
        "mark_at_least": _mean(table.mark.fillna(0.0)),
        "mark_at_most": _mean(table.mark.fillna(float(_FULL))),
        "readings": {name: outcomes[name] for name in _OUTCOMES},
        "read_share": round(outcomes["read"] / outcomes.total(), 4) if outcomes else None,
        "published": {name: {"mark": _mean(table[name].dropna()), "without_mark": int(table[name].isna().sum())} for name in PUBLISHED},
        "orders": agreement_of_orders(table[list(ORDERS)].dropna()),
        **{f"by_{name}": {str(value): _part(part, f"{name}/{value}") for value, part in table.groupby(name)} for name in _FACETS},
    }


def _row(question: Question, score: Score, judgements: Sequence[Judgement]) -> tuple:
    """Return the row of a reply: its marks are means of the parsed ones, 0 if it has no answer, None if none could be parsed.

    A published parser reads one judgement, in the published order.
    """
    marks = [one.mark for one in judgements if one.mark is not None] if score.answer else [0.0]
    by_order = [[one.mark for one in judgements if one.order == order and one.mark is not None] for order in ORDERS]
    published = [one.reply for one in judgements if one.order == "standard_first" and one.draw == 0]
    return (
        question.group_id or question.id,
        question.exam,
        f"{question.exam} {question.subject}",
        question.category,
        score.repeat,
        *(fmean(each) if each else None for each in (marks, *by_order)),
        *(read(published[0]) if published else 0.0 for read in PUBLISHED.values()),
    )


def _outcome(judgement: Judgement) -> str:
    return "failed" if judgement.finish_reason == "error" else "unread" if judgement.mark is None else "read"


def _part(table: pd.DataFrame, where: str) -> Figures:
    """Return the number of replies, the mean mark, and its bootstrap interval over questions, with questions of one case together."""
    known = table.dropna(subset="mark")
    summary = {"replies": len(table), "without_mark": len(table) - len(known), "mark": _mean(known.mark)}
    if summary["mark"] not in (None, 0.0, float(_FULL)) and known.mark.nunique() == 1:
        return summary  # all marks are equal: no variance to sample from, but no certainty either
    hundredths = (_HUNDREDTHS * known.mark).round().astype(int).groupby(known.cluster)  # integers: equal sums on every machine
    sums, counts = (np.asarray(each, np.int64) for each in (hundredths.sum(), hundredths.size()))
    interval = rate_interval(sums, counts * _HUNDREDTHS * _FULL, f"{where}/mark")
    return summary | ({"mark_interval": [round(_FULL * bound, _DIGITS) for bound in interval]} if interval else {})


def _mean(marks: pd.Series) -> float | None:
    return round(fmean(marks), _DIGITS) if len(marks) else None


def _spread(table: pd.DataFrame) -> Figures:
    """Return the sample standard deviation of single marks and, with repeats, of the repeats' means."""
    known = table.mark.dropna()
    spread: Figures = {"mark_spread": round(stdev(known), _DIGITS) if len(known) > 1 else None}
    means = [fmean(marks) for _, marks in known.groupby(table.repeat)]
    return spread | ({"mark_std": round(stdev(means), _DIGITS)} if len(means) > 1 else {})


def agreement_of_orders(both: pd.DataFrame) -> Figures:
    """Return how far the marks of one answer in the two orders differ, over answers with marks in both."""
    if both.empty:
        return {"answers": 0}
    first, second = both.to_numpy().T
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
