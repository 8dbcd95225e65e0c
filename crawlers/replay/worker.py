"""One worker of a replay: a Scrapy engine that runs the spider's callbacks on stored pages and returns their requests.

It reads one page at a time, so that all output belongs to a known page; this does not slow Scrapy down.
"""

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urldefrag

from scrapy import Request, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.budgets import limit_memory
from atomexam.runtime.external_sort import ExternalSort, SortedRun
from atomexam.runtime.jsonl import to_line
from atomexam.text.natural_order import natural_bytes
from crawlers.html.source_spider import SourceSpider, spider_of
from crawlers.replay.page_index import PageIndex
from crawlers.store.exchanges import key_of
from crawlers.store.request_keys import Key
from crawlers.web.broken_pages import MAX_MEMORY_BYTES, CurrentPage, track_pages_in
from crawlers.web.failure_causes import Refused
from crawlers.web.request_queue import QueuedRequest, decode, encode
from crawlers.web.run_spider import quiet, spider_settings

_MAX_REPORTED = 100_000  # reported requests that a worker remembers


def order(item: Item) -> bytes:
    """Return bytes that sort items by URL, then by position, with q2 before q10."""
    return item.url.encode("utf-8", "surrogatepass") + b"\0" + natural_bytes(item.provenance.position)


class ReplayTask(NamedTuple):
    """The arguments of a worker."""

    spider: type[SourceSpider]
    arguments: dict[str, Any]
    settings: dict[str, Any]
    folder: Path
    stored: PageIndex
    items: ExternalSort
    connection: Connection
    started: Any
    """Shared counter of the started pages of its batch."""
    current_page: CurrentPage
    page_seconds: float
    """Limit of CPU time for one page; a page that takes longer ends the worker."""
    is_first: bool
    """Whether this worker reads the start requests; only one does."""


class PageReport(NamedTuple):
    """The results of one request."""

    pages: int
    """Number of stored pages read for it."""
    requests: list[QueuedRequest]
    notes: list[tuple[str, str]]
    """Kind (`misfit`, `error`, `rejected`, `missed`, `broken`) and text."""


class Ended(NamedTuple):
    """The last message of a worker."""

    reason: str
    """`finished`, or why the spider closed early."""
    stats: dict[str, Any]
    runs: list[SortedRun]


class Worker:
    """State shared by the scheduler, middlewares and signals of one engine: the current page and its results."""

    def __init__(self, task: ReplayTask) -> None:
        self.task = task
        self.crawler: Crawler
        self.ready: Request | None = None
        self.pages = 0
        self.notes: list[tuple[str, str]] = []
        self._handing = False
        self._requests: list[QueuedRequest] = []
        self._batch: list[bytes] = []
        self._reports: list[PageReport] = []
        self._number: int | None = 0 if task.is_first else None
        self._reported: set[bytes] = set()
        self._parent = os.getppid()
        self.reason = "never started"

    def join(self, crawler: Crawler) -> None:
        """Connect to a crawl."""
        self.crawler = crawler
        shared: Any = crawler
        shared.replay_worker = self
        shared.reject_page = self.reject  # for crawlers.web.charset and broken_pages
        shared.is_stored = lambda request: self.task.stored.find(key_of(request)) is not None  # for crawlers.web.robots
        crawler.signals.connect(self.go_on, signals.spider_idle)
        crawler.signals.connect(self.keep, signals.item_scraped)
        crawler.signals.connect(self.note_failure, signals.spider_error)
        crawler.signals.connect(self.close, signals.spider_closed)

    def enqueue(self, request: Request) -> None:
        """Accept the current request, or collect a request made by the spider."""
        if self._handing:
            self.ready = request
            return
        if request.errback is None and self._is_beyond(request):
            return
        identity = None if request.dont_filter else self.crawler.request_fingerprinter.fingerprint(request)
        if identity is not None:
            if identity in self._reported:  # already requested by this worker for an earlier page, which takes precedence
                return
            if len(self._reported) == _MAX_REPORTED:
                self._reported.clear()
            self._reported.add(identity)
        try:
            self._requests.append((identity, encode(request, spider_of(self.crawler))))
        except ValueError as error:
            self.notes.append(("broken", f"{request.url} cannot be sent to another process: {error}"))

    def go_on(self) -> None:
        """Finish the current page and start the next one, if there is one."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if os.getppid() != self._parent:
            self._leave()
        self._report()
        if not self._batch and not self._next_batch():
            return
        request = decode(self._batch.pop(), spider_of(self.crawler))
        self.task.started.value += 1
        self._handing = True
        self.crawler.engine.crawl(request)
        self._handing = False
        signal.setitimer(signal.ITIMER_VIRTUAL, self.task.page_seconds)
        raise DontCloseSpider

    def keep(self, item: Item, response: Response | None) -> None:
        """Spool an item."""
        where = response.url if response else "start"
        if not isinstance(item, QuestionItem | EntityItem):
            self.notes.append(("error", f"{where}: {type(item).__name__} is not an item; expected QuestionItem or EntityItem"))
            return
        try:
            self.task.items.add(order(item), to_line(item))
        except UnicodeEncodeError as error:  # a lone surrogate, which JSON escapes can contain
            self.notes.append(("error", f"{where}: an item cannot be written: {error}"))

    def note_failure(self, failure: Failure, response: Response | Failure | None) -> None:
        """Record a page on which a callback failed."""
        where = getattr(response, "url", None) or getattr(getattr(response, "request", None), "url", "start")
        self.notes.append(("error", f"{where}: {failure.type.__name__}: {failure.getErrorMessage()}"))

    def reject(self, request: Request, why: str) -> Refused:
        """Record an item that `clean` will reject for a page that breaks its reader; return the exception to raise."""
        key = key_of(request)
        self.notes.append(("rejected", f"{key}: {why}"))
        if row := self.task.stored.find(key):
            spider, url = spider_of(self.crawler), urldefrag(row.url).url
            page = Provenance(source=spider.name, url=url, snapshot=spider.snapshot, page_id=row.page_id, position="page")
            item = QuestionItem(url=url, provenance=page, doubt="page_unreadable")
            self.task.items.add(order(item), to_line(item))
        return Refused(why)

    def miss(self, key: Key) -> None:
        """Record a request without a page, unless it had none in the crawl either."""
        if str(key) in self.task.stored.failed:
            return
        if self.task.stored.is_beyond(key):
            self.crawler.stats.inc_value("archive/over_limit")
        else:
            self.notes.append(("missed", str(key)))

    def _is_beyond(self, request: Request) -> bool:
        """Return whether a request is beyond max_pages and has no page, like most links in a crawl with a limit."""
        index, key = self.task.stored, key_of(request)
        if not index.is_beyond(key) or index.find(key) or str(key) in index.failed:
            return False
        self.crawler.stats.inc_value("archive/over_limit")
        return True

    def close(self, reason: str) -> None:
        """Record why the spider closed."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.reason = reason

    def _report(self) -> None:
        stats = self.crawler.stats
        if misfits := stats.get_value("misfit/pages"):
            self.notes += [("misfit", text) for text in misfits]
            stats.set_value("misfit/pages", [])
        self._reports.append(PageReport(self.pages, self._requests, self.notes))
        self.pages, self._requests, self.notes = 0, [], []

    def _next_batch(self) -> bool:
        connection = self.task.connection
        try:
            connection.send((self._number, self._reports))
            self._number, batch = connection.recv()
            self._reports = []
        except (EOFError, OSError):
            self._leave()
        self._batch = batch[::-1]
        self.task.started.value = 0
        return bool(batch)

    def _leave(self) -> NoReturn:
        os._exit(1)  # the parent has ended, so there is no one to notify


def work(task: ReplayTask) -> None:
    """Run a worker to completion in a separate process, because Scrapy's reactor cannot be restarted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the parent ends its workers
    quiet()
    track_pages_in(task.current_page)
    limit_memory(MAX_MEMORY_BYTES)
    worker = Worker(task)
    process = AsyncCrawlerProcess(spider_settings(task.settings))
    crawler = process.create_crawler(task.spider)
    worker.join(crawler)
    crawl = process.crawl(crawler, **task.arguments)
    process.start(install_signal_handlers=False)
    try:
        crawl.result()
    except ValueError as error:  # a spider that could not be constructed
        task.connection.send(str(error))
        return
    counts = {name: value for name, value in crawler.stats.get_stats().items() if type(value) is int}
    task.connection.send(Ended(worker.reason, counts, task.items.finish()))
