"""Stage `near_duplicates`: questions and facts, one row a sighting -> one row each; every other row goes to rejected.

Questions that ask the same thing make a cluster, of which the best is kept; clusters whose answers conflict go to rejected whole.
"""

from atomexam.records.fact import Fact
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from curation.engine.engines import engine_of
from curation.near_duplicates.contamination import contaminations, of_kept
from curation.near_duplicates.unique import measure, unique_facts, unique_questions, without_references


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
    questions, facts = list(read_jsonl(args.questions, Question)), list(read_jsonl(args.facts, Fact))
    decisions = read_decisions(args.decisions)
    asked, stated = unique_questions(questions, args.params, decisions, engine), unique_facts(facts, decisions)
    references = list(read_jsonl(args.references, Question)) if args.references.exists() else []  # by hand there need be none
    met = of_kept(contaminations(questions, references, args.params), asked.kept, asked.rejected)
    if args.params.contaminated == "drop":
        asked = without_references(asked, met)
    metrics = measure(len(questions), len(facts), asked, stated, met)
    with folder_lock(args.out) as out:
        for stale in sorted(out.glob("*.part")):  # what a killed run left
            stale.unlink()
        write_jsonl(out / "questions.jsonl", asked.kept, key=lambda row: row.id)
        write_jsonl(out / "facts.jsonl", stated.kept, key=lambda row: row.id)
        write_jsonl(out / "rejected.jsonl", [*asked.rejected, *stated.rejected], key=lambda row: row.id)
        write_jsonl(out / "clusters.jsonl", asked.clusters, key=lambda row: (row.cluster_id, row.members))
        write_jsonl(out / "review.jsonl", [*asked.reviews, *stated.reviews], key=lambda row: (row.id, row.asked))
        write_jsonl(out / "contaminated.jsonl", met, key=lambda row: (row.question_id, row.reference_id, row.seen))
        write_json(args.metrics, metrics)


if __name__ == "__main__":
    run_stage(main)
