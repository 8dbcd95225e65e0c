"""Questions and facts, one row per sighting -> one row each, and why the other rows were rejected. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.identity import content_id
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.records.review import Decision, Review
from atomexam.runtime.external_sort import RecordSink
from atomexam.runtime.jsonl import to_line
from curation.engine.engines import LOCAL, Engine
from curation.near_duplicates import contamination
from curation.near_duplicates.clusters import Star, case_groups, find_twins, medoid, stars
from curation.near_duplicates.contamination import Contamination, matches_of_kept, without_contaminated
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import Sightings, blemishes, merge_rows, merged_provenance, sightings_by_id
from curation.near_duplicates.reviews import DecidedRows, apply_decision, decision_for, review_of_fact, review_of_question, right_texts

REASONS = {
    "identical": "another row with the same id was kept; detail is that id",
    "near_duplicate": "another question that asks the same thing was kept; detail is its id",
    "conflicting_answers": "rows that ask the same thing have different right options: all of them are rejected for review",
    "overruled": "a decision accepts a contradicting row; detail is its id",
    "conflicting_polarity": "rows state and deny the same fact: all of them are rejected for review",
} | contamination.REASONS


@dataclass
class OutputCounts:
    """Numbers of output records."""

    rows: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of rejected rows by reason."""
    clusters: int = 0
    reviews: int = 0
    largest_cluster: int = 0


class QuestionTables(NamedTuple):
    """The outputs for questions."""

    kept: RecordSink[Question]
    rejected: RecordSink[Rejected]
    clusters: RecordSink[Cluster]
    reviews: RecordSink[Review]
    contaminated: RecordSink[Contamination]


class FactTables(NamedTuple):
    """The outputs for facts."""

    kept: RecordSink[Fact]
    rejected: RecordSink[Rejected]
    reviews: RecordSink[Review]


class UniqueQuestions(NamedTuple):
    """The result for the rows of questions."""

    kept: list[Question]
    rejected: list[Rejected]
    clusters: list[Cluster]
    reviews: list[Review]
    tally: OutputCounts


class UniqueFacts(NamedTuple):
    """The result for the rows of facts."""

    kept: list[Fact]
    rejected: list[Rejected]
    reviews: list[Review]
    tally: OutputCounts


def unique_questions(
    rows: Iterable[Question], params: NearDuplicates, decisions: Mapping[str, Decision] | None = None, engine: Engine = LOCAL
) -> UniqueQuestions:
    """Return one row for each distinct question, and why the others were rejected. The order of the rows does not matter."""
    unique = UniqueQuestions([], [], [], [], OutputCounts())
    every = sightings_by_id(rows, params.ngram_chars, engine)
    return unique._replace(tally=settle_questions(QuestionTables(*unique[:-1], []), every, params, decisions, (), engine))


def settle_questions(
    tables: QuestionTables,
    every: Sequence[Sightings],
    params: NearDuplicates,
    decisions: Mapping[str, Decision] | None = None,
    contaminated: Iterable[Contamination] = (),
    engine: Engine = LOCAL,
) -> OutputCounts:
    """Write one row for each distinct question, and why the others were rejected; return the counts.

    Args:
        contaminated: rows that references also contain; written as matches of the kept question.
    """
    tally = OutputCounts()
    by_question_id: dict[str, list[Contamination]] = defaultdict(list)
    for one in contaminated:
        by_question_id[one.question_id].append(one)
    bonds = find_twins(every, params, engine)
    groups = case_groups(every, bonds, params)
    for star in stars(every, bonds, soundest_first(every, bonds, params.ngram_chars)):
        settled = _settled(star, decisions or {}, groups, params)
        kept, rejected, cluster = settled.kept, settled.rejected, settled.cluster
        if kept and (near := [one for key in {kept.id, *(row.id for row in rejected)} for one in by_question_id.get(key, ())]):
            matches = matches_of_kept(near, [kept], rejected)
            for one in matches:
                tables.contaminated.append(one)
            _, dropped = without_contaminated([kept], matches) if params.contaminated == "drop" else ([], [])
            if dropped:
                kept, rejected, cluster = None, [*rejected, *dropped], replace(cluster, kept=None) if cluster else None
        if kept:
            tables.kept.append(kept)
            tally.kept += 1
        for row in rejected:
            tables.rejected.append(row)
            tally.reasons[row.reason] += 1
        if cluster:
            tables.clusters.append(cluster)
            tally.clusters += 1
            tally.largest_cluster = max(tally.largest_cluster, cluster.rows)
        if settled.review:
            tables.reviews.append(settled.review)
            tally.reviews += 1
        tally.rows += settled.rows
    return tally


class _SettledStar(NamedTuple):
    """The outputs of one star."""

    rows: int
    kept: Question | None
    rejected: list[Rejected]
    cluster: Cluster | None
    review: Review | None


def _settled(star: Star, decisions: Mapping[str, Decision], groups: Mapping[str, str], params: NearDuplicates) -> _SettledStar:
    group = [*star.centre.rows, *(row for member, _ in star.members for row in member.rows)]
    cluster_id = content_id("cluster", star.head.id)
    decision = decision_for(group, decisions) if star.conflict else None
    kept, review = None, None
    if star.conflict and not decision:
        detail = f"{cluster_id}: {' / '.join(sorted({'＋'.join(sorted(right_texts(row))) for row in group if row.answer}))}"
        rejected = [_reject(row, "question", "conflicting_answers", detail) for row in group]
        review = review_of_question(cluster_id, group)
    else:
        one = apply_decision(group, decision, params.ngram_chars) if decision else DecidedRows(group[0], 0, frozenset())
        holding = [row for index, row in enumerate(group) if index not in one.overruled]
        best = merge_rows(one.best, holding, star.centre.compared.in_words, cluster_id)
        kept = replace(best, provenance=merged_provenance(group), group_id=groups.get(star.centre.compared.case or "", best.group_id))
        rejected = []
        for index, row in enumerate(group):
            if index != one.best_index:
                same = "identical" if row.id == kept.id else "near_duplicate"
                rejected.append(_reject(row, "question", "overruled" if index in one.overruled else same, kept.id))
    cluster = _cluster(star, cluster_id, kept, len(group), params.ngram_chars) if len(group) > 1 else None
    return _SettledStar(len(group), kept, rejected, cluster, review)


def unique_facts(rows: Iterable[Fact], decisions: Mapping[str, Decision] | None = None) -> UniqueFacts:
    """Return one row for each distinct fact, and why the others were rejected. The order of the rows does not matter."""
    unique = UniqueFacts([], [], [], OutputCounts())
    return unique._replace(tally=settle_facts(FactTables(*unique[:-1]), sorted(rows, key=lambda row: row.id), decisions))


def settle_facts(tables: FactTables, rows: Iterable[Fact], decisions: Mapping[str, Decision] | None = None) -> OutputCounts:
    """Write one row for each distinct fact from rows sorted by id, and why the others were rejected; return the counts."""
    tally = OutputCounts()
    for key, same in groupby(rows, lambda row: row.id):
        group = sorted(same, key=lambda row: (blemishes(row.head, row.tail), row.head, row.tail, to_line(row)))
        decision = (decisions or {}).get(key)
        holds = decision.polarity if decision else None
        if len({row.polarity for row in group}) == 1:
            holds = group[0].polarity
        if holds is None:
            affirmed = sum(row.polarity for row in group)
            detail = f"said {affirmed} times, denied {len(group) - affirmed} times"
            rejected = [_reject(row, "fact", "conflicting_polarity", detail) for row in group]
            tables.reviews.append(review_of_fact(group))
            tally.reviews += 1
        else:
            best, *others = sorted(group, key=lambda row: row.polarity is not holds)
            tables.kept.append(replace(best, provenance=merged_provenance(group)))
            tally.kept += 1
            rejected = [_reject(row, "fact", "identical" if row.polarity is holds else "overruled", best.id) for row in others]
        for refused in rejected:
            tables.rejected.append(refused)
            tally.reasons[refused.reason] += 1
        tally.rows += len(group)
    return tally


def measure(
    questions: int, facts: int, question_counts: OutputCounts, fact_counts: OutputCounts, contaminated: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return the stage's metrics; `questions` and `facts` are the numbers of rows in the input,
    `contaminated` those of questions by reference.

    Raises:
        ValueError: a row is neither kept nor rejected, or twice.
    """
    counts = {
        "questions": {"in": questions, "out": question_counts.kept, "rejected": question_counts.reasons.total()},
        "facts": {"in": facts, "out": fact_counts.kept, "rejected": fact_counts.reasons.total()},
    }
    for kind, count in counts.items():
        if count["in"] != count["out"] + count["rejected"]:
            raise ValueError(f"near_duplicates: {kind}: {count}: expected in = out + rejected; please report this with the input")
    reasons = question_counts.reasons + fact_counts.reasons
    return counts | {
        "clusters": question_counts.clusters,
        "for_review": question_counts.reviews + fact_counts.reviews,
        "contaminated": dict(sorted((contaminated or {}).items())),
        "largest_cluster": question_counts.largest_cluster,
        "rejected_by_reason": {reason: reasons[reason] for reason in REASONS},
    }


def _reject(row: Question | Fact, kind: str, reason: str, detail: str) -> Rejected:
    return Rejected(id=row.id, kind=kind, reason=reason, detail=detail, record=msgspec.to_builtins(row))


def _cluster(star: Star, cluster_id: str, kept: Question | None, rows: int, ngram_chars: int) -> Cluster:
    return Cluster(
        cluster_id=cluster_id,
        kept=kept.id if kept else None,
        medoid=medoid(star, ngram_chars),
        members=[star.centre.id, *(member.id for member, _ in star.members)],
        similarity=[1.0, *(round(similarity, 6) for _, similarity in star.members)],
        rows=rows,
    )
