"""Pairs of replies -> those that people look at, as rows and as a sheet to be filled in."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from atomexam.records.label import ERRORS, REASONS, Label, ReplyPair, pair_id
from atomexam.runtime.sheets import write_sheet
from eval.errors.patterns import Pair, Proposal, has_reasons, pattern_of

COLUMNS = ("id", "asks", "label", "comment", "factual", "factual_reply", "non_factual", "non_factual_reply", "proposed", "because")
_MAX_SHOWN_CHARS = 10_000  # a model that runs on in circles; a cell of a workbook holds three times as much
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw(pairs: Iterable[Pair], many: int, seed: int) -> list[Pair]:
    """Return the pairs with the lowest lots. A lot hangs on the seed and the claim alone.

    So the same claims are drawn in every run, data that grow change few of them, and the first rows of a queue are a random sample, too.
    """
    return sorted(pairs, key=lambda pair: hashlib.sha256(f"{seed}/{pair.claim.id}".encode()).hexdigest())[:many]


def build(
    run: str,
    pairs: Sequence[Pair],
    many: int,
    seed: int,
    proposals: Mapping[str, Proposal],
    labels: Mapping[str, Mapping[str, Label]],
) -> list[ReplyPair]:
    """Return a run's queue: first as many pairs that are not right, then as many that are right and give reasons.

    Args:
        proposals: by claim, for pairs that are not right.
        labels: by pair of replies and annotator.
    """
    wrong = draw((pair for pair in pairs if pair.claim.id in proposals), many, seed)
    right = draw((pair for pair in pairs if pattern_of(pair) == "right" and has_reasons(pair)), many, seed)
    rows = []
    parts: tuple[tuple[Literal["error", "reason"], list[Pair]], ...] = (("error", wrong), ("reason", right))
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
