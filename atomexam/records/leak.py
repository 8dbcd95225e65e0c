"""A leak: an item of one split that another split reveals, and the check that detected it."""

from msgspec import Struct

CHECKS = {
    "cluster": "near-duplicates in two splits",
    "case": "one case or one set of options in two splits",
    "stem": "one stem in two splits",
    "asked": "one stem with the same options in two splits",
    "shot": "a few-shot example that is asked, is kin to what is asked, or stands elsewhere than listed",
    "contained": "a question of test or reserved whose words stand in one of train or dev",
    "reworded": "a question of test or reserved that train or dev asks in other words, with the same right answer",
    "head": "claims on one head in test or reserved and in train or dev",
    "claim": "a claim of test or reserved, or its denial, whose words stand in train or dev",
    "inverse": "a fact of test or reserved that train or dev tells from its other end",
    "wording": "an atomic type whose fourfold sentences a model without knowledge answers better than chance; the share is its accuracy",
    "reference": "a question whose words stand in a reference benchmark",
}
"""Name of a check -> what it detects."""


class Leak(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One row of the table of leaks."""

    check: str
    """A key of CHECKS."""
    split: str
    id: str
    """Id of the revealed question or claim."""
    other_split: str
    """Split, or source of the reference, that reveals it."""
    other_id: str
    share: float = 1.0
    """Share of the question's n-grams that the other text contains; for a reworded question, of the n-grams of both."""
