"""Files of replies and of scores, read along with the split: both sorted by item, each read once, with one item in memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Protocol, TypeVar

from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import read_jsonl

I = TypeVar("I")  # noqa: E741


class OfItem(Protocol):
    """A reply or a score."""

    @property
    def item_id(self) -> str: ...
    @property
    def repeat(self) -> int: ...


R = TypeVar("R", bound=OfItem)


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


def by_item(
    records: Iterable[R],
    items: Iterable[I],
    what: str,
    remedy: str,
    repeats: Sequence[int] | None = None,
    id_of: Callable[[I], str] = attrgetter("item_id"),
) -> Iterator[tuple[I, list[R]]]:
    """Yield each item with its replies or scores, one per repeat.

    Args:
        what: noun for the records in messages; `remedy` ends a message.
        repeats: repeats of each item; by default those of the first.

    Raises:
        ValueError: an item lacks a repeat or has one twice, a record belongs to no item, or the records are not sorted.
    """
    groups = ((item_id, list(group)) for item_id, group in groupby(records, attrgetter("item_id")))
    group_id, group = next(groups, ("", []))
    expected = None if repeats is None else list(repeats)
    for item in items:
        item_id = id_of(item)
        if group and group_id < item_id:
            break
        own = group if group_id == item_id else []
        own_repeats = [record.repeat for record in own]
        expected = sorted(set(own_repeats)) or [0] if expected is None else expected
        if own_repeats != expected:
            raise ValueError(f"{what} do not fit the test split: {item_id} has repeats {own_repeats}, expected {expected}; {remedy}")
        yield item, own
        group_id, group = next(groups, ("", []))
    if group:
        raise ValueError(f"{what} do not fit the test split: {group_id[:80]!r} is not in it, or comes after a later item; {remedy}")
