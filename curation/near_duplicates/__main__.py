"""Stage `near_duplicates`: questions and facts, one row per sighting -> one row each; every other row goes to rejected.

Questions that ask the same thing form a cluster, and the best one is kept; if the answers of a cluster conflict, all of it is rejected.
"""

from atomexam.records.fact import Fact
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary, rejected_counts
from curation.engine.engines import engine_of
from curation.near_duplicates.contamination import contaminations
from curation.near_duplicates.unique import measure, unique_facts, unique_questions


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
