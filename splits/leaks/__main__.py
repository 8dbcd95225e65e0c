"""Stage `leaks`: splits and references -> a table of leaks between them. A leak that is not allowed stops the pipeline.

python -m splits.leaks --withdraw    retires the leaking records of train in `splits/assignments.jsonl`; then run `dvc repro`
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from atomexam.records.blocks import Leaks as Params
from atomexam.records.leak import CHECKS, Leak
from atomexam.records.question import Question
from atomexam.runtime.jsonl import folder_lock, read_optional, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import largest_counts, print_summary
from splits.leaks.checks import (
    Splits,
    blocks,
    claim_leaks,
    containment_leaks,
    fourfold_leaks,
    reference_leaks,
    reworded_leaks,
    shot_leaks,
    tie_leaks,
)
from splits.leaks.knowledge_free import lines_of, open_to_wording, without_knowledge
from splits.ledger.assignments import Assignment, head_id, read_assignments, write_assignments
from splits.ledger.units import TRAINING_SPLITS

PATHS = {
    "splits": "data/splits",
    "references": "data/clean/references.jsonl",
    "assignments": "splits/assignments.jsonl",
    "out": "data/leaks",
    "metrics": "metrics/leaks.json",
}


def main(argv: list[str] | None = None) -> None:
    words = sys.argv[1:] if argv is None else argv
    withdraw = "--withdraw" in words
    arguments = read_arguments([word for word in words if word != "--withdraw"], __doc__, "leaks", Params, PATHS)
    params: Params = arguments.params
    splits = Splits(arguments.splits)
    references = list(read_optional(arguments.references, Question))
    leaks = [
        *tie_leaks(splits),
        *shot_leaks(splits),
        *containment_leaks(splits, params.contained),
        *reworded_leaks(splits),
        *claim_leaks(splits),
        *fourfold_leaks(splits),
    ]
    lines = lines_of(splits.fourfold("train"), splits.fourfold("test"))
    leaks += [
        Leak(check="wording", split="test", id=line.atomic_type, other_split="train", other_id=line.model, share=round(line.sentences, 4))
        for line in open_to_wording(lines)
    ]
    leaks += reference_leaks(splits, references, params.contained)
    with folder_lock(arguments.out) as out:
        (out / "passed.json").unlink(missing_ok=True)
        write_jsonl(out / "leaks.jsonl", leaks, key=lambda leak: leak)
        write_json(arguments.metrics, count(leaks, params) | {"without_knowledge": without_knowledge(lines)})
        blocking = [leak for leak in leaks if blocks(leak, params)]
        if withdraw:
            _withdraw(arguments.assignments, splits, blocking)
        elif blocking:
            raise ValueError(_blocked_message(blocking, out))
        else:
            write_json(out / "passed.json", {"leaks": len(leaks), "blocking": 0})
            harmless = f"; {largest_counts(Counter(leak.check for leak in leaks))} found that are allowed" if leaks else ""
            print_summary("leaks", f"{len(CHECKS)} checks, none of which stops the pipeline{harmless}")


def count(leaks: Iterable[Leak], params: Params) -> dict:
    """Return the metrics: for each check, what it detects, whether it blocks, and its leaks by pair of splits."""
    table = {check: {"looks_for": what, "blocks": blocks(Leak(check=check, split="", id="", other_split="", other_id=""), params),
                     "questions": 0, "between": {}} for check, what in CHECKS.items()}  # fmt: skip
    ids_by_check: dict[str, set[str]] = defaultdict(set)
    between: Counter[tuple[str, str]] = Counter()
    for leak in leaks:
        ids_by_check[leak.check].add(leak.id)
        between[leak.check, f"{leak.split} in {leak.other_split}"] += 1
    for check, row in table.items():
        row |= {
            "questions": len(ids_by_check[check]),
            "between": {way: number for (name, way), number in sorted(between.items()) if name == check},
        }
    return table


def _withdraw(path: Path, splits: Splits, blocking: Iterable[Leak]) -> None:
    """Retire the records of train and dev that reveal something; for a claim, its complete head."""
    ledger = read_assignments(path)
    last = max(ledger.last(), key=lambda version: version.name, default=None)
    heads = {claim.id: head_id(claim.head) for _, claim in splits.claims(*TRAINING_SPLITS)}
    for key in sorted({heads.get(leak.other_id, leak.other_id) for leak in blocking if leak.other_split in TRAINING_SPLITS}):
        known: Assignment | None = ledger.assigned.get(key)
        if known is None or last is None:
            raise ValueError(f"{key} is not in {path}; run `dvc repro split` first")
        ledger.assigned[key] = replace(known, split="retired", since=last.name, why="leaked", was=None)
    write_assignments(path, ledger)


def _blocked_message(blocking: Sequence[Leak], out: Path) -> str:
    numbers = Counter(leak.check for leak in blocking)
    lines = [f"  {check:<10} {number:>6}  {CHECKS[check]}" for check, number in sorted(numbers.items())]
    first = blocking[0]
    return "\n".join(
        [f"{len(blocking)} leaks, all in {out / 'leaks.jsonl'}:", *lines,
         f"first: {first.id} ({first.split}) in {first.other_id} ({first.other_split}), share {first.share}",
         "`python -m splits.leaks --withdraw` removes what reveals test from train permanently; then run `dvc repro`"]
    )  # fmt: skip


if __name__ == "__main__":
    run_stage(main)
