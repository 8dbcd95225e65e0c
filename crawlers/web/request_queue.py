"""Waiting requests, encoded as bytes, and two compact queues for them, which may hold an entire large site."""

import zlib
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing import reduction
from multiprocessing.reduction import ForkingPickler
from typing import Any

import msgspec
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.utils.request import request_from_dict

from crawlers.html.source_spider import spider_of

_NEW = Request("https://new.example").to_dict()  # defaults, which are not encoded

_CHUNK_REQUESTS = 256  # similar requests of one list take a twentieth of the space when compressed together
_Packed = tuple[bytes, list[Request]]
"""Requests as bytes and, in order, those that cannot be encoded (their callback is not a method of the spider)."""

QueuedRequest = tuple[bytes | None, bytes]
"""The fingerprint of a request (None if duplicates are allowed) and the encoded request."""


def encode(request: Request, spider: Spider) -> bytes:
    """Return a request as bytes.

    Raises:
        ValueError: its callback or errback is not a method of the spider, or it carries data that cannot be pickled.
    """
    values = {name: value for name in request.attributes if (value := getattr(request, name)) != _NEW.get(name, ...)}
    if type(request) is not Request:
        values["_class"] = f"{type(request).__module__}.{type(request).__name__}"
    if request.headers:
        values["headers"] = dict(request.headers)
    for name in ("callback", "errback"):
        if name in values:
            values[name] = _method_name(values[name], spider)
    try:
        return bytes(ForkingPickler.dumps(values))
    except (TypeError, AttributeError, reduction.pickle.PicklingError) as error:  # type: ignore[attr-defined]
        raise ValueError(f"{error}; expected plain values or records in cb_kwargs and meta") from None


def decode(encoded: bytes, spider: Spider) -> Request:
    """Decode a request."""
    return request_from_dict(ForkingPickler.loads(encoded), spider=spider)


def url_of(encoded: bytes) -> str:
    """Return the address of a request."""
    return ForkingPickler.loads(encoded)["url"]


def _method_name(function: Callable[..., Any], spider: Spider) -> str:
    """Return the name of a spider's method. Scrapy's Request.to_dict searches all methods, which costs a tenth of a page's time."""
    name = getattr(function, "__name__", "")
    if getattr(function, "__self__", None) is not spider or getattr(spider, name, None) != function:
        raise ValueError(f"{function} is not a method of {type(spider).__name__}; expected methods of the spider as callback and errback")
    return name


class RequestQueue:
    """Queue for one priority. If a spider reads all lists before the first page, all pages wait here."""

    def __init__(self, crawler: Crawler, key: str) -> None:
        self._crawler = crawler
        self._top: list[Request] = []
        self._deep: list[_Packed] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, key: str) -> "RequestQueue":
        """Return an empty queue."""
        return cls(crawler, key)

    def __len__(self) -> int:
        return len(self._top) + len(self._deep) * _CHUNK_REQUESTS

    def push(self, request: Request) -> None:
        """Add a request."""
        self._top.append(request)
        if len(self._top) == 2 * _CHUNK_REQUESTS:
            self._deep.append(self._packed(self._top[:_CHUNK_REQUESTS]))
            del self._top[:_CHUNK_REQUESTS]

    def pop(self) -> Request | None:
        """Remove and return the request that was added last."""
        if not self._top and self._deep:
            self._top = self._unpacked(self._deep.pop())
        return self._top.pop() if self._top else None

    def close(self) -> None:
        """Do nothing: the queue does not outlast the process."""

    def _packed(self, requests: list[Request]) -> _Packed:
        encoded: list[bytes | None] = []
        plain = []
        for request in requests:
            try:
                encoded.append(encode(request, spider_of(self._crawler)))
            except ValueError:
                encoded.append(None)
                plain.append(request)
        return zlib.compress(bytes(ForkingPickler.dumps(encoded)), 1), plain

    def _unpacked(self, packed: _Packed) -> list[Request]:
        data, plain = packed
        rest = iter(plain)
        encoded = ForkingPickler.loads(zlib.decompress(data))
        return [next(rest) if one is None else decode(one, spider_of(self._crawler)) for one in encoded]


class Frontier:
    """First in, first out. An entire site of 300,000 pages may wait here, so the middle is compressed."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._head: deque[bytes] = deque()
        self._chunks: deque[bytes] = deque()
        self._tail: list[bytes] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, requests: Iterable[QueuedRequest]) -> None:
        """Append requests, except those added before."""
        for identity, request in requests:
            if identity is not None:
                if identity in self._seen:
                    continue
                self._seen.add(identity)
            self._tail.append(request)
            self._length += 1
            if len(self._tail) == _CHUNK_REQUESTS:
                self._chunks.append(zlib.compress(msgspec.msgpack.encode(self._tail), 1))
                self._tail = []

    def take(self, count: int) -> list[bytes]:
        """Remove and return the requests that were added first, at most `count`."""
        batch = [self._next() for _ in range(min(count, self._length))]
        self._length -= len(batch)
        return batch

    def _next(self) -> bytes:
        if not self._head and self._chunks:
            self._head.extend(msgspec.msgpack.decode(zlib.decompress(self._chunks.popleft()), type=list[bytes]))
        elif not self._head:
            self._head.extend(self._tail)
            self._tail = []
        return self._head.popleft()
