"""Run one spider to completion in this process and return its outcome."""

import logging
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from twisted.python.failure import Failure

from atomexam.records.checks import one_of
from atomexam.records.params import Source
from crawlers.html.source_spider import MAX_REPORTED, SourceSpider
from crawlers.web.cookies import know_suffixes

MAX_LINES = 5  # URLs in a message
_LONGEST_LINE = 400  # URLs may have any length
_SOURCES = Path(__file__).parents[1] / "sources"


class Outcome(Struct, frozen=True, kw_only=True):
    """The outcome of a spider's run."""

    stats: dict[str, Any]
    errors: list[str]
    """Pages on which a callback failed, with the failure; at most MAX_REPORTED."""

    @property
    def finish_reason(self) -> str:
        """`finished`, or why the run ended early."""
        return self.stats.get("finish_reason", "never started")

    @property
    def misfits(self) -> list[str]:
        """Pages that do not fit the spider, with the reason; at most MAX_REPORTED."""
        return self.stats.get("misfit/pages", [])

    @property
    def pages(self) -> int:
        """Number of pages that reached the spider, or would have reached it with status 200."""
        return self.stats.get("response_received_count", 0) - self.stats.get("robotstxt/response_count", 0)


def spider_class(name: str) -> type[SourceSpider]:
    """Return the spider of a source. No other spider is loaded, so a broken one affects only its own source.

    Raises:
        ValueError: the source is unknown (the message lists the known ones), or its module is not valid Python.
    """
    known = sorted(path.parent.name for path in _SOURCES.glob("*/spider.py"))
    module = f"crawlers.sources.{one_of(name, known, 'source', 'crawlers/sources')}.spider"
    try:
        loader = SpiderLoader.from_settings(spider_settings({"SPIDER_MODULES": [module]}))
    except SyntaxError as error:
        raise ValueError(f"crawlers/sources/{name}/{Path(error.filename or 'spider.py').name}, line {error.lineno}: {error.msg}") from None
    return cast(type[SourceSpider], loader.load(one_of(name, loader.list(), "source", f"crawlers/sources/{name}/spider.py")))


def spider_arguments(source: Source) -> dict[str, Any]:
    """Return the arguments of a spider from its source's line in params.yaml."""
    return {name: getattr(source, name) for name in ("snapshot", "max_pages", "letters", "departments", "lists", "exam", "subject")}


def run_spider(spider: type[SourceSpider], settings: dict[str, Any], keep_items: bool = True, **arguments: Any) -> Outcome:
    """Run a spider to completion. Works only once per process, since Scrapy's reactor cannot be restarted.

    Items are not stored; only `item_scraped_count` is in the stats.
    """
    quiet()
    quiet_downloads()
    know_suffixes()
    process = AsyncCrawlerProcess(spider_settings(settings))
    crawler = process.create_crawler(spider)
    errors: list[str] = []

    def note(failure: Failure, response: Response) -> None:
        if len(errors) < MAX_REPORTED:
            errors.append(f"{response.url}: {failure.type.__name__}: {failure.getErrorMessage()}")

    crawler.signals.connect(note, signals.spider_error)
    crawl = process.crawl(crawler, **arguments)
    process.start()
    if not crawl.done():  # a signal stopped the reactor first
        raise KeyboardInterrupt
    crawl.result()  # raises if the spider or the store could not be constructed
    return Outcome(stats=crawler.stats.get_stats(), errors=errors)


def first_lines(lines: list[str]) -> str:
    """Return the first few lines for a message, and the number of further ones."""
    more = f"\n  … and {len(lines) - MAX_LINES} more" if len(lines) > MAX_LINES else ""
    short = (line if len(line) <= _LONGEST_LINE else f"{line[:200]} … {line[-100:]}" for line in lines[:MAX_LINES])
    return "".join(f"\n  {line}" for line in short) + more


def quiet() -> None:
    """Limit the log to warnings."""
    for handler in logging.getLogger().handlers:
        handler.setLevel(logging.WARNING)  # Scrapy's loggers log everything


def quiet_downloads() -> None:
    """Keep failed downloads out of the log; they are reported at the end of the crawl, without tracebacks."""
    for name in ("scrapy.core.scraper", "scrapy.downloadermiddlewares.robotstxt"):
        logging.getLogger(name).addFilter(lambda record: not str(record.msg).startswith("Error downloading"))
    for name in ("scrapy.core.downloader.handlers.http11", "scrapy.downloadermiddlewares.httpcompression"):
        # Too large, truncated or oddly compressed bodies are in the crawl's account. Scrapy's own set-up would reset a log level.
        logging.getLogger(name).addFilter(lambda record: record.levelno >= logging.ERROR)


def spider_settings(more: dict[str, Any]) -> Settings:
    """Return the settings of crawlers/web/settings.py, overridden by the given ones."""
    settings = Settings()
    settings.setmodule("crawlers.web.settings")
    settings.setdict({"SPIDER_MODULES": []} | more, priority="cmdline")
    return settings
