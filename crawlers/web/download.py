"""What both download handlers do around a fetch: wait where the site asked for it, and let through whole answers alone."""

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from time import monotonic
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, IgnoreRequest, ResponseDataLossError
from scrapy.http import Response

from crawlers.web import public_hosts
from crawlers.web.account import STOPPED, refuse
from crawlers.web.bodies import flaw
from crawlers.web.ends import stop
from crawlers.web.faults import EMPTY_BODY, NOT_PUBLIC, TOO_LARGE, TORN_BODY, is_robots, of_answer
from crawlers.web.heads import limit_heads

_ASKS_FOR_TIME = (429, 503)
_SEEN = "partial_sha256"  # of a body that may be cut, in the request's meta


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
            if address := public_hosts.refused.get(host.rstrip(".")):  # Twisted drops what the resolver says, and Scrapy would ask again
                raise refuse(self.stats, request, f"{NOT_PUBLIC}: {host} is {address}") from None
            raise
        self.pauses.note(request, response)
        return whole(request, response, self.max_bytes)


class Pauses:
    """Until when a host is left alone, because it said so.

    Settings: RETRY_AFTER_MAX (a host that asks for more ends the crawl), RETRY_AFTER (where it names no time).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.longest = crawler.settings.getfloat("RETRY_AFTER_MAX")
        self.unnamed = crawler.settings.getfloat("RETRY_AFTER")
        self.until: dict[str, float] = {}

    async def wait(self, request: Request) -> None:
        """Wait until the host may be asked again. Holds the host's place in the downloader, so that no other request passes."""
        if self.crawler.stats.get_value(STOPPED):  # what the downloader had in hand when the crawl was given up
            raise IgnoreRequest(f"{request.url}: the crawl has ended")
        left = self.until.get(urlsplit(request.url).netloc, 0) - monotonic()
        if left > 0:
            await asyncio.sleep(left)
            slot = self.crawler.engine.downloader.slots.get(request.meta.get("download_slot"))
            if slot is not None:
                slot.lastseen = monotonic()  # the delay before the next request counts from now

    def note(self, request: Request, response: Response) -> None:
        """Remember how long the host wants to be left alone."""
        named = response.headers.get("Retry-After")
        if response.status in _ASKS_FOR_TIME or (response.status >= 400 and named):
            seconds = self.unnamed if named is None else seconds_named(named.decode("latin-1"), datetime.now(UTC), self.unnamed)
            host = urlsplit(request.url).netloc
            self.until[host] = monotonic() + min(seconds, self.longest)
            if seconds > self.longest and of_answer(request.url, response.status):
                stop(self.crawler, f"{host} asks to be left alone for {seconds:.0f} seconds (Retry-After); go on after that")


def seconds_named(retry_after: str, now: datetime, unnamed: float) -> float:
    """Return the seconds that a Retry-After header asks for: a number, or a date (RFC 9110, 10.2.3)."""
    value = retry_after.strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return unnamed
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def whole(request: Request, response: Response, max_bytes: int) -> Response:
    """Return an answer as it came.

    Raises:
        ResponseDataLossError: the body is cut or missing; asking again may bring it.
        DownloadCancelledError: it is larger than `max_bytes` when unpacked.
    """
    why = flaw(response.body, response.headers.getlist("Content-Encoding"), max_bytes)
    if why is None and response.status == 200:
        if not response.body and request.method == "GET" and not is_robots(request.url):
            why = EMPTY_BODY
        elif "partial" in response.flags and _is_cut(request, response):
            why = f"{TORN_BODY}: without length or end"
    if why is None:
        return response
    raise DownloadCancelledError(why) if why.startswith(TOO_LARGE) else ResponseDataLossError(why)


def _is_cut(request: Request, response: Response) -> bool:
    """Tell whether a page whose length nothing names seems cut. What comes twice alike is what the site sends."""
    body = response.body.lower()
    if b"<html" not in body or b"</html" in body:
        return False
    seen = sha256(response.body).hexdigest()
    before, request.meta[_SEEN] = request.meta.get(_SEEN), seen
    return before != seen
