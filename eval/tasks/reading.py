"""Reading what a split holds for the tasks."""

from pathlib import Path

from records.claim import ClaimPair
from records.jsonl import read_jsonl
from records.question import Question


def read_split(folder: Path) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claim pairs of one split."""
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))
