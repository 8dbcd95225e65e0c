"""A judge's reply about one free-text answer, and the mark parsed from the reply."""

from typing import Literal

from msgspec import Struct

from atomexam.records.prediction import FinishReason


class Judgement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judgement of one answer; a line of `data/judgements/RUN.jsonl`. Each answer is judged in both orders."""

    item_id: str
    """Id of the question that was answered."""
    repeat: int
    """Number of the repeat in which the run gave the answer."""
    order: Literal["standard_first", "given_first"]
    """Which of the two answers came first in the prompt."""
    draw: int
    """0, 1, … if the judge receives the same prompt more than once."""
    mark: float | None
    """0 to 100; None if the reply has no unambiguous mark."""
    reply: str
    finish_reason: FinishReason
    tokens: int
    prompt_tokens: int
    prompt_sha256: str
    error: str | None = None
    """Why the judge gave no reply."""
    model: str | None = None
    """Name that a server reports for the judge, if it differs from the requested name."""
    key: str | None = None
    """Hash of everything that the reply depends on, as in `Prediction`."""
