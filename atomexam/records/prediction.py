"""What a model replied, and what was read from it."""

from typing import Literal

from msgspec import Struct

FinishReason = Literal["stop", "length", "error"]
Outcome = Literal["answered", "unparsed", "truncated", "failed"]


class Prediction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply of one model to one request."""

    item_id: str
    """Question id, or claim id with `/factual` or `/non_factual`."""
    run: str
    """Key of the run in params.yaml."""
    repeat: int
    """0, 1, … when a run asks the same thing more than once."""
    prompt_sha256: str
    """Hash of the rendered prompt, so that a change of wording shows."""
    reply: str
    finish_reason: FinishReason
    """stop: the model ended by itself; length: cut at the limit; error: no reply was had."""
    tokens: int
    """Length of the reply in tokens of the model; characters for a baseline."""
    prompt_tokens: int = 0
    """Length of the prompt in tokens of the model; 0 where the backend does not tell."""
    error: str | None = None
    """Why no reply was had."""
    likelihoods: dict[str, float] | None = None
    """Log-likelihood of each allowed answer, where the run's method is likelihood."""
    follows: str | None = None
    """Item whose question and reply stood before this one in the conversation: its repeats may have been asked differently."""
    shots: int = 0
    """Few-shot examples that were shown; fewer than the run's where the subject has no more."""


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one reply was read as, and whether it is right."""

    item_id: str
    repeat: int
    outcome: Outcome
    """answered; unparsed: no answer to be read; truncated: cut before one; failed: the call failed."""
    answer: str | None
    """Letters for choices, 正确 / 错误 for claims; None unless answered."""
    correct: bool | None
    """None where the item has no known answer."""
    committed: str | None = None
    """What the reply as a whole commits to, also after its reasons; the same as the answer where the reply says one thing."""
    committed_correct: bool | None = None
    """Whether that is right; None where the item has no known answer."""
