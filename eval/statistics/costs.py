"""What calls to a model cost: tokens read and written and the prices of its server in, the cost out."""

from collections.abc import Iterable
from typing import Protocol

from atomexam.records.run import Server

_PRICED_TOKENS = 1_000_000


class Counted(Protocol):
    """A reply with its tokens."""

    @property
    def tokens(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def finish_reason(self) -> str: ...


def cost_of(replies: Iterable[Counted], server: Server | None) -> dict[str, float]:
    """Return the cost in the currency of the prices; nothing where there are none.

    A prompt is never empty, so a server that says so has not counted: how many such replies the cost leaves out stands beside it.
    """
    if server is None or not (server.input_price or server.output_price):
        return {}
    read = written = uncounted = 0
    for row in replies:
        read, written = read + row.prompt_tokens, written + row.tokens
        uncounted += row.finish_reason != "error" and not row.prompt_tokens
    cost = read * server.input_price + written * server.output_price
    return {"cost": round(cost / _PRICED_TOKENS, 4)} | ({"replies_not_in_cost": uncounted} if uncounted else {})
