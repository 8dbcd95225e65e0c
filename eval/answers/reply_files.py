"""Replies and scores: read, and matched with the items that they belong to."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import read_jsonl

R = TypeVar("R", Prediction, Score)


def read_replies(path: Path, run: str, model: str) -> Iterator[Prediction]:
    """Yield the replies of a run.

    Raises:
        ValueError: one belongs to another run: the file was copied or renamed by hand.
    """
    for number, row in enumerate(read_jsonl(path, Prediction, f"`dvc repro predict@{model}` builds it"), 1):
        if row.run != run:
            again = f"rebuild them with `dvc repro -f predict@{model}`"
            raise ValueError(f"{path}:{number}: a reply of run {row.run}; expected those of {run}; {again}")
        yield row


def by_item(records: Iterable[R], items: Iterable[str], what: str, remedy: str, repeats: Sequence[int] | None = None) -> dict[str, list[R]]:
    """Return the replies or scores of each item, one per repeat.

    Args:
        what: noun for the records in messages; `remedy` ends a message.
        repeats: repeats of each item; by default those of the first.

    Raises:
        ValueError: an item lacks a repeat or has one twice, or a record belongs to no item.
    """
    found: dict[str, list[R]] = {item: [] for item in items}
    for record in records:
        if record.item_id not in found:
            raise ValueError(f"{what} do not fit the test split: {record.item_id[:80]!r} is not in it; {remedy}")
        found[record.item_id].append(record)
    expected = None if repeats is None else list(repeats)
    for item, own in found.items():
        own.sort(key=lambda record: record.repeat)
        own_repeats = [record.repeat for record in own]
        expected = sorted(set(own_repeats)) or [0] if expected is None else expected
        if own_repeats != expected:
            raise ValueError(f"{what} do not fit the test split: {item} has repeats {own_repeats}, expected {expected}; {remedy}")
    return found
