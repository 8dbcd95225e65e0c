"""The download handler of live crawls, and code shared by both handlers: requested pauses, and a size limit for response headers."""

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.http import Response
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol
from twisted.web.client import HTTPConnectionPool

from crawlers.web import hosts
from crawlers.web.bodies import whole
from crawlers.web.failure_causes import NOT_PUBLIC, STOPPED, of_answer, refuse, stop

_ASKS_FOR_TIME = (429, 503)

_MAX_BYTES = 256 * 1024
_IN_HEAD = ("STATUS", "HEADER")


class LiveHandler(HTTP11DownloadHandler):
    """Download handler of live crawls."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        limit_heads(self._pool)
        self.stats = crawler.stats
        self.pauses = Pauses(crawler)
        self.max_bytes = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        """Fetch a page of a real site."""
        await self.pauses.wait(request)
        try:
            response = await super().download_request(request)
        except CannotResolveHostError:
            host = urlsplit(request.url).hostname or ""
            if address := hosts.refused.get(host.rstrip(".")):  # Twisted loses the resolver's message, and Scrapy would retry
                raise refuse(self.stats, request, f"{NOT_PUBLIC}: {host} is {address}") from None
            raise
        self.pauses.note(request, response)
        return whole(request, response, self.max_bytes)


class Pauses:
    """Pauses that hosts request with Retry-After.

    Settings: RETRY_AFTER_MAX (a longer requested pause ends the crawl), RETRY_AFTER (used if the host states no time).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.longest = crawler.settings.getfloat("RETRY_AFTER_MAX")
        self.unnamed = crawler.settings.getfloat("RETRY_AFTER")
        self.until: dict[str, float] = {}

    async def wait(self, request: Request) -> None:
        """Wait until requests to the host are allowed again. This occupies the host's slot in the downloader, so no other request gets
        through."""
        if self.crawler.stats.get_value(STOPPED):  # the request was in the downloader when the crawl was stopped
            raise IgnoreRequest(f"{request.url}: the crawl has ended")
        left = self.until.get(urlsplit(request.url).netloc, 0) - monotonic()
        if left > 0:
            await asyncio.sleep(left)
            slot = self.crawler.engine.downloader.slots.get(request.meta.get("download_slot", ""))
            if slot is not None:
                slot.lastseen = monotonic()  # the delay before the next request counts from now

    def note(self, request: Request, response: Response) -> None:
        """Store the pause that a host requests."""
        named = response.headers.get("Retry-After")
        if response.status in _ASKS_FOR_TIME or (response.status >= 400 and named):
            seconds = self.unnamed if named is None else seconds_named(named.decode("latin-1"), datetime.now(UTC), self.unnamed)
            host = urlsplit(request.url).netloc
            self.until[host] = max(self.until.get(host, 0), monotonic() + min(seconds, self.longest))
            if seconds > self.longest and of_answer(request.url, response.status):
                stop(self.crawler, f"{host} requests a pause of {seconds:.0f} seconds (Retry-After); run the crawl again after that")


def seconds_named(retry_after: str, now: datetime, unnamed: float) -> float:
    """Return the seconds requested by a Retry-After header: a number, or a date (RFC 9110, 10.2.3)."""
    value = retry_after.strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return unnamed
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def limit_heads(pool: HTTPConnectionPool) -> None:
    """Abort a pool's connections whose response head exceeds the limit; the failure is `ConnectionAborted`.

    Twisted has no public API for this. A test with an endless head fails if a new version breaks this.
    """
    made = pool._factory

    class Limited(made):  # type: ignore[misc, valid-type]
        """Factory of connections that count the bytes before a body."""

        def buildProtocol(self, addr: IAddress | None) -> Protocol:
            return _counting(super().buildProtocol(addr))

    pool._factory = Limited


def _counting(protocol: Any) -> Any:
    receive, head_bytes, answer = protocol.dataReceived, 0, None

    def counted(data: bytes) -> None:
        nonlocal head_bytes, answer
        if protocol._parser is not answer:  # a new response; if it arrives in one piece, only the head is counted
            head_bytes, answer = 0, protocol._parser
        head_bytes = head_bytes + len(data) if getattr(answer, "state", None) in _IN_HEAD else 0
        if head_bytes > _MAX_BYTES + len(data):
            protocol.transport.abortConnection()
        else:
            receive(data)

    protocol.dataReceived = counted
    return protocol
