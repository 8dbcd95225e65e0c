"""The blocks of params.yaml for the stages `split`, `leaks` and `release`."""

from typing import Annotated, Literal

from msgspec import Meta

from atomexam.records.blocks import Block, Count, Share

Contained = Annotated[float, Meta(gt=0, le=1)]
VERSION = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\Z"


class Quota(Block, frozen=True):
    """Questions of each type that one exam gives to test, and as many again to reserved."""

    mcqa: Count = 0
    mrqa: Count = 0
    qa: Count = 0
    tf: Count = 0
    blank: Count = 0


class Split(Block, frozen=True):
    seed: int
    quota: Quota
    tcm_per_subject: Count
    """TCM questions of one subject and form in test, and as many again in reserved (TCMBench: at most 100)."""
    train_floor: Count
    """Questions of each subject and type kept in train for few-shot use."""
    dev_share: Share
    """Share of the questions outside test and reserved that goes to dev."""
    balance: Literal["fill", "strict"]
    """If an exam cannot fill its quota: fill leaves the quotas of the others, strict lowers all to what each exam can give."""
    claim_test_share: Share
    """Share of heads (diseases, medicines, …) whose claims go to test; 1.0 follows the paper."""
    claim_reserved_share: Share


class Leaks(Block, frozen=True):
    contained: Contained = 0.95
    """Share of a question's n-grams; a text that contains that many reveals the question."""
    contaminated: Literal["mark", "block"] = "mark"
    """What happens to a question that a reference contains: it is listed; block also stops the pipeline."""


class SplitFlags(Split, frozen=True):
    """Flags of the stage `split`: its block and the threshold of `leaks`, so that `split` ties the questions that the check would
    report."""

    contained: Contained = 0.95


class Release(Block, frozen=True):
    version: Annotated[str, Meta(pattern=VERSION)]
