"""The Scrapy components of a replay: answers from stored pages, no network, one request at a time."""

from collections.abc import AsyncIterator
from typing import Any, cast

from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings.default_settings import DOWNLOADER_MIDDLEWARES_BASE, EXTENSIONS_BASE

from crawlers.replay.worker import Worker
from crawlers.store.exchanges import REPLAYED, UNSTORED, key_of, response_of
from crawlers.store.request_keys import is_robots
from crawlers.store.segments import read_page
from crawlers.web import settings

_ARCHIVE, _COOKIES = "crawlers.web.archive.ArchiveMiddleware", "crawlers.web.cookies.Cookies"
_SENDING = tuple(  # needed only for requests that are sent
    f"scrapy.downloadermiddlewares.{name}."
    for name in ("cookies", "defaultheaders", "downloadtimeout", "httpauth", "httpcache", "httpproxy", "useragent")
)
_COUNTING = ("scrapy.extensions.corestats.", "scrapy.extensions.logcount.")


def _worker_of(crawler: Crawler) -> Worker:
    """Return the worker of a crawl."""
    shared: Any = crawler
    return cast(Worker, shared.replay_worker)


class OneRequest(BaseScheduler):
    """Scheduler that holds one request at a time and sends all others to the parent, which filters duplicates."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OneRequest":
        """Return the scheduler of a crawl."""
        return cls(_worker_of(crawler))

    def has_pending_requests(self) -> bool:
        """Return whether a request is waiting."""
        return self._worker.ready is not None

    def enqueue_request(self, request: Request) -> bool:
        """Accept a request; no request is refused."""
        self._worker.enqueue(request)
        return True

    def next_request(self) -> Request | None:
        """Return the current request, but only once."""
        request, self._worker.ready = self._worker.ready, None
        return request


class StoredPages:
    """Downloader middleware that replaces the archive: it answers only from stored pages."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._folder = worker.task.folder

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "StoredPages":
        """Return the middleware of a crawl."""
        return cls(_worker_of(crawler))

    def process_request(self, request: Request) -> Response:
        """Answer from the archive."""
        if request.meta.get(UNSTORED):
            raise IgnoreRequest(f"{request.url}: requested in a session that has ended")
        key = key_of(request)
        index = self._worker.task.stored
        if why := index.broken.get(str(key)):
            raise self._worker.reject(request, why)
        row = index.find(key)
        if row is None:
            self._worker.miss(key)
            raise IgnoreRequest(f"{request.url}: not in the archive")
        try:
            page = read_page(self._folder, row)
        except ValueError as error:
            self._worker.notes.append(("broken", str(error)))
            raise IgnoreRequest(f"{request.url}: cannot be read") from error
        self._worker.pages += not is_robots(key.url)
        request.meta["page_id"] = row.page_id
        return response_of(page, request.url if row.key == key else row.url, REPLAYED)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report an unreadable archive, so that no page is skipped silently."""
        if not isinstance(exception, IgnoreRequest):
            self._worker.notes.append(("broken", f"{request.url}: {type(exception).__name__}: {exception}"))


class Start:
    """Spider middleware that lets only the first worker read the spider's start requests."""

    def __init__(self, worker: Worker) -> None:
        self._is_first = worker.task.is_first

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Start":
        """Return the middleware of a crawl."""
        return cls(_worker_of(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the start requests, or nothing."""
        if self._is_first:
            async for result in start:
                yield result


def replay_settings() -> dict[str, Any]:
    """Return the settings of a replay: those of a crawl without its network settings, so that pages pass the same middlewares."""
    ours = {name: priority for name, priority in settings.DOWNLOADER_MIDDLEWARES.items() if name not in (_ARCHIVE, _COOKIES)}
    theirs = {name: priority for name, priority in DOWNLOADER_MIDDLEWARES_BASE.items() if ours.get(name, priority) is not None}
    return settings.offline() | {
        "SCHEDULER": OneRequest,
        # Scrapy also loads disabled components in each worker, so these lists contain only those in use.
        "DOWNLOADER_MIDDLEWARES_BASE": {name: priority for name, priority in theirs.items() if not name.startswith(_SENDING)},
        "DOWNLOADER_MIDDLEWARES": {name: priority for name, priority in ours.items() if priority is not None}
        | {StoredPages: settings.DOWNLOADER_MIDDLEWARES[_ARCHIVE]},
        "SPIDER_MIDDLEWARES": getattr(settings, "SPIDER_MIDDLEWARES", {}) | {Start: 0},
        "EXTENSIONS_BASE": {name: priority for name, priority in EXTENSIONS_BASE.items() if name.startswith(_COUNTING)},
        "EXTENSIONS": {},  # those of a crawl show progress; in a replay the parent does
    }
