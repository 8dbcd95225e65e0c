"""One spider run to its end in this process, and what came of it."""

import logging
from typing import Any

from msgspec import Struct
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from twisted.python.failure import Failure

from crawlers.source import SourceSpider
from records.checks import one_of
from records.item import Item

SHOWN = 5  # urls in a message


class Outcome(Struct, frozen=True, kw_only=True):
    """What a spider's run came to."""

    items: list[Item]
    stats: dict[str, Any]
    errors: list[str]
    """Pages on which a callback failed, each with the failure."""

    @property
    def finish_reason(self) -> str:
        """`finished`, or why the run ended early."""
        return self.stats.get("finish_reason", "never started")

    @property
    def pages(self) -> int:
        """Pages that reached the spider or would have, had their status been 200."""
        return self.stats.get("response_received_count", 0) - self.stats.get("robotstxt/response_count", 0)


def spider_class(name: str) -> type[SourceSpider]:
    """Return the spider of a source.

    Raises:
        ValueError: there is none; the message names the known ones.
    """
    loader = SpiderLoader.from_settings(_settings({}))
    return loader.load(one_of(name, loader.list(), "source", "crawlers/sources"))


def run_spider(spider: type[SourceSpider], settings: dict[str, Any], **arguments: Any) -> Outcome:
    """Run a spider to its end. Works once in a process: Scrapy's reactor does not start twice."""
    _quiet()
    process = AsyncCrawlerProcess(_settings(settings))
    crawler = process.create_crawler(spider)
    items: list[Item] = []
    errors: list[str] = []

    def keep(item: Item) -> None:
        items.append(item)

    def note(failure: Failure, response: Response) -> None:
        errors.append(f"{response.url}: {failure.type.__name__}: {failure.getErrorMessage()}")

    crawler.signals.connect(keep, signals.item_scraped)
    crawler.signals.connect(note, signals.spider_error)
    crawl = process.crawl(crawler, **arguments)
    process.start()
    crawl.result()  # a spider or store that could not even be made raises here
    return Outcome(items=items, stats=crawler.stats.get_stats(), errors=errors)


def shown(lines: list[str]) -> str:
    """Return the first few lines of a list for a message, and how many more there are."""
    more = f"\n  … and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return "".join(f"\n  {line}" for line in lines[:SHOWN]) + more


def _quiet() -> None:
    """Keep the log to what needs a reader. A failed download is told at the end of the crawl, without its traceback."""
    for handler in logging.getLogger().handlers:
        handler.setLevel(logging.WARNING)  # Scrapy lets its loggers say everything
    for name in ("scrapy.core.scraper", "scrapy.downloadermiddlewares.robotstxt"):
        logging.getLogger(name).addFilter(lambda record: not str(record.msg).startswith("Error downloading"))


def _settings(more: dict[str, Any]) -> Settings:
    settings = Settings()
    settings.setmodule("crawlers.settings")
    settings.setdict(more, priority="cmdline")
    return settings
