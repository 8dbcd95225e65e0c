"""Read the scores of all runs of a task into matrices of items by models, using only each model's best run."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from atomexam.records.claim import PAIR, SENTENCES
from atomexam.records.prediction import Outcome
from atomexam.runtime.jsonl import read_jsonl
from eval.items.keys import NO_ANSWER, Codes
from eval.items.statistics import Matrix
from eval.statistics.paired_tests import scored_id

_PLACE_VALUES = {"": 1} | {side: 3**exponent for sides in (PAIR, SENTENCES) for exponent, side in enumerate(sides)}
"""Place value of a sentence's verdict in the code of its pair or row: a verdict is 0 (none), 1 or 2, so the codes are base-3 numbers."""
_PARTS = {"": 1} | {side: len(sides) for sides in (PAIR, SENTENCES) for side in sides}
_OUTCOMES = {outcome: number for number, outcome in enumerate(get_args(Outcome))}
_MARKS = {False: 0, True: 1, None: 2}
Shares = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class Reply(Struct):
    """The required fields of a score; other fields are ignored."""

    item_id: str
    repeat: int
    outcome: Outcome
    answer: str | None = None
    correct: bool | None = None


class RunReplies(NamedTuple):
    """One run's replies to the items of its task, ordered by item number."""

    right: Shares
    """Share of the repeats in which all parts of an item are correct; NaN if a call failed, a part is missing, or the correct answer is
    unknown."""
    codes: Codes
    """Number of the answer in the first repeat; `NO_ANSWER` if part of the answer is missing."""
    unparsed: Shares
    """Share of the replies from which no answer could be parsed; like the next two fields, NaN if the item was not requested."""
    omitted: Shares
    """Share of the replies that were cut off before an answer or are missing because the call failed."""
    same: Shares
    """1 if the answer is the same in each repeat and order, else 0."""


class TaskReplies(NamedTuple):
    """The replies of several models to the items of one task."""

    items: list[str]
    runs: dict[str, str]
    """Maps each model to its run, in the order of the columns."""
    silent: list[str]
    """Models without a known reply; they have no column."""
    right: Matrix
    codes: npt.NDArray[np.int32]
    answers: list[str]
    """The answer that each code stands for; for items with several parts, the answer to a single sentence."""
    unparsed: Shares
    """Mean over the models for each item; this also applies to the next field."""
    omitted: Shares
    consistent: Shares
    """Share of the runs with several orders or wordings in which the answer never changes; NaN if there are no such runs."""


def code_of(verdicts: Mapping[str, str], answers: Mapping[str | None, int]) -> int:
    """Return the code, 0 or more, of the verdicts on the parts of an item.

    Args:
        answers: the number of each answer, counted from 1; 0 means no answer.
    """
    return sum(answers[verdict] * _PLACE_VALUES[side] for side, verdict in verdicts.items()) - 1


class Items:
    """Numbers the items of a task in the order of their first replies; an item may have several parts, such as the two sides of a claim
    pair."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.parts: list[int] = []
        """Number of parts of each item."""
        self._parts: dict[str, int] = {}
        self._item: list[int] = []
        self._place: list[int] = []

    def numbered(self, names: Iterable[str]) -> tuple[Numbers, Numbers]:
        """Return the item number of each part, and the place value of its verdict in the item's code."""
        parts = np.array([self._parts.setdefault(name, len(self._parts)) for name in names], np.int64)
        for name in islice(self._parts, len(self._item), None):
            item = scored_id(name)
            side = name[len(item) + 1 :]
            if item not in self.numbers:
                self.parts.append(_PARTS[side])
            self._item.append(self.numbers.setdefault(item, len(self.numbers)))
            self._place.append(_PLACE_VALUES[side])
        return np.array(self._item, np.int64)[parts], np.array(self._place, np.int64)[parts]


def read_run(path: Path, items: Items, answers: dict[str | None, int]) -> RunReplies:
    """Return the replies of one run; new items and answers get the next number."""
    replies = list(read_jsonl(path, Reply))
    numbers, place_values = items.numbered([one.item_id for one in replies])
    repeat = np.array([one.repeat for one in replies], np.int64)
    digits = np.array([answers.setdefault(one.answer, len(answers)) for one in replies], np.int64)
    outcome = np.array([_OUTCOMES[one.outcome] for one in replies], np.int8)
    correct = np.array([_MARKS[one.correct] for one in replies], np.int8)
    repeats, many = int(repeat.max(initial=0)) + 1, len(items.numbers)

    def counted(marks: npt.NDArray, weights: npt.NDArray | None = None) -> npt.NDArray:
        """Return the number of replies marked True for each item and repeat."""
        cells = (numbers * repeats + repeat)[marks]
        total = np.bincount(cells, None if weights is None else weights[marks], minlength=many * repeats)
        return total.reshape(many, repeats)

    every = np.ones(len(replies), bool)
    reply_counts = counted(every)
    whole = reply_counts >= np.array(items.parts, np.int64)[:, np.newaxis]
    known = whole & (counted((correct == _MARKS[None]) | (outcome == _OUTCOMES["failed"])) == 0)
    right = known & (counted(correct != _MARKS[True]) == 0)
    codes = np.where(whole & (counted(digits == 0) == 0), counted(every, digits * place_values) - 1, NO_ANSWER).astype(np.int32)
    total = np.where(reply_counts.any(axis=1), reply_counts.sum(axis=1), np.nan)
    unparsed = counted(outcome == _OUTCOMES["unparsed"]).sum(axis=1) / total
    omitted = counted((outcome == _OUTCOMES["truncated"]) | (outcome == _OUTCOMES["failed"])).sum(axis=1) / total
    share = np.divide(right.sum(axis=1), known.sum(axis=1), out=np.full(many, np.nan), where=known.any(axis=1))
    same = (codes[:, :1] == codes).all(axis=1) & (codes[:, 0] != NO_ANSWER)
    return RunReplies(share, codes[:, 0], unparsed, omitted, np.where(np.isnan(total), np.nan, same))


class TaskRun(NamedTuple):
    """A run of the task."""

    name: str
    model: str
    scores: Path
    has_variants: bool
    """Whether the run has several orders or wordings."""


def read_task(runs: Iterable[TaskRun], first_answers: Iterable[str | None]) -> TaskReplies | None:
    """Return the replies of each model's best run: the run with the most known replies or, if several are equal, the largest share correct.

    Only one run counts, since the runs of one model are not independent.

    Args:
        runs: sorted by name; among equally good runs, the first one counts.
        first_answers: answers that get the lowest codes, in order.

    Returns:
        The replies, or None if no item has a known correct answer.
    """
    items, answers = Items(), {answer: number for number, answer in enumerate([None, *first_answers])}
    best: dict[str, tuple[tuple[int, float], str, RunReplies]] = {}
    varied: list[Shares] = []
    for name, model, path, has_variants in runs:
        read = read_run(path, items, answers)
        known = read.right[~np.isnan(read.right)]
        rank = len(known), float(known.sum())
        if model not in best or rank > best[model][0]:
            best[model] = (rank, name, read)
        varied += [read.same] if has_variants else []
    many = len(items.numbers)
    silent = [model for model in sorted(best) if not best[model][0][0]]
    best = {model: best[model] for model in sorted(best.keys() - set(silent))}
    columns = [read for _, _, read in best.values()]
    right = _filled([one.right for one in columns], many, np.nan)
    chosen = np.flatnonzero(~np.isnan(right).all(axis=1)) if columns else np.zeros(0, int)
    if not len(chosen):
        return None
    names = list(items.numbers)
    chosen = chosen[np.argsort([names[number] for number in chosen], kind="stable")]
    unparsed, omitted = (
        np.nanmean(_filled(each, many, np.nan)[chosen], axis=1)
        for each in ([one.unparsed for one in columns], [one.omitted for one in columns])
    )
    consistent = pd.DataFrame(_filled(varied, many, np.nan)[chosen]).mean(axis=1).to_numpy()  # pandas does not warn about rows of NaN
    return TaskReplies(
        items=[names[number] for number in chosen],
        runs={model: name for model, (_, name, _) in best.items()},
        silent=silent,
        right=right[chosen],
        codes=_filled([one.codes for one in columns], many, NO_ANSWER)[chosen],
        answers=[answer for answer in answers if answer is not None],
        unparsed=unparsed,
        omitted=omitted,
        consistent=consistent,
    )


def _filled(columns: Sequence[npt.NDArray], length: int, missing: float) -> npt.NDArray:
    """Stack columns side by side, padding shorter ones, which come from runs that were read before later items were known."""
    kind = columns[0].dtype if columns else np.float64
    filled = np.full((length, len(columns)), missing, kind)
    for number, column in enumerate(columns):
        filled[: len(column), number] = column
    return filled
