"""A model's replies, and the answers parsed from them."""

from typing import Literal

from msgspec import Struct

FinishReason = Literal["stop", "length", "error"]
Outcome = Literal["answered", "unparsed", "truncated", "failed"]


class Prediction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply of one model to one request."""

    item_id: str
    """Id of a question; or the id of a claim or fourfold row, followed by the name of a sentence, such as `/factual` or `/true_denied`."""
    run: str
    """Key of the run in params.yaml."""
    repeat: int
    """0, 1, … if a run requests an item more than once: one number for each variant (`eval.tasks.runs.variants_of`) and repeat."""
    prompt_sha256: str
    """Hash of the rendered prompt; it changes with the wording."""
    reply: str
    finish_reason: FinishReason
    """stop: the model ended the reply; length: the reply was cut at the limit; error: there is no reply."""
    tokens: int
    """Length of the reply in the model's tokens; in characters for a baseline."""
    prompt_tokens: int = 0
    """Length of the prompt in tokens of the model; 0 if the backend does not report it."""
    error: str | None = None
    """Why there is no reply."""
    likelihoods: dict[str, float] | None = None
    """Log-likelihood of each allowed answer, if the run's method is likelihood."""
    follows: str | None = None
    """Item whose question and reply came before this one in the conversation, so repeats may have had different prompts."""
    shots: int = 0
    """Number of few-shot examples in the prompt; fewer than the run's `shots` if the subject does not have enough."""
    model: str | None = None
    """Name that a server reports for the model, if it differs from the requested name."""
    key: str | None = None
    """Hash of everything that the reply depends on; in a clone, it is the cache key of pulled replies. None if the replies were made
    elsewhere."""


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer parsed from one reply, and whether it is right."""

    item_id: str
    repeat: int
    outcome: Outcome
    """answered; unparsed: no answer was found; truncated: the reply was cut before an answer; failed: the call failed."""
    answer: str | None
    """Letters for choices, in the question's own option order, 正确 / 错误 for claims, words for blanks; None unless the state is
    answered."""
    correct: bool | None
    """None if the item's correct answer is unknown."""
    committed: str | None = None
    """The final answer in the complete reply, including its reasons; differs from `answer` only if the reply changes its answer."""
    committed_correct: bool | None = None
    """Whether `committed` is correct; None if the item's correct answer is unknown."""
