"""Backend `openai`: any server that speaks OpenAI's chat completions, asked by several calls at a time."""

import asyncio
import hashlib
import ipaddress
import logging
import os
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from anyio.from_thread import start_blocking_portal
from msgspec import structs
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from atomexam.records.model import Description
from atomexam.records.run import Server
from eval.models.calls import UNPACKED, Caller, Failure, RateLimit, bounded
from eval.models.contract import ModelQuery, Reply, Settings
from eval.tasks.prompt import Message, defused

_MAX_FAILURES_IN_A_ROW = 10  # requests that failed by the server's doing: it is down, and further requests would only cost
_OFFICIAL = (".openai.com", ".openai.azure.com")  # they want `max_completion_tokens`; `max_tokens` is what all others know
_logger = logging.getLogger(__name__)
_OutcomeQueue = SimpleQueue[tuple[int, Reply | Failure] | None]
"""Index of a query with its reply or failure; None when no worker is left."""


class OpenAI:
    """One model of one server."""

    def __init__(self, description: Description) -> None:
        self._server = description.server or Server()
        self._rate_limit = RateLimit(self._server)
        self.under_way = self._server.concurrency
        self._where = f"model {description.model}"
        if not description.name:
            raise ValueError(f"{self._where}: no name; set `name` in params.yaml to what the server calls the model")
        if description.chat_template:
            raise ValueError(
                f"{self._where}: a server has a chat template of its own; take `chat_template` out, or start the server with it"
            )
        self._name = description.name
        address = _address(self._server.url, self._where)
        self._host = address.hostname or ""
        self._at = address.netloc.rpartition("@")[2]
        self._key = _key(self._server, self._host, self._where)
        if self._key and address.scheme == "http" and not _is_near(self._host):
            _logger.warning("%s: prompts and key travel to %s unencrypted; use https", self._where, self._host)
        parts = [self._host + address.path.rstrip("/"), self._name, description.revision or "", *sorted(self._server.knows)]
        self._template = description.template
        parts += [msgspec.json.encode(self._template, order="sorted").decode()] if self._template else []
        self.identity = "/".join(["openai", "1", *parts])

    def render(self, messages: Sequence[Message]) -> str:
        """Return the messages as the server gets them: its chat template is unknown, so the control tokens of all are broken up in them."""
        return msgspec.json.encode(defused(messages)).decode()

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Refuse: chat completions tell no likelihood of a given answer."""
        raise ValueError(f"{self._where}: a server gives no likelihoods of answers; set `method: generation` for its runs in params.yaml")

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield replies as they arrive; those that arrived before a Ctrl-C or the server's end are yielded before the error.

        Raises:
            ValueError: the server cannot honour a setting, refuses key or model, or is down.
        """
        self._check(settings)
        answered = failed_in_a_row = 0
        outcomes: _OutcomeQueue = SimpleQueue()
        # A call starts when a reply has been stored, so that a kill loses no more replies than there are calls under way.
        room = asyncio.Semaphore(self._server.concurrency)
        with start_blocking_portal() as portal:  # calls have a thread of their own: this one may have a loop running, as in a notebook
            work = portal.start_task_soon(self._work, queries, settings, outcomes, room)
            try:
                for _ in queries:
                    try:
                        completed = outcomes.get()
                    except KeyboardInterrupt:
                        yield from _rest(outcomes)
                        raise
                    if completed is None:
                        work.result()  # an error of this program
                        break
                    index, outcome = completed
                    yield index, _reply(outcome)
                    portal.call(room.release)
                    answered += isinstance(outcome, Reply)
                    failed_in_a_row = 0 if isinstance(outcome, Reply) else failed_in_a_row + outcome.is_server_fault
                    if isinstance(outcome, Failure) and (outcome.is_fatal or failed_in_a_row == _MAX_FAILURES_IN_A_ROW):
                        yield from _rest(outcomes)
                        raise ValueError(self._end(outcome, answered))
            finally:
                work.cancel()

    async def _work(self, queries: Sequence[ModelQuery], settings: Settings, outcomes: _OutcomeQueue, room: asyncio.Semaphore) -> None:
        """Put the reply or failure of each query into the queue, when there is room."""
        # A proxy named in the environment is not for this machine; a redirect would carry prompts to who knows where.
        http = DefaultAsyncHttpxClient(
            trust_env=not _is_near(self._host), follow_redirects=False, headers=UNPACKED, event_hooks={"response": [bounded]}
        )
        indices = iter(range(len(queries)))
        limits: dict[str, Any] = {"timeout": self._server.timeout, "max_retries": 0}
        try:
            async with AsyncOpenAI(base_url=self._server.url, api_key=self._key or "none", http_client=http, **limits) as client:
                caller = Caller(client, self._server, self._key, self._rate_limit)

                async def worker() -> None:
                    while await room.acquire() and (index := next(indices, None)) is not None:
                        body, name = self._body(queries[index], settings), f"{queries[index].request.item_id}/{queries[index].repeat}"
                        try:
                            outcomes.put((index, _cut(await caller.reply(body, settings.max_new_tokens, name), settings)))
                        except Failure as failure:
                            outcomes.put((index, failure))

                async with asyncio.TaskGroup() as group:
                    for _ in range(self._server.concurrency):
                        group.create_task(worker())
        finally:
            outcomes.put(None)

    def _check(self, settings: Settings) -> None:
        requested = {
            "top_k": settings.top_k != 0,
            "repetition_penalty": settings.repetition_penalty != 1.0,
            "seed": settings.temperature > 0,
        }
        if settings.stop != "end":
            raise ValueError(f"{self._where}: a server's replies go to their end (found stop: {settings.stop}); take it out of the run")
        for name in (name for name, is_requested in requested.items() if is_requested and name not in self._server.knows):
            why = "sampling draws by a seed" if name == "seed" else f"the run asks for {name} {getattr(settings, name)}"
            raise ValueError(
                f"{self._where}: {why}, and chat completions need not have {name}; "
                f"name it in server.knows of the model if this server honours it, or change the run in params.yaml"
            )

    def _body(self, query: ModelQuery, settings: Settings) -> dict[str, Any]:
        """Return the arguments of one call. What the server knows is always sent, since its own defaults may be others."""
        limit = "max_completion_tokens" if f".{self._host}".endswith(_OFFICIAL) else "max_tokens"
        body = {"model": self._name, "messages": msgspec.json.decode(query.prompt), limit: settings.max_new_tokens}
        body["temperature"] = settings.temperature
        if settings.stop_strings:
            body["stop"] = list(settings.stop_strings)
        extra: dict[str, Any] = {"repetition_penalty": settings.repetition_penalty}
        if settings.temperature > 0:
            body["top_p"] = settings.top_p
            draw = hashlib.sha256(f"{settings.seed}/{query.request.item_id}/{query.repeat}".encode()).digest()
            extra |= {"top_k": settings.top_k, "seed": int.from_bytes(draw[:4]) >> 1}
        honoured: dict[str, Any] = {name: value for name, value in extra.items() if name in self._server.knows}
        if self._template:
            honoured["chat_template_kwargs"] = self._template  # as vLLM and SGLang call it
        return body | {"extra_body": honoured}

    def _end(self, failure: Failure, answered: int) -> str:
        why = f"{self._at} answers no request" if failure.is_fatal else f"{_MAX_FAILURES_IN_A_ROW} requests in a row failed at {self._at}"
        hint = f"; is the key in {self._server.key_variable} right?" if failure.status in (401, 403) else ""
        hint = f"; is `name` {self._name} right, and server.url?" if failure.status == 404 else hint
        look = f"does the server run, at server.url {self._server.url}? `curl {self._server.url}/models` shows whether it responds"
        hint = f"; {look}" if str(failure).startswith("connection:") else hint
        return (
            f"{self._where}: {why}: {failure}{hint}; {answered} replies of this start came and are kept; "
            f"`dvc repro` goes on from there once that is fixed, and requests only what is missing"
        )


def _rest(outcomes: _OutcomeQueue) -> Iterator[tuple[int, Reply]]:
    """Yield what arrived and was not yet yielded."""
    while not outcomes.empty():
        if completed := outcomes.get_nowait():
            yield completed[0], _reply(completed[1])


def _reply(outcome: Reply | Failure) -> Reply:
    return outcome if isinstance(outcome, Reply) else Reply(text="", finish_reason="error", tokens=0, error=str(outcome))


def _cut(reply: Reply, settings: Settings) -> Reply:
    """Return a reply that ends before the first stop string, also where a server does not heed them."""
    end = settings.string_end(reply.text)
    return reply if end is None else structs.replace(reply, text=reply.text[:end], finish_reason="stop")


def _address(url: str, where: str) -> SplitResult:
    address = urlsplit(url)
    if address.username or address.password or address.query:
        raise ValueError(f"{where}: server.url holds a name, password or query; put keys into the environment (server.key_variable)")
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError(f"{where}: server.url is {url!r}; expected an address such as https://api.openai.com/v1")
    return address


def _key(server: Server, host: str, where: str) -> str | None:
    """Return the key from the environment; a server nearby may do without."""
    key = os.environ.get(server.key_variable, "").strip()
    if not key and not _is_near(host):
        raise ValueError(
            f"{where}: no key for {host}: the environment variable {server.key_variable} is not set; "
            f"set it, or name another one by server.key_variable of the model in params.yaml"
        )
    if any(not "!" <= character <= "~" for character in key):  # the libraries would quote such a header in their errors
        raise ValueError(
            f"{where}: what the environment variable {server.key_variable} holds is no key: spaces, line breaks or other letters"
        )
    return key or None


def _is_near(host: str) -> bool:
    """Return whether a host is this machine or in a private network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return address.is_loopback or address.is_private
