"""`python -m splits.explain WHAT...`: where a record stands, since when and why. An id, a name of a head, or words of a question.

python -m splits.explain q-0c79ae8dd1a2b3c4d5e6
python -m splits.explain 糖尿病
python -m splits.explain 多项选择的一段题干
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import run_stage
from atomexam.text.canonical import canonical
from splits.ledger.assignments import REASONS, Assignment, Memory, head_id, read_memory
from splits.ledger.held_before import TRAINED

_SHOWN = 20


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", help="id of a question, claim, group or stem, a head, or words")
    parser.add_argument("--assignments", type=Path, default=Path("splits/assignments.jsonl"), help="default: splits/assignments.jsonl")
    parser.add_argument("--questions", type=Path, default=Path("data/unique/questions.jsonl"), help="default: data/unique/questions.jsonl")
    parser.add_argument("--claims", type=Path, default=Path("data/claims/claims.jsonl"), help="default: data/claims/claims.jsonl")
    arguments = parser.parse_args(argv)
    memory = read_memory(arguments.assignments)
    what = " ".join(arguments.what)
    found = explain(what, memory, arguments.questions, arguments.claims)
    if not found:
        raise ValueError(
            f"{what!r} is not in {arguments.assignments}, nor are these words in {arguments.questions}; expected an id or words"
        )
    sys.stdout.write("\n\n".join(found[:_SHOWN]) + "\n")
    if len(found) > _SHOWN:
        print(f"{len(found) - _SHOWN} more are like this; say more words", file=sys.stderr)


def explain(what: str, memory: Memory, questions: Path, claims: Path) -> list[str]:
    """Return a paragraph for each record that is meant."""
    known = memory.named([what, head_id(what)])
    if not known and what.startswith("claim-") and claims.exists():
        known = memory.named(sorted(head_id(claim.head) for claim in read_jsonl(claims, ClaimPair) if claim.id == what))
    texts: dict[str, str] = {}
    if questions.exists():
        ids = {one.id for one in known}
        texts = {question.id: question.stem for question in _meant(what, ids, read_jsonl(questions, Question))}
        known += [one for one in memory.named(texts.keys() - ids) if one.id not in ids]
    return [_told(one, memory, texts.get(one.id), here=one.id in texts) for one in known]


def _meant(what: str, ids: set[str], questions: Iterable[Question]) -> Iterator[Question]:
    """Yield the questions with one of some ids, or, where there are none, those that hold the words."""
    words = canonical(what)
    for question in questions:
        if question.id in ids or (not ids and words and words in canonical((question.shared_stem or "") + question.stem)):
            yield question


def _told(one: Assignment, memory: Memory, stem: str | None, here: bool) -> str:
    version = memory.versions.get(one.since)
    lines = [f"{one.id}: {one.split}, since version {one.since}"]
    lines.append(f"  why: {one.why}: {REASONS[one.why]}")
    if one.split == "retired":
        side = f"it may come back to {one.was} when quotas or shares change" if one.was else "it comes back to no split"
        lines.append(f"  it is never trained on; {side}")
    if version:
        lines.append(f"  that version: {version.records} records, drawn with {msgspec.json.encode(version.settings).decode()}")
    lines += [f"  few-shot example {number} of {' '.join(filter(None, names))}"
              for (*names, number), ids in sorted(memory.shots.items()) if one.id in ids and one.split in TRAINED]  # fmt: skip
    if one.also:
        lines.append(f"  near-duplicates that it stands for: {', '.join(one.also)}")
    if one.ties:
        lines.append(f"  known again by: {', '.join(one.ties)}")
    if not one.id.startswith("head "):
        lines.append(f"  {stem[:120] if stem else 'its text'}{'' if here else ' is not in the data now'}")
    return "\n".join(lines)


if __name__ == "__main__":
    run_stage(main)
