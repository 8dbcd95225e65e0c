"""The archive between spider and network during a crawl: it serves stored pages, and fetches and stores others."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from atomexam.records.provenance import page_id
from crawlers.html.source_spider import spider_of
from crawlers.html.walls import wall_with_status
from crawlers.store import merging
from crawlers.store.exchanges import OLD_SESSION, REPLAYED, UNSTORED, Outdated, exchange, key_of, response_of
from crawlers.store.lookup import SnapshotPages, remove_conditions, unconditional_retry
from crawlers.store.missing_pages import Failures, beyond_digest
from crawlers.store.part_writer import CannotWrite, PartWriter
from crawlers.store.request_keys import Key, digest_of, is_robots
from crawlers.store.segments import ArchiveRow
from crawlers.store.warc import Page, header_value
from crawlers.web.charset import Charset
from crawlers.web.failure_causes import LOG_IN, REFUSED, SENT_STATUS, UNANSWERED_FOR, Refused, of_answer, of_exception, refuse, stop
from crawlers.web.redirect_chains import AT_LOGIN, add_pending, can_wait, is_followed, is_for_good, pending, take_pending


class ArchiveMiddleware:
    """Downloader middleware closest to the downloader. Settings: ARCHIVE_FOLDER, ARCHIVE_SNAPSHOT, ARCHIVE_ORIGIN, MAX_PAGES, and
    ARCHIVE_BROKEN (request -> cause, for pages that crash their reader).

    Stats: `archive/pages` (number of pages), `archive/reused` (stored by earlier runs), `archive/unchanged` (as in an older snapshot),
    `archive/failed` (request -> cause, for unanswered requests), `archive/over_limit` (number beyond MAX_PAGES), `archive/beyond`
    (digests of those), `archive/unanswered` (number of requests with no such outcome).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.get("ARCHIVE_FOLDER"):
            raise NotConfigured("no ARCHIVE_FOLDER: pages are not stored")
        self.crawler, self.stats, self.refusals = crawler, crawler.stats, Refusals(crawler)
        self.folder = Path(settings["ARCHIVE_FOLDER"])
        self.broken: dict[str, str] = settings.getdict("ARCHIVE_BROKEN")
        self.snapshot: str = settings["ARCHIVE_SNAPSHOT"]
        self.origin: str = settings["ARCHIVE_ORIGIN"]
        self.max_pages = settings.getint("MAX_PAGES")
        self.failed = Failures()
        self.writer: PartWriter | None = None
        self.stored = SnapshotPages(self.folder, self.snapshot, self.origin)
        self.older = self.stored.older
        self.beyond: set[bytes] = set()
        self.waiting: set[bytes] = set()  # counted towards the limit, not yet answered
        shared: Any = crawler
        shared.reject_page = partial(refuse, self.stats)  # for crawlers.web.charset and broken_pages
        shared.is_stored = lambda request: key_of(request) in self.stored  # for crawlers.web.robots

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ArchiveMiddleware":
        """Return the middleware of a crawl."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        crawler.signals.connect(middleware.request_dropped, signals.request_dropped)
        return middleware

    def process_request(self, request: Request) -> Response | None:
        """Answer from the archive, or pass the request to the network."""
        key = key_of(request)
        if request.meta.get(UNSTORED):
            remove_conditions(request)
            return None
        if page := self.stored.page(key):
            self.stats.inc_value("archive/reused")
            return response_of(page, request.url, REPLAYED)
        self._admit(key, request)
        self.older.add_conditions(key, request)
        return None

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Store an answer from the network."""
        key, stored_id = key_of(request), None
        if again := unconditional_retry(request, response):
            return again
        if REPLAYED not in response.flags and not request.meta.get(UNSTORED):
            response, stored_id = self._keep(key, request, response)
        if REPLAYED in response.flags and not self._leads_on(request, response):
            self._settle(request)
        if (why := self.broken.get(str(key))) and key in self.stored:
            raise refuse(self.stats, request, why)
        request.meta["page_id"] = stored_id or page_id(key.url, response.body)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record a failed request; a later success removes it from the list."""
        if not isinstance(exception, IgnoreRequest):  # refused requests are recorded where they are refused
            self._fail(request, of_exception(exception))
        elif not isinstance(exception, Refused):  # forbidden, or beyond the limit: the redirect counts as an answer
            self._settle(request)

    def spider_closed(self) -> None:
        """Write the figures to the stats and close the part."""
        self.stats.set_value("archive/pages", len(self.stored))
        self.stats.set_value("archive/failed", self.failed)
        self.stats.set_value("archive/beyond", self.beyond)
        refused = self.stats.get_value(REFUSED) or Failures()
        self.stats.set_value("archive/unanswered", sum(not (self.failed.has(one) or refused.has(one)) for one in self.waiting))
        if self.writer:
            self.writer.close()

    def request_dropped(self, request: Request) -> None:
        """Store the redirects to a page that was already requested at its new URL."""
        if is_for_good(request):
            self._settle(request)

    def _admit(self, key: Key, request: Request) -> None:
        """Count a new request towards the limit, or raise if it exceeds the limit."""
        mark = digest_of(str(key))
        if is_robots(key.url) or mark in self.waiting:
            return
        if self.max_pages and self.stored.pages + len(self.waiting) >= self.max_pages:
            self.stats.inc_value("archive/over_limit")
            self.beyond.add(beyond_digest(key))
            raise IgnoreRequest(f"{request.url}: beyond max_pages")
        if request.meta.get(OLD_SESSION):
            raise Outdated(f"{request.url}: its session token is from an earlier run")
        self.waiting.add(mark)

    def _keep(self, key: Key, request: Request, response: Response) -> tuple[Response, str | None]:
        """Store an answer if it is valid; return the response for the spider, and the page's id if it was stored."""
        request.meta.pop(SENT_STATUS, None)  # from an earlier attempt
        if page := self.stored.page(key):  # two concurrent requests; the first answer counts
            return response_of(page, request.url, REPLAYED), None
        older = self.older.page(key)
        location = response.headers.get("Location")
        why = of_answer(request.url, response.status, header_value(location) if location is not None else None)
        if response.status == 304:
            why = None if older else "HTTP status 304"
        elif why is None and str(key) not in self.broken and (why := self.refusals.find(request, response)):
            request.meta[SENT_STATUS] = response.status
            response = response.replace(status=403)  # so that it is requested again and does not reach a callback
        elif why and not is_robots(key.url) and response.status >= 400 and (wall := self.refusals.wall(request, response)):
            request.meta[SENT_STATUS] = response.status
            why, response = wall, response.replace(status=403)
        elif why is None and request.meta.get(AT_LOGIN) and not self._leads_on(request, response):
            why = LOG_IN  # the middleware for redirects refuses the pages that led here
        if why:
            self._fail(request, why)
            request.meta[UNANSWERED_FOR] = why
            return response, None
        return self._store(key, request, response, older)

    def _leads_on(self, request: Request, response: Response) -> bool:
        return is_followed(request, response, spider_of(self.crawler))

    def _fail(self, request: Request, why: str) -> None:
        """Record a request and the redirects to it as failed; redirects are stored only together with their target."""
        for failed_request in (str(key_of(request)), *(str(page.key) for page, _ in pending(request))):
            self.failed[failed_request] = why

    def _settle(self, request: Request) -> None:
        """Store the redirects that led to a page, unless it is a log-in page."""
        for page, sent_request in () if request.meta.get(AT_LOGIN) else take_pending(request):
            if page.key not in self.stored:
                with self._writing() as writer:
                    self._add(writer.write(page, sent_request))

    def _store(self, key: Key, request: Request, response: Response, older: Page | None) -> tuple[Response, str | None]:
        sent_request, page = exchange(key, request, response, self.origin)
        if self._leads_on(request, response) and can_wait(request):
            add_pending(request, (page, sent_request))
            return response, None
        self._settle(request)
        unchanged = self.older.revisit(page, older)
        before = self.older.locate(key) if unchanged else None
        if unchanged and older:
            response = _as_of_now(older, response)
            if self.stored.confirm_rules(key):
                return response, unchanged.page_id
        with self._writing() as writer:
            row = writer.write_revisit(unchanged, sent_request, before) if unchanged and before else writer.write(page, sent_request)
        self._add(row)
        self.stats.inc_value("archive/unchanged", int(unchanged is not None))
        return response, row.page_id

    @contextmanager
    def _writing(self) -> Iterator[PartWriter]:
        """Yield the writer. If writing fails, stop the crawl, since nothing more can be stored."""
        try:
            if self.writer is None:
                self.writer = PartWriter(self.folder, self.snapshot, self.origin)
            yield self.writer
        except CannotWrite as error:
            stop(self.crawler, str(error))
            raise IgnoreRequest(str(error)) from error

    def _add(self, row: ArchiveRow) -> None:
        """Register a stored answer: its request is no longer waiting or failed."""
        request = str(row.key)
        self.stored.add(row)
        self.failed.pop(request, None)
        self.waiting.discard(digest_of(request))


def finish_crawl(folder: Path, snapshot: str, origin: str) -> int:
    """Merge the parts of a finished crawl into the snapshot's segment; return the number of pages."""
    return merging.finish(folder, snapshot, origin, with_segment=origin == "live")


def _as_of_now(older: Page, response: Response) -> Response:
    """Return an older page with the cookies of the answer that confirms it is unchanged."""
    page = response_of(older, response.url)
    page.headers.setlist("Set-Cookie", response.headers.getlist("Set-Cookie"))
    return page


class Refusals:
    """Checks every answer with the spider's `refusal`, after unpacking it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._unpacking = HttpCompressionMiddleware(crawler=crawler)
        self._charset = Charset()

    def find(self, request: Request, response: Response) -> str | None:
        """Return why an answer is a refusal, or None."""
        refusal = getattr(self._crawler.spider, "refusal", None)
        return self._verdict(refusal, request, response) if refusal else None

    def wall(self, request: Request, response: Response) -> str | None:
        """Return which kind of wall an answer with an error status is, or None."""
        return self._verdict(wall_with_status, request, response)

    def _verdict(self, refusal: Callable[[Response], str | None], request: Request, response: Response) -> str | None:
        unpacked = self._unpacking.process_response(request, response.copy())  # a copy, since this changes the headers
        try:
            return refusal(self._charset.process_response(request, cast(Response, unpacked)).replace(request=request))
        except Refused:  # an answer beyond the reader's budget is not a refusal by the site
            return None
