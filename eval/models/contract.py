"""The interface of a backend: requests, replies and methods."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from atomexam.records.model import Description
from atomexam.records.prediction import FinishReason
from eval.tasks.prompt import Message
from eval.tasks.request import Request


class Settings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings for generating replies. A backend that cannot honour a setting raises ValueError.

    Fields with a default were added later; at the default value, the keys of stored replies are unchanged.
    """

    max_new_tokens: int
    temperature: float
    """0 always takes the most likely token."""
    top_k: int
    """0: no limit."""
    top_p: float
    repetition_penalty: float
    seed: int
    stop: Literal["end", "verdict"] = "end"
    """verdict: end a reply with the clause that gives its verdict on a claim."""
    stop_strings: tuple[str, ...] = ()
    """A reply ends before whichever of these strings is completed first."""
    batch_size: int
    """Affects only the speed, never the replies."""

    def string_end(self, text: str) -> int | None:
        """Return the position of the stop string that is completed first, or None if there is none.

        If the stop string that begins first were used, the result would depend on how many characters arrive at a time.
        """
        matches = [(start + len(word), start) for word in self.stop_strings if (start := text.find(word)) >= 0]
        return min(matches)[1] if matches else None


class ModelQuery(Struct, frozen=True, kw_only=True):
    """One request to a model in one repeat."""

    request: Request
    repeat: int
    prompt: str
    """The request as sent to the model."""


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's response to a request."""

    text: str
    """Empty if the call failed."""
    finish_reason: FinishReason
    tokens: int
    prompt_tokens: int = 0
    error: str | None = None
    """Cause of a failed call, without any API key; a failed reply is not stored, so the next run requests it again."""
    likelihoods: dict[str, float] | None = None
    """Natural log-likelihood of each of the request's possible answers."""
    model: str | None = None
    """The server's name for the model that replied, if it is not the requested name."""
    replaced: int = 0
    """Number of lone surrogates in the text, replaced by U+FFFD."""


def failed_reply(cause: str) -> Reply:
    """Return the reply for a query that cannot be answered."""
    return Reply(text="", finish_reason="error", tokens=0, error=cause)


def too_long(prompt: int, whole: int, limit: int) -> str:
    """Return the error for a query that does not fit in a model's context window.

    Args:
        prompt: number of tokens in the prompt.
        whole: number of tokens in the prompt and the longest reply.
    """
    cause = f"the prompt has {prompt} tokens, with the reply {whole}, but the model's limit is {limit}"
    return f"{cause}; lower `shots` or `max_new_tokens` of the run in params.yaml"


class Backend(Protocol):
    """A model that replies to requests."""

    identity: str
    """Name and revision, or a hash of the weights; it changes whenever the same query might get a different reply."""

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt for a conversation."""

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the index of each query with its reply, as replies arrive and in any order; each index is yielded once.

        A query that cannot be answered (the prompt is too long, or the call failed permanently) gets a reply with an error.
        """

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield, for each query, the log-likelihoods of its answers, with the most likely answer in the requested format as text.

        Raises:
            ValueError: the backend provides no likelihoods, or the settings require sampling.
        """


Opener = Callable[[Description, Path], Backend]
"""Function that opens a model, given its description and its folder."""
