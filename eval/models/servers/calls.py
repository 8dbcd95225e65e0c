"""Send requests to an OpenAI-compatible server, and return completions or raise failures; both are free of the API key."""

import asyncio
import math
import re
import time
from base64 import b32encode, b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import escape
from itertools import count
from random import Random
from typing import Annotated, Any, NamedTuple

import httpx2
import msgspec
from msgspec import Meta, Struct
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI

from atomexam.records.blocks import Server
from atomexam.records.prediction import FinishReason
from atomexam.text.columns import harmless
from atomexam.text.encodings import is_charset

_RETRYABLE = (408, 409, 425, 429)  # and all from 500 up: the same call may succeed later
_REQUEST_FAULTS = (400, 413, 422)  # only this request is rejected; every other status, except a content filter's 403, ends the run
_TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too many tokens")
_FILTERED = ("content_filter", "content_policy", "content management policy", "data_inspection_failed", "requires moderation")
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds between tries, doubled each time
_LONGEST_RETRY_AFTER = 600.0
_MAX_CAUSE_CHARS = 300
_ESCAPES = re.compile(rb"(?i)\\(?:\\|ud[89ab]..\\ud[c-f]..|(ud[89a-f]..))")
"""Matches an escaped backslash, a surrogate pair or, as its group, a lone surrogate in JSON."""
_STOPS: dict[str, FinishReason] = {"stop": "stop", "eos_token": "stop", "stop_sequence": "stop", "length": "length"}
"""`eos_token` and `stop_sequence` are used by text-generation-inference."""


@dataclass(eq=False)
class Failure(Exception):
    """A call that did not return a reply."""

    cause: str
    is_retryable: bool = False
    """Whether a retry may help."""
    wait: float | None = None
    """Number of seconds for which the server asks all callers to wait."""
    is_server_fault: bool = True
    """Whether the server is at fault rather than only this request."""
    is_fatal: bool = False
    """Whether other requests would fail as well."""
    status: int | None = None
    """HTTP status, if any."""


class Logprobs(Struct):
    """Log-likelihoods of tokens in the format of the older completions API."""

    token_logprobs: list[float | None] | None = None
    """Log-likelihoods of the tokens of the text; None for a token without context."""
    top_logprobs: list[dict[str, float | None] | None] | None = None
    """For each token of the text, the log-likelihoods of alternative tokens, by spelling."""


class Completion(Struct, frozen=True, kw_only=True):
    """A server's reply to one request."""

    text: str
    finish_reason: FinishReason
    tokens: int
    prompt_tokens: int
    """0 if the server does not report it."""
    token_ids: list[int] | None = None
    """Includes the token that ended the reply; only vLLM returns these ids."""
    model: str | None = None
    """The server's name for the model that replied, if it is not the requested name."""
    replaced: int = 0
    """Number of lone surrogates in its text, replaced by U+FFFD."""
    logprobs: Logprobs | None = None


class Call(NamedTuple):
    """One call to a server, with the function that reads its response."""

    name: str
    body: Callable[[], dict[str, Any]]
    """Builds the request body; called only when the call starts, since bodies are long."""
    read: Callable[[Completion], Any]
    """May raise Failure."""
    most_tokens: int
    token_bounds: tuple[int, int] = (0, 0)
    """Number of tokens in the prompt, and in the prompt with the longest reply."""


class _Message(Struct):
    content: str | None = None
    tool_calls: list[Any] | None = None


class _ChatChoice(Struct):
    message: _Message
    finish_reason: str | None = None


_TokenId = Annotated[int, Meta(ge=0, lt=1 << 31)]


class _TextChoice(Struct):
    text: str
    finish_reason: str | None = None
    token_ids: list[_TokenId] | None = None
    logprobs: Logprobs | None = None


_Tokens = Annotated[int, Meta(ge=0, le=1 << 40)]


class _Usage(Struct):
    prompt_tokens: _Tokens | None = None
    completion_tokens: _Tokens | None = None


class _Chat(Struct):
    choices: Annotated[list[_ChatChoice], Meta(min_length=1)]
    model: str | None = None
    usage: _Usage | None = None


class _Text(Struct):
    choices: Annotated[list[_TextChoice], Meta(min_length=1)]
    model: str | None = None
    usage: _Usage | None = None


class _Model(Struct):
    id: str
    max_model_len: Annotated[int, Meta(gt=0)] | None = None


class _Models(Struct):
    data: list[_Model]


UNPACKED = {"Accept-Encoding": "identity"}
"""Header of every request, since a compressed response of a few kB could expand to any size."""
_MAX_BYTES = 8_000_000
"""Maximum size of a response body; the longest reply that a model can give is a tenth of it."""


class TooLong(Exception):
    """The server sends more than any reply needs, or compresses its response."""


class _Bounded(httpx2.AsyncByteStream):
    """A body that raises an error when it gets too long."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream, self._left = stream, _MAX_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise TooLong(f"the response has more than {_MAX_BYTES // 1_000_000} MB; no reply is that long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bounded(response: httpx2.Response) -> None:
    """Limit the body of a response before any of it is read, and set its encoding.

    Python codecs that are not text encodings raise errors of their own or take quadratic time.

    Raises:
        TooLong: the body is compressed, although compression was not requested.
    """
    packed = response.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise TooLong(f"the response is compressed, which was not requested ({packed})")
    charset = response.charset_encoding
    response.encoding = charset if charset and is_charset(charset) else "utf-8"
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


class RateLimit:
    """When a server may be called again; one instance exists for as long as the model is open."""

    def __init__(self, server: Server) -> None:
        self._gap = 60 / server.calls_per_minute if server.calls_per_minute else 0.0
        self._free_at = 0.0

    def pause(self, seconds: float) -> None:
        """Block new calls for a number of seconds."""
        self._free_at = max(self._free_at, time.monotonic() + seconds)

    async def next(self) -> None:
        """Wait until the server's rate limits allow another call."""
        while (wait := self._free_at - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        self._free_at = time.monotonic() + self._gap


class Caller:
    """A server called by several workers, which share its rate limits."""

    def __init__(self, client: AsyncOpenAI, server: Server, without_key: Callable[[str], str], rate_limit: RateLimit) -> None:
        self._client, self._server, self._without_key, self._rate_limit = client, server, without_key, rate_limit

    async def complete(self, body: dict[str, Any], most_tokens: int, name: str) -> Completion:
        """Return the completion of one request, retrying if that may help.

        Raises:
            Failure: there is no completion; `is_fatal` and `is_server_fault` say whether other requests are affected.
        """
        jitter = Random(name)  # spreads the workers; no output depends on it
        for number in count(1):
            await self._rate_limit.next()
            try:
                return await self._call(body, most_tokens)
            except Failure as failure:
                if not failure.is_retryable or number >= self._server.tries:
                    attempts = f", {number} times" if number > 1 else ""
                    raise Failure(
                        f"{failure}{attempts}", is_server_fault=failure.is_server_fault, is_fatal=failure.is_fatal, status=failure.status
                    ) from None
                wait = min(_FIRST_WAIT * 2 ** (number - 1), _LONGEST_WAIT) * jitter.uniform(0.5, 1.0)
                if failure.wait is not None:
                    self._rate_limit.pause(failure.wait)
            await asyncio.sleep(wait)
        raise ValueError("unreachable")

    async def window(self, model: str) -> int | None:
        """Return how many tokens a prompt and its reply may have in total, if the server lists this with its models, as vLLM does."""
        with suppress(APIError, TooLong, TimeoutError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            async with asyncio.timeout(self._server.timeout):
                response = await self._client.models.with_raw_response.list()
            models = msgspec.json.decode(response.http_response.content, type=_Models).data
            return next((one.max_model_len for one in models if one.id == model), None)
        return None

    async def _call(self, body: dict[str, Any], most_tokens: int) -> Completion:
        api = self._client.completions if "prompt" in body else self._client.chat.completions
        try:
            # The library only limits the time between bytes; a server that sends one per second would block a worker for hours.
            async with asyncio.timeout(self._server.timeout):
                response = await api.with_raw_response.create(**body)
        except TooLong as error:
            raise Failure(self._one_line(error), is_retryable=True) from None
        except TimeoutError:
            raise Failure(f"no complete reply within {self._server.timeout:g} s", is_retryable=True) from None
        except APIStatusError as error:
            raise self._refusal(error) from None
        except APIConnectionError as error:  # also raised for a partial reply
            raise Failure(
                f"connection: {self._one_line(error.__cause__ or error) or type(error.__cause__).__name__}", is_retryable=True
            ) from None
        except APIError as error:
            raise Failure(f"no reply: {self._one_line(error)}", is_retryable=True) from None
        completion = self._parse(response.http_response.content, _Text if "prompt" in body else _Chat, most_tokens)
        return completion if completion.model != body["model"] else msgspec.structs.replace(completion, model=None)

    def _refusal(self, error: APIStatusError) -> Failure:
        status, message = error.status_code, self._one_line(error.response.text)
        cause = f"HTTP status {status}: {message or 'no message'}"
        if "insufficient_quota" in message:  # sent as 429, but waiting does not help
            return Failure(cause, is_fatal=True, status=status)
        if status in _RETRYABLE or status >= 500:
            wait = _retry_after(error.response.headers.get("retry-after", ""))
            return Failure(cause, is_retryable=wait is None or wait <= _LONGEST_RETRY_AFTER, wait=wait, status=status)
        is_known_refusal = any(phrase in message.lower() for phrase in _TOO_LONG + _FILTERED)
        return Failure(
            cause, is_server_fault=not is_known_refusal, is_fatal=status not in _REQUEST_FAULTS and not is_known_refusal, status=status
        )

    def _parse(self, content: bytes, kind: type[_Text] | type[_Chat], most_tokens: int) -> Completion:
        content, replaced = _without_lone_surrogates(content)
        try:
            response = msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            excerpt = self._one_line(content.decode(errors="replace"))
            what = "chat completion" if kind is _Chat else "completion"
            raise Failure(f"no {what} in JSON ({self._one_line(error)}): {excerpt}", is_retryable=True) from None
        if len(response.choices) > 1:
            raise Failure(
                f"the server returned {len(response.choices)} replies to one request; if it takes token ids for several prompts, "
                "set server.api of the model in params.yaml to text or chat"
            )
        choice, usage = response.choices[0], response.usage or _Usage()
        if choice.finish_reason == "content_filter":
            raise Failure("the server's content filter withheld the reply", is_server_fault=False)
        if choice.finish_reason not in _STOPS:
            raise Failure(f"the reply ended for an unknown reason: finish_reason {self._one_line(choice.finish_reason)}")
        text = choice.text if isinstance(choice, _TextChoice) else choice.message.content
        if isinstance(choice, _ChatChoice) and choice.message.tool_calls:
            raise Failure("the server calls tools instead of replying, although no run offers any")
        if text is None and choice.finish_reason != "length":  # a model may reason until its limit
            raise Failure("the reply has no text (content: null)")
        token_ids = choice.token_ids if isinstance(choice, _TextChoice) else None
        tokens = max(usage.completion_tokens or 0, len(token_ids or ()))
        if tokens > most_tokens:
            raise Failure(f"the server ignores the limit of {most_tokens} tokens: the reply has {tokens}")
        return Completion(
            text=self._without_key(text or ""),
            finish_reason=_STOPS[choice.finish_reason],
            tokens=tokens,
            prompt_tokens=usage.prompt_tokens or 0,
            token_ids=token_ids,
            logprobs=choice.logprobs if isinstance(choice, _TextChoice) else None,
            model=self._one_line(response.model) if response.model else None,
            replaced=replaced,
        )

    def _one_line(self, message: object) -> str:
        """Return an external message as one short line for the terminal; the key is removed before the text is shortened."""
        return " ".join(harmless(self._without_key(str(message))).split())[:_MAX_CAUSE_CHARS]


def _without_lone_surrogates(content: bytes) -> tuple[bytes, int]:
    """Replace lone surrogates, which are not characters, in JSON by U+FFFD; return the JSON and the number of replacements."""
    lone = 0

    def mended(match: re.Match[bytes]) -> bytes:
        nonlocal lone
        lone += match[1] is not None
        return match[0] if match[1] is None else rb"\ufffd"

    return _ESCAPES.sub(mended, content), lone


def _retry_after(value: str) -> float | None:
    """Return the number of seconds requested by a Retry-After header, whose value is a number or a date."""
    with suppress(ValueError):
        return max(0.0, seconds) if math.isfinite(seconds := float(value)) else None
    with suppress(ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


REMOVED = "[key]"
_MIN_KEY_CHARS = 8  # a shorter key (`EMPTY`, `x`) is a placeholder, and removing it would damage replies
_SHORTEST_AS_NUMBERS = 16  # fewer numbers in a row may be ordinary text
_BREAKS = r"(?:[\s\u200b-\u206f\ufeff]|=\r?\n|\\{1,8}+(?:[nrt]|u(?:20|fe)..)){0,64}+"
"""Text allowed between two characters of a key: line breaks and zero-width characters, also if JSON-escaped. Its length is limited, since a
break may begin like a key."""
_BETWEEN_DIGITS = r"(?:[\s:;,.|_-]|0x|\\{1,8}+[nrtx])*+"
"""Text allowed between two hexadecimal digits of a key and before each byte."""
_BETWEEN_NUMBERS = r"\D{1,8}+0*+"
"""Text allowed between the decimal or octal codes of two characters of a key."""
_URL_SAFE = {"+": "-", "/": "_"}
_SPELLINGS: tuple[Callable[[str], str], ...] = (  # a spelling that begins like another one comes before it
    lambda char: rf"\\{{1,8}}+(?:(?:u00|x){ord(char):02x}|u{ord(char) + 0xFEE0:04x})",  # JSON, JavaScript; also full width
    lambda char: rf"%(?:25)*+{ord(char):02x}",  # URL, also twice
    lambda char: rf"&(?:amp;)*+#(?:0*+{ord(char)}|x0*+{ord(char):x});",  # HTML
    lambda char: re.escape(escape(char)),
    lambda char: re.escape(_URL_SAFE.get(char, char)),  # base64 in a URL
    lambda char: re.escape(chr(ord(char) + 0xFEE0)),  # full width
    lambda char: rf"\\{{0,8}}+{re.escape(char)}",  # JSON may write \/, and JSON in JSON \\\/
)


def remover(key: str | None) -> Callable[[str], str]:
    """Return a function that replaces a key in a text by `[key]`. The text must be complete, since a key that is cut off is not found."""
    if not key or len(key) < _MIN_KEY_CHARS:
        return lambda text: text
    spellings = (key, *(_in_base(b64encode, 6, key, n) for n in range(3)))
    rare = (
        key[::-1],
        *(_in_base(b32encode, 5, key, n) for n in range(5)),
    )  # only in this spelling, since long patterns take seconds to compile
    numbers = (_BETWEEN_NUMBERS.join(f"{byte:{base}}" for byte in key.encode()) for base in "do" if len(key) >= _SHORTEST_AS_NUMBERS)
    spelled = (*map(_spelled, spellings), *(_BREAKS.join(map(re.escape, word)) for word in rare))
    ways = "|".join([*spelled, _BETWEEN_DIGITS.join(key.encode().hex()), *numbers])
    first = {char for word in spellings + rare for char in (word[0], _URL_SAFE.get(word[0], ""), chr(ord(word[0]) + 0xFEE0))}
    starts = re.escape(key.encode().hex()[0] + "".join(sorted(first)))  # checked first, since most characters of a reply start no spelling
    pattern = re.compile("".join((r"(?=[\\%&0-9", starts, "])(?:", ways, ")")), re.IGNORECASE)
    return lambda text: pattern.sub(REMOVED, text)


def _spelled(word: str) -> str:
    return _BREAKS.join("(?>" + "|".join(dict.fromkeys(spelling(char) for spelling in _SPELLINGS)) + ")" for char in word)


def _in_base(encode: Callable[[bytes], bytes], bits: int, key: str, before: int) -> str:
    """Return the base64 or base32 characters, of `bits` bits each, that encode only the key, if it is preceded by `before` bytes such as
    `Bearer `."""
    whole = encode(bytes(before) + key.encode()).decode()
    return whole[-(-before * 8 // bits) : (before + len(key)) * 8 // bits]
