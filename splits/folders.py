"""Splits as folders: questions and claims of some splits, read anew for each check, as a million of them are too large to hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from records.claim import ClaimPair
from records.jsonl import read_jsonl
from records.question import Question

ASKED, TAUGHT = ("test", "reserved"), ("train", "dev")


class Splits(NamedTuple):
    """A folder with a folder for each split."""

    folder: Path

    def questions(self, *splits: str) -> Iterator[tuple[str, Question]]:
        """Yield (split, question)."""
        for split in splits:
            for question in read_jsonl(self.folder / split / "questions.jsonl", Question):
                yield split, question

    def claims(self, *splits: str) -> Iterator[tuple[str, ClaimPair]]:
        """Yield (split, claim pair)."""
        for split in splits:
            for claim in read_jsonl(self.folder / split / "claims.jsonl", ClaimPair):
                yield split, claim
