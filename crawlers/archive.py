"""The archive between spider and network, while a crawl runs: what is stored is answered from there, what is not is fetched and stored."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response

from crawlers.store import merging
from crawlers.store.answers import key_of, response_of
from crawlers.store.failures import Failures
from crawlers.store.older import Older, without_conditions
from crawlers.store.parts import PartWriter, discard_foreign_parts
from crawlers.store.segments import read_at
from crawlers.store.session import OLD_SESSION, REPLAYED, UNSTORED, Outdated, lasting
from crawlers.store.stored import Place, Stored, digest_of
from crawlers.store.warc import Asked, Key, Page, header_value
from crawlers.web.faults import is_robots, of_answer, of_exception
from crawlers.web.refusals import Refusals
from records.provenance import page_id

_PRIVATE = {b"cookie", b"authorization", b"proxy-authorization"}  # of request headers: what tells one asker from another


class ArchiveMiddleware:
    """Downloader middleware next to the downloader. Settings: ARCHIVE_FOLDER, ARCHIVE_SNAPSHOT, ARCHIVE_ORIGIN, MAX_PAGES.

    It leaves in the stats: `archive/pages` (number), `archive/reused` (number that earlier runs had), `archive/unchanged` (number as in
    an older snapshot), `archive/failed` (request -> why, for those that never got an answer), `archive/over_limit` (number beyond
    MAX_PAGES).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.get("ARCHIVE_FOLDER"):
            raise NotConfigured("no ARCHIVE_FOLDER: pages are not stored")
        self.stats, self.refusals = crawler.stats, Refusals(crawler)
        self.folder = Path(settings["ARCHIVE_FOLDER"])
        self.snapshot: str = settings["ARCHIVE_SNAPSHOT"]
        self.origin: str = settings["ARCHIVE_ORIGIN"]
        self.max_pages = settings.getint("MAX_PAGES")
        self.failed = Failures()
        self.writer: PartWriter | None = None
        self.stored, self.pages = Stored(), 0
        self.waiting: set[bytes] = set()  # what has its place under the limit and no answer yet
        self._load()
        self.older = Older(self.folder, self.snapshot, self.origin)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ArchiveMiddleware":
        """Return the middleware of a crawl."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def process_request(self, request: Request) -> Response | None:
        """Answer from the archive, or let the request through to the network."""
        key = key_of(request)
        if request.meta.get(UNSTORED):
            without_conditions(request)
            return None
        if place := self.stored.get(key):
            self.stats.inc_value("archive/reused")
            return response_of(read_at(self.folder, place, key), request.url, REPLAYED)
        self._admit(key, request)
        self.older.ask(key, request)
        return None

    def process_response(self, request: Request, response: Response) -> Response:
        """Store an answer that came from the network."""
        key = key_of(request)
        seen = None
        if REPLAYED not in response.flags and not request.meta.get(UNSTORED):
            response, seen = self._keep(key, request, response)
        request.meta["page_id"] = seen or page_id(key.url, response.body)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Remember what failed; a later success takes it off the list."""
        if not isinstance(exception, IgnoreRequest):  # what is refused enters the account where it is refused
            self.failed[str(key_of(request))] = of_exception(exception)

    def spider_closed(self) -> None:
        """Leave the account, and end the part."""
        self.stats.set_value("archive/pages", len(self.stored))
        self.stats.set_value("archive/failed", self.failed)
        if self.writer:
            self.writer.close()

    def _load(self) -> None:
        """Take in what earlier runs stored."""
        discard_foreign_parts(self.folder, self.snapshot, self.origin)
        for _, row in merging.found_rows(self.folder, self.snapshot, self.origin, with_segment=self.origin == "live"):
            if row.key not in self.stored:
                self._add(row.key, Place(row.file, row.offset, row.length))

    def _admit(self, key: Key, request: Request) -> None:
        """Give a new request its place under the limit."""
        mark = digest_of(str(key))
        if is_robots(key.url) or mark in self.waiting:
            return
        if self.max_pages and self.pages + len(self.waiting) >= self.max_pages:
            self.stats.inc_value("archive/over_limit")
            raise IgnoreRequest(f"{request.url}: beyond max_pages")
        if request.meta.get(OLD_SESSION):
            raise Outdated(f"{request.url}: its word is of an earlier session")
        self.waiting.add(mark)

    def _keep(self, key: Key, request: Request, response: Response) -> tuple[Response, str | None]:
        """Store an answer where it is one; return what the spider is to see, and the page's id where it was stored."""
        if place := self.stored.get(key):  # asked for twice at once; the first answer counts
            return response_of(read_at(self.folder, place, key), request.url, REPLAYED), None
        older = self.older.page(key)
        location = response.headers.get("Location")
        why = of_answer(request.url, response.status, header_value(location) if location is not None else None)
        if response.status == 304:
            why = None if older else "HTTP status 304"
        elif why is None and (why := self.refusals.find(request, response)):
            response = response.replace(status=403)  # whatever it says: so it is asked for again and seen by no callback
        if why:
            self.failed[str(key)] = why
            return response, None
        return self._store(key, request, response, older)

    def _store(self, key: Key, request: Request, response: Response, older: Page | None) -> tuple[Response, str]:
        self.failed.pop(str(key), None)
        if self.writer is None:
            self.writer = PartWriter(self.folder, self.snapshot, self.origin)
        date = _date(response, self.origin)
        asked = Asked(key=key, date=date, headers=_sent(request), body=lasting(request)[1])
        page = Page(key=key, date=date, status=response.status, headers=_headers(response.headers), body=response.body)
        if seen := self.older.revisit(page, older):
            place = self.older.place(key)
            row = self.writer.write_revisit(seen, asked, place)
            self.stats.inc_value("archive/unchanged")
            response = _as_of_now(older, response)
        else:
            row = self.writer.write(page, asked)
        self._add(key, Place(row.file, row.offset, row.length))
        self.waiting.discard(digest_of(str(key)))
        self.older.forget(key)
        return response, row.page_id

    def _add(self, key: Key, place: Place) -> None:
        self.stored[key] = place
        self.pages += not is_robots(key.url)


def finish_crawl(folder: Path, snapshot: str, origin: str) -> int:
    """Merge the parts of a crawl that came to its end into the snapshot's segment; return the number of pages."""
    return merging.finish(folder, snapshot, origin, with_segment=origin == "live")


def _as_of_now(older: Page, response: Response) -> Response:
    """Return an older page with the cookies of the answer that says it still stands; no word of an earlier session is in it."""
    page = response_of(older, response.url)
    page.headers.setlist("Set-Cookie", response.headers.getlist("Set-Cookie"))
    return page


def _headers(headers: Headers) -> list[tuple[str, str]]:
    return sorted((header_value(name), header_value(value)) for name, values in headers.items() for value in values)


def _sent(request: Request) -> list[tuple[str, str]]:
    """Return the headers of a request as they are sent."""
    headers = request.headers.copy()
    headers.setdefault("Host", request.url.split("/")[2])
    for name in _PRIVATE:
        headers.pop(name, None)
    return _headers(headers)


def _date(response: Response, origin: str) -> str:
    """Return when a page was fetched: by the clock of the embedded server, which stands at the snapshot, or by our own."""
    sent = response.headers.get("Date")
    moment = parsedate_to_datetime(sent.decode()) if sent and origin != "live" else datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
