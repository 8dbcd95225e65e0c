"""Reading what a split holds for the tasks."""

from pathlib import Path

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl


def read_split(folder: Path) -> tuple[list[Question], list[ClaimPair]]:
    """Return the questions and claim pairs of one split."""
    return list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair))
