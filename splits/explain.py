"""`python -m splits.explain WHAT...`: show which split a record is in, since when, and why. WHAT is an id, a head, or words from a
question.

python -m splits.explain q-0c79ae8dd1a2b3c4d5e6
python -m splits.explain 糖尿病
python -m splits.explain 多项选择的一段题干
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.text.canonical import canonical
from splits.ledger.assignments import REASONS, Assignment, AssignmentLedger, head_id, read_assignments
from splits.ledger.units import TRAINING_SPLITS

_MAX_PARAGRAPHS = 20


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("what", nargs="+", help="id of a question, claim, group or stem, a head, or words")
    parser.add_argument("--assignments", type=Path, default=Path("splits/assignments.jsonl"), help="default: splits/assignments.jsonl")
    parser.add_argument("--questions", type=Path, default=Path("data/unique/questions.jsonl"), help="default: data/unique/questions.jsonl")
    parser.add_argument("--claims", type=Path, default=Path("data/claims/claims.jsonl"), help="default: data/claims/claims.jsonl")
    arguments = parser.parse_args(argv)
    ledger = read_assignments(arguments.assignments)
    what = " ".join(arguments.what)
    paragraphs = explain(what, ledger, arguments.questions, arguments.claims)
    if not paragraphs:
        raise ValueError(
            f"{what!r}: no such id or head in {arguments.assignments}, and no question with these words in {arguments.questions}"
        )
    sys.stdout.write("\n\n".join(paragraphs[:_MAX_PARAGRAPHS]) + "\n")
    if len(paragraphs) > _MAX_PARAGRAPHS:
        print(f"{len(paragraphs) - _MAX_PARAGRAPHS} more match; give more words to narrow the search", file=sys.stderr)


def explain(what: str, ledger: AssignmentLedger, questions: Path, claims: Path) -> list[str]:
    """Return a paragraph for each matching record."""
    known = ledger.named([what, head_id(what)])
    if not known and what.startswith("claim-") and claims.exists():
        known = ledger.named(sorted(head_id(claim.head) for claim in read_jsonl(claims, ClaimPair) if claim.id == what))
    texts: dict[str, str] = {}
    if questions.exists():
        ids = {one.id for one in known}
        texts = {question.id: question.stem for question in _matching(what, ids, read_jsonl(questions, Question))}
        known += [one for one in ledger.named(texts.keys() - ids) if one.id not in ids]
    return [_paragraph(one, ledger, texts.get(one.id), is_current=one.id in texts) for one in known]


def _matching(what: str, ids: set[str], questions: Iterable[Question]) -> Iterator[Question]:
    """Yield the questions with one of the ids or, if no ids are given, those that contain the words."""
    words = canonical(what)
    for question in questions:
        if question.id in ids or (not ids and words and words in canonical((question.shared_stem or "") + question.stem)):
            yield question


def _paragraph(one: Assignment, ledger: AssignmentLedger, stem: str | None, is_current: bool) -> str:
    version = ledger.versions.get(one.since)
    lines = [f"{one.id}: {one.split}, since version {one.since}"]
    lines.append(f"  why: {one.why}: {REASONS[one.why]}")
    if one.split == "retired":
        side = f"it may return to {one.was} when quotas or shares change" if one.was else "it returns to no split"
        lines.append(f"  it is never trained on; {side}")
    if version:
        lines.append(f"  that version: {version.records} records, split with {msgspec.json.encode(version.settings).decode()}")
    lines += [f"  few-shot example {number} of {' '.join(filter(None, names))}"
              for (*names, number), ids in sorted(ledger.shots.items()) if one.id in ids and one.split in TRAINING_SPLITS]  # fmt: skip
    if one.also:
        lines.append(f"  near-duplicates that it represents: {', '.join(one.also)}")
    if one.ties:
        lines.append(f"  recognised by: {', '.join(one.ties)}")
    if not one.id.startswith("head "):
        lines.append(f"  {stem[:120] if stem else 'its text'}{'' if is_current else ' is not in the data now'}")
    return "\n".join(lines)


if __name__ == "__main__":
    run_stage(main)
