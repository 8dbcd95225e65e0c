"""Stage `near_duplicates`: questions and facts, one row per sighting -> one row each; every other row goes to rejected.

Questions that ask the same thing form a cluster, and the best one is kept; if the answers of a cluster conflict, all of it is rejected.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec.json import Decoder
from msgspec.structs import astuple

from atomexam.records.fact import Fact
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.external_sort import ExternalSort, RecordSink, SortedFile, sort_key
from atomexam.runtime.jsonl import folder_lock, read_jsonl, read_optional, to_line, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary, rejected_counts
from curation.engine.engines import engine_of
from curation.near_duplicates.contamination import Contamination, contaminations
from curation.near_duplicates.stored_sightings import sightings_of_file
from curation.near_duplicates.unique import FactTables, QuestionTables, measure, settle_facts, settle_questions

_KEYS: dict[str, Callable[[Any], bytes]] = {
    "questions": lambda row: sort_key(row.id),
    "facts": lambda row: sort_key(row.id),
    "rejected": lambda row: sort_key(row.id),
    "clusters": lambda row: sort_key(row.cluster_id, *row.members),
    "review": lambda row: sort_key(row.id, row.asked),
    "contaminated": lambda row: sort_key(row.question_id, row.reference_id, *astuple(row.seen)),
}
"""Sort keys of the outputs."""


class _ContaminationTable:
    """The table of contaminated questions; counts them by reference."""

    def __init__(self, table: RecordSink[Contamination]) -> None:
        self._table = table
        self._pairs: set[tuple[str, str]] = set()

    def append(self, record: Contamination) -> None:
        self._table.append(record)
        self._pairs.add((record.reference, record.question_id))

    def questions(self) -> Counter[str]:
        return Counter(reference for reference, _ in self._pairs)


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
    references = list(read_optional(args.references, Question))  # optional in a manual call
    matches = contaminations(read_jsonl(args.questions, Question), references, args.params)
    with folder_lock(args.out) as out:
        for stale in sorted(out.glob("*.part")):  # left by a killed run
            stale.unlink()
        every = sightings_of_file(args.questions, args.params.ngram_chars, out.parent, engine)
        files = {name: SortedFile(out / f"{name}.jsonl", key) for name, key in _KEYS.items()}
        contaminated = _ContaminationTable(files["contaminated"])
        question_tables = QuestionTables(files["questions"], files["rejected"], files["clusters"], files["review"], contaminated)
        question_counts = settle_questions(question_tables, every, args.params, decisions, matches, engine)
        fact_tables = FactTables(files["facts"], files["rejected"], files["review"])
        fact_counts = settle_facts(fact_tables, _by_id(args.facts, out.parent), decisions)
        metrics = measure(_lines(args.questions), _lines(args.facts), question_counts, fact_counts, contaminated.questions())
        for file in files.values():
            file.write()
        write_json(args.metrics, metrics)
    kinds = (f"{metrics[kind]['in']:,} {kind} -> {metrics[kind]['out']:,}" for kind in ("questions", "facts"))
    print_summary(
        "near_duplicates",
        f"{'; '.join(kinds)}; {number_of(metrics['clusters'], 'cluster')}; {rejected_counts(metrics['rejected_by_reason'])}",
    )


def _by_id(path: Path, folder: Path) -> Iterator[Fact]:
    """Yield facts sorted by id."""
    in_order = ExternalSort(folder)
    for row in read_jsonl(path, Fact):
        in_order.add(sort_key(row.id), to_line(row))
    return map(Decoder(Fact).decode, in_order.lines())


def _lines(path: Path) -> int:
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


if __name__ == "__main__":
    run_stage(main, acyclic=True)
