"""Stage `leaks`: the splits and the references -> a table of what one gives away of another; what may not be stops the line.

python -m splits.leaks --withdraw    marks what gives test away in `splits/assignments.jsonl` as never to be trained on: then `dvc repro`
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from atomexam.records.leak import CHECKS, Leak
from atomexam.records.question import Question
from atomexam.records.split_blocks import Leaks as Params
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import largest_counts, print_summary
from splits.leaks.checks import TAUGHT, Splits, blocks
from splits.leaks.quoting import in_references, quoted, reworded
from splits.leaks.structural import across, claimed, shown
from splits.ledger.assignments import Assignment, head_id, read_memory, write_memory

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
    references = list(read_jsonl(arguments.references, Question)) if arguments.references.exists() else []
    found = [*across(splits), *shown(splits), *quoted(splits, params.contained), *reworded(splits), *claimed(splits)]
    found += in_references(splits, references, params.contained)
    with folder_lock(arguments.out) as out:
        (out / "passed.json").unlink(missing_ok=True)
        write_jsonl(out / "leaks.jsonl", found, key=lambda leak: leak)
        write_json(arguments.metrics, count(found, params))
        blocking = [leak for leak in found if blocks(leak, params)]
        if withdraw:
            _withdraw(arguments.assignments, splits, blocking)
        elif blocking:
            raise ValueError(_told(blocking, out))
        else:
            write_json(out / "passed.json", {"leaks": len(found), "blocking": 0})
            kept = f"; {largest_counts(Counter(leak.check for leak in found))} found that may stay" if found else ""
            print_summary("leaks", f"{len(CHECKS)} checks, none of which stops the line{kept}")


def count(found: Iterable[Leak], params: Params) -> dict:
    """Return the table: for each check, what it looks for, whether it blocks, and how much it found between which splits."""
    table = {check: {"looks_for": what, "blocks": blocks(Leak(check=check, split="", id="", other_split="", other_id=""), params),
                     "questions": 0, "between": {}} for check, what in CHECKS.items()}  # fmt: skip
    asked: dict[str, set[str]] = defaultdict(set)
    ways: Counter[tuple[str, str]] = Counter()
    for leak in found:
        asked[leak.check].add(leak.id)
        ways[leak.check, f"{leak.split} in {leak.other_split}"] += 1
    for check, row in table.items():
        row |= {"questions": len(asked[check]), "between": {way: number for (name, way), number in sorted(ways.items()) if name == check}}
    return table


def _withdraw(ledger: Path, splits: Splits, blocking: Iterable[Leak]) -> None:
    """Mark what is trained on and gives something away as never to be trained on; of a claim, all that is said of its head."""
    memory = read_memory(ledger)
    last = max(memory.last(), key=lambda version: version.name, default=None)
    heads = {claim.id: head_id(claim.head) for _, claim in splits.claims(*TAUGHT)}
    for key in sorted({heads.get(leak.other_id, leak.other_id) for leak in blocking if leak.other_split in TAUGHT}):
        known: Assignment | None = memory.assigned.get(key)
        if known is None or last is None:
            raise ValueError(f"{key} is not in {ledger}; run `dvc repro split` first")
        memory.assigned[key] = replace(known, split="retired", since=last.name, why="leaked", was=None)
    write_memory(ledger, memory)


def _told(blocking: Sequence[Leak], out: Path) -> str:
    numbers = Counter(leak.check for leak in blocking)
    lines = [f"  {check:<10} {number:>6}  {CHECKS[check]}" for check, number in sorted(numbers.items())]
    first = blocking[0]
    return "\n".join(
        [f"{len(blocking)} leaks, all in {out / 'leaks.jsonl'}:", *lines,
         f"first: {first.id} ({first.split}) in {first.other_id} ({first.other_split}), share {first.share}",
         "`python -m splits.leaks --withdraw` takes what gives test away out of train for good, then run `dvc repro`"]
    )  # fmt: skip


if __name__ == "__main__":
    run_stage(main)
