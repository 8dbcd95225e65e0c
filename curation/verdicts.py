"""Import annotators' answers into curation/verdicts.jsonl, an input to the stages `claims` and `evidence`.

    python -m curation.verdicts first.xlsx second.csv
    python -m curation.verdicts export.json --annotator 1=first --annotator 2=second

FILES are exports of Label Studio (JSON or JSON-MIN) and filled spreadsheets (.xlsx, .csv). A spreadsheet is named after its annotator.
Importing the same answers again changes nothing; an annotator's new answer replaces the earlier one, and is reported. docs/verification.md
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from atomexam.records.claim import ClaimPair
from atomexam.runtime.annotation_files import VERDICTS, read_verdicts
from atomexam.runtime.annotations import merge, report
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from atomexam.runtime.stage import parser_of, run_stage
from curation.annotation.samples import ClaimAnswer, ClaimToJudge, check, read_export, read_false_tails, read_spreadsheet

_READERS = {".json": read_export, ".xlsx": read_spreadsheet, ".csv": read_spreadsheet}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    answers = [one for path in arguments.files for one in _read(path, None in arguments.names)]
    old = [one for votes in read_verdicts(arguments.verdicts).values() for one in votes] if arguments.verdicts.exists() else []
    known = {
        one.claim_id: ClaimToJudge(one.claim, one.atomic_type, one.is_false_tail) for one in old
    }  # a refuted claim is in no other file
    known |= {one.id: ClaimToJudge(one.factual, one.atomic_type, True) for one in read_false_tails(arguments.claims)}
    known |= {one.id: ClaimToJudge(one.factual, one.atomic_type) for one in read_jsonl(arguments.claims, ClaimPair)}
    merged = merge(VERDICTS, old, check(answers, known, arguments.names, arguments.skip_gone))
    if merged.added or merged.changed:
        write_jsonl(arguments.verdicts, merged.records, key=VERDICTS.key)
    gone = sum(one.claim_id not in known for one in answers)
    skipped = f", {gone} skipped because their claims are not in the data" if gone else ""
    print(report(VERDICTS, arguments.verdicts, merged, skipped))


def _read(path: Path, named: bool) -> list[ClaimAnswer]:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: expected one of {', '.join(_READERS)}: an export of Label Studio, or a filled spreadsheet")
    if not path.is_file():
        raise ValueError(f"{path}: no such file; name an export of Label Studio or a filled spreadsheet")
    answers = reader(path)
    if named and len(people := sorted({one.annotator or "" for one in answers})) > 1:
        raise ValueError(
            f"{path}: contains answers of {len(people)} annotators ({', '.join(people)}); name each: --annotator '{people[0]}=NAME'"
        )
    return answers


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--annotator", action="append", default=[], help="NAME of all answers, or NUMBER=NAME for users of Label Studio")
    parser.add_argument("--skip-gone", action="store_true", help="skip answers to claims that are no longer in the data")
    parser.add_argument("--claims", type=Path, default=Path("data/claims/claims.jsonl"))
    parser.add_argument("--verdicts", type=Path, default=Path("curation/verdicts.jsonl"))
    arguments = parser.parse_args(argv)
    arguments.names = {}
    for value in arguments.annotator:
        key, equals, name = value.rpartition("=")
        arguments.names[key if equals else None] = name
    return arguments


if __name__ == "__main__":
    run_stage(main)
