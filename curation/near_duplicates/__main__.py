"""Stage `near_duplicates`: questions and facts, one row per occurrence -> one row each; all other rows go to rejected.

Questions that ask the same thing form a cluster, of which the best is kept; if the answers in a cluster conflict, the whole cluster is
rejected.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from atomexam.records.annotation import Decision, Review
from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact
from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import content_id
from atomexam.records.question import Question
from atomexam.records.reasons import OF_DUPLICATES
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, to_line, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary, rejected_counts
from curation.engine.engines import LOCAL, Engine, engine_of
from curation.near_duplicates.clusters import Star, case_groups, find_kin, find_twins, medoid, stars
from curation.near_duplicates.contamination import Contamination, contaminations, matches_of_kept, without_contaminated
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import (
    DecidedRows,
    QuestionRows,
    apply_decision,
    blemishes,
    decision_for,
    merge_rows,
    merged_provenance,
    review_of_fact,
    review_of_question,
    right_texts,
    rows_by_id,
)

_MOST_NAMED = 5
"""Maximum number of ids printed for decisions that match no row."""


class UniqueQuestions(NamedTuple):
    """The result for the question rows: one file per field."""

    kept: list[Question]
    rejected: list[Rejected]
    clusters: list[Cluster]
    reviews: list[Review]
    contaminated: list[Contamination]


class UniqueFacts(NamedTuple):
    """The result for the fact rows."""

    kept: list[Fact]
    rejected: list[Rejected]
    reviews: list[Review]


def unique_questions(
    rows: Iterable[Question],
    params: NearDuplicates,
    decisions: Mapping[str, Decision] | None = None,
    contaminated: Iterable[Contamination] = (),
    engine: Engine = LOCAL,
) -> UniqueQuestions:
    """Return one row for each distinct question, and the other rows with the reasons for rejection. The order of the rows does not matter.

    Args:
        contaminated: rows that also occur in references; they are returned as matches of the kept question.
    """
    unique = UniqueQuestions([], [], [], [], [])
    by_question_id: dict[str, list[Contamination]] = defaultdict(list)
    for one in contaminated:
        by_question_id[one.question_id].append(one)
    every = rows_by_id(rows, params.ngram_chars, engine)
    twins = find_twins(every, params, engine)
    groups = case_groups(every, twins, params)
    gone: dict[str, QuestionRows | None] = {}
    """Head dropped as contaminated -> the question that replaces it as head of the connected clusters."""
    for star in stars(every, twins, soundest_first(every, twins, params.ngram_chars), find_kin(every, params)):
        best = star.head.id
        if best in gone:
            gone[best] = head = gone[best] or star.centre
            star = star._replace(head=head)
        kept, rejected, cluster, review = _settled(star, decisions or {}, groups, params)
        if kept and (near := [one for key in {kept.id, *(row.id for row in rejected)} for one in by_question_id.get(key, ())]):
            matches = matches_of_kept(near, [kept], rejected)
            unique.contaminated.extend(matches)
            _, dropped = without_contaminated([kept], matches) if params.contaminated == "drop" else ([], [])
            if dropped:
                if cluster is None and star.head is star.centre:
                    gone[best] = None
                kept, rejected, cluster = None, [*rejected, *dropped], replace(cluster, kept=None) if cluster else None
        unique.kept.extend([kept] if kept else [])
        unique.rejected.extend(rejected)
        unique.clusters.extend([cluster] if cluster else [])
        unique.reviews.extend([review] if review else [])
    return unique


class _SettledStar(NamedTuple):
    """The outputs for one star (a centre and its duplicates)."""

    kept: Question | None
    rejected: list[Rejected]
    cluster: Cluster | None
    review: Review | None


def _settled(star: Star, decisions: Mapping[str, Decision], groups: Mapping[str, str], params: NearDuplicates) -> _SettledStar:
    group = [*star.centre.rows, *(row for member, _ in star.members for row in member.rows)]
    cluster_id = content_id("cluster", star.head.id)
    decision = decision_for(group, decisions)
    kept, review = None, None
    if decision and decision.withdrawn:
        rejected = [_reject(row, "question", "withdrawn", decision.withdrawn) for row in group]
    elif star.conflict and not decision:
        detail = f"{cluster_id}: {' / '.join(sorted({'＋'.join(sorted(right_texts(row))) for row in group if row.answer}))}"
        rejected = [_reject(row, "question", "conflicting_answers", detail) for row in group]
        review = review_of_question(cluster_id, group)
    else:
        one = apply_decision(group, decision, params.ngram_chars) if decision else DecidedRows(group[0], 0, frozenset())
        # if a key is overruled, exclude rows without a key, since they may explain that key
        holding = [row for index, row in enumerate(group) if index not in one.overruled and (row.answer or not one.overruled)]
        best = merge_rows(one.best, holding, star.centre.compared.in_words, cluster_id)
        kept = replace(best, provenance=merged_provenance(group), group_id=groups.get(star.centre.compared.case or "", best.group_id))
        rejected = []
        for index, row in enumerate(group):
            if index != one.best_index:
                same = "identical" if row.id == kept.id else "near_duplicate"
                rejected.append(_reject(row, "question", "overruled" if index in one.overruled else same, kept.id))
    cluster = _cluster(star, cluster_id, kept, len(group), params.ngram_chars) if len(group) > 1 else None
    return _SettledStar(kept, rejected, cluster, review)


def unique_facts(rows: Iterable[Fact], decisions: Mapping[str, Decision] | None = None) -> UniqueFacts:
    """Return one row for each distinct fact, and the other rows with the reasons for rejection. The order of the rows does not matter."""
    unique = UniqueFacts([], [], [])
    for key, same in groupby(sorted(rows, key=lambda row: row.id), lambda row: row.id):
        group = sorted(same, key=lambda row: (blemishes(row.head, row.tail), row.head, row.tail, to_line(row)))
        decision = (decisions or {}).get(key)
        polarity = decision.polarity if decision else None
        if len({row.polarity for row in group}) == 1:
            polarity = group[0].polarity
        if polarity is None:
            affirmed = sum(row.polarity for row in group)
            detail = f"said {affirmed} times, denied {len(group) - affirmed} times"
            unique.rejected.extend(_reject(row, "fact", "conflicting_polarity", detail) for row in group)
            unique.reviews.append(review_of_fact(group))
        else:
            best, *others = sorted(group, key=lambda row: row.polarity is not polarity)
            unique.kept.append(replace(best, provenance=merged_provenance(group)))
            for row in others:
                unique.rejected.append(_reject(row, "fact", "identical" if row.polarity is polarity else "overruled", best.id))
    return unique


def measure(question_rows: int, fact_rows: int, questions: UniqueQuestions, facts: UniqueFacts) -> dict[str, Any]:
    """Return the stage's metrics; `question_rows` and `fact_rows` are the numbers of rows in the input.

    Raises:
        ValueError: a row is neither kept nor rejected, or occurs twice.
    """
    counts = {
        "questions": {"in": question_rows, "out": len(questions.kept), "rejected": len(questions.rejected)},
        "facts": {"in": fact_rows, "out": len(facts.kept), "rejected": len(facts.rejected)},
    }
    for kind, count in counts.items():
        if count["in"] != count["out"] + count["rejected"]:
            raise ValueError(f"near_duplicates: {kind}: {count}: expected in = out + rejected; this is a bug, report it with the input")
    reasons = Counter(row.reason for row in (*questions.rejected, *facts.rejected))
    contaminated = Counter(reference for reference, _ in {(one.reference, one.question_id) for one in questions.contaminated})
    return counts | {
        "clusters": len(questions.clusters),
        "for_review": len(questions.reviews) + len(facts.reviews),
        "contaminated": dict(sorted(contaminated.items())),
        "largest_cluster": max((cluster.rows for cluster in questions.clusters), default=0),
        "rejected_by_reason": {reason: reasons[reason] for reason in OF_DUPLICATES},
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


def main(argv: list[str] | None = None) -> None:
    paths = {
        "questions": "data/clean/questions.jsonl",
        "facts": "data/clean/facts.jsonl",
        "references": "data/clean/references.jsonl",
        "decisions": "curation/decisions.jsonl",
        "out": "data/unique",
        "metrics": "metrics/near_duplicates.json",
    }
    args = read_arguments(argv, __doc__, "near_duplicates", NearDuplicates, paths, scalars=("engine",))
    engine = engine_of(args.engine)
    decisions = read_decisions(args.decisions)
    questions, facts = list(read_jsonl(args.questions, Question)), list(read_jsonl(args.facts, Fact))
    references = list(read_optional(args.references, Question))  # optional in a manual call
    on_facts = {key for key, decision in decisions.items() if decision.polarity is not None}
    if idle := sorted((on_facts - {row.id for row in facts}) | (decisions.keys() - on_facts - {row.id for row in questions})):
        rest = f" and {len(idle) - _MOST_NAMED:,} more" if len(idle) > _MOST_NAMED else ""
        print(f"{args.decisions}: ids that match no question or fact in this data: {', '.join(idle[:_MOST_NAMED])}{rest}", file=sys.stderr)
    with folder_lock(args.out) as out:
        for stale in sorted(out.glob("*.part")):  # left by a killed run
            stale.unlink()
        matches = contaminations(questions, references, args.params)
        unique = unique_questions(questions, args.params, decisions, matches, engine)
        unique_of_facts = unique_facts(facts, decisions)
        metrics = measure(len(questions), len(facts), unique, unique_of_facts)
        write_jsonl(out / "questions.jsonl", unique.kept, lambda row: row.id)
        write_jsonl(out / "facts.jsonl", unique_of_facts.kept, lambda row: row.id)
        write_jsonl(out / "rejected.jsonl", [*unique.rejected, *unique_of_facts.rejected], lambda row: row.id)
        write_jsonl(out / "clusters.jsonl", unique.clusters, lambda row: (row.cluster_id, row.members))
        write_jsonl(out / "review.jsonl", [*unique.reviews, *unique_of_facts.reviews], lambda row: (row.id, row.asked))
        write_jsonl(out / "contaminated.jsonl", unique.contaminated, lambda row: (row.question_id, row.reference_id, row.seen))
        write_json(args.metrics, metrics)
    kinds = (f"{metrics[kind]['in']:,} {kind} -> {metrics[kind]['out']:,}" for kind in ("questions", "facts"))
    print_summary(
        "near_duplicates",
        f"{'; '.join(kinds)}; {number_of(metrics['clusters'], 'cluster')}; {rejected_counts(metrics['rejected_by_reason'])}",
    )


if __name__ == "__main__":
    run_stage(main, acyclic=True)
