"""A leak (an item of one split that another split reveals), and the check that detected it."""

from msgspec import Struct

CHECKS = {
    "cluster": "near-duplicates in two splits",
    "case": "the same case or shared options in two splits",
    "stem": "the same stem in two splits",
    "asked": "the same stem and options in two splits",
    "shot": "a few-shot example that is a test item, is related to one, or is not in its listed split",
    "contained": "a question of test or reserved whose text occurs in one of train or dev",
    "reworded": "a question of test or reserved that train or dev rewords, with the same correct answer",
    "head": "claims about one head in test or reserved and in train or dev",
    "claim": "a claim of test or reserved, or its negation, whose text occurs in train or dev",
    "inverse": "a fact of test or reserved that train or dev states with head and tail swapped",
    "wording": "an atomic type whose fourfold sentences a knowledge-free model answers better than chance; the share is its accuracy",
    "reference": "a question whose text occurs in a reference benchmark",
}
"""Maps the name of each check to what it detects."""


class Leak(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One row of the table of leaks."""

    check: str
    """A key of CHECKS."""
    split: str
    id: str
    """Id of the revealed question or claim."""
    other_split: str
    """Split that reveals the question or claim, or the source of the reference that does."""
    other_id: str
    share: float = 1.0
    """Share of the question's n-grams that the other text contains; for a reworded question, the share of both texts' n-grams."""
