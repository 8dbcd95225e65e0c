"""What waits in a crawl, kept small: requests, last in, first out like Scrapy's own queue, those that lie deep packed; and timers."""

import zlib
from multiprocessing.reduction import ForkingPickler

from scrapy import Request, signals
from scrapy.crawler import Crawler
from twisted.internet.task import LoopingCall

from crawlers.replay.sending import decode, encode

_CHUNK_REQUESTS = 256  # of one list, and so alike: packed together they take a twentieth
_Packed = tuple[bytes, list[Request]]
"""Requests as bytes, and those, in their places' order, that cannot be (a callback that is no method of the spider)."""


class Waiting:
    """Queue of one priority. A spider that reads all its lists before the first page has all its pages waiting here."""

    def __init__(self, crawler: Crawler, key: str) -> None:
        self._crawler = crawler
        self._top: list[Request] = []
        self._deep: list[_Packed] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, key: str) -> "Waiting":
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
        """Nothing outlasts the process."""

    def _packed(self, requests: list[Request]) -> _Packed:
        encoded: list[bytes | None] = []
        plain = []
        for request in requests:
            try:
                encoded.append(encode(request, self._crawler.spider))
            except ValueError:
                encoded.append(None)
                plain.append(request)
        return zlib.compress(bytes(ForkingPickler.dumps(encoded)), 1), plain

    def _unpacked(self, packed: _Packed) -> list[Request]:
        data, plain = packed
        rest = iter(plain)
        encoded = ForkingPickler.loads(zlib.decompress(data))
        return [next(rest) if one is None else decode(one, self._crawler.spider) for one in encoded]


class Timers:
    """Scrapy extension that lets go of the time limits of requests long answered.

    Twisted sorts cancelled timers out when another one goes off; on its asyncio reactor nothing else may do so for a minute, and at
    hundreds of pages a second they take most of what a crawl's memory grows by.
    """

    def __init__(self) -> None:
        self._tick = LoopingCall(lambda: None)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Timers":
        """Return the extension of a crawl."""
        made = cls()
        crawler.signals.connect(made.start, signals.spider_opened)
        crawler.signals.connect(made.stop, signals.spider_closed)
        return made

    def start(self) -> None:
        """Have a timer go off each second."""
        self._tick.start(1)

    def stop(self) -> None:
        """End with the crawl."""
        if self._tick.running:
            self._tick.stop()
