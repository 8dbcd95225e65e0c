"""One run divided among several processes, as torchrun and `accelerate launch` start them; the first gathers all replies.

The processes share the store alone. Each writes there when it is done, and which of its requests failed: no failed reply is stored.
"""

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from atomexam.runtime.jsonl import read_json, write_json
from eval.models.cached_model import Counts
from eval.models.contract import Reply
from eval.tasks.request import Request, conversations

_SECONDS_BETWEEN_LOOKS = 0.2


class Rank(NamedTuple):
    """The number of this process, and how many there are."""

    number: int = 0
    of: int = 1

    def name(self, run: str) -> str:
        """Return the name of this process's share of a run."""
        return run if self.of == 1 else f"{run}.{self.number}of{self.of}"


class Finished(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file that a process writes when its share is done."""

    asked: str
    """Hash of all requests of the launch, so that a file of another launch is not mistaken for this one's."""
    counts: Counts
    failed: dict[str, Reply]


def read_rank(environment: Mapping[str, str] = os.environ) -> Rank:
    """Return this process's rank, the only one where no launcher has set RANK and WORLD_SIZE.

    Raises:
        ValueError: they are no numbers, or do not fit each other.
    """
    number, of = environment.get("RANK", "0"), environment.get("WORLD_SIZE", "1")
    if not (number.isdecimal() and of.isdecimal() and int(number) < int(of)):
        raise ValueError(f"RANK={number} WORLD_SIZE={of}: expected 0 <= RANK < WORLD_SIZE, as torchrun sets them; unset both to run alone")
    return Rank(int(number), int(of))


@contextmanager
def only_one_of(folder: Path, model: str, rank: Rank) -> Iterator[None]:
    """Hold a rank against the same one of another launch: the two would take away each other's files, and wait for them without end.

    Raises:
        ValueError: another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f".{rank.name(model)}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        other = f"another process with RANK={rank.number} WORLD_SIZE={rank.of} is at work there"
        raise ValueError(f"{folder}: {other}; wait until its launch ends or stop it, and run the same command again") from None
    try:
        yield
    finally:
        lock.release()


def share_of(requests: Sequence[Request], rank: Rank) -> list[Request]:
    """Return every n-th of the requests; those that follow one stay with it."""
    return [request for conversation in conversations(requests)[rank.number :: rank.of] for request in conversation]


def hash_requests(first: Any, lists: Iterable[Sequence[Request]]) -> str:
    """Return a hash of all requests of a launch: of their settings, and of items and messages."""
    hashed = hashlib.sha256(msgspec.json.encode(first))
    for requests in lists:
        hashed.update(msgspec.json.encode([(one.item_id, one.messages) for one in requests]))
    return hashed.hexdigest()


def finished_path(folder: Path, run: str, rank: Rank) -> Path:
    """Return the path of a process's file of completion."""
    return folder / f"{rank.name(run)}.done.json"


def paths_of_others(folder: Path, runs: Iterable[str], of: int) -> list[Path]:
    """Return where all processes but the first say that they are done."""
    return [finished_path(folder, run, Rank(number, of)) for run in runs for number in range(1, of)]


def write_finished(folder: Path, run: str, rank: Rank, done: Finished) -> None:
    """Write that this process is done."""
    write_json(finished_path(folder, run, rank), done)


def left_before(folder: Path, runs: Iterable[str], of: int) -> dict[Path, Finished]:
    """Return the files that other processes have left before this one, the first, begins: they may be of an earlier launch."""
    return {path: done for path in paths_of_others(folder, runs, of) if (done := _read(path))}


def wait_for_others(
    folder: Path, run: str, of: int, requests_hash: str, left: Mapping[Path, Finished], sleep: Callable[[float], None] = time.sleep
) -> list[Finished]:
    """Return the files of the other processes, as soon as all are done.

    A process that finished in an earlier launch has its share in the store, but the caller retries what failed then: that process
    may not have been started again.
    """
    waiting = paths_of_others(folder, [run], of)
    finished: list[Finished] = []
    announced = False
    while waiting:
        path = waiting[0]
        done = _read(path)
        if done and done.asked == requests_hash:
            if done == left.get(path):
                done = Finished(asked=requests_hash, counts=Counts(kept=done.counts.requests - done.counts.failed), failed={})
            finished.append(done)
            waiting.pop(0)
            continue
        if not announced:
            there = "exists" if done is None else "is of the same requests"
            print(
                f"{run}: its share is done; waiting for {len(waiting)} others, until {path} {there}",
                file=sys.stderr,
                flush=True,
            )
            announced = True
        sleep(_SECONDS_BETWEEN_LOOKS)
    return finished


def _read(path: Path) -> Finished | None:
    try:
        return read_json(path, Finished, "remove it and run the same command again")
    except FileNotFoundError:
        return None
