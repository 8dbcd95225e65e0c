"""Rows with the same question across the splits of a set -> how much of each split is in another, and with which answers. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from curation.audit.audited_questions import AuditedQuestion
from curation.near_duplicates.clusters import TwinRelations, case_groups
from curation.near_duplicates.merging import QuestionRows
from curation.near_duplicates.pair_rules import answer_of, same_answer

_ORDER = ("test", "val", "dev", "reserved", "train")
_SAME, _UNKNOWN, _OTHER = "same_answer", "answer_unknown", "other_answer"
Split = str | None
RowsByQuestion = Sequence[Sequence[AuditedQuestion]]
"""The rows of each distinct question, by its index."""


class SplitLeaks(NamedTuple):
    """Questions in several splits."""

    across: list[dict[str, Any]]
    """For each two splits, how many questions of one have a twin in the other, and whether with the same answer."""
    leaking: list[AuditedQuestion]
    """Rows outside train that have a twin in another split."""


class _Reach(NamedTuple):
    """For each distinct question, by its index, the splits that contain it."""

    same: list[set[Split]]
    """The question itself."""
    twins: list[set[Split]]
    """The question or a twin."""
    case: list[set[Split]]
    """Any question of its case."""
    positions: list[list[int]]
    """The question itself and its twins."""


def leaks(every: Sequence[QuestionRows], rows_of: RowsByQuestion, twins: TwinRelations, params: NearDuplicates) -> SplitLeaks:
    """Return what each split of a set has in common with another."""
    reach = _reach(every, rows_of, twins, params)
    splits = sorted({row.split for rows in rows_of for row in rows if row.split}, key=_split_order)
    return SplitLeaks(
        across=[_across(rows_of, reach, of, among, params.ngram_chars) for of, among in permutations(splits, 2)],
        leaking=[
            row
            for row, position in _rows_with_position(rows_of)
            if row.split not in (None, "train") and reach.twins[position] - {row.split, None}
        ],
    )


def share(part: int, whole: int) -> float | None:
    """Return a share to six digits; None if `whole` is 0."""
    return round(part / whole, 6) if whole else None


def _split_order(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else -1, name)


def _reach(every: Sequence[QuestionRows], rows_of: RowsByQuestion, twins: TwinRelations, params: NearDuplicates) -> _Reach:
    same = [{row.split for row in rows} for rows in rows_of]
    reached, positions = [set(splits) for splits in same], [[position] for position in range(len(rows_of))]
    for a, b in sorted(twins):
        for one, other in ((a, b), (b, a)):
            reached[one] |= same[other]
            positions[one].append(other)
    groups = case_groups(every, twins, params)
    by_group: dict[str, set[Split]] = defaultdict(set)
    keys = [groups.get(one.compared.case or "") for one in every]
    for key, splits in zip(keys, same, strict=True):
        if key:
            by_group[key] |= splits
    return _Reach(same, reached, [by_group[key] if key else set() for key in keys], positions)


def _rows_with_position(rows_of: RowsByQuestion) -> Iterable[tuple[AuditedQuestion, int]]:
    return ((row, position) for position, rows in enumerate(rows_of) for row in rows)


def _across(rows_of: RowsByQuestion, reach: _Reach, of: str, among: str, ngram_chars: int) -> dict[str, Any]:
    """Return which questions of one split are in another; questions on the same shared case are not twins of each other."""
    kinds = (("identical", reach.same), ("near", reach.twins), ("shared_case_only", reach.case))
    counts: Counter[str] = Counter()
    for position, rows in enumerate(rows_of):
        asking = [row.question for row in rows if row.split == of]
        kind = next((kind for kind, splits in kinds if among in splits[position]), "none")
        counts[kind] += len(asking)
        if asking and kind in ("identical", "near"):
            twins = [row.question for other in reach.positions[position] for row in rows_of[other] if row.split == among]
            counts.update(_answers(question, twins, ngram_chars) for question in asking)
    questions = sum(counts[kind] for kind, _ in kinds) + counts["none"]
    return {
        "of": of,
        "in": among,
        "questions": questions,
        "identical": counts["identical"],
        "near": counts["near"],
        "share": share(counts["identical"] + counts["near"], questions),
        _SAME: counts[_SAME],
        _UNKNOWN: counts[_UNKNOWN],
        _OTHER: counts[_OTHER],
        "answer_share": share(counts[_SAME] + counts[_UNKNOWN], questions),
        "shared_case_only": counts["shared_case_only"],
    }


def _answers(question: Question, twins: Iterable[Question], ngram_chars: int) -> str:
    """Return whether any twin has the same answer; else whether any may have, because one has none; else they differ."""
    own = answer_of(question)
    by_answer = {answer_of(twin): twin for twin in twins}
    known = [twin for answer, twin in by_answer.items() if answer is not None]
    in_words = question.question_type in ("qa", "blank")  # answers in words vary in wording, so they contradict nothing
    if own is not None and (own in by_answer or any(in_words or same_answer(twin, own, ngram_chars) for twin in known)):
        return _SAME
    return _UNKNOWN if own is None or None in by_answer else _OTHER
