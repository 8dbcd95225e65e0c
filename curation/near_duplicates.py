"""Stage `near_duplicates`: questions and facts, one row a sighting -> one row each; every other row goes to rejected.

Questions that ask the same thing make a cluster, of which the best is kept; clusters whose answers conflict go to rejected whole.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from curation.clusters import stars
from curation.merging import blemishes, merged, merged_provenance, sighted
from records.cluster import Cluster
from records.fact import Fact
from records.identity import content_id
from records.jsonl import folder_lock, read_jsonl, to_line, write_json, write_jsonl
from records.params import NearDuplicates
from records.question import Question
from records.rejection import Rejected
from records.stage import read_arguments, run_stage

REASONS = {
    "identical": "another row with the same id was kept; detail is that id",
    "near_duplicate": "another question that asks the same thing was kept; detail is its id",
    "conflicting_answers": "rows that ask the same thing hold different options to be right: all of them go, for review",
    "conflicting_polarity": "rows say and deny the same fact: all of them go, for review",
}


class UniqueQuestions(NamedTuple):
    """What the rows of questions came to."""

    kept: list[Question]
    rejected: list[Rejected]
    clusters: list[Cluster]


class UniqueFacts(NamedTuple):
    """What the rows of facts came to."""

    kept: list[Fact]
    rejected: list[Rejected]


def unique_questions(rows: Iterable[Question], params: NearDuplicates) -> UniqueQuestions:
    """Return one question for each that is asked, and why no other row is. The order of the rows does not matter."""
    kept, rejected, clusters = [], [], []
    for star in stars(sighted(rows, params.ngram_chars), params):
        cluster = Cluster(
            cluster_id=content_id("cluster", star.head.id),
            kept=None if star.conflict else star.centre.id,
            members=[star.centre.id, *(member.id for member, _ in star.members)],
            similarity=[1.0, *(round(similarity, 6) for _, similarity in star.members)],
            rows=len(star.centre.rows) + sum(len(member.rows) for member, _ in star.members),
        )
        if cluster.rows > 1:
            clusters.append(cluster)
        best, *others = [*star.centre.rows, *(row for member, _ in star.members for row in member.rows)]
        if star.conflict:
            detail = f"{cluster.cluster_id}: {' / '.join(sorted({_told(row) for row in [best, *others] if row.answer}))}"
            rejected += [_reject(row, "question", "conflicting_answers", detail) for row in [best, *others]]
        else:
            kept.append(merged(best, [best, *others], star.centre.proper.in_words, cluster.cluster_id))
            rejected += [_reject(row, "question", "identical" if row.id == best.id else "near_duplicate", best.id) for row in others]
    return UniqueQuestions(kept, rejected, clusters)


def unique_facts(rows: Iterable[Fact]) -> UniqueFacts:
    """Return one fact for each that is told, and why no other row is. The order of the rows does not matter."""
    by_id: dict[str, list[Fact]] = defaultdict(list)
    for row in rows:
        by_id[row.id].append(row)
    kept, rejected = [], []
    for group in by_id.values():
        best, *others = sorted(group, key=lambda row: (blemishes(row.head, row.tail), row.head, row.tail, to_line(row)))
        if len({row.polarity for row in group}) > 1:
            said = sum(row.polarity for row in group)
            detail = f"said {said} times, denied {len(group) - said} times"
            rejected += [_reject(row, "fact", "conflicting_polarity", detail) for row in group]
        else:
            kept.append(replace(best, provenance=merged_provenance(group)))
            rejected += [_reject(row, "fact", "identical", best.id) for row in others]
    return UniqueFacts(kept, rejected)


def measure(questions: int, facts: int, asked: UniqueQuestions, told: UniqueFacts) -> dict[str, Any]:
    """Return the stage's metrics; `questions` and `facts` are the numbers of rows that came in.

    Raises:
        ValueError: a row is neither kept nor rejected, or twice.
    """
    counts = {
        "questions": {"in": questions, "out": len(asked.kept), "rejected": len(asked.rejected)},
        "facts": {"in": facts, "out": len(told.kept), "rejected": len(told.rejected)},
    }
    for kind, count in counts.items():
        if count["in"] != count["out"] + count["rejected"]:
            raise ValueError(f"near_duplicates: {kind}: {count}: expected in = out + rejected; please report this with the input")
    reasons = Counter(row.reason for row in [*asked.rejected, *told.rejected])
    return counts | {
        "clusters": len(asked.clusters),
        "largest_cluster": max((cluster.rows for cluster in asked.clusters), default=0),
        "rejected_by_reason": {reason: reasons[reason] for reason in REASONS},
    }


def main(argv: list[str] | None = None) -> None:
    paths = {
        "questions": "data/clean/questions.jsonl",
        "facts": "data/clean/facts.jsonl",
        "out": "data/unique",
        "metrics": "metrics/near_duplicates.json",
    }
    args = read_arguments(argv, __doc__, "near_duplicates", NearDuplicates, paths)
    questions, facts = list(read_jsonl(args.questions, Question)), list(read_jsonl(args.facts, Fact))
    asked, told = unique_questions(questions, args.params), unique_facts(facts)
    metrics = measure(len(questions), len(facts), asked, told)
    with folder_lock(args.out) as out:
        for stale in sorted(out.glob("*.part")):  # what a killed run left
            stale.unlink()
        write_jsonl(out / "questions.jsonl", asked.kept, key=lambda row: row.id)
        write_jsonl(out / "facts.jsonl", told.kept, key=lambda row: row.id)
        write_jsonl(out / "rejected.jsonl", [*asked.rejected, *told.rejected], key=lambda row: row.id)
        write_jsonl(out / "clusters.jsonl", asked.clusters, key=lambda row: (row.cluster_id, row.members))
        write_json(args.metrics, metrics)


def _reject(row: Question | Fact, kind: str, reason: str, detail: str) -> Rejected:
    return Rejected(id=row.id, kind=kind, reason=reason, detail=detail, record=msgspec.to_builtins(row))


def _told(row: Question) -> str:
    """Return what a row holds to be right, for a reader."""
    return "＋".join(sorted(option.text for option in row.options if option.letter in (row.answer or ""))) or row.answer or ""


if __name__ == "__main__":
    run_stage(main)
