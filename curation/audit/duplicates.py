"""Rows of a set -> its duplicates: clusters, twins across the splits, conflicting keys. Pure.

Duplicates are decided as by `near_duplicates`: questions on the same shared case are not twins of each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from atomexam.records.identity import content_id
from atomexam.records.params import NearDuplicates
from curation.audit.audited_questions import AuditedQuestion
from curation.audit.cross_split import SplitLeaks, leaks
from curation.clean.questions.with_all_reasons import is_comparable
from curation.near_duplicates.clusters import Star, TwinRelations, find_twins, stars
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import QuestionRows, rows_by_id
from curation.near_duplicates.reviews import right_texts

_STEM_CHARS, _CASE_CHARS = 200, 400


class Duplicates(NamedTuple):
    """The duplicates in a set."""

    clusters: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    """Clusters whose answers differ, and pairs of questions from two clusters whose answers differ."""
    leaks: SplitLeaks
    """What each split has in common with another."""
    identical: int
    """Rows beyond the first of each id."""
    near: int
    """Further rows beyond the first of each cluster."""


def duplicates_in(rows: Sequence[AuditedQuestion], params: NearDuplicates) -> Duplicates:
    """Return the duplicates; questions without a stem, and overlong ones, are not compared."""
    row_of = {id(row.question): row for row in rows}  # by object: rows may be equal to the last byte
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
    """Yield pairs whose answers differ and that are in no common cluster."""
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
            {"id": row.question.id, "file": row.file, "position": row.position, "split": row.split, "similarity": round(similarity, 6)}
            | ({"stem": row.question.stem[:_STEM_CHARS]} if row.question.stem[:_STEM_CHARS] != stem else {})
            for row, similarity in rows
        ],
        "conflict": star.conflict,
        "keys": [{"right": right, "places": places} for right, places in sorted(keys.items())] if star.conflict else [],
    }
