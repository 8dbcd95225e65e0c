"""Requests in, a reply to each out: a stored one, or a new one of the model, which is stored."""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs
from tqdm import tqdm

from atomexam.records.run import RequestSettings, Run
from atomexam.runtime.external_sort import ExternalSort
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.models.reply_store import Store, open_store
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request, by_item_id, conversations, following

_METHOD_VERSIONS = {"likelihood": "likelihood/4", "verdict": "generation/2"}
"""The version of a method, or of `stop: verdict`, in the keys of replies.

Raise it when a change moves its replies: stored ones are then requested anew.
"""
_WINDOW_CHARS, _REQUEST_CHARS = 4_000_000, 800
"""Size of a window, and what a request and its reply need beside its messages: 4,500 claims, or 800 questions with five examples."""
_NOT_FINITE = "a likelihood is no finite number"  # JSON cannot express it, and the store would be unreadable
_CALLS_UNDER_WAY = 64
"""Askings of a window for each call that a server has under way: at its end all wait for the slowest, a tenth longer at most."""
NOT_REACHED = "the question before it failed"


class Counts(Struct, kw_only=True):
    """Outcomes of the requests of a run: each of its repeats counts as one."""

    requests: int = 0
    kept: int = 0
    """Already in the store."""
    asked: int = 0
    failed: int = 0
    """Without a reply, whether the call failed or that of the question before."""
    replaced: int = 0
    """Lone surrogates in new replies, replaced by U+FFFD."""

    def add(self, other: "Counts") -> None:
        """Add the counts of another process."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self, name: str) -> str:
        """Return the counts as `predict` prints them."""
        replaced = f", {self.replaced} lone surrogates replaced" if self.replaced else ""
        return f"{name}: {self.requests} requests, {self.kept} kept, {self.asked} asked, {self.failed} failed{replaced}"


class CachedModel:
    """A model, its settings, and the store of its replies."""

    def __init__(
        self, backend: Backend, settings: Settings, store: Store, method: str = "generation", failed: Mapping[str, Reply] | None = None
    ) -> None:
        self.counts = Counts()
        self.failed: dict[str, Reply] = dict(failed or {})
        """By key: these have no reply in the store, and are not requested again by this process."""
        self._backend = backend
        self._settings = settings
        self._store = store
        self._method = method
        self._models: list[str | None] = []

    def replies(self, queries: Sequence[ModelQuery], bar: tqdm) -> list[Reply]:
        """Return a reply to each query, in their order; those not in the store are requested once, and added to it."""
        keys = [key_of(self._backend.identity, query, self._settings, self._method) for query in queries]
        known = self._store.find(keys)
        missing = {key: query for key, query in zip(keys, queries, strict=True) if key not in known and key not in self.failed}
        self._count(bar, requests=len(keys), kept=sum(key in known for key in keys))
        todo = list(missing)
        for reply in known.values():
            self._compare_model(reply)
        generate = self._backend.loglikelihoods if self._method == "likelihood" else self._backend.generate
        for index, reply in generate(list(missing.values()), self._settings) if missing else ():
            if not 0 <= index < len(todo):
                raise ValueError(f"{self._backend.identity} replied to a request that was not made; this is a fault of the backend")
            key = todo[index]
            if missing.pop(key, None) is None:
                raise ValueError(f"{self._backend.identity} replied twice to the same question; this is a fault of the backend")
            if not all(map(isfinite, (reply.likelihoods or {}).values())):
                reply = structs.replace(reply, finish_reason="error", error=_NOT_FINITE, likelihoods=None)
            if reply.error is None and reply.finish_reason != "error":
                self._store.add(key, reply)
                self._compare_model(reply)
                self.counts.replaced += reply.replaced
                known[key] = reply
            else:
                self.failed[key] = structs.replace(reply, text="", finish_reason="error", error=reply.error or "no reply")
            self.counts.asked += 1
            bar.update()
        if missing:
            odd = f"{len(missing)} questions, such as {next(iter(missing.values())).request.item_id}"
            raise ValueError(f"{self._backend.identity} gave no reply to {odd}; this is a fault of the backend")
        self.counts.failed += sum(key not in known for key in keys)
        return [known[key] if key in known else self.failed[key] for key in keys]

    def _compare_model(self, reply: Reply) -> None:
        """Print that a reply is of another model than those before it, here or in the store."""
        if self._models and reply.model not in self._models:
            before, now = (one or "the name asked for" for one in (self._models[-1], reply.model))
            advice = "give it another `revision` in params.yaml to request all replies anew"
            print(f"warning: {self._backend.identity}: the server's model is {now}, and was {before}; {advice}", file=sys.stderr)
        if reply.model not in self._models:
            self._models.append(reply.model)

    def stream(self, lists: Iterable[Sequence[Request]], repeats: int, bar: tqdm) -> Iterator[tuple[ModelQuery, Reply]]:
        """Yield each request in each repeat with its reply, in any order; one that follows another is made when that has its reply.

        Memory has one window of requests, prompts and replies, and the index of the store.

        Args:
            lists: the requests; one that follows another is in its list.

        Raises:
            ValueError: a request follows one that is not in its list, or an item is twice in a window.
        """
        if getattr(self._backend, "shares_prefixes", False):
            lists = self._by_prompt(lists)
        for window in _windows(lists, repeats, _CALLS_UNDER_WAY * getattr(self._backend, "under_way", 0)):
            by_item_id(window)
            done: dict[tuple[str, int], tuple[ModelQuery, Reply]] = {}
            while window:
                ready = [one for one in window if one.follows is None or (one.follows, 0) in done]
                if not ready:
                    raise ValueError(f"{window[0].item_id} follows {window[0].follows}, which is not requested")
                window = [one for one in window if one.follows is not None and (one.follows, 0) not in done]
                queries = [query for one in ready for query in self._queries(one, repeats, done, bar)]
                for query, reply in zip(queries, self.replies(queries, bar), strict=True):
                    done[query.request.item_id, query.repeat] = query, reply
            yield from done.values()

    def _by_prompt(self, lists: Iterable[Sequence[Request]]) -> Iterator[list[Request]]:
        """Yield conversations in the order of their first prompts, so that shared prefixes are read once, not once a window."""
        entries = ExternalSort(self._store.folder)
        for requests in lists:
            for conversation in conversations(requests):
                prompt = self._backend.render(conversation[0].messages)
                entries.add(prompt.encode("utf-8", "surrogatepass"), msgspec.msgpack.encode(conversation))
        decoder = msgspec.msgpack.Decoder(list[Request])
        yield from map(decoder.decode, entries.lines())

    def _queries(
        self, request: Request, repeats: int, done: dict[tuple[str, int], tuple[ModelQuery, Reply]], bar: tqdm
    ) -> list[ModelQuery]:
        """Return the queries of a request; a repeat in which the one before it failed is done without a request."""
        if request.follows is None:
            prompt = self._backend.render(request.messages)
            return [ModelQuery(request=request, repeat=repeat, prompt=prompt) for repeat in range(repeats)]
        queries = []
        for repeat in range(repeats):
            before, reply = done[request.follows, repeat]
            whole = following(request, before.request, reply.text)
            if reply.finish_reason == "error":
                lost = Reply(text="", finish_reason="error", tokens=0, error=NOT_REACHED)
                done[request.item_id, repeat] = ModelQuery(request=whole, repeat=repeat, prompt=""), lost
                self._count(bar, requests=1, failed=1)
            else:
                queries.append(ModelQuery(request=whole, repeat=repeat, prompt=self._backend.render(whole.messages)))
        return queries

    def _count(self, bar: tqdm, **more: int) -> None:
        self.counts.add(Counts(**more))
        bar.update(more.get("kept", 0) + more.get("failed", 0))


def _windows(lists: Iterable[Sequence[Request]], repeats: int, least: int) -> Iterator[list[Request]]:
    """Yield the requests of several lists in windows; a conversation is never divided.

    Args:
        least: queries of a window, however long they are.
    """
    window, chars = list[Request](), 0
    for some in (conversation for requests in lists for conversation in conversations(requests)):
        window += some
        chars += sum(_REQUEST_CHARS + sum(len(message["content"]) for message in one.messages) for one in some) * repeats
        if chars >= _WINDOW_CHARS and len(window) * repeats >= least:
            yield window
            window, chars = [], 0
    if window:
        yield window


def stream_replies(
    backend: Backend, settings: RequestSettings, lists: Iterable[Sequence[Request]], path: Path, name: str, requests: int | None = None
) -> Iterator[tuple[ModelQuery, Reply]]:
    """Yield the requests of a run or a judge with their replies, as `CachedModel.stream` does, and print counts to stderr.

    Args:
        path: of their file in the model's store.
        requests: how many there are, for the progress bar.
    """
    total = requests and requests * settings.repeats
    with open_store(path) as store, tqdm(desc=name, total=total, unit="reply", disable=None) as bar:
        model = CachedModel(backend, settings_of(settings), store, settings.method if isinstance(settings, Run) else "generation")
        yield from model.stream(lists, settings.repeats, bar)
    print(model.counts.line(name), file=sys.stderr, flush=True)


def settings_of(settings: RequestSettings) -> Settings:
    """Return the backend settings of a run or a judge."""
    return Settings(**{name: getattr(settings, name) for name in Settings.__struct_fields__ if name in settings.__struct_fields__})


def key_of(identity: str, query: ModelQuery, settings: Settings, method: str) -> str:
    """Return the hash of all that a reply depends on: not of the batch, the run's name or the version of the data."""
    request = query.request
    what: list[Any] = [identity, prompt_sha256(query.prompt), structs.replace(settings, batch_size=1)]
    what += [_METHOD_VERSIONS.get("verdict" if settings.stop == "verdict" else method, method)]
    what += [request.question_type, [option.letter for option in request.options], request.answer_format]
    what += [request.item_id, query.repeat]
    return hashlib.sha256(msgspec.json.encode(what)).hexdigest()
