"""Pairs of replies put before people, and what they said of them."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from atomexam.records.fact import Relation
from atomexam.records.identity import content_id

Pattern = Literal["right", "failed", "not_follow", "sycophancy", "contrary", "reversed"]
"""What the two verdicts of a pair make; `failed` where a call brought no reply."""

Error = Literal["not_follow", "sycophancy", "safety", "misinterpretation", "contrary", "reversed"]
"""Why a pair is not right: the four types of SdAK (section 5.1), and what else both verdicts can be."""

Reason = Literal["sound", "unsound"]
"""Whether the reasons given for two right verdicts bear them out: answer reliability (SdAK, section 4.2.2)."""

ERRORS: tuple[str, ...] = get_args(Error)
REASONS: tuple[str, ...] = get_args(Reason)


class ReplyPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair of replies drawn for people; a line of `data/errors/RUN.jsonl`."""

    id: str
    """Of the two claims and the two replies, so that a label holds wherever the same was said."""
    run: str
    claim_id: str
    atomic_type: Relation
    asks: Literal["error", "reason"]
    """error: the pair is not right, why? reason: it is right, are the reasons sound?"""
    factual: str
    factual_reply: str
    non_factual: str
    non_factual_reply: str
    pattern: Pattern
    proposed: Error | None = None
    """What rules, or a judge, make of it; nothing for reasons."""
    because: str = ""
    """What the proposal rests on."""
    labels: dict[str, str]
    """What people said, by annotator."""


class Label(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one annotator says of one pair of replies; a line of `eval/labels.jsonl`."""

    pair_id: str
    annotator: str
    """Name or number that the annotators agreed on; the file is in git, so no mail address."""
    label: Error | Reason
    comment: str = ""
    claim: str
    """The factual claim, for readers of the file."""


def pair_id(factual: str, factual_reply: str, non_factual: str, non_factual_reply: str) -> str:
    """Return the id of a pair of replies."""
    return content_id("replies", factual, factual_reply, non_factual, non_factual_reply)


def majority_label(labels: Iterable[str]) -> str | None:
    """Return the label that most annotators give; None where none has most."""
    counted = Counter(labels).most_common(2)
    return None if not counted or (len(counted) > 1 and counted[0][1] == counted[1][1]) else counted[0][0]
