"""Backend `openai`: any server with OpenAI's chat completions API or the older completions API; several calls run concurrently."""

import asyncio
import hashlib
import ipaddress
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from anyio.from_thread import start_blocking_portal
from msgspec import structs
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from atomexam.records.blocks import Server
from atomexam.records.model import Description
from eval.models.contract import ModelQuery, Reply, Settings, failed_reply, too_long
from eval.models.local.weights import TOKENIZER_FILES, locate, tokenizer_hash
from eval.models.servers.calls import UNPACKED, Call, Caller, Completion, Failure, RateLimit, bounded, remover
from eval.tasks.prompt import Message, defused

if TYPE_CHECKING:
    from eval.models.local.rendering import Renderer

_MAX_FAILURES_IN_A_ROW = 10  # after that many server-side failures, the server is considered down; further requests would only cost money
_OFFICIAL = (".openai.com", ".openai.azure.com")  # they require `max_completion_tokens`; all others accept `max_tokens`
_logger = logging.getLogger(__name__)
_OutcomeQueue = SimpleQueue[tuple[int, Any] | None]
"""Index of a call with its result or failure; None when the last worker has ended."""
_REFUSED = (400, 404, 405, 422)


class OpenAI:
    """One model on one server."""

    def __init__(self, description: Description) -> None:
        self._server = description.server or Server()
        if self._server.api == "vllm":
            self._server = structs.replace(self._server, knows=["seed", "top_k", "repetition_penalty"])
        self._rate_limit = RateLimit(self._server)
        self._where = f"model {description.model}"
        if not description.name:
            raise ValueError(f"{self._where}: no name; set `name` in params.yaml to the server's name for the model")
        self._name, self._template = description.name, description.template
        self.connect(self._server.url)
        api, identity = self._server.api, ["openai", "1"]
        if api == "chat":
            if description.chat_template:
                raise ValueError(
                    f"{self._where}: a server has its own chat template; remove `chat_template`, start the server with it, "
                    "or render prompts here (server.api)"
                )
            self._completions, self._renderer = None, None
        else:
            from eval.models.servers.completions import Completions  # slow to import, and not needed for chat

            path, self._renderer = self._open_tokenizer(description)
            self._completions = Completions(api, self._name, self._renderer)
            identity += [api, tokenizer_hash(path)]
        identity += [self._host + urlsplit(self._server.url).path.rstrip("/"), self._name, description.revision or ""]
        identity += sorted(self._server.knows)
        if self._template and api == "chat":  # otherwise it is part of the prompt
            identity.append(msgspec.json.encode(self._template, order="sorted").decode())
        self.identity = "/".join(identity)
        self.tokens_a_char = self._renderer.tokens_a_char() if self._renderer else 1

    def connect(self, url: str) -> None:
        """Send all further calls to the given address.

        Raises:
            ValueError: the URL is invalid, or the API key for it is not set.
        """
        self._server = structs.replace(self._server, url=url)
        address = _address(url, self._where)
        self._host = address.hostname or ""
        self._at = address.netloc.rpartition("@")[2]
        self._key = _key(self._server, self._host, self._where)
        self._without_key = remover(self._key)
        if self._key and address.scheme == "http" and not _is_near(self._host):
            _logger.warning("%s: prompts and key are sent to %s unencrypted; use https", self._where, self._host)

    def _open_tokenizer(self, description: Description) -> "tuple[Path, Renderer]":
        from eval.models.local.rendering import Renderer

        described = structs.replace(description, name=self._server.tokenizer or description.name)
        try:
            path = locate(described, Path(), TOKENIZER_FILES)
            return path, Renderer(path, described)
        except ValueError as error:
            raise ValueError(
                f"{self._where}: server.api: {self._server.api} renders prompts here and needs the model's tokenizer and config.json; "
                f"set server.tokenizer to a hub name or folder that has them, or set server.api: chat ({str(error).splitlines()[0]})"
            ) from None

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt; for chat, return the messages with the control tokens of all templates broken up, since the server's template
        is unknown."""
        return self._renderer.render(messages) if self._renderer else msgspec.json.encode(defused(messages)).decode()

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield replies as they arrive; after Ctrl-C or a server failure, yield the replies already received before raising the error.

        Raises:
            ValueError: the server cannot honour a setting, rejects the key or model, or is down.
        """
        self._check(settings)
        if self._completions:
            calls = self._completions.calls(queries, settings, self._body)
        else:
            calls = [self._chat_call(query, settings) for query in queries]
        for index, outcome in self._outcomes(calls):
            yield index, self._failed(outcome) if isinstance(outcome, Failure) else self._cut(outcome, settings)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the most likely answer to each request, with the likelihoods of all answers.

        Raises:
            ValueError: the API returns no likelihoods of given answers, or `generate` or the renderer's `answers` would raise ValueError.
        """
        if self._completions is None or self._server.api == "text":
            raise ValueError(
                f"{self._where}: server.api: {self._server.api} returns no likelihoods of answers; set `method: generation` for "
                "its runs in params.yaml, or server.api: tokens or vllm if the server accepts token ids"
            )
        outcomes = self._completions.likelihoods(queries, settings, self._outcomes)
        return ((index, self._failed(outcome) if isinstance(outcome, Failure) else outcome) for index, outcome in outcomes)

    def _chat_call(self, query: ModelQuery, settings: Settings) -> Call:
        def read(done: Completion) -> Reply:
            names = ("text", "finish_reason", "tokens", "prompt_tokens", "model", "replaced")
            return Reply(**{name: getattr(done, name) for name in names})

        name = f"{query.request.item_id}/{query.repeat}"
        return Call(name, lambda: self._body(query, settings), read, settings.max_new_tokens)

    def _outcomes(self, calls: Sequence[Call]) -> Iterator[tuple[int, Any]]:
        """Yield the index of each call with its result or failure, as they arrive."""
        answered = failed_in_a_row = 0
        outcomes: _OutcomeQueue = SimpleQueue()
        # A call starts only when an earlier reply is stored, so a kill loses at most the replies of the calls in flight.
        slots = asyncio.Semaphore(self._server.concurrency)
        with (
            start_blocking_portal() as portal
        ):  # calls run in their own thread, since this one may have a running event loop, as in a notebook
            work = portal.start_task_soon(self._work, calls, outcomes, slots)
            try:
                for _ in calls:
                    try:
                        completed = outcomes.get()
                    except KeyboardInterrupt:
                        yield from _rest(outcomes)
                        raise
                    if completed is None:
                        work.result()  # raises the error that ended the worker
                        break
                    yield completed
                    portal.call(slots.release)
                    failure = completed[1] if isinstance(completed[1], Failure) else None
                    answered += failure is None
                    failed_in_a_row = failed_in_a_row + failure.is_server_fault if failure else 0
                    if failure and (failure.is_fatal or failed_in_a_row == _MAX_FAILURES_IN_A_ROW):
                        yield from _rest(outcomes)
                        raise ValueError(self._end(failure, answered))
            finally:
                work.cancel()

    async def _work(self, calls: Sequence[Call], outcomes: _OutcomeQueue, slots: asyncio.Semaphore) -> None:
        """Put the result or failure of each call into the queue; a call starts when it acquires the semaphore."""
        # Proxies from the environment are not meant for local servers; a redirect could send prompts anywhere.
        http = DefaultAsyncHttpxClient(
            trust_env=not _is_near(self._host), follow_redirects=False, headers=UNPACKED, event_hooks={"response": [bounded]}
        )
        indices = iter(range(len(calls)))
        limits: dict[str, Any] = {"timeout": self._server.timeout, "max_retries": 0}
        try:
            async with AsyncOpenAI(base_url=self._server.url, api_key=self._key or "none", http_client=http, **limits) as client:
                caller = Caller(client, self._server, self._without_key, self._rate_limit)
                window = await caller.window(self._name) if self._completions else None

                async def worker() -> None:
                    while await slots.acquire() and (index := next(indices, None)) is not None:
                        call = calls[index]
                        try:
                            if window and call.token_bounds[1] > window:
                                raise Failure(too_long(*call.token_bounds, window), is_server_fault=False)
                            outcomes.put((index, call.read(await caller.complete(call.body(), call.most_tokens, call.name))))
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
            raise ValueError(f"{self._where}: a server cannot stop replies early (found stop: {settings.stop}); remove it from the run")
        for name in (name for name, is_requested in requested.items() if is_requested and name not in self._server.knows):
            why = "sampling needs a seed" if name == "seed" else f"the run asks for {name} {getattr(settings, name)}"
            raise ValueError(
                f"{self._where}: {why}, and {'chat ' if self._server.api == 'chat' else ''}completions may not support {name}; "
                f"add it to server.knows of the model if this server supports it, or change the run in params.yaml"
            )

    def _body(self, query: ModelQuery, settings: Settings) -> dict[str, Any]:
        """Return the arguments of one call. Settings that the server supports are always sent, since the server's defaults may differ."""
        is_chat = self._server.api == "chat"
        limit = "max_completion_tokens" if is_chat and f".{self._host}".endswith(_OFFICIAL) else "max_tokens"
        body: dict[str, Any] = {"model": self._name, limit: settings.max_new_tokens, "temperature": settings.temperature}
        if is_chat:
            body["messages"] = msgspec.json.decode(query.prompt)
        if settings.stop_strings:
            body["stop"] = list(settings.stop_strings)
        extra: dict[str, Any] = {"repetition_penalty": settings.repetition_penalty}
        if settings.temperature > 0:
            body["top_p"] = settings.top_p
            draw = hashlib.sha256(f"{settings.seed}/{query.request.item_id}/{query.repeat}".encode()).digest()
            extra |= {"top_k": settings.top_k, "seed": int.from_bytes(draw[:4]) >> 1}
        honoured: dict[str, Any] = {name: value for name, value in extra.items() if name in self._server.knows}
        if is_chat and self._template:
            honoured["chat_template_kwargs"] = self._template  # the name in vLLM and SGLang
        return body | {"extra_body": honoured}

    def _end(self, failure: Failure, answered: int) -> str:
        why = f"{self._at} answers no request" if failure.is_fatal else f"{_MAX_FAILURES_IN_A_ROW} requests in a row failed at {self._at}"
        hint = f"; is the key in {self._server.key_variable} correct?" if failure.status in (401, 403) else ""
        hint = f"; are `name` {self._name} and server.url correct?" if failure.status == 404 else hint
        look = f"is the server running at server.url {self._server.url}? `curl {self._server.url}/models` shows whether it responds"
        hint = f"; {look}" if str(failure).startswith("connection:") else hint
        hint += self._api_hint(failure)
        return (
            f"{self._where}: {why}: {failure}{hint}; {answered} calls since the start were answered; "
            f"once this is fixed, `dvc repro` continues and requests only what is missing"
        )

    def _cut(self, reply: Reply, settings: Settings) -> Reply:
        """Cut a reply before the first stop string, in case the server ignores stop strings, and remove the API key from it."""
        end = settings.string_end(reply.text)
        reply = reply if end is None else structs.replace(reply, text=reply.text[:end], finish_reason="stop")
        return structs.replace(reply, text=self._without_key(reply.text))

    def _failed(self, failure: Failure) -> Reply:
        return failed_reply(f"{failure}{self._api_hint(failure)}")

    def _api_hint(self, failure: Failure) -> str:
        """Return advice for a server that may lack the API or may not accept token ids."""
        if self._server.api == "chat" or failure.status not in _REFUSED or not failure.is_server_fault:
            return ""
        others = "chat" if self._server.api == "text" else "text or chat"
        return f"; prompts went to /completions by server.api: {self._server.api}; if this server does not support that, set it to {others}"


def _rest(outcomes: _OutcomeQueue) -> Iterator[tuple[int, Any]]:
    """Yield the results that have arrived but have not been yielded yet."""
    while not outcomes.empty():
        if completed := outcomes.get_nowait():
            yield completed


def _address(url: str, where: str) -> SplitResult:
    address = urlsplit(url)
    if address.username or address.password or address.query:
        raise ValueError(
            f"{where}: server.url contains a user name, password or query; put keys into the environment (server.key_variable)"
        )
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError(f"{where}: server.url is {url!r}; expected an address such as https://api.openai.com/v1")
    return address


def _key(server: Server, host: str, where: str) -> str | None:
    """Return the key from the environment; a local server may not need one."""
    key = os.environ.get(server.key_variable, "").strip()
    if not key and not _is_near(host):
        raise ValueError(
            f"{where}: no key for {host}: the environment variable {server.key_variable} is not set; "
            f"set it, or choose another one with server.key_variable of the model in params.yaml"
        )
    if any(not "!" <= character <= "~" for character in key):  # the libraries would quote such a header in their errors
        raise ValueError(
            f"{where}: the environment variable {server.key_variable} is not a key: it has spaces, line breaks or non-ASCII characters"
        )
    return key or None


def _is_near(host: str) -> bool:
    """Return whether a host is this machine or on a private network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return address.is_loopback or address.is_private
