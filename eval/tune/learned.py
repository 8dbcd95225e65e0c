"""What is learned: `data` of params.yaml -> lessons of each kind and epoch, from train alone, without anything held."""

import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar, get_args

from atomexam.records.checks import one_of
from atomexam.records.evidence import Passage
from atomexam.records.fact import Relation
from atomexam.records.tuning import Tuning
from atomexam.runtime.jsonl import read_jsonl
from eval.finetune.training_data import conversations, known_requests
from eval.tasks.contract import read_split
from eval.tasks.prompt import Message
from eval.tasks.request import Request, conversation
from eval.tune.dialogues import kinds_in, read_dialogues
from eval.tune.held import Held
from eval.tune.lessons import Lesson, Template, read_through, spoken

T = TypeVar("T")
_TASKS = {"claims": "claim", "knowledge": "choice", "cases": "choice", "tcm": "tcm", "words": "qa"}
_SIDES = ("/factual", "/non_factual")
KINDS = (*_TASKS, *get_args(Relation), "passages")


class Places(NamedTuple):
    """Where the data lie."""

    splits: Path
    passages: Path
    dialogues: Path


class Pool(NamedTuple):
    """Items of one kind: requests in each wording, conversations, or texts."""

    requests: Mapping[str, list[Request]]
    dialogues: Mapping[str, list[Message]]
    texts: Mapping[str, str]

    def items(self) -> list[str]:
        return sorted({*self.requests, *self.dialogues, *self.texts})


def known_kinds(wanted: Iterable[str], dialogues: Path, where: str) -> dict[str, list[Path]]:
    """Return the kinds of people's own with their files, once all that are wanted are known.

    Raises:
        ValueError: one is not, or one of people's own has the name of another.
    """
    own = kinds_in(dialogues)
    if both := sorted(own.keys() & set(KINDS)):
        raise ValueError(f"{dialogues}: {both[0]} is a kind made of train; give your files another name")
    for kind in wanted:
        one_of(kind, [*KINDS, *own], "kind of data", f"{where} (own kinds are files or folders in {dialogues})")
    return own


class Learning:
    """What one training learns, and what was left out of it."""

    def __init__(self, tokenizer: Any, tuning: Tuning, places: Places, where: str, template: Template = ()) -> None:
        own = known_kinds(tuning.data, places.dialogues, f"{where}.data")
        self._tokenizer, self._tuning, self._places, self._template = tokenizer, tuning, places, template
        self._held = Held(places.splits)
        self._same: dict[tuple[str, str], list[Lesson]] = {}
        self.left_out: dict[str, Counter[str]] = {kind: Counter() for kind in tuning.data}
        requests = known_requests(*read_split(places.splits / "train"))
        self._chosen = {kind: self._choose(kind, self._pool(kind, requests, own), f"{where}.data.{kind}") for kind in tuning.data}
        self.items = {kind: len(pool.items()) for kind, pool in self._chosen.items()}

    def _pool(self, kind: str, requests: Sequence[Request], own: Mapping[str, list[Path]]) -> Pool:
        """Return all of a kind that may be learned.

        Raises:
            ValueError: an item of train is kin to what is held.
        """
        if kind == "passages":
            passages = {passage.id: passage.text for passage in read_jsonl(self._places.passages, Passage)}
            kept = {key: text for key, text in passages.items() if not self._held.is_told_in(text) and not self._held.is_kin_to(text)}
            self.left_out[kind]["held"] = len(passages) - len(kept)
            return Pool({}, {}, kept)
        if kind in own:
            read = dict(one for file in own[kind] for one in read_dialogues(file))
            free = {key: turns for key, turns in read.items() if not self._held.is_kin_to("\n".join(turn["content"] for turn in turns))}
            self.left_out[kind]["held"] = len(read) - len(free)
            return Pool({}, free, {})
        by_item: dict[str, list[Request]] = {}
        for request in requests:
            if _is_of(request, kind, self._tuning.data):
                if kin := self._held.kin(request.kin):
                    raise ValueError(f"{request.item_id} of train is kin to test or reserved by {min(kin)}; `dvc repro leaks` tells how")
                by_item.setdefault(request.item_id, []).append(request)
        return Pool(by_item, {}, {})

    def _choose(self, kind: str, pool: Pool, where: str) -> Pool:
        """Return the amount that is asked for, claims in whole pairs; a larger amount holds all that a smaller one does."""
        amount, units = self._tuning.data[kind], sorted({_unit(item) for item in pool.items()})
        Random(f"{self._tuning.seed}/{kind}").shuffle(units)
        if amount and not units:
            print(f"{where}: nothing of it may be learned; `left_out` in the metrics has what is held", file=sys.stderr)
        elif amount > max(1, len(units)):
            print(f"{where}: {amount:,.15g} wanted, {len(units):,} may be learned", file=sys.stderr)
        wanted = round(amount * len(units)) if amount <= 1 else int(amount)
        chosen = set(units[: max(wanted, 1) if amount else 0])  # a little is not nothing
        kept = {item for item in pool.items() if _unit(item) in chosen}
        return Pool(_of(pool.requests, kept), _of(pool.dialogues, kept), _of(pool.texts, kept))

    def lessons(self) -> list[Lesson]:
        """Return the lessons of all epochs in the order in which they are learned."""
        found: list[Lesson] = []
        for epoch in range(self._tuning.epochs or 1):
            now = [(kind, list(self._epoch(kind, pool, epoch))) for kind, pool in self._chosen.items()]
            lessons = [lesson for _, taught in now for lesson in taught]
            if self._tuning.order == "mixed":
                Random(f"{self._tuning.seed}/order/{epoch}").shuffle(lessons)
            found += lessons
        return found

    def _epoch(self, kind: str, pool: Pool, epoch: int) -> Iterator[Lesson]:
        places = enumerate(pool.requests.values())
        requests = [wordings[(place + epoch) % len(wordings)] for place, wordings in places]
        for chunk in conversations(requests, self._tuning.seed, epoch):
            lesson = _asked(self._tokenizer, kind, chunk, self._template)
            alone = len(lesson.ids) > (self._tuning.max_tokens or 0) and len(chunk) > 1
            for one in [_asked(self._tokenizer, kind, [request], self._template) for request in chunk] if alone else [lesson]:
                yield from self._kept(one)
        order = Random(f"{self._tuning.seed}/{kind}/{epoch}")
        for key in order.sample(sorted(pool.dialogues), len(pool.dialogues)):
            if (kind, key) not in self._same:  # one list of tokens for all epochs: people's own data may be large
                self._same[kind, key] = [spoken(self._tokenizer, kind, key, pool.dialogues[key], self._template)]
            yield from self._kept(self._same[kind, key][0])
        for key in order.sample(sorted(pool.texts), len(pool.texts)):
            if (kind, key) not in self._same:
                self._same[kind, key] = read_through(self._tokenizer, kind, key, pool.texts[key], self._tuning.max_tokens or 0)
            yield from self._same[kind, key]

    def _kept(self, lesson: Lesson) -> Iterator[Lesson]:
        """Yield a lesson that fits, and of which the tokens themselves, as the trainer reads them, hold nothing of test or reserved."""
        if len(lesson.ids) > (self._tuning.max_tokens or 0):
            self.left_out[lesson.kind]["long"] += 1
        elif self._held.stands_in(self._tokenizer.decode(lesson.ids)):
            self.left_out[lesson.kind]["held"] += 1
        else:
            yield lesson


def _unit(item: str) -> str:
    """Return the claim pair of a side, and any other item itself: one side tells what the other says."""
    return item.partition("/")[0] if item.endswith(_SIDES) else item


def _of(part: Mapping[str, T], kept: Container[str]) -> dict[str, T]:
    return {key: one for key, one in part.items() if key in kept}


def dev_lessons(tokenizer: Any, tuning: Tuning, splits: Path, template: Template = ()) -> list[Lesson]:
    """Return the requests of dev of the kinds that are learned, each once, in its first wording and alone."""
    taught: dict[str, Lesson] = {}
    for request in known_requests(*read_split(splits / "dev")):
        kind = next((kind for kind, amount in tuning.data.items() if amount and kind in KINDS and _is_of(request, kind, tuning.data)), None)
        if kind and request.item_id not in taught:
            taught[request.item_id] = _asked(tokenizer, kind, [request], template)
    return [lesson for lesson in taught.values() if len(lesson.ids) <= (tuning.max_tokens or 0)]


def _asked(tokenizer: Any, kind: str, chunk: Sequence[Request], template: Template) -> Lesson:
    """Return requests as one conversation, each after those before it and their right replies."""
    turns = [*conversation(chunk), {"role": "assistant", "content": chunk[-1].solution or ""}]
    return spoken(tokenizer, kind, "+".join(request.item_id for request in chunk), turns, template)


def _is_of(request: Request, kind: str, kinds: Container[str]) -> bool:
    """Tell whether a request is of a kind; beside atomic types that are kinds by themselves, `claims` are those of the other types."""
    facets = request.facets
    task = {"mcqa": "choice", "mrqa": "choice"}.get(request.reader, request.reader)
    if kind in ("knowledge", "cases"):
        return task == "choice" and (facets.get("category") == "ca") == (kind == "cases")
    if kind in _TASKS:
        return task == _TASKS[kind] and not (kind == "claims" and facets.get("atomic_type") in kinds)
    return facets.get("atomic_type") == kind
