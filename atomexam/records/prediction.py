"""A model's replies, and the answers parsed from them."""

from typing import Literal

from msgspec import Struct

FinishReason = Literal["stop", "length", "error"]
Outcome = Literal["answered", "unparsed", "truncated", "failed"]


class Prediction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply of one model to one request."""

    item_id: str
    """Question id, or id of a claim or fourfold row with `/` and the sentence, such as `/factual` or `/true_denied`."""
    run: str
    """Key of the run in params.yaml."""
    repeat: int
    """0, 1, … if a run requests an item more than once: each variant (`eval.tasks.runs.variants_of`) as often as the run repeats."""
    prompt_sha256: str
    """Hash of the rendered prompt; it changes with the wording."""
    reply: str
    finish_reason: FinishReason
    """stop: the model ended by itself; length: cut at the limit; error: there is no reply."""
    tokens: int
    """Length of the reply in tokens of the model; characters for a baseline."""
    prompt_tokens: int = 0
    """Length of the prompt in tokens of the model; 0 if the backend does not report it."""
    error: str | None = None
    """Why there is no reply."""
    likelihoods: dict[str, float] | None = None
    """Log-likelihood of each allowed answer, if the run's method is likelihood."""
    follows: str | None = None
    """Item whose question and reply preceded this one in the conversation, so its repeats may have had different prompts."""
    shots: int = 0
    """Few-shot examples in the prompt; fewer than the run's `shots` if the subject has no more."""
    model: str | None = None
    """What a server calls the model that replied, unless that is the name asked for."""
    key: str | None = None
    """Hash of all the reply depends on, by which a clone that pulled it has it cached; None if the replies were made elsewhere."""


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer parsed from one reply, and whether it is right."""

    item_id: str
    repeat: int
    outcome: Outcome
    """answered; unparsed: no answer could be parsed; truncated: cut before an answer; failed: the call failed."""
    answer: str | None
    """Letters for choices, in the question's own order of options, 正确 / 错误 for claims, words for blanks; None unless answered."""
    correct: bool | None
    """None if the item has no known answer."""
    committed: str | None = None
    """The answer that the complete reply stands for, including its reasons; equal to the answer unless the reply changes its answer."""
    committed_correct: bool | None = None
    """Whether `committed` is right; None if the item has no known answer."""
