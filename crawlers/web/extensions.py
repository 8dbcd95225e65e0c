"""Scrapy extensions of a crawl: the progress bar, detection of named lists that the site does not have, and timers."""

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from tqdm import tqdm
from twisted.internet.task import LoopingCall

from crawlers.html.source_spider import spider_of
from crawlers.web.broken_pages import renew_page_limit

_SECONDS = 0.5  # between two updates of the figures
_FIRST_ERROR = 400

GONE = "scope/gone"
"""Stats key: URL of a named list -> status, if the site has no such page."""
_NO_PAGE = {404, 410}


class Progress:
    """Scrapy extension that shows progress; does nothing if stderr is not a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.items, self.errors = 0, 0
        self.bar = tqdm(desc=crawler.spidercls.name, unit=" pages", disable=None, mininterval=_SECONDS)
        if self.bar.disable:
            return
        crawler.signals.connect(self.response_received, signals.response_received)
        crawler.signals.connect(self.item_scraped, signals.item_scraped)
        crawler.signals.connect(self.spider_error, signals.spider_error)
        crawler.signals.connect(self.close, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Progress":
        """Return the bar of a crawl."""
        return cls(crawler)

    def response_received(self, response: Response) -> None:
        """Count a page."""
        self.errors += response.status >= _FIRST_ERROR
        if self.bar.update():  # the bar was redrawn, so update the figures too
            self._show_figures()

    def item_scraped(self) -> None:
        """Count an item."""
        self.items += 1

    def spider_error(self) -> None:
        """Count a page on which a callback failed."""
        self.errors += 1

    def close(self) -> None:
        """Leave the final figures on the screen."""
        self._show_figures()
        self.bar.close()

    def _show_figures(self) -> None:
        stats = self.crawler.stats
        queued = stats.get_value("scheduler/enqueued", 0) - stats.get_value("scheduler/dequeued", 0)
        failed = stats.get_value("downloader/exception_count", 0)
        self.bar.set_postfix({"queued": queued, "errors": self.errors + failed, "items": self.items}, refresh=False)


class ScopeAnswers:
    """Scrapy extension: records named lists that the site does not have."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._gone: dict[str, int] = {}
        crawler.stats.set_value(GONE, self._gone)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ScopeAnswers":
        """Return the extension of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.note, signals.response_received)
        return made

    def note(self, response: Response, request: Request) -> None:
        """Record the answer to a named list under the requested URL."""
        first_url = request.meta.get("redirect_urls", [request.url])[0]
        if response.status in _NO_PAGE and first_url in spider_of(self._crawler).named:
            self._gone[first_url] = response.status


class Timers:
    """Scrapy extension that fires every second: it frees the timers of answered requests and renews the time limit of pages.

    Twisted discards cancelled timers only when another one fires. On its asyncio reactor, that may take a minute, and at hundreds of pages
    per second, these timers cause most of the memory growth of a crawl.
    """

    def __init__(self) -> None:
        self._tick = LoopingCall(renew_page_limit)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Timers":
        """Return the extension of a crawl."""
        made = cls()
        crawler.signals.connect(made.start, signals.spider_opened)
        crawler.signals.connect(made.stop, signals.spider_closed)
        return made

    def start(self) -> None:
        """Start a timer that fires every second."""
        self._tick.start(1)

    def stop(self) -> None:
        """Stop the timer when the crawl ends."""
        if self._tick.running:
            self._tick.stop()
