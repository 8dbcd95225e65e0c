"""Verdicts: what people found when they held the evidence against a factual claim."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from atomexam.records.fact import Relation

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
