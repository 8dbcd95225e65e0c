"""The archive between spider and network: what is stored is replayed, what is not is fetched and stored, or missed when offline."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from crawlers.segments import PartWriter, Row, finish, read_failed, read_index, read_page, stored
from crawlers.warc import Key, Page, header_value, request_key
from records.provenance import page_id

_REPLAYED = "archived"  # flag of a response that came from the archive
_NO_ANSWER = {401, 403, 407, 408, 429}  # the site refuses for now; the page may be had another time, so nothing is stored


class ArchiveMiddleware:
    """Downloader middleware next to the downloader. Settings: ARCHIVE_FOLDER, ARCHIVE_SNAPSHOT, ARCHIVE_ORIGIN, ARCHIVE_OFFLINE, MAX_PAGES.

    It leaves in the stats: `archive/pages` (number), `archive/reused` (number), `archive/missed` (urls not stored, offline),
    `archive/failed` (request -> why, for those that never got an answer), `archive/over_limit` (number beyond MAX_PAGES).
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.get("ARCHIVE_FOLDER"):
            raise NotConfigured("no ARCHIVE_FOLDER: pages are not stored")
        self.stats = crawler.stats
        self.folder = Path(settings["ARCHIVE_FOLDER"])
        self.snapshot: str = settings["ARCHIVE_SNAPSHOT"]
        self.origin: str = settings.get("ARCHIVE_ORIGIN", "")
        self.offline = settings.getbool("ARCHIVE_OFFLINE")
        self.max_pages = settings.getint("MAX_PAGES")
        self.failed: dict[str, str] = {}
        self.missed: list[str] = []
        self.writer: PartWriter | None = None
        if self.offline:
            self.rows = {row.key: row for row in read_index(self.folder, self.snapshot)}
        else:
            self.rows = stored(self.folder, self.snapshot, self.origin, with_segment=self.origin == "live")
        # Requests that failed took their place under the limit too, and take it again when the crawl is replayed.
        self.admitted = {str(key) for key in self.rows if not _is_robots(key)} | (read_failed(self.folder) if self.offline else set())

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ArchiveMiddleware":
        """Return the middleware of a crawl."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def process_request(self, request: Request) -> Response | None:
        """Answer from the archive, or let the request through to the network."""
        key = _key(request)
        if key in self.rows:
            self.stats.inc_value("archive/reused")
            return self._replay(self.rows[key], request)
        if not _is_robots(key) and str(key) not in self.admitted:
            if self.max_pages and len(self.admitted) >= self.max_pages:
                self.stats.inc_value("archive/over_limit")
                raise IgnoreRequest(f"{request.url}: beyond max_pages")
            self.admitted.add(str(key))
        if self.offline:
            self.missed.append(str(key))
            raise IgnoreRequest(f"{request.url}: not in the archive")
        return None

    def process_response(self, request: Request, response: Response) -> Response:
        """Store an answer that came from the network."""
        if _REPLAYED not in response.flags:
            key = _key(request)
            if _is_answer(key, response.status):
                self._store(key, response)
                self.failed.pop(str(key), None)
            else:
                self.failed[str(key)] = f"HTTP status {response.status}"
        request.meta["page_id"] = page_id(request.url, response.body)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Remember what failed; a later success takes it off the list."""
        if not isinstance(exception, IgnoreRequest):
            self.failed[str(_key(request))] = f"{type(exception).__name__}: {exception}".strip(": ")

    def spider_closed(self) -> None:
        """Leave the account, and end the part."""
        self.stats.set_value("archive/pages", len(self.rows))
        self.stats.set_value("archive/missed", self.missed)
        self.stats.set_value("archive/failed", self.failed)
        if self.writer:
            self.writer.close()

    def _replay(self, row: Row, request: Request) -> Response:
        page = read_page(self.folder, row)
        headers = Headers()
        for name, value in page.headers:
            headers.appendlist(name, value)
        kind = responsetypes.from_args(headers=headers, url=request.url, body=page.body)
        return kind(url=request.url, status=page.status, headers=headers, body=page.body, flags=[_REPLAYED])

    def _store(self, key: Key, response: Response) -> None:
        if self.writer is None:
            self.writer = PartWriter(self.folder, self.snapshot, self.origin)
        headers = sorted((header_value(name), header_value(value)) for name, values in response.headers.items() for value in values)
        page = Page(key=key, date=_date(response, self.origin), status=response.status, headers=headers, body=response.body)
        self.rows[key] = self.writer.write(page)


def finish_crawl(folder: Path, snapshot: str, origin: str) -> int:
    """Merge the parts of a crawl that came to its end into the snapshot's segment; return the number of pages."""
    public_origin = origin.split()[0]  # the state of the embedded sites parts crawls of one snapshot while they run, and no longer
    rows = stored(folder, snapshot, origin, with_segment=origin == "live")
    return finish(folder, snapshot, public_origin, rows)


def _key(request: Request) -> Key:
    return request_key(request.method, request.url, request.body)


def _is_robots(key: Key) -> bool:
    return urlsplit(key.url).path == "/robots.txt"


def _is_answer(key: Key, status: int) -> bool:
    if _is_robots(key) and status in (401, 403):  # RFC 9309, 2.3.1.3: such a site has no rules
        return True
    return status < 500 and status not in _NO_ANSWER


def _date(response: Response, origin: str) -> str:
    """Return when a page was fetched: by the clock of the embedded server, which stands at the snapshot, or by our own."""
    sent = response.headers.get("Date")
    moment = parsedate_to_datetime(sent.decode()) if sent and origin != "live" else datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
