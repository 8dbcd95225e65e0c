"""Few-shot examples: train and dev -> the same requests with solved ones before them.

Questions get the examples that the split lists for their subject and type (`shots.jsonl`), in that order. Claims get a random
sample of their atomic type, from train, then dev.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import overload

import msgspec
from msgspec import structs

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.records.shot import Shot
from atomexam.runtime.external_sort import ExternalSort, sort_key
from atomexam.runtime.jsonl import jsonl_with_offsets, read_jsonl
from eval.tasks.contract import Task
from eval.tasks.request import Request, conversation

_SPLITS, _CLAIMS = ("train", "dev"), "claims.jsonl"
_SPLIT_BITS, _NUMBER_BITS = 1, 3
_SORTED_BYTES = 8 << 20
Pools = Mapping[str, Sequence[Request]]
"""Examples by pool, first choice first."""


def read_pools(task: Task, prompt: str, splits: Path, seed: int) -> Pools:
    """Return the examples of a task by pool, first choice first; never from test.

    Raises:
        ValueError: the list names a question that is not in its split.
    """
    if task.of == "claims":
        offsets: dict[str, list[array]] = {}
        for number, name in enumerate(_SPLITS):
            for pool, members in _offsets_by_pool(splits / name / _CLAIMS, task, prompt, number).items():
                Random(f"{seed}/shots/{pool}/{number}").shuffle(members)
                offsets.setdefault(pool, []).append(members)
        return {pool: _StoredRequests(splits, task, prompt, own) for pool, own in offsets.items()}
    path = splits / "shots.jsonl"
    listed = sorted(read_jsonl(path, Shot), key=lambda shot: (shot.place, shot.question_id))
    named = {(shot.split, shot.question_id) for shot in listed}
    rows = ((name, row) for name in _SPLITS for row in read_jsonl(splits / name / "questions.jsonl", Question))
    questions = {(name, row.id): row for name, row in rows if (name, row.id) in named}
    for shot in listed:
        if (shot.split, shot.question_id) not in questions:
            raise ValueError(f"{path}: {shot.question_id} is not in {splits / shot.split}; rebuild both with `dvc repro split`")
    by_id = {one.item_id: one for one in task.requests([questions[shot.split, shot.question_id] for shot in listed], [], prompt)}
    return pools_of(by_id[shot.question_id] for shot in listed if shot.question_id in by_id)


def _offsets_by_pool(path: Path, task: Task, prompt: str, split: int) -> dict[str, array]:
    """Return by pool the requests of a file of claims, sorted by item id: claim offset, split and request number in one int."""
    entries = ExternalSort(memory_bytes=_SORTED_BYTES)
    for index, _, pair in jsonl_with_offsets(path, ClaimPair):
        for number, request in enumerate(task.requests([], [pair], prompt)):
            packed_offset = (index << _SPLIT_BITS | split) << _NUMBER_BITS | number
            entries.add(sort_key(request.item_id), packed_offset.to_bytes(8, "big") + request.pool.encode())
    pools: dict[str, array] = {}
    for line in entries.lines():
        pools.setdefault(line[8:].decode(), array("Q")).append(int.from_bytes(line[:8], "big"))
    return pools


class _StoredRequests(Sequence[Request]):
    """The examples of a pool in random order: 8 bytes each, and the requests that have been read."""

    def __init__(self, splits: Path, task: Task, prompt: str, offsets: Sequence[array]) -> None:
        self._splits, self._task, self._prompt = splits, task, prompt
        self._offsets = array("Q", [index for own in offsets for index in own])
        self._read: dict[int, Request] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> Request: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Request]: ...

    def __getitem__(self, index: int | slice) -> Request | Sequence[Request]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if index not in self._read:
            packed_offset, number = divmod(self._offsets[index], 1 << _NUMBER_BITS)
            at, split = divmod(packed_offset, 1 << _SPLIT_BITS)
            with open(self._splits / _SPLITS[split] / _CLAIMS, "rb") as lines:
                lines.seek(at)
                pair = msgspec.json.decode(lines.readline(), type=ClaimPair)
            self._read[index] = self._task.requests([], [pair], self._prompt)[number]
        return self._read[index]


def pools_of(examples: Iterable[Request]) -> Pools:
    """Return by pool the requests that can be examples."""
    pools: dict[str, list[Request]] = {}
    for example in examples:
        if example.solution is not None and example.follows is None:
            pools.setdefault(example.pool, []).append(example)
    return pools


def from_pools(requests: Sequence[Request], pools: Pools, shots: int) -> list[Request]:
    """Return the requests ready to be sent, with up to `shots` examples of their pool as earlier turns of the conversation.

    The items of a pool share a prefix; an item that is related to an example gets the next one instead. A request that follows another
    gets none, since they come before that one. A request's `shots` is the number that it got; a pool may have too few.
    """
    return [request if request.follows else _with_examples(request, pools.get(request.pool, []), shots) for request in requests]


def _with_examples(request: Request, examples: Sequence[Request], shots: int) -> Request:
    chosen: list[Request] = []
    seen = set(request.related_ids)
    for example in examples:
        if len(chosen) == shots:
            break
        if seen.isdisjoint(example.related_ids):
            chosen.append(example)
            seen |= example.related_ids
    return structs.replace(request, messages=conversation([*chosen, request]), shots=len(chosen))
