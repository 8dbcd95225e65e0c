"""One run divided among the processes that torchrun or `accelerate launch` started; the first one gathers all replies.

The replies themselves go through the reply store; counts and failures go through the launcher's key-value store.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from eval.models.cached_model import Counts
from eval.models.contract import Reply
from eval.tasks.request import Request, conversations

_PATIENCE = timedelta(days=30)
"""For the slowest share of a run."""
_stores: list[Any] = []
"""The launcher's key-value store, opened once."""


class Rank(NamedTuple):
    """The number of this process, and how many there are."""

    number: int = 0
    of: int = 1

    def name(self, run: str) -> str:
        """Return the name of this process's share of a run."""
        return run if self.of == 1 else f"{run}.{self.number}of{self.of}"


class Finished(Struct, frozen=True, kw_only=True):
    """What a process reports when its share of a run is done."""

    counts: Counts
    failed: dict[str, Reply]
    """Failed replies by key; they are in no store."""


def read_rank(environment: Mapping[str, str] = os.environ) -> Rank:
    """Return this process's rank, the only one where no launcher has set RANK and WORLD_SIZE.

    Raises:
        ValueError: they are no numbers, or do not fit each other.
    """
    number, of = environment.get("RANK", "0"), environment.get("WORLD_SIZE", "1")
    if not (number.isdecimal() and of.isdecimal() and int(number) < int(of)):
        raise ValueError(f"RANK={number} WORLD_SIZE={of}: expected 0 <= RANK < WORLD_SIZE, as torchrun sets them; unset both to run alone")
    return Rank(int(number), int(of))


def share_of(requests: Sequence[Request], rank: Rank) -> list[Request]:
    """Return every n-th of the requests; those that follow one stay with it."""
    return [request for conversation in conversations(requests)[rank.number :: rank.of] for request in conversation]


def report(run: str, rank: Rank, done: Finished) -> None:
    """Report to the first process that this one's share of a run is done."""
    _launch_store().set(_key(run, rank), msgspec.json.encode(done))


def wait_for_others(run: str, of: int) -> list[Finished]:
    """Return the reports of all other processes, as soon as all are done."""
    return [msgspec.json.decode(_launch_store().get(_key(run, Rank(number, of))), type=Finished) for number in range(1, of)]


def _launch_store() -> Any:
    if not _stores:
        from torch.distributed import rendezvous

        _stores.append(next(rendezvous("env://", timeout=_PATIENCE))[0])
    return _stores[0]


def _key(run: str, rank: Rank) -> str:
    return f"atomexam/{rank.name(run)}"
