"""Stage `leaks`: the splits and the references -> a table of what one gives away of another; what may not be stops the line.

python -m splits.leaks --withdraw    what gives test away is marked in `splits/places.jsonl` as never to be trained on: then `dvc repro`
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.question import Question
from records.split_blocks import Leaks as Params
from records.stage import read_arguments, run_stage
from splits.containment import contained, ngrams_of
from splits.leak import CHECKS, Leak, blocks
from splits.memory import Placed, read_memory, write_memory
from splits.reading import row_of
from splits.shots import Shot
from splits.units import SPLITS, ties_of

PATHS = {
    "splits": "data/splits",
    "references": "data/clean/references.jsonl",
    "places": "splits/places.jsonl",
    "out": "data/leaks",
    "metrics": "metrics/leaks.json",
}
_TIES = {"cluster": "cluster", "group": "case", "stem": "stem", "asked": "asked"}
_LEAST_NGRAMS = 12  # a word to be explained (成熟) stands in many questions and gives nothing away
Texts = list[tuple[str, frozenset[str]]]


def main(argv: list[str] | None = None) -> None:
    words = sys.argv[1:] if argv is None else argv
    withdraw = "--withdraw" in words
    arguments = read_arguments([word for word in words if word != "--withdraw"], __doc__, "leaks", Params, PATHS)
    params: Params = arguments.params
    held = {split: list(read_jsonl(arguments.splits / split / "questions.jsonl", Question)) for split in SPLITS}
    shots = list(read_jsonl(arguments.splits / "shots.jsonl", Shot))
    references = list(read_jsonl(arguments.references, Question)) if arguments.references.exists() else []
    found = [*_across(held), *_shown(held, shots), *_contained(held, params), *_in_references(held, references, params)]
    with folder_lock(arguments.out) as out:
        (out / "passed.json").unlink(missing_ok=True)
        write_jsonl(out / "leaks.jsonl", found, key=lambda leak: leak)
        write_json(arguments.metrics, count(found, params))
        blocking = [leak for leak in found if blocks(leak, params)]
        if withdraw:
            _withdraw(arguments.places, blocking)
        elif blocking:
            raise ValueError(_told(blocking, out))
        else:
            write_json(out / "passed.json", {"leaks": len(found), "blocking": 0})


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


def _across(held: dict[str, list[Question]]) -> list[Leak]:
    """Return what is tied to a question of another split."""
    homes: dict[str, tuple[str, str]] = {}
    found = []
    for split in ("test", "reserved", "train", "dev"):
        for question in held[split]:
            for tie in ties_of(row_of(question)):
                home, first = homes.setdefault(tie, (split, question.id))
                if home != split:
                    check = _TIES[tie.split(" ")[0]]
                    found.append(Leak(check=check, split=home, id=first, other_split=split, other_id=question.id))
    return found


def _shown(held: dict[str, list[Question]], shots: Iterable[Shot]) -> list[Leak]:
    """Return the few-shot examples that are asked themselves, or are tied to what is asked."""
    homes = {question.id: (split, question) for split in SPLITS for question in held[split]}
    asked = {
        tie: question.id for split in ("test", "reserved") for question in held[split] for tie in (*ties_of(row_of(question)), question.id)
    }
    found = []
    for shot in shots:
        split, question = homes.get(shot.question_id, ("nowhere", None))
        names = [shot.question_id, *(ties_of(row_of(question)) if question else ())]
        hits = {asked[name] for name in names if name in asked} or ({shot.question_id} if split not in ("train", "dev") else set())
        found += [Leak(check="shot", split=split, id=hit, other_split="shots", other_id=shot.question_id) for hit in hits]
    return found


def _contained(held: dict[str, list[Question]], params: Params) -> list[Leak]:
    homes = {question.id: split for split in SPLITS for question in held[split]}
    holders = ((question.id, _whole(question)) for split in ("train", "dev") for question in held[split])
    found = contained(_asked([*held["test"], *held["reserved"]]), holders, params.contained)
    return [
        Leak(check="contained", split=homes[key], id=key, other_split=homes[other], other_id=other, share=share)
        for key, other, share in found
    ]


def _in_references(held: dict[str, list[Question]], references: Sequence[Question], params: Params) -> list[Leak]:
    """Return the questions of ours that a reference asks; what it asks may be the whole of ours or more."""
    homes = {question.id: split for split in SPLITS for question in held[split]}
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    theirs = ((f"reference {question.id}", _whole(question)) for question in references)
    found = contained(_asked([question for split in SPLITS for question in held[split]]), theirs, params.contained)
    found = [one._replace(holder=one.holder.removeprefix("reference ")) for one in found]
    return [
        Leak(check="reference", split=homes[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in found
    ]


def _asked(questions: Iterable[Question]) -> Texts:
    """Return what each question asks: stem and options. A case is shared, and checked by itself."""
    texts = ((question.id, ngrams_of([question.stem, *(option.text for option in question.options)])) for question in questions)
    return [(key, grams) for key, grams in texts if len(grams) >= _LEAST_NGRAMS]


def _whole(question: Question) -> frozenset[str]:
    return ngrams_of([question.shared_stem, question.stem, *(option.text for option in question.options), question.explanation])


def _withdraw(places: Path, blocking: Iterable[Leak]) -> None:
    """Mark what is trained on and gives something away as never to be trained on."""
    memory = read_memory(places)
    for key in sorted({leak.other_id for leak in blocking if leak.other_split in ("train", "dev")}):
        known: Placed | None = memory.placed.get(key)
        if known is None:
            raise ValueError(f"question {key} is not in {places}; run `dvc repro split` first")
        memory.placed[key] = replace(known, split="retired", why="leaked", was=None)
    write_memory(places, memory)


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
