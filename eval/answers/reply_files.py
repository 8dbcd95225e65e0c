"""Read replies and scores, match them with their items, and sum up tokens and cost."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from atomexam.records.blocks import Server
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import read_jsonl

R = TypeVar("R", Prediction, Score)
_PRICED_TOKENS = 1_000_000


def read_replies(path: Path, run: str, model: str) -> Iterator[Prediction]:
    """Yield the replies of a run.

    Raises:
        ValueError: a reply belongs to another run, because its file was copied or renamed by hand.
    """
    for number, row in enumerate(read_jsonl(path, Prediction, f"`dvc repro predict@{model}` builds it"), 1):
        if row.run != run:
            again = f"rebuild them with `dvc repro -f predict@{model}`"
            raise ValueError(f"{path}:{number}: the reply belongs to run {row.run}, expected run {run}; {again}")
        yield row


def by_item(records: Iterable[R], items: Iterable[str], what: str, remedy: str, repeats: Sequence[int] | None = None) -> dict[str, list[R]]:
    """Return the replies or scores of each item, one per repeat.

    Args:
        what: noun for the records in messages.
        remedy: end of each message.
        repeats: number of repeats expected of each item; by default that of the first item.

    Raises:
        ValueError: an item lacks a repeat or has one twice, or a record belongs to no item.
    """
    grouped: dict[str, list[R]] = {item: [] for item in items}
    for record in records:
        if record.item_id not in grouped:
            raise ValueError(f"{what} do not match the test split: {record.item_id[:80]!r} is not in it; {remedy}")
        grouped[record.item_id].append(record)
    expected = None if repeats is None else list(repeats)
    for item, own in grouped.items():
        own.sort(key=lambda record: record.repeat)
        own_repeats = [record.repeat for record in own]
        expected = sorted(set(own_repeats)) or [0] if expected is None else expected
        if own_repeats != expected:
            raise ValueError(f"{what} do not match the test split: {item} has repeats {own_repeats}, expected {expected}; {remedy}")
    return grouped


def usage_of(replies: Sequence[Any], server: Server | None, **counts: int) -> dict[str, float]:
    """Return the token counts of replies, further counts, and the cost in the currency of the server's prices, if it has any.

    Stored replies of an earlier run count as if they were new. A prompt is never empty, so 0 prompt tokens mean that the server did not
    report them; `replies_not_in_cost` is the number of such replies.

    Args:
        replies: with `tokens`, `prompt_tokens` and `finish_reason`.
    """
    prompts, own = sum(reply.prompt_tokens for reply in replies), sum(reply.tokens for reply in replies)
    figures: dict[str, float] = {"prompt_tokens": prompts, "reply_tokens": own, **counts}
    if server and (server.input_price or server.output_price):
        figures["cost"] = round((prompts * server.input_price + own * server.output_price) / _PRICED_TOKENS, 4)
        if uncounted := sum(reply.finish_reason != "error" and not reply.prompt_tokens for reply in replies):
            figures["replies_not_in_cost"] = uncounted
    return figures
