"""Rows of a set -> its duplicates: clusters, conflicting keys, and the overlap between splits. Pure.

Duplicates are defined as in the stage `near_duplicates`: questions that only share a case are not duplicates of each other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import content_id
from atomexam.records.question import Question
from curation.audit.sets import AuditedQuestion
from curation.clean.questions.cleaned_questions import is_comparable
from curation.near_duplicates.clusters import Star, TwinRelations, case_groups, find_twins, stars
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import QuestionRows, right_texts, rows_by_id
from curation.near_duplicates.same_question import answer_of, same_answer

DIGITS = 8  # decimals of a share in files: enough that rounding happens only once, for display
_ORDER = ("test", "val", "dev", "reserved", "train")
_SAME, _UNKNOWN, _OTHER = "same_answer", "answer_unknown", "other_answer"
Split = str | None
RowsByQuestion = Sequence[Sequence[AuditedQuestion]]
"""For each distinct question, by its index, its rows."""


class SplitLeaks(NamedTuple):
    """Questions in several splits."""

    across: list[dict[str, Any]]
    """For each ordered pair of splits, how many questions of the first have a duplicate in the second, and whether the answers agree."""
    leaking: list[AuditedQuestion]
    """Rows outside train that have a duplicate in another split."""


class _Reach(NamedTuple):
    """For each distinct question, by its index, the splits that contain it."""

    same: list[set[Split]]
    """Splits with the question itself."""
    twins: list[set[Split]]
    """Splits with the question or a duplicate."""
    case: list[set[Split]]
    """Splits with any question of its case."""
    positions: list[list[int]]
    """Indexes of the question itself and its duplicates."""


def leaks(every: Sequence[QuestionRows], rows_of: RowsByQuestion, twins: TwinRelations, params: NearDuplicates) -> SplitLeaks:
    """Return the questions that splits of a set have in common."""
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
    """Return a share; None if `whole` is 0."""
    return round(part / whole, DIGITS) if whole else None


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
    """Count the questions of one split that also occur in another; questions that only share a case are not duplicates of each other."""
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
    """Compare a question's answer with its duplicates' answers: same if it equals any of them, else unknown if an answer is missing, else
    different."""
    own = answer_of(question)
    by_answer = {answer_of(twin): twin for twin in twins}
    known = [twin for answer, twin in by_answer.items() if answer is not None]
    in_words = question.question_type in ("qa", "blank")  # answers in words may differ in wording without a contradiction
    if own is not None and (own in by_answer or any(in_words or same_answer(twin, own, ngram_chars) for twin in known)):
        return _SAME
    return _UNKNOWN if own is None or None in by_answer else _OTHER


_STEM_CHARS, _CASE_CHARS = 200, 400


class Duplicates(NamedTuple):
    """The duplicates in a set."""

    clusters: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    """Clusters with differing answers, and pairs of questions from different clusters whose answers differ."""
    leaks: SplitLeaks
    """The questions that splits have in common."""
    identical: int
    """Number of rows beyond the first with each id."""
    near: int
    """Number of further rows beyond the first in each cluster."""


def duplicates_in(rows: Sequence[AuditedQuestion], params: NearDuplicates) -> Duplicates:
    """Return the duplicates, skipping overlong questions and those without a stem."""
    row_of = {id(row.question): row for row in rows}  # keyed by identity, because rows may be equal
    order = {id(row): position for position, row in enumerate(rows)}
    every = rows_by_id((row.question for row in rows if is_comparable(row.question)), params.ngram_chars)
    rows_of = [[row_of[id(question)] for question in one.rows] for one in every]
    twins = find_twins(every, params)
    all_stars = list(stars(every, twins, soundest_first(every, twins, params.ngram_chars)))
    groups = [star for star in all_stars if star.members or len(star.centre.rows) > 1]
    clusters = sorted((_cluster(star, row_of, order) for star in groups), key=lambda one: one["cluster_id"])
    outside_clusters = [_cluster(star, row_of, order) for star in _conflicts_between(every, all_stars, twins)]
    return Duplicates(
        clusters=clusters,
        conflicts=[one for one in clusters if one["conflict"]] + outside_clusters,
        leaks=leaks(every, rows_of, twins, params),
        identical=sum(len(one.rows) - 1 for one in every),
        near=sum(len(star.members) for star in groups),
    )


def _conflicts_between(every: Sequence[QuestionRows], all_stars: Sequence[Star], twins: TwinRelations) -> Iterable[Star]:
    """Yield pairs of questions whose answers differ and that are in different clusters."""
    star_of = {one.id: index for index, star in enumerate(all_stars) for one in (star.centre, *(member for member, _ in star.members))}
    for (a, b), twin in sorted(twins.items()):
        if twin.conflict and star_of[every[a].id] != star_of[every[b].id]:
            yield Star(every[a], [(every[b], twin.similarity)], True, every[a])


def _cluster(star: Star, row_of: dict[int, AuditedQuestion], order: dict[int, int]) -> dict[str, Any]:
    """Return a cluster for audit.json."""
    members = [(star.centre, 1.0), *star.members]
    rows = [(row_of[id(question)], similarity) for one, similarity in members for question in one.rows]
    rows.sort(key=lambda pair: order[id(pair[0])])
    keys: dict[str, list[str]] = defaultdict(list)
    for row, _ in rows:
        if row.question.answer:
            keys[" + ".join(sorted(right_texts(row.question)))].append(f"{row.file} {row.position}")
    stem = star.centre.rows[0].stem[:_STEM_CHARS]
    return {
        "cluster_id": content_id("cluster", star.centre.id),
        "stem": stem,
        "case": (star.centre.rows[0].shared_stem or "")[:_CASE_CHARS],
        "kind": "near" if star.members else "identical",
        "splits": sorted({row.split for row, _ in rows if row.split}),
        "rows": [
            {"id": row.id, "file": row.file, "position": row.position, "split": row.split, "similarity": round(similarity, DIGITS)}
            | ({"stem": row.question.stem[:_STEM_CHARS]} if row.question.stem[:_STEM_CHARS] != stem else {})
            for row, similarity in rows
        ],
        "conflict": star.conflict,
        "keys": [{"right": right, "places": places} for right, places in sorted(keys.items())] if star.conflict else [],
    }
