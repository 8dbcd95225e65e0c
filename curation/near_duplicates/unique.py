"""Questions and facts, one row a sighting -> one row each, and why no other row stays. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.identity import content_id
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.records.rejection import Rejected
from atomexam.records.review import Decision, Review
from atomexam.runtime.jsonl import to_line
from curation.engine.engines import LOCAL, Engine
from curation.near_duplicates import contamination
from curation.near_duplicates.clusters import Star, case_groups, find_twins, medoid, stars
from curation.near_duplicates.contamination import Contamination, without_contaminated
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import blemishes, merged, merged_provenance, sighted
from curation.near_duplicates.reviews import Decided, apply_decision, decision_for, review_of_fact, review_of_question, right_texts

REASONS = {
    "identical": "another row with the same id was kept; detail is that id",
    "near_duplicate": "another question that asks the same thing was kept; detail is its id",
    "conflicting_answers": "rows that ask the same thing hold different options to be right: all of them go, for review",
    "overruled": "another row, which says otherwise, was decided on; detail is its id",
    "conflicting_polarity": "rows say and deny the same fact: all of them go, for review",
} | contamination.REASONS


class UniqueQuestions(NamedTuple):
    """What the rows of questions came to."""

    kept: list[Question]
    rejected: list[Rejected]
    clusters: list[Cluster]
    reviews: list[Review]


class UniqueFacts(NamedTuple):
    """What the rows of facts came to."""

    kept: list[Fact]
    rejected: list[Rejected]
    reviews: list[Review]


def unique_questions(
    rows: Iterable[Question], params: NearDuplicates, decisions: Mapping[str, Decision] | None = None, engine: Engine = LOCAL
) -> UniqueQuestions:
    """Return one question for each that is asked, and why no other row is. The order of the rows does not matter."""
    found = UniqueQuestions([], [], [], [])
    every = sighted(rows, params.ngram_chars, engine)
    bonds = find_twins(every, params, engine)
    groups = case_groups(every, bonds, params)
    for star in stars(every, bonds, soundest_first(every, bonds, params.ngram_chars)):
        group = [*star.centre.rows, *(row for member, _ in star.members for row in member.rows)]
        cluster_id = content_id("cluster", star.head.id)
        decision = decision_for(group, decisions or {}) if star.conflict else None
        kept = None
        if star.conflict and not decision:
            detail = f"{cluster_id}: {' / '.join(sorted({'＋'.join(sorted(right_texts(row))) for row in group if row.answer}))}"
            found.rejected.extend(_reject(row, "question", "conflicting_answers", detail) for row in group)
            found.reviews.append(review_of_question(cluster_id, group))
        else:
            one = apply_decision(group, decision, params.ngram_chars) if decision else Decided(group[0], 0, frozenset())
            holding = [row for place, row in enumerate(group) if place not in one.overruled]
            best = merged(one.best, holding, star.centre.compared.in_words, cluster_id)
            kept = replace(best, provenance=merged_provenance(group), group_id=groups.get(star.centre.compared.case or "", best.group_id))
            found.kept.append(kept)
            for place, row in enumerate(group):
                if place != one.place:
                    same = "identical" if row.id == kept.id else "near_duplicate"
                    found.rejected.append(_reject(row, "question", "overruled" if place in one.overruled else same, kept.id))
        if len(group) > 1:
            found.clusters.append(_cluster(star, cluster_id, kept, len(group), params.ngram_chars))
    return found


def unique_facts(rows: Iterable[Fact], decisions: Mapping[str, Decision] | None = None) -> UniqueFacts:
    """Return one fact for each that is told, and why no other row is. The order of the rows does not matter."""
    by_id: dict[str, list[Fact]] = defaultdict(list)
    for row in rows:
        by_id[row.id].append(row)
    found = UniqueFacts([], [], [])
    for key, group in by_id.items():
        group.sort(key=lambda row: (blemishes(row.head, row.tail), row.head, row.tail, to_line(row)))
        decision = (decisions or {}).get(key)
        holds = decision.polarity if decision else None
        if len({row.polarity for row in group}) == 1:
            holds = group[0].polarity
        if holds is None:
            said = sum(row.polarity for row in group)
            detail = f"said {said} times, denied {len(group) - said} times"
            found.rejected.extend(_reject(row, "fact", "conflicting_polarity", detail) for row in group)
            found.reviews.append(review_of_fact(group))
        else:
            best, *others = sorted(group, key=lambda row: row.polarity is not holds)
            found.kept.append(replace(best, provenance=merged_provenance(group)))
            found.rejected.extend(_reject(row, "fact", "identical" if row.polarity is holds else "overruled", best.id) for row in others)
    return found


def measure(questions: int, facts: int, asked: UniqueQuestions, stated: UniqueFacts, met: Sequence[Contamination] = ()) -> dict[str, Any]:
    """Return the stage's metrics; `questions` and `facts` are the numbers of rows that came in.

    Raises:
        ValueError: a row is neither kept nor rejected, or twice.
    """
    counts = {
        "questions": {"in": questions, "out": len(asked.kept), "rejected": len(asked.rejected)},
        "facts": {"in": facts, "out": len(stated.kept), "rejected": len(stated.rejected)},
    }
    for kind, count in counts.items():
        if count["in"] != count["out"] + count["rejected"]:
            raise ValueError(f"near_duplicates: {kind}: {count}: expected in = out + rejected; please report this with the input")
    reasons = Counter(row.reason for row in [*asked.rejected, *stated.rejected])
    return counts | {
        "clusters": len(asked.clusters),
        "for_review": len(asked.reviews) + len(stated.reviews),
        "contaminated": dict(sorted(Counter(name for name, _ in {(one.reference, one.question_id) for one in met}).items())),
        "largest_cluster": max((cluster.rows for cluster in asked.clusters), default=0),
        "rejected_by_reason": {reason: reasons[reason] for reason in REASONS},
    }


def without_references(found: UniqueQuestions, met: Sequence[Contamination]) -> UniqueQuestions:
    """Return what rows came to without the questions that a reference asks; their clusters keep none."""
    kept, dropped = without_contaminated(found.kept, met)
    gone = {row.id for row in dropped}
    clusters = [replace(cluster, kept=None) if cluster.kept in gone else cluster for cluster in found.clusters]
    return found._replace(kept=kept, rejected=found.rejected + dropped, clusters=clusters)


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
