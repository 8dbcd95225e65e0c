"""A leak: what one split gives away of another, by the check that found it."""

from msgspec import Struct

from records.split_blocks import Leaks as Params

CHECKS = {
    "cluster": "near-duplicates in two splits",
    "case": "one case or one set of options in two splits",
    "stem": "one stem in two splits",
    "asked": "one stem with the same options in two splits",
    "shot": "a few-shot example that is asked, or is kin to what is asked",
    "contained": "a question of test or reserved whose words stand in one of train or dev",
    "reference": "a question whose words stand in a reference benchmark",
}


class Leak(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One row of the table."""

    check: str
    """A key of CHECKS."""
    split: str
    id: str
    """Question that is given away."""
    other_split: str
    """Split, or source of the reference, that gives it away."""
    other_id: str
    share: float = 1.0
    """Of the n-grams of the question, that the other has."""


def blocks(leak: Leak, params: Params) -> bool:
    return leak.check != "reference" or params.contaminated == "block"
