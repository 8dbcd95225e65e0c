"""The cost of calls to a model: replies -> tokens, and the cost by the prices of the server."""

from typing import Protocol

from atomexam.records.blocks import Server

_PRICED_TOKENS = 1_000_000


class CallUsage(Protocol):
    """A reply with its tokens."""

    @property
    def tokens(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def finish_reason(self) -> str: ...


class Usage:
    """Calls and their tokens."""

    def __init__(self) -> None:
        self.calls = self.failed = self.prompt_tokens = self.reply_tokens = 0
        self._uncounted = 0

    def add(self, reply: CallUsage) -> None:
        """Count a call."""
        self.calls += 1
        self.failed += reply.finish_reason == "error"
        self.prompt_tokens += reply.prompt_tokens
        self.reply_tokens += reply.tokens
        self._uncounted += reply.finish_reason != "error" and not reply.prompt_tokens

    def cost(self, server: Server | None) -> dict[str, float]:
        """Return the cost in the currency of the prices; nothing without prices.

        A prompt is never empty, so a server that reports no tokens has not counted; `replies_not_in_cost` is the number of such replies.
        """
        if server is None or not (server.input_price or server.output_price):
            return {}
        cost = self.prompt_tokens * server.input_price + self.reply_tokens * server.output_price
        figures = {"cost": round(cost / _PRICED_TOKENS, 4)}
        return figures | {"replies_not_in_cost": self._uncounted} if self._uncounted else figures
