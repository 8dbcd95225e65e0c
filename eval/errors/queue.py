"""Pairs of replies -> those that people look at, as rows and as a sheet to be filled in."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Literal

from atomexam.records.label import ERRORS, REASONS, Label, ReplyPair, pair_id
from atomexam.runtime.sheets import write_sheet
from eval.errors.patterns import Pair, Proposal, pattern_of

COLUMNS = ("id", "asks", "label", "comment", "factual", "factual_reply", "non_factual", "non_factual_reply", "proposed", "because")
_MAX_SHOWN_CHARS = 10_000  # a model that runs on in circles; a cell of a workbook holds three times as much
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Draw:
    """The pairs with the lowest lots of all that come. A lot hangs on the seed and the claim alone.

    So the same claims are drawn in every run, data that grow change few of them, and the first rows of a queue are a random sample, too.
    """

    def __init__(self, many: int, seed: int) -> None:
        self._many, self._seed = many, seed
        self._held: list[tuple[str, Pair]] = []

    def add(self, pair: Pair) -> None:
        """Take in a pair."""
        self._held.append((hashlib.sha256(f"{self._seed}/{pair.claim.id}".encode()).hexdigest(), pair))
        if len(self._held) > 2 * self._many:
            self._cut()

    def pairs(self) -> list[Pair]:
        """Return what is drawn, the lowest lot first."""
        self._cut()
        return [pair for _, pair in self._held]

    def _cut(self) -> None:
        self._held = sorted(self._held, key=itemgetter(0))[: self._many]


def build(
    run: str,
    wrong: Sequence[Pair],
    right: Sequence[Pair],
    proposals: Mapping[str, Proposal],
    labels: Mapping[str, Mapping[str, Label]],
) -> list[ReplyPair]:
    """Return a run's queue: first the pairs drawn of those that are not right, then of those that are right and give reasons.

    Args:
        proposals: by claim, for pairs that are not right.
        labels: by pair of replies and annotator.
    """
    rows = []
    parts: tuple[tuple[Literal["error", "reason"], Sequence[Pair]], ...] = (("error", wrong), ("reason", right))
    for asks, drawn in parts:
        rows += [_row(run, pair, asks, proposals.get(pair.claim.id), labels) for pair in drawn]
    return rows


def _row(
    run: str, pair: Pair, asks: Literal["error", "reason"], proposal: Proposal | None, labels: Mapping[str, Mapping[str, Label]]
) -> ReplyPair:
    claim, replies = pair.claim, pair.replies
    identity = pair_id(claim.factual, replies["factual"], claim.non_factual, replies["non_factual"])
    allowed = ERRORS if asks == "error" else REASONS  # another reading may have made a wrong pair of a right one since
    return ReplyPair(
        id=identity,
        run=run,
        claim_id=claim.id,
        atomic_type=claim.atomic_type,
        asks=asks,
        factual=claim.factual,
        factual_reply=replies["factual"],
        non_factual=claim.non_factual,
        non_factual_reply=replies["non_factual"],
        pattern=pattern_of(pair),
        proposed=proposal.error if proposal else None,
        because=proposal.because if proposal else "",
        labels={name: one.label for name, one in labels.get(identity, {}).items() if one.label in allowed},
    )


def write_queue_sheet(path: Path, rows: Iterable[ReplyPair]) -> None:
    """Write the sheet that an annotator fills in; labels that others gave are not shown."""
    cells = [[_shown(str(getattr(row, name, "") or "")) for name in COLUMNS] for row in rows]
    write_sheet(path, COLUMNS, cells, {"label": [*ERRORS, *REASONS]})


def _shown(text: str) -> str:
    """Return text as a cell can hold it; the label counts for the whole reply, which the row in JSONL has."""
    text = _NOT_IN_XML.sub("\ufffd", text)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]} … ({len(text)} characters in all)"
