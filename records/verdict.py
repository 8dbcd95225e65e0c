"""Verdicts: what people found when they held the evidence against a factual claim."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from records.fact import Relation
from records.jsonl import read_jsonl

Answer = Literal["support", "neutral", "refute"]
"""The evidence supports the claim, is not enough to tell, or refutes it (SdAK, section 3.3)."""

ANSWERS: tuple[str, ...] = get_args(Answer)


class Verdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one annotator says of one claim; a line of `curation/verdicts.jsonl`."""

    claim_id: str
    annotator: str
    """Name or number that the annotators agreed on; the file is in git, so no mail address."""
    verdict: Answer
    comment: str = ""
    claim: str
    """The factual claim as it was judged."""
    atomic_type: Relation
    """Of the claim: a refuted one leaves the data, and still counts under its type."""


def majority(answers: Iterable[str]) -> str:
    """Return the answer that most annotators give; neutral where none has most."""
    counted = Counter(answers).most_common(2)
    return "neutral" if len(counted) > 1 and counted[0][1] == counted[1][1] else counted[0][0]


def read_verdicts(path: Path) -> dict[str, list[Verdict]]:
    """Return the verdicts on each claim, one an annotator, whatever the order of the lines.

    Raises:
        ValueError: an annotator has two verdicts on a claim, as a merge of two branches may leave them.
    """
    found: dict[str, dict[str, Verdict]] = {}
    for one in read_jsonl(path, Verdict, "mend the line, or import the answers again: python -m curation.verdicts FILES"):
        other = found.setdefault(one.claim_id, {}).setdefault(one.annotator, one)
        if other.verdict != one.verdict:
            raise ValueError(f"{path}: {one.annotator} says {other.verdict} and {one.verdict} of {one.claim_id}; delete one line")
    return {claim: [found[claim][name] for name in sorted(found[claim])] for claim in sorted(found)}
