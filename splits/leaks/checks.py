"""Which leaks stop the pipeline, and the splits that the checks read."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.records.split_blocks import Leaks as Params
from atomexam.runtime.jsonl import read_jsonl, read_optional

ADVISORY = ("inverse", "reference")
"""Checks that do not stop the pipeline: their leaks are listed for the users of the data."""


def blocks(leak: Leak, params: Params) -> bool:
    return leak.check not in ADVISORY or (leak.check == "reference" and params.contaminated == "block")


class Splits(NamedTuple):
    """A folder with one folder per split."""

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

    def fourfold(self, split: str) -> list[Fourfold]:
        """Return the fourfold rows of a split."""
        return list(read_optional(self.folder / split / "fourfold.jsonl", Fourfold))
