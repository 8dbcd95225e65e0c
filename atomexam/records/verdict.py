"""Verdicts: annotators' judgements of factual claims by the evidence."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from atomexam.records.fact import Relation

Answer = Literal["support", "neutral", "refute"]
"""The evidence supports the claim, is insufficient, or refutes it (SdAK, section 3.3)."""

ANSWERS: tuple[str, ...] = get_args(Answer)


class Verdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One annotator's verdict on one claim; a line of `curation/verdicts.jsonl`."""

    claim_id: str
    annotator: str
    """Name or number that the annotators agreed on; no mail address, since the file is in git."""
    verdict: Answer
    comment: str = ""
    claim: str
    """The factual claim as it was judged."""
    atomic_type: Relation
    """Type of the claim, kept because a refuted claim leaves the data but still counts under its type."""


def majority(answers: Iterable[str]) -> str:
    """Return the most frequent answer; neutral for a tie."""
    counted = Counter(answers).most_common(2)
    return "neutral" if len(counted) > 1 and counted[0][1] == counted[1][1] else counted[0][0]
