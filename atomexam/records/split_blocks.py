"""Blocks of params.yaml of the stages `split`, `leaks` and `release`."""

from typing import Annotated, Literal

from msgspec import Meta

from atomexam.records.blocks import Block, Count, Share

Contained = Annotated[float, Meta(gt=0, le=1)]
VERSION = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\Z"


class Quota(Block, frozen=True):
    """Questions of each type that one exam gives to test, and again to reserved."""

    mcqa: Count = 0
    mrqa: Count = 0
    qa: Count = 0
    tf: Count = 0
    blank: Count = 0


class Split(Block, frozen=True):
    seed: int
    quota: Quota
    tcm_per_subject: Count
    """TCM questions of one subject and form in test, and again in reserved (TCMBench: at most 100)."""
    train_floor: Count
    """Questions of each subject and type kept in train for few-shot use."""
    dev_share: Share
    """Share of what test and reserved leave that goes to dev."""
    balance: Literal["fill", "strict"]
    """An exam that cannot fill its quota: fill keeps the others at theirs, strict lowers all to what each can give."""
    claim_test_share: Share
    """Share of heads (diseases, medicines, …) whose claims go to test; 1.0 is the paper's way."""
    claim_reserved_share: Share


class Leaks(Block, frozen=True):
    contained: Contained = 0.95
    """Share of a question's n-grams from which another text that has them gives it away."""
    contaminated: Literal["mark", "block"] = "mark"
    """What becomes of a question that stands in a reference: it is listed, or stops the line as well."""


class SplitFlags(Split, frozen=True):
    """Flags of the stage `split`: its block, and what the block `leaks` says, so that what the check would find is tied before."""

    contained: Contained = 0.95


class Release(Block, frozen=True):
    version: Annotated[str, Meta(pattern=VERSION)]
