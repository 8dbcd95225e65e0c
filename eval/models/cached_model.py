"""Answer requests from stored replies; send the others to the model, and store its replies."""

import atexit
import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct, structs
from tqdm import tqdm

from atomexam.records.blocks import REPLY_CHARS, RequestSettings, Run
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.models.reply_store import Store, open_store
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request, by_item_id, conversations, following

_METHOD_VERSIONS = {"likelihood": "likelihood/4", "verdict": "generation/3"}
"""Version of a method, or of `stop: verdict`, that is part of the keys of replies.

Increase it when a change affects replies, so that stored replies are requested again.
"""
_CHUNK_SIZE = 1 << 14
"""Number of queries passed to a backend at once: their tokens take a few hundred MB, and a server is rarely idle while the last ones
finish."""
_NOT_FINITE = "a likelihood is not a finite number"  # JSON cannot express it, and the store would be unreadable
_PROCESS_GROUP_TIMEOUT = timedelta(days=30)
"""How long to wait for the slowest process of a run."""
T = TypeVar("T")
NOT_REACHED = "the question before it failed"


class Counts(Struct, kw_only=True):
    """Outcomes of the requests of a run; each repeat counts as one request."""

    requests: int = 0
    stored: int = 0
    """Replies that were already in the store."""
    new: int = 0
    failed: int = 0
    """Requests without a reply, because their call or that for the previous question failed."""
    replaced: int = 0
    """Number of lone surrogates in new replies, replaced by U+FFFD."""

    def add(self, other: "Counts") -> None:
        """Add the counts of another process."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self, name: str) -> str:
        """Format the counts as `predict` prints them."""
        replaced = f", {self.replaced} lone surrogates replaced" if self.replaced else ""
        return f"{name}: {self.requests} requests: {self.stored} stored, {self.new} new, {self.failed} failed{replaced}"


class Replied(NamedTuple):
    """A request with its reply."""

    query: ModelQuery
    reply: Reply
    key: str
    """Hash of everything on which the reply depends: its key in the store, whether or not it is stored."""


class CachedModel:
    """A model with its settings and the store of its replies."""

    def __init__(self, backend: Backend, settings: Settings, store: Store, method: str = "generation") -> None:
        self.counts = Counts()
        self._failed: dict[str, Reply] = {}
        """Maps keys to failed replies; these are not stored, and this process does not request them again."""
        self._backend = backend
        self._settings = settings
        self._store = store
        self._method = method
        self._models: list[str | None] = []

    def replies(self, queries: Sequence[ModelQuery], bar: tqdm) -> list[Replied]:
        """Return each query with its reply, in order; replies not in the store are requested once and added to it."""
        keys = [self._key(query) for query in queries]
        known = self._store.find(keys)
        self._count(bar, requests=len(keys), stored=sum(key in known for key in keys))
        missing = {key: query for key, query in zip(keys, queries, strict=True) if key not in known and key not in self._failed}
        for reply in known.values():
            self._compare_model(reply)
        entries = list(missing.items())
        for start in range(0, len(entries), _CHUNK_SIZE):
            known |= self._request(dict(entries[start : start + _CHUNK_SIZE]), bar)
        self.counts.failed += sum(key not in known for key in keys)
        replies = (known[key] if key in known else self._failed[key] for key in keys)
        return [Replied(*one) for one in zip(queries, replies, keys, strict=True)]

    def _key(self, query: ModelQuery) -> str:
        return key_of(self._backend.identity, query, self._settings, self._method)

    def _request(self, missing: dict[str, ModelQuery], bar: tqdm) -> dict[str, Reply]:
        """Return the new replies by key, storing each one as it arrives; failed replies go to `_failed`."""
        keys, new_replies = list(missing), dict[str, Reply]()
        generate = self._backend.loglikelihoods if self._method == "likelihood" else self._backend.generate
        for index, reply in generate(list(missing.values()), self._settings):
            if not 0 <= index < len(keys):
                raise ValueError(f"{self._backend.identity} replied to a request that was not made; this is a bug in the backend")
            key = keys[index]
            if missing.pop(key, None) is None:
                raise ValueError(f"{self._backend.identity} replied twice to the same question; this is a bug in the backend")
            if not all(map(isfinite, (reply.likelihoods or {}).values())):
                reply = structs.replace(reply, finish_reason="error", error=_NOT_FINITE, likelihoods=None)
            if reply.error is None and reply.finish_reason != "error":
                self._store.add(key, reply)
                self._compare_model(reply)
                self.counts.replaced += reply.replaced
                new_replies[key] = reply
            else:
                self._failed[key] = structs.replace(reply, text="", finish_reason="error", error=reply.error or "no reply")
            self.counts.new += 1
            bar.update()
        if missing:
            odd = f"{len(missing)} questions, such as {next(iter(missing.values())).request.item_id}"
            raise ValueError(f"{self._backend.identity} gave no reply to {odd}; this is a bug in the backend")
        return new_replies

    def _compare_model(self, reply: Reply) -> None:
        """Warn if a reply comes from a different model than earlier replies, new or stored."""
        if self._models and reply.model not in self._models:
            before, now = (one or "the requested name" for one in (self._models[-1], reply.model))
            advice = "set another `revision` in params.yaml to request all replies again"
            print(f"warning: {self._backend.identity}: the server's model is now {now}, but was {before}; {advice}", file=sys.stderr)
        if reply.model not in self._models:
            self._models.append(reply.model)

    def reply_all(self, requests: Sequence[Request], repeats: int, bar: tqdm, first: int = 0) -> list[Replied]:
        """Return each request with its reply in each repeat, numbered from `first`; a follow-up waits for the reply to the request before
        it.

        Prompts are sorted, so that a backend computes shared prefixes once.

        Raises:
            ValueError: a request follows one that is not included, or an item occurs twice.
        """
        by_item_id(requests)
        done: dict[tuple[str, int], Replied] = {}
        left = requests
        while left:
            ready = [one for one in left if one.follows is None or (one.follows, first) in done]
            if not ready:
                raise ValueError(f"{left[0].item_id} follows {left[0].follows}, which is not requested")
            left = [one for one in left if one.follows is not None and (one.follows, first) not in done]
            queries = [query for one in ready for query in self._queries(one, range(first, first + repeats), done, bar)]
            queries.sort(key=lambda query: query.prompt)
            done |= {(one.query.request.item_id, one.query.repeat): one for one in self.replies(queries, bar)}
        return list(done.values())

    def _queries(self, request: Request, repeats: range, done: dict[tuple[str, int], Replied], bar: tqdm) -> list[ModelQuery]:
        """Return the queries of a request; a repeat whose previous question failed is marked as failed and gets no query."""
        if request.follows is None:
            prompt = self._backend.render(request.messages)
            return [ModelQuery(request=request, repeat=repeat, prompt=prompt) for repeat in repeats]
        queries = []
        for repeat in repeats:
            before = done[request.follows, repeat]
            whole = following(request, before.query.request, before.reply.text)
            if before.reply.finish_reason == "error":
                lost = Reply(text="", finish_reason="error", tokens=0, error=NOT_REACHED)
                query = ModelQuery(request=whole, repeat=repeat, prompt="")
                done[request.item_id, repeat] = Replied(query, lost, self._key(query))
                self._count(bar, requests=1, failed=1)
            else:
                queries.append(ModelQuery(request=whole, repeat=repeat, prompt=self._backend.render(whole.messages)))
        return queries

    def _count(self, bar: tqdm, **more: int) -> None:
        self.counts.add(Counts(**more))
        bar.update(more.get("stored", 0) + more.get("failed", 0))


class Rank(NamedTuple):
    """The rank of this process among those started by torchrun or `accelerate launch`, and their number."""

    number: int = 0
    of: int = 1

    def name(self, run: str) -> str:
        """Return the name of this process's share of a run."""
        return run if self.of == 1 else f"{run}.{self.number}of{self.of}"


def read_rank(environment: Mapping[str, str] = os.environ) -> Rank:
    """Return this process's rank; if no launcher has set RANK and WORLD_SIZE, this is the only process.

    Raises:
        ValueError: they are not numbers, or are inconsistent with each other.
    """
    number, of = environment.get("RANK", "0"), environment.get("WORLD_SIZE", "1")
    if not (number.isdecimal() and of.isdecimal() and int(number) < int(of)):
        raise ValueError(
            f"RANK={number} WORLD_SIZE={of}: expected 0 <= RANK < WORLD_SIZE, as set by torchrun; unset both to run a single process"
        )
    return Rank(int(number), int(of))


def share_of(requests: Sequence[Request], rank: Rank) -> list[Request]:
    """Return every n-th conversation, so that follow-up requests stay with the first."""
    return [request for conversation in conversations(requests)[rank.number :: rank.of] for request in conversation]


def reply_all(
    backend: Backend, settings: RequestSettings, variants: Sequence[Sequence[Request]], path: Path, name: str, rank: Rank | None = None
) -> list[Replied]:
    """Return the requests of each variant of a run or judge with their replies, like `CachedModel.reply_all`, and print counts.

    With several processes, each makes its share of the requests; the first process returns all replies, the others only their own.

    Args:
        path: file for the replies in the model's store.
    """
    rank = rank or Rank()
    shares = [share_of(requests, rank) for requests in variants]
    with (
        open_store(path.with_stem(rank.name(path.stem))) as store,
        tqdm(desc=rank.name(name), total=sum(map(len, shares)) * settings.repeats, unit="reply", disable=None) as bar,
    ):
        model = CachedModel(backend, settings_of(settings, backend), store, settings.method if isinstance(settings, Run) else "generation")
        numbered = ((number * settings.repeats, share) for number, share in enumerate(shares))
        replies = [one for first, share in numbered for one in model.reply_all(share, settings.repeats, bar, first)]
        counts = model.counts
    for other, other_counts in _gathered((replies, counts), rank):
        replies += other
        counts.add(other_counts)
    line = counts.line(rank.name(name) if rank.number else name)
    shots = settings.shots if isinstance(settings, Run) else 0
    short = sum(one.query.repeat == 0 and one.query.request.shots < shots for one in replies)
    print(f"{line}, {short} short of {shots} shots" if shots else line, file=sys.stderr, flush=True)
    return replies


def _gathered(value: T, rank: Rank) -> list[T]:
    """In the first process, return the values of all other processes; in the others, return nothing."""
    if rank.of == 1:
        return []
    import torch.distributed

    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo", timeout=_PROCESS_GROUP_TIMEOUT)
        atexit.register(torch.distributed.destroy_process_group)  # its threads would abort the process at exit, although all is written
    values: list[Any] = [None] * rank.of
    torch.distributed.gather_object(value, None if rank.number else values)
    return [] if rank.number else values[1:]


def settings_of(settings: RequestSettings, backend: Backend | None = None) -> Settings:
    """Return the backend settings of a run or judge; the default length limit is in characters, so that it is the same for any
    tokenizer."""
    values = {name: getattr(settings, name) for name in Settings.__struct_fields__ if name in settings.__struct_fields__}
    chars = settings.reply_chars if isinstance(settings, Run) else REPLY_CHARS
    limit = settings.max_new_tokens or chars * getattr(backend, "tokens_a_char", 1)
    return Settings(**values | {"max_new_tokens": limit})


def key_of(identity: str, query: ModelQuery, settings: Settings, method: str) -> str:
    """Return the hash of everything on which a reply depends; the batch, the run's name and the version of the data do not affect it."""
    request = query.request
    what: list[Any] = [identity, prompt_sha256(query.prompt), structs.replace(settings, batch_size=1)]
    what += [_METHOD_VERSIONS.get("verdict" if settings.stop == "verdict" else method, method)]
    what += [request.question_type, [option.letter for option in request.options], request.answer_format]
    what += [request.item_id, query.repeat]
    return hashlib.sha256(msgspec.json.encode(what)).hexdigest()
