"""Sampled claims -> a spreadsheet, one row per claim with its evidence; a filled one -> answers."""

from collections.abc import Sequence
from pathlib import Path

from atomexam.records.verdict import ANSWERS
from atomexam.runtime.sheets import read_sheet, without_apostrophe, write_sheet
from curation.annotation.claim_verdicts import ClaimAnswer
from curation.annotation.samples import SampledClaim

SHEET = "claims.xlsx"
_COLUMNS = ("claim_id", "atomic_type", "claim", "verdict", "comment")
_NEEDED = ("claim_id", "claim", "verdict")


def write_spreadsheet(folder: Path, sample: Sequence[SampledClaim]) -> None:
    """Write the workbook: the sentence that matches the claim, and below it the passage and its source."""
    most = max((len(one.evidence) for one in sample), default=0)
    rows = []
    for claim, evidence in sample:
        cells = [f"{one.sentence}\n{one.origin}" for one in evidence]
        rows.append([claim.id, claim.atomic_type, claim.factual, "", "", *cells, *[""] * (most - len(cells))])
    write_sheet(folder / SHEET, [*_COLUMNS, *(f"evidence_{number}" for number in range(1, most + 1))], rows, {"verdict": ANSWERS})


def read_spreadsheet(path: Path) -> list[ClaimAnswer]:
    """Return the answers of a filled workbook or CSV; rows without a verdict have none.

    The annotator is the file's name, or a column `annotator` as in a CSV of Label Studio; a file that still has its original name
    gives no annotator.

    Raises:
        ValueError: a column is missing, or a row has a comment but no verdict.
    """
    answers = []
    named = None if path.stem.casefold() == Path(SHEET).stem else path.stem
    for where, cells in read_sheet(path):
        if missing := [name for name in _NEEDED if name not in cells]:
            raise ValueError(f"{where}: no column {', '.join(missing)}; expected the original columns, {', '.join(_COLUMNS)}")
        verdict, comment = without_apostrophe(cells["verdict"]), " ".join(without_apostrophe(cells.get("comment", "")).split())
        if verdict:
            person = cells.get("annotator") or named
            answers.append(ClaimAnswer(where, cells["claim_id"], cells["claim"], person, verdict, comment))
        elif comment:
            raise ValueError(f"{where}: a comment but no verdict; choose one of {', '.join(ANSWERS)}, or clear the comment")
    return answers
