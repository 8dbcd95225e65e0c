"""Pairs of replies -> those for annotation, as rows and as a sheet to fill in."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from atomexam.records.label import ERRORS, REASONS, Label, ReplyPair, pair_id
from atomexam.runtime.sheets import write_sheet
from eval.errors.patterns import ErrorProposal, Pair, pattern_of

COLUMNS = ("id", "asks", "label", "comment", "factual", "factual_reply", "non_factual", "non_factual_reply", "proposed", "because")
_MAX_CELL_CHARS = 10_000  # for endless replies; a workbook cell can hold three times as much
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def sample(pairs: Iterable[Pair], many: int, seed: int) -> list[Pair]:
    """Return a random sample: the pairs with the lowest hashes of seed and claim, the lowest first.

    So every run has the same claims in its sample, growing data change few of them, and the first rows of a queue are also a random sample.
    """
    return sorted(pairs, key=lambda pair: hashlib.sha256(f"{seed}/{pair.claim.id}".encode()).hexdigest())[:many]


def build_queue(
    run: str,
    wrong: Sequence[Pair],
    right: Sequence[Pair],
    proposals: Mapping[str, ErrorProposal],
    labels: Mapping[str, Mapping[str, Label]],
) -> list[ReplyPair]:
    """Return a run's queue: first the sampled pairs that are not right, then right ones with reasons.

    Args:
        proposals: by claim, for pairs that are not right.
        labels: by pair of replies and annotator.
    """
    rows = []
    parts: tuple[tuple[Literal["error", "reason"], Sequence[Pair]], ...] = (("error", wrong), ("reason", right))
    for asks, pairs in parts:
        rows += [_row(run, pair, asks, proposals.get(pair.claim.id), labels) for pair in pairs]
    return rows


def _row(
    run: str, pair: Pair, asks: Literal["error", "reason"], proposal: ErrorProposal | None, labels: Mapping[str, Mapping[str, Label]]
) -> ReplyPair:
    claim, replies = pair.claim, pair.replies
    identity = pair_id(claim.factual, replies["factual"], claim.non_factual, replies["non_factual"])
    allowed = ERRORS if asks == "error" else REASONS  # a changed parser may have turned a right pair into a wrong one since
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
    """Write the sheet that an annotator fills in, without the labels of others."""
    cells = [[_cell_text(str(getattr(row, name, "") or "")) for name in COLUMNS] for row in rows]
    write_sheet(path, COLUMNS, cells, {"label": [*ERRORS, *REASONS]})


def _cell_text(text: str) -> str:
    """Return text that fits into a cell; the label applies to the complete reply, which is in the JSONL row."""
    text = _NOT_IN_XML.sub("\ufffd", text)
    return text if len(text) <= _MAX_CELL_CHARS else f"{text[:_MAX_CELL_CHARS]} … ({len(text)} characters in all)"
