"""Import people's decisions on suspect keys into curation/decisions.jsonl, an input of the stages `near_duplicates` and `claims`.

    python -m curation.decisions keys.xlsx
    python -m curation.decisions export.json

FILES are filled copies of data/item_analysis/keys.xlsx (.xlsx, .csv) and exports of its Label Studio project (JSON or JSON-MIN). Importing
the same decisions again changes nothing; a new one replaces the earlier one, and is reported. docs/items.md
"""

import argparse
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from atomexam.records.annotation import KEY_VERDICTS, Decision, SuspectKey
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.annotations import MAX_COMMENT_CHARS
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import run_stage
from atomexam.text.canonical import canonical
from curation.annotation.samples import ClaimAnswer, read_export, read_spreadsheet

_READERS = {".json": read_export, ".xlsx": read_spreadsheet, ".csv": read_spreadsheet}
_LETTER = re.compile("[A-J]")


def decision_of(one: ClaimAnswer, known: Mapping[str, SuspectKey]) -> Decision:
    """Return the decision of one answer.

    Raises:
        ValueError: it is on no question of the queue, or says nothing that could be done.
    """
    row = known.get(one.claim_id)
    if row is None:
        raise ValueError(f"no question {one.claim_id[:40]!r} in the queue, which has changed; take the row out, or fill in a new sheet")
    if canonical(one.claim) != canonical(row.question):
        shown = f"{one.claim[:80]!r} but was queued as {row.question[:80]!r}"
        raise ValueError(f"the question reads {shown}; change only verdict, letters and comment")
    verdict, note = one.verdict.strip().casefold(), one.comment[:MAX_COMMENT_CHARS] or None
    typed = unicodedata.normalize("NFKC", one.letters)
    letters = sorted(set(_LETTER.findall(typed if '"' in typed else typed.upper())))  # Label Studio's CSV has JSON with small letters
    if verdict not in KEY_VERDICTS:
        raise ValueError(f"verdict is {one.verdict[:40]!r}; expected {', '.join(KEY_VERDICTS)}, or nothing")
    if verdict in ("ambiguous", "drop"):
        return Decision(id=one.claim_id, withdrawn=verdict, note=note)  # type: ignore[arg-type]
    found = f"{verdict} with the letters {''.join(letters) or 'none'}, and the key is {row.key}"
    if verdict == "key_wrong" and (not letters or not row.options.keys() >= set(letters) or letters == sorted(row.key)):
        raise ValueError(f"{found}; expected the letters of the right options, of {''.join(row.options)}")
    if verdict == "key_right" and letters not in ([], sorted(row.key)):
        raise ValueError(f"{found}; clear the letters, or choose key_wrong")
    right = sorted(row.options[letter] for letter in (letters if verdict == "key_wrong" else row.key))
    return Decision(id=one.claim_id, right=right, note=note)


def check(answers: Iterable[ClaimAnswer], known: Mapping[str, SuspectKey]) -> dict[str, Decision]:
    """Return the decisions by question.

    Raises:
        ValueError: lists each answer that cannot be followed, and each question with two decisions.
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
    parser = argparse.ArgumentParser(
        prog="python -m curation.decisions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--queue", type=Path, default=Path("data/item_analysis/keys.jsonl"))
    parser.add_argument("--decisions", type=Path, default=Path("curation/decisions.jsonl"))
    arguments = parser.parse_args(argv)
    if unknown := [str(path) for path in arguments.files if path.suffix.lower() not in _READERS]:
        raise ValueError(f"{', '.join(unknown)}: expected one of {', '.join(_READERS)}: an export of Label Studio, or a filled spreadsheet")
    known = {row.question_id: row for row in read_jsonl(arguments.queue, SuspectKey, "`dvc repro items` writes the queue")}
    answers = [one for path in arguments.files for one in _READERS[path.suffix.lower()](path, "question")]
    old, new = read_decisions(arguments.decisions), check(answers, known)
    if changed := {key: one for key, one in new.items() if old.get(key) != one}:
        write_jsonl(arguments.decisions, (old | new).values(), key=lambda one: one.id)
    for key in sorted(changed.keys() & old.keys()):
        print(f"changed: {key}: {_said(old[key])} -> {_said(changed[key])}")
    added = len(changed.keys() - old.keys())
    print(f"{arguments.decisions}: {added} new decisions, {len(changed) - added} changed, {len(new) - len(changed)} as before")


if __name__ == "__main__":
    run_stage(main)
