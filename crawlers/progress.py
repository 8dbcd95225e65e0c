"""A bar on stderr that counts pages and items while a spider runs."""

from scrapy import signals
from scrapy.crawler import Crawler
from tqdm import tqdm


class Progress:
    """Scrapy extension; silent where stderr is no terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.items = 0
        self.bar = tqdm(desc=crawler.spidercls.name, unit=" pages", disable=None)
        crawler.signals.connect(self.response_received, signals.response_received)
        crawler.signals.connect(self.item_scraped, signals.item_scraped)
        crawler.signals.connect(self.bar.close, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Progress":
        """Return the bar of a crawl."""
        return cls(crawler)

    def response_received(self) -> None:
        """Count a page."""
        self.bar.update()

    def item_scraped(self) -> None:
        """Count an item."""
        self.items += 1
        self.bar.set_postfix(items=self.items, refresh=False)
