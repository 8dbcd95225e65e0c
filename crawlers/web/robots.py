"""robots.txt according to RFC 9309: a site without rules is crawled, but not a site whose rules cannot be fetched."""

import asyncio
import re
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.utils.httpobj import urlparse_cached

from crawlers.store.exchanges import UNSTORED
from crawlers.web.failure_causes import DOWNLOAD_ERRORS, FORBIDDEN, NO_ROBOTS, REDIRECT_LOOP, Refused, of_answer, of_exception, refuse
from crawlers.web.hosts import FOR_ROBOTS

_MAX_BYTES = 512 * 1024  # RFC 9309, 2.5: at least 500 KiB are read
_FIRST = 1000  # priority: before all pages
_MAX_REDIRECTS = 5  # RFC 9309, 2.3.1.2: at least five, even to other hosts
_VERSION = re.compile(rb"(?i)(?<![^\r\n])([ \t]*+user-?agent[ \t]*+:[ \t]*+[a-z_-]++)[^\r\n]++")
_RECEIVED = "robots_bytes"

Rules = RobotParser | str | None
"""Rules of a host, the reason why they could not be fetched, or None if the host has none."""


class Robots:
    """Downloader middleware. Scrapy's own middleware treats an error page, or a missing answer, as permission for everything.

    Settings: ROBOTSTXT_USER_AGENT (the name that is matched against the rules), CRAWL_DELAY_MAX (0 ignores a site's delay).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.name: str = crawler.settings["ROBOTSTXT_USER_AGENT"]
        self.longest_delay = crawler.settings.getfloat("CRAWL_DELAY_MAX")
        self.rules: dict[str, asyncio.Future[Rules]] = {}
        crawler.signals.connect(self._limit, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Robots":
        """Return the middleware of a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Let a request through if the host's rules allow it."""
        if request.meta.get(FOR_ROBOTS):
            request.meta[_RECEIVED] = 0
            return
        address = urlparse_cached(request)
        host = f"{address.scheme}://{address.netloc}"
        if host not in self.rules:
            self.rules[host] = asyncio.ensure_future(self._ask(host))
        rules = await self.rules[host]
        if isinstance(rules, str):
            if self._is_stored(request):
                return
            raise refuse(self.crawler.stats, request, f"{NO_ROBOTS}: {rules}")
        if rules is not None and not rules.allowed(request.url, self.name) and not self._is_stored(request):
            self.crawler.stats.inc_value(FORBIDDEN)
            raise IgnoreRequest(f"{request.url}: forbidden by robots.txt")

    def _is_stored(self, request: Request) -> bool:
        """Return whether the archive has the answer, in which case the site is not contacted and changed rules do not matter."""
        is_stored = getattr(self.crawler, "is_stored", None)
        return is_stored is not None and not request.meta.get(UNSTORED) and is_stored(request)

    async def _ask(self, host: str) -> Rules:
        stats = self.crawler.stats
        stats.inc_value("robotstxt/request_count")
        meta = {FOR_ROBOTS: True, "redirect_ttl": _MAX_REDIRECTS, "download_maxsize": 0}  # Scrapy would discard a longer file completely
        unpacked = {"Accept-Encoding": "identity"}
        request = Request(f"{host}/robots.txt", headers=unpacked, priority=_FIRST, meta=meta, callback=NO_CALLBACK)
        try:
            response = await self.crawler.engine.download_async(request)
        except Refused as error:  # too many redirects, or to a non-public address: as if there were no rules (2.3.1.2)
            return str(error) if str(error) == REDIRECT_LOOP else None
        except IgnoreRequest as error:  # a replay without a stored answer
            return of_exception(error)
        except DOWNLOAD_ERRORS as error:
            return of_exception(error)
        stats.inc_value("robotstxt/response_count")
        if why := of_answer(response.url, response.status):
            return why
        return self._read(response, host) if 200 <= response.status < 300 else None  # 2.3.1.1: any success

    def _limit(self, data: bytes, request: Request) -> None:
        """Stop the download of a robots.txt at the size limit."""
        if request.meta.get(FOR_ROBOTS):
            request.meta[_RECEIVED] += len(data)
            if request.meta[_RECEIVED] >= _MAX_BYTES:
                raise StopDownload(fail=False)

    def _read(self, response: Response, host: str) -> RobotParser:
        text = _VERSION.sub(rb"\1", response.body[:_MAX_BYTES])  # `AtomExam/2.0 (x)` also matches: 2.2.1 compares only the product name
        rules = ProtegoRobotParser.from_crawler(self.crawler, text)
        delay = min(rules.crawl_delay(self.name) or 0.0, self.longest_delay)
        if delay:
            self._slow_down(urlsplit(host).hostname or "", delay)
        return rules

    def _slow_down(self, host: str, delay: float) -> None:
        """Wait at least `delay` seconds between two requests to a host, no matter how fast it answers."""
        downloader = self.crawler.engine.downloader
        named = downloader.per_slot_settings.get(host, {})
        floor = max(delay, self.crawler.settings.getfloat("DOWNLOAD_DELAY"))
        downloader.per_slot_settings[host] = named | {"delay": floor, "jitter": 0.0}
        if host in downloader.slots:
            slot = downloader.slots[host]
            slot.delay, slot.jitter = max(slot.delay, floor), 0.0
        if throttle := self.crawler.get_extension(AutoThrottle):
            throttle.mindelay = max(throttle.mindelay, floor)
