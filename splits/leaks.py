"""Stage `leaks`: the splits and the references -> a table of what one gives away of another; what may not be stops the line.

python -m splits.leaks --withdraw    what gives test away is marked in `splits/places.jsonl` as never to be trained on: then `dvc repro`
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from records.identity import canonical, content_id
from records.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from records.question import Question
from records.shot import Shot
from records.split_blocks import Leaks as Params
from records.stage import read_arguments, run_stage
from splits.containment import contained, is_short, needed, ngrams_of, parts_of
from splits.leak import CHECKS, Leak, blocks
from splits.memory import Placed, read_memory, write_memory
from splits.reading import row_of
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
_TELLING_CASE_CHARS = 20
_ASKED, _TAUGHT = ("test", "reserved"), ("train", "dev")


class Splits(NamedTuple):
    """Questions of the splits, read anew for each check: a million of them are too large to hold."""

    folder: Path

    def of(self, *splits: str) -> Iterator[tuple[str, Question]]:
        """Yield (split, question)."""
        for split in splits:
            for question in read_jsonl(self.folder / split / "questions.jsonl", Question):
                yield split, question


def main(argv: list[str] | None = None) -> None:
    words = sys.argv[1:] if argv is None else argv
    withdraw = "--withdraw" in words
    arguments = read_arguments([word for word in words if word != "--withdraw"], __doc__, "leaks", Params, PATHS)
    params: Params = arguments.params
    splits = Splits(arguments.splits)
    references = list(read_jsonl(arguments.references, Question)) if arguments.references.exists() else []
    found = [*_across(splits), *_shown(splits), *_contained(splits, params), *_in_references(splits, references, params)]
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


def _across(splits: Splits) -> list[Leak]:
    """Return what is tied to a question of another split."""
    homes: dict[str, tuple[str, str]] = {}
    found: set[Leak] = set()
    for split, question in splits.of("test", "reserved", "train", "dev"):
        for tie in _ties(question):
            home, first = homes.setdefault(tie, (split, question.id))
            if home != split:
                check = _TIES[tie.split(" ")[0]]
                found.add(Leak(check=check, split=home, id=first, other_split=split, other_id=question.id))
    return sorted(found)


def _ties(question: Question) -> list[str]:
    """Return what ties a question to others; a case is one case under any group."""
    case = canonical(question.shared_stem or "")
    return [*ties_of(row_of(question)), *([f"group {content_id('case', case)}"] if len(case) >= _TELLING_CASE_CHARS else [])]


def _shown(splits: Splits) -> list[Leak]:
    """Return the few-shot examples that are asked themselves, or are tied to what is asked."""
    shots = list(read_jsonl(splits.folder / "shots.jsonl", Shot))
    wanted = {shot.question_id for shot in shots}
    homes: dict[str, tuple[str, list[str]]] = {}
    asked: dict[str, str] = {}
    for split, question in splits.of(*SPLITS):
        if question.id in wanted:
            homes[question.id] = (split, _ties(question))
        if split in _ASKED:
            asked |= dict.fromkeys((*_ties(question), question.id), question.id)
    found = []
    for shot in shots:
        split, ties = homes.get(shot.question_id, ("nowhere", []))
        hits = {asked[name] for name in (shot.question_id, *ties) if name in asked}
        hits = hits or ({shot.question_id} if split not in _TAUGHT else set())
        found += [Leak(check="shot", split=split, id=hit, other_split="shots", other_id=shot.question_id) for hit in hits]
    return found


def _contained(splits: Splits, params: Params) -> list[Leak]:
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.of(*_ASKED):
        if len(grams := _grams(question)) >= _LEAST_NGRAMS:
            homes[question.id] = split
            asked.append((question.id, grams))
    found = []
    for split in _TAUGHT:
        holders = ((question.id, _whole(question)) for _, question in splits.of(split))
        found += [
            Leak(check="contained", split=homes[key], id=key, other_split=split, other_id=other, share=share)
            for key, other, share in contained(asked, holders, params.contained)
        ]
    return found


def _in_references(splits: Splits, references: Sequence[Question], params: Params) -> list[Leak]:
    """Return the questions of ours that a reference asks; what it asks may be the whole of ours or more."""
    theirs = [(f"reference {question.id}", _whole(question)) for question in references]
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    known = frozenset().union(*(ngrams_of(parts) for _, parts in theirs))
    homes: dict[str, str] = {}
    asked = []
    for split, question in splits.of(*SPLITS if references else ()):
        grams = _grams(question)
        # What all references together do not hold, none of them does; short parts are looked for later.
        if len(grams) >= _LEAST_NGRAMS and sum(gram in known or is_short(gram) for gram in grams) >= needed(grams, params.contained):
            homes[question.id] = split
            asked.append((question.id, grams))
    found = [one._replace(holder=one.holder.removeprefix("reference ")) for one in contained(asked, theirs, params.contained)]
    return [
        Leak(check="reference", split=homes[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in found
    ]


def _grams(question: Question) -> frozenset[str]:
    """Return the n-grams of what a question asks: stem and options. A case is shared, and checked by itself."""
    return ngrams_of(parts_of([question.stem, *(option.text for option in question.options)]))


def _whole(question: Question) -> tuple[str, ...]:
    return parts_of(
        [
            question.shared_stem,
            question.stem,
            *(option.text for option in question.options),
            question.explanation,
            None if question.options else question.answer,
        ]
    )


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
