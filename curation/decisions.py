"""Import people's decisions on suspect keys into curation/decisions.jsonl, an input to the stages `near_duplicates` and `claims`.

    python -m curation.decisions keys.xlsx
    python -m curation.decisions export.json

FILES are filled copies of data/item_analysis/keys.xlsx (.xlsx, .csv) and exports of its Label Studio project (JSON or JSON-MIN). Importing
the same decisions again changes nothing; replacing an earlier decision with a different one requires --replace. See docs/items.md.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from atomexam.records.annotation import KEY_VERDICTS, Decision, SuspectKey
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.annotations import MAX_COMMENT_CHARS
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from atomexam.text.canonical import canonical
from curation.annotation.samples import ClaimAnswer, read_export, read_spreadsheet

_READERS = {".json": read_export, ".xlsx": read_spreadsheet, ".csv": read_spreadsheet}
_MARKS_OF_JSON = re.compile(r'"choices":|[\[\]{}"]')  # Label Studio's CSV gives several letters as a list, alone or under this name
_LETTERS = re.compile(r"[A-J\s,、;/]*")


def decision_of(one: ClaimAnswer, known: Mapping[str, SuspectKey]) -> Decision:
    """Return one answer as a decision.

    Raises:
        ValueError: the answer is incomplete, contradicts itself, or is about a changed question.
    """
    row = known[one.claim_id]
    if canonical(one.claim) != canonical(row.question):
        shown = f"{one.claim[:80]!r} but was queued as {row.question[:80]!r}"
        raise ValueError(f"the question reads {shown}; change only verdict, letters and comment")
    verdict, note = one.verdict.strip().casefold(), one.comment[:MAX_COMMENT_CHARS] or None
    if verdict not in KEY_VERDICTS:
        raise ValueError(f"verdict is {one.verdict[:40]!r}; expected {', '.join(KEY_VERDICTS)}, or nothing")
    if verdict in ("ambiguous", "drop"):
        return Decision(id=one.claim_id, withdrawn=verdict, note=note)  # type: ignore[arg-type]
    typed = _MARKS_OF_JSON.sub("", unicodedata.normalize("NFKC", one.letters)).upper()
    if not _LETTERS.fullmatch(typed):
        raise ValueError(f"letters is {one.letters[:40]!r}; expected only letters, such as AC; write anything else under comment")
    letters = sorted({letter for letter in typed if letter.isalpha()})
    found = f"{verdict} with the letters {''.join(letters) or 'none'}, and the key is {row.key}"
    if verdict == "key_wrong" and (not letters or not row.options.keys() >= set(letters) or letters == sorted(row.key)):
        raise ValueError(f"{found}; expected the letters of the correct options, from {''.join(row.options)}")
    if verdict == "key_right" and letters not in ([], sorted(row.key)):
        raise ValueError(f"{found}; clear the letters, or choose key_wrong")
    right = sorted(row.options[letter] for letter in (letters if verdict == "key_wrong" else row.key))
    return Decision(id=one.claim_id, right=right, note=note)


def check(answers: Iterable[ClaimAnswer], known: Mapping[str, SuspectKey]) -> dict[str, Decision]:
    """Return the decisions by question id.

    Raises:
        ValueError: an answer is invalid, or a question has two decisions; the message lists all of them.
    """
    decisions: dict[str, Decision] = {}
    faults = []
    for one in answers:
        try:
            decision = decision_of(one, known)
            other = decisions.setdefault(decision.id, decision)
            if (other.right, other.withdrawn) != (decision.right, decision.withdrawn):
                raise ValueError(f"{_said(other)} elsewhere and {_said(decision)} here; agree on one")
        except ValueError as error:
            faults.append(f"{one.where}: {error}")
    if faults:
        raise ValueError("\n  ".join(["nothing was imported", *faults]))
    return decisions


def _said(decision: Decision) -> str:
    return decision.withdrawn or "＋".join(decision.right)


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--queue", type=Path, default=Path("data/item_analysis/keys.jsonl"))
    parser.add_argument("--decisions", type=Path, default=Path("curation/decisions.jsonl"))
    parser.add_argument("--replace", action="store_true", help="let new decisions replace earlier ones that differ")
    arguments = parser.parse_args(argv)
    if unknown := [str(path) for path in arguments.files if path.suffix.lower() not in _READERS]:
        raise ValueError(f"{', '.join(unknown)}: expected one of {', '.join(_READERS)}: an export of Label Studio, or a filled spreadsheet")
    known = {row.question_id: row for row in read_jsonl(arguments.queue, SuspectKey, "`dvc repro items` writes the queue")}
    answers = [one for path in arguments.files for one in _READERS[path.suffix.lower()](path, "question")]
    old, new = read_decisions(arguments.decisions), check([one for one in answers if one.claim_id in known], known)
    changed = {key: one for key, one in new.items() if old.get(key) != one}
    told = {key: f"{key}: {_said(old[key])} -> {_said(changed[key])}" for key in sorted(changed.keys() & old.keys())}
    if not arguments.replace and (differing := [text for key, text in told.items() if _said(old[key]) != _said(changed[key])]):
        raise ValueError("\n  ".join(["nothing was imported: earlier decisions differ, use --replace to take the new ones:", *differing]))
    if changed:
        write_jsonl(arguments.decisions, (old | new).values(), key=lambda one: one.id)
    for text in told.values():
        print(f"changed: {text}")
    for one in answers:
        if one.claim_id not in known:
            before = f"; decided before: {_said(old[one.claim_id])}" if one.claim_id in old else ""
            print(f"skipped: {one.where}: {one.claim_id[:40]!r} is not in the queue; here: {one.verdict[:40]} {one.letters[:40]}{before}")
    if answers and not any(one.claim_id in known or one.claim_id in old for one in answers):
        raise ValueError("nothing was imported: no row is in the queue; to decide other questions, write the line shown in docs/items.md")
    counts = f"{len(changed) - len(told)} new decisions, {len(told)} changed, {len(new) - len(changed)} as before"
    print(f"{arguments.decisions}: {counts}, {sum(one.claim_id not in known for one in answers)} skipped")


if __name__ == "__main__":
    run_stage(main)
