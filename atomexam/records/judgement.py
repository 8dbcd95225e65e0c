"""What a judge replied to one answer in words, and the mark that was read."""

from typing import Literal

from msgspec import Struct

from atomexam.records.prediction import FinishReason


class Judgement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judging of one answer; a line of `data/judgements/RUN.jsonl`. Each answer is judged in both orders."""

    item_id: str
    """Question that was answered."""
    repeat: int
    """Repeat of the run that gave the answer."""
    order: Literal["standard_first", "given_first"]
    """Which of the two answers the judge was shown first."""
    draw: int
    """0, 1, … when the judge is asked the same more than once."""
    mark: float | None
    """0 to 100; None where none was surely given."""
    reply: str
    finish_reason: FinishReason
    tokens: int
    prompt_tokens: int
    prompt_sha256: str
    error: str | None = None
    """Why the judge gave no reply."""
