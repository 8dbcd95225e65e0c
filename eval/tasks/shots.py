"""Few-shot examples: train and dev in, the same requests with solved ones before them out.

Questions are shown the examples that the split lists for their subject and type (`shots.jsonl`), in that order. Claims draw their
own by atomic type, from train, then dev.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from msgspec import structs

from atomexam.records.shot import Shot
from atomexam.runtime.jsonl import read_jsonl
from eval.tasks.contract import Ask, read_split
from eval.tasks.request import Request, conversation

_SPLITS = ("train", "dev")


def examples_of(ask: Ask, prompt: str, splits: Path, seed: int) -> list[Request]:
    """Return what may be shown, first choice first; never from test.

    Raises:
        ValueError: the list names a question that is not in its split.
    """
    rows = {name: read_split(splits / name) for name in _SPLITS}
    questions = {(name, question.id): question for name, (split, _) in rows.items() for question in split}
    path = splits / "shots.jsonl"
    listed = sorted(read_jsonl(path, Shot), key=lambda shot: (shot.place, shot.question_id))
    for shot in listed:
        if (shot.split, shot.question_id) not in questions:
            raise ValueError(f"{path}: {shot.question_id} is not in {splits / shot.split}; rebuild both with `dvc repro split`")
    asked = {request.item_id: request for request in ask([questions[shot.split, shot.question_id] for shot in listed], [], prompt)}
    shown = [asked[shot.question_id] for shot in listed if shot.question_id in asked]
    return [*shown, *_drawn([ask([], claims, prompt) for _, claims in rows.values()], seed)]


def _drawn(splits: Iterable[Sequence[Request]], seed: int) -> list[Request]:
    """Return requests in one order a seed and pool, those of earlier splits first."""
    drawn = []
    for place, split in enumerate(splits):
        pools: dict[str, list[Request]] = {}
        for example in sorted(split, key=lambda example: example.item_id):
            pools.setdefault(example.pool, []).append(example)
        for pool, members in pools.items():
            Random(f"{seed}/shots/{pool}/{place}").shuffle(members)
            drawn += members
    return drawn


def with_shots(requests: Sequence[Request], examples: Iterable[Request], shots: int) -> list[Request]:
    """Return the requests ready to be asked, with up to `shots` examples of their pool as earlier turns of the conversation.

    The items of a pool share a prefix; an item that is kin to an example gets the next instead. A request that follows another gets
    none: they stand before that one. What a request got is its `shots`; where a pool has too few, that is fewer than were asked for.
    """
    pools: dict[str, list[Request]] = {}
    for example in examples:
        if example.solution is not None and example.follows is None:
            pools.setdefault(example.pool, []).append(example)
    return [request if request.follows else _with_examples(request, pools.get(request.pool, []), shots) for request in requests]


def _with_examples(request: Request, examples: Sequence[Request], shots: int) -> Request:
    chosen: list[Request] = []
    seen = set(request.kin)
    for example in examples:
        if len(chosen) == shots:
            break
        if seen.isdisjoint(example.kin):
            chosen.append(example)
            seen |= example.kin
    return structs.replace(request, messages=conversation([*chosen, request]), shots=len(chosen))
