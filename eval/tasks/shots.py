"""Few-shot examples: put solved requests from train and dev before each request.

Questions get the examples listed in the split for their subject and type (`shots.jsonl`), in that order. Claims get a random sample of
their atomic type, first from train, then from dev, alternating between the kinds of sentence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from msgspec import structs

from atomexam.records.question import Question, Shot
from atomexam.runtime.jsonl import read_jsonl
from eval.tasks.contract import Task, read_claims
from eval.tasks.request import Request, conversation

_SPLITS = ("train", "dev")
Pools = Mapping[str, Sequence[Request]]
"""Maps each pool to its examples, first choice first."""


def read_pools(task: Task, prompt: str, splits: Path, seed: int) -> Pools:
    """Return the examples of a task by pool, first choice first; none are from test.

    Raises:
        ValueError: `shots.jsonl` lists a question that is not in its split.
    """
    if task.of != "questions":
        pools: dict[str, list[Request]] = {}
        for number, name in enumerate(_SPLITS):
            for pool, members in pools_of(task.requests([], read_claims(task, splits / name), prompt)).items():
                order = list(members)
                Random(f"{seed}/shots/{pool}/{number}").shuffle(order)
                pools.setdefault(pool, []).extend(_in_turn(order))
        return pools
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


def _in_turn(examples: Sequence[Request]) -> Iterator[Request]:
    """Yield one sentence of each fact, then the next one of each; the kind of sentence changes from fact to fact, so that true and false
    sentences are balanced."""
    by_fact: dict[str, list[Request]] = {}
    for example in examples:
        by_fact.setdefault(example.unit, []).append(example)
    facts = [sorted(sentences, key=lambda one: one.item_id) for sentences in by_fact.values()]
    for turn in range(max(map(len, facts), default=0)):
        for index, sentences in enumerate(facts):
            if turn < len(sentences):
                yield sentences[(index + turn) % len(sentences)]


def pools_of(examples: Iterable[Request]) -> Pools:
    """Group the requests that can be examples by pool."""
    pools: dict[str, list[Request]] = {}
    for example in examples:
        if example.solution is not None and example.follows is None:
            pools.setdefault(example.pool, []).append(example)
    return pools


def from_pools(requests: Sequence[Request], pools: Pools, shots: int) -> list[Request]:
    """Return the requests ready to send, each with up to `shots` examples from its pool as earlier turns of the conversation.

    Items of a pool share their examples, so their prompts share a prefix; an item that is related to an example gets the next example
    instead. A request that follows another one gets none, since the first request has them. `shots` of a request is its number of examples.
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
