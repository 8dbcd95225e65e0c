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
    """How replies are generated. A backend that cannot honour a setting raises ValueError.

    Fields with a default were added later: the default leaves the keys of stored replies unchanged.
    """

    max_new_tokens: int
    temperature: float
    """0 takes the likeliest token."""
    top_k: int
    """0: no limit."""
    top_p: float
    repetition_penalty: float
    seed: int
    stop: Literal["end", "verdict"] = "end"
    """verdict: a reply ends with the clause that gives its verdict on a claim."""
    stop_strings: tuple[str, ...] = ()
    """A reply ends before the first of these strings that is complete."""
    batch_size: int
    """Affects speed only, never a reply."""

    def string_end(self, text: str) -> int | None:
        """Return the start of the stop string that is completed first; None if there is none.

        The stop string that begins first would depend on how many characters arrive at a time.
        """
        matches = [(start + len(word), start) for word in self.stop_strings if (start := text.find(word)) >= 0]
        return min(matches)[1] if matches else None


class ModelQuery(Struct, frozen=True, kw_only=True):
    """One request to a model, in one repeat."""

    request: Request
    repeat: int
    prompt: str
    """The request as sent to the model."""


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The response of a model to a request."""

    text: str
    """Empty if the call failed."""
    finish_reason: FinishReason
    tokens: int
    prompt_tokens: int = 0
    error: str | None = None
    """Cause of a failed call, without any API key; such a reply is not stored, so the next run requests it again."""
    likelihoods: dict[str, float] | None = None
    """Natural log-likelihood of each of the request's answers."""
    model: str | None = None
    """The server's name for the model that replied, if it differs from the requested one."""
    replaced: int = 0
    """Lone surrogates in the text, replaced by U+FFFD."""


def failed_reply(cause: str) -> Reply:
    """Return the reply to a query that cannot be answered."""
    return Reply(text="", finish_reason="error", tokens=0, error=cause)


def too_long(prompt: int, whole: int, limit: int) -> str:
    """Return the error for a query that does not fit into a model's context window.

    Args:
        prompt: tokens of the prompt.
        whole: tokens of the prompt and the longest reply.
    """
    cause = f"the prompt has {prompt} tokens, with the reply {whole}, but the model's limit is {limit}"
    return f"{cause}; lower `shots` or `max_new_tokens` of the run in params.yaml"


class Backend(Protocol):
    """A model that replies to requests."""

    identity: str
    """Name and revision, or a hash of the weights; it changes whenever the same query may get another reply."""

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt for a conversation."""

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the index of each query with its reply, as they arrive and in any order; each index once.

        A query that cannot be answered (prompt too long, call failed permanently) gets a reply with an error.
        """

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield, for each query, the log-likelihoods of its answers, with the likeliest one in the requested format as text.

        Raises:
            ValueError: the backend has no likelihoods, or the settings require sampling.
        """


Opener = Callable[[Description, Path], Backend]
"""Function that opens a model from its description and its folder."""
