"""A bar on stderr while a spider runs: pages done and a second, requests queued, errors, items."""

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from tqdm import tqdm

_SECONDS = 0.5  # between two looks at the figures
_FIRST_ERROR = 400


class Progress:
    """Scrapy extension; silent, and free, where stderr is no terminal."""

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
        if self.bar.update():  # it drew itself, so the figures are looked at about as often
            self._tell()

    def item_scraped(self) -> None:
        """Count an item."""
        self.items += 1

    def spider_error(self) -> None:
        """Count a page that a callback failed on."""
        self.errors += 1

    def close(self) -> None:
        """Leave the last figures on the screen."""
        self._tell()
        self.bar.close()

    def _tell(self) -> None:
        stats = self.crawler.stats
        queued = stats.get_value("scheduler/enqueued", 0) - stats.get_value("scheduler/dequeued", 0)
        failed = stats.get_value("downloader/exception_count", 0)
        self.bar.set_postfix({"queued": queued, "errors": self.errors + failed, "items": self.items}, refresh=False)
