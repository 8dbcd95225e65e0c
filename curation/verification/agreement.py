"""Verdicts -> how well annotators agree."""

from collections.abc import Mapping, Sequence
from typing import Any

from atomexam.records.verdict import ANSWERS, Verdict
from atomexam.runtime import agreement as people


def agreement(votes: Mapping[str, Sequence[Verdict]]) -> dict[str, Any]:
    """Return the figures over claims with two verdicts or more."""
    return people.agreement([{one.annotator: one.verdict for one in given} for given in votes.values()], ANSWERS, "claim", "verdict")
