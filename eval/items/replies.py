"""Scores of all runs of a task -> a matrix of items by models, with the answer of each. One run a model: its best one."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from atomexam.records.claim import PAIR, SENTENCES
from atomexam.runtime.jsonl import read_jsonl
from eval.items.keys import NO_ANSWER, Codes
from eval.items.statistics import Matrix
from eval.statistics.pairing import scored_id

_PLACES = {"": 1} | {side: 3**place for sides in (PAIR, SENTENCES) for place, side in enumerate(sides)}
"""What the verdict on a sentence counts in the code of its pair or row: verdicts are 0 (none), 1 and 2, so codes are numbers to base 3."""
Shares = npt.NDArray[np.float64]


class Reply(Struct):
    """What is read of a score; further fields are ignored."""

    item_id: str
    repeat: int
    outcome: str
    answer: str | None = None
    correct: bool | None = None


class RunReplies(NamedTuple):
    """One run's replies to the items of its task, in the order of their numbers."""

    right: Shares
    """Share of the repeats in which all parts of an item are right; NaN if the call failed or there is no known answer."""
    codes: Codes
    """Number of the answer in the first repeat; `NO_ANSWER` if a part of it is missing."""
    unparsed: Shares
    """Share of the replies without a readable answer."""
    omitted: Shares
    """Share of the replies that were cut before an answer, or never came."""
    same: npt.NDArray[np.bool_]
    """Whether the answer is the same in each repeat and order."""


class TaskReplies(NamedTuple):
    """The replies of several models to the items of one task."""

    items: list[str]
    runs: dict[str, str]
    """Model -> its run, the columns in order."""
    right: Matrix
    codes: npt.NDArray[np.int32]
    answers: list[str]
    """The answer of each code; of parts of an item only those of one sentence."""
    unparsed: Shares
    """By item: mean over the models; like the next."""
    omitted: Shares
    consistent: Shares
    """Share of the runs with several orders or wordings in which the answer never changes; NaN without such runs."""


def code_of(verdicts: Mapping[str, str], answers: Mapping[str, int]) -> int:
    """Return the code of the verdicts on the parts of an item, 0 or more."""
    return sum((answers[verdict] + 1) * _PLACES[side] for side, verdict in verdicts.items()) - 1


def read_run(path: Path, items: dict[str, int], answers: dict[str, int]) -> RunReplies:
    """Return the replies of one run; items and answers that are new get the next number."""
    replies = list(read_jsonl(path, Reply))
    many = len(replies)
    numbers = np.fromiter((items.setdefault(scored_id(one.item_id), len(items)) for one in replies), np.int64, many)
    repeat = np.fromiter((one.repeat for one in replies), np.int64, many)
    digits = np.fromiter((0 if one.answer is None else answers.setdefault(one.answer, len(answers)) + 1 for one in replies), np.int64, many)
    places = np.fromiter((_PLACES[one.item_id.partition("/")[2]] for one in replies), np.int64, many)
    repeats = int(repeat.max(initial=0)) + 1

    def counted(marks: npt.NDArray, weights: npt.NDArray | None = None) -> npt.NDArray:
        """Return the number of marked replies of each item and repeat."""
        cells = (numbers * repeats + repeat)[marks]
        total = np.bincount(cells, None if weights is None else weights[marks], minlength=len(items) * repeats)
        return total.reshape(len(items), repeats)

    every = np.ones(many, bool)
    asked = counted(every)
    unknown = np.fromiter((one.correct is None or one.outcome == "failed" for one in replies), bool, many)
    known = (asked > 0) & (counted(unknown) == 0)
    right = known & (counted(np.fromiter((one.correct is not True for one in replies), bool, many)) == 0)
    codes = np.where((asked > 0) & (counted(digits == 0) == 0), counted(every, digits * places) - 1, NO_ANSWER).astype(np.int32)
    total = np.maximum(asked.sum(axis=1), 1)
    without = {kind: np.fromiter((one.outcome in kind for one in replies), bool, many) for kind in (("unparsed",), ("truncated", "failed"))}
    unparsed, omitted = (counted(marks).sum(axis=1) / total for marks in without.values())
    share = np.divide(right.sum(axis=1), known.sum(axis=1), out=np.full(len(items), np.nan), where=known.any(axis=1))
    same = (codes[:, :1] == codes).all(axis=1) & (codes[:, 0] != NO_ANSWER)
    return RunReplies(share, codes[:, 0], unparsed, omitted, same)


class TaskRun(NamedTuple):
    """A run of the task."""

    name: str
    model: str
    scores: Path
    has_variants: bool
    """It has several orders or wordings."""


def read_task(runs: Iterable[TaskRun], answers: dict[str, int]) -> TaskReplies | None:
    """Return the replies of each model's best run, the one with the largest share right; the runs of one model are not independent.

    Args:
        runs: in the order of their names: of equally good ones the first counts.
        answers: numbers of answers that must be known before; more are added.

    Returns:
        None if no item has a known right answer.
    """
    items: dict[str, int] = {}
    best: dict[str, tuple[float, str, RunReplies]] = {}
    varied: list[npt.NDArray[np.bool_]] = []
    for name, model, path, has_variants in runs:
        read = read_run(path, items, answers)
        known = read.right[~np.isnan(read.right)]
        share = float(known.mean()) if len(known) else -1.0
        if model not in best or share > best[model][0]:
            best[model] = (share, name, read)
        varied += [read.same] if has_variants else []
    columns = [best[model][2] for model in sorted(best)]
    right = _filled([one.right for one in columns], len(items), np.nan)
    chosen = np.flatnonzero(~np.isnan(right).all(axis=1)) if columns else np.zeros(0, int)
    if not len(chosen):
        return None
    names = list(items)
    chosen = chosen[np.argsort([names[number] for number in chosen], kind="stable")]
    unparsed, omitted = (
        np.nanmean(_filled(each, len(items), np.nan)[chosen], axis=1)
        for each in ([one.unparsed for one in columns], [one.omitted for one in columns])
    )
    consistent = _filled(varied, len(items), np.nan)[chosen].mean(axis=1) if varied else np.full(len(chosen), np.nan)
    return TaskReplies(
        items=[names[number] for number in chosen],
        runs={model: best[model][1] for model in sorted(best)},
        right=right[chosen],
        codes=_filled([one.codes for one in columns], len(items), NO_ANSWER)[chosen].astype(np.int32),
        answers=list(answers),
        unparsed=unparsed,
        omitted=omitted,
        consistent=consistent,
    )


def _filled(columns: Iterable[npt.NDArray], length: int, missing: float) -> npt.NDArray[np.float64]:
    """Return columns side by side; the shorter ones, of runs read before an item was known, are filled up."""
    padded = [np.pad(column.astype(float), (0, length - len(column)), constant_values=missing) for column in columns]
    return np.stack(padded, axis=1) if padded else np.zeros((length, 0))
