"""What a crawl has before it asks: the pages of its own snapshot, and those of older ones, which are requested conditionally."""

from pathlib import Path

from scrapy import Request
from scrapy.http import Response

from atomexam.records.provenance import page_id
from crawlers.store.index import mend_index
from crawlers.store.merging import found_rows, older_pages
from crawlers.store.part_writer import discard_foreign_parts
from crawlers.store.request_keys import Key, is_robots
from crawlers.store.segments import Place, Row, StoredPlaces, read_or_forget
from crawlers.store.warc import Page, Revisit, payload_digest

_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_NO_CONDITIONS = "asked_without_conditions"
_HOW_TO_READ = {"content-type", "content-encoding", "content-language"}  # said anew, they make equal bytes another page
_DATE_CHARS = len("2026-11-20")


class OlderPages:
    """What older snapshots of one origin hold; nothing where no origin is given."""

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        self._folder = folder
        self._places = older_pages(folder, snapshot, origin)

    def place(self, key: Key) -> Place | None:
        """Return where an older page lies."""
        return self._places.get(key)

    def put(self, key: Key, place: Place) -> None:
        """Take in a page that is to be asked for on condition, too."""
        self._places[key] = place

    def page(self, key: Key) -> Page | None:
        """Return an older page."""
        return read_or_forget(self._folder, self._places, key)

    def forget(self, key: Key) -> None:
        """Give up an older page: its request is answered."""
        self._places.discard(key)

    def ask(self, key: Key, request: Request) -> None:
        """Lay the conditions upon a request that is about to be sent."""
        without_conditions(request)
        older = self.page(key) if key.method == "GET" and not request.meta.get(_NO_CONDITIONS) else None
        for name, value in older.headers if older else ():
            if condition := _CONDITIONS.get(name.lower()):
                request.headers[condition] = value

    def revisit(self, page: Page, older: Page | None) -> Revisit | None:
        """Return the record of an answer that says nothing new; None where it is a page of its own."""
        place = self._places.get(page.key)
        if older is None or place is None or not (page.status == 304 or _is_equal(page, older)):
            return None
        return Revisit(
            key=page.key,
            date=page.date,
            status=page.status,
            headers=page.headers,
            page_id=page_id(page.key.url, older.body),
            snapshot=place.file[:_DATE_CHARS],
            older_date=older.date,
            payload=payload_digest(older.body),
        )


def asked_plainly(request: Request, response: Response) -> Request | None:
    """Return the request to send again, once, where the site takes no conditions: 412 (RFC 9110, 13.1.2 has it for other methods)."""
    if response.status != 412 or not any(name in request.headers for name in _CONDITIONS.values()):
        return None
    again = request.replace(meta=request.meta | {_NO_CONDITIONS: True}, dont_filter=True)
    without_conditions(again)
    return again


def without_conditions(request: Request) -> None:
    """Take the conditions off a request: a redirect or a repetition inherits the headers of the request before it."""
    for name in _CONDITIONS.values():
        request.headers.pop(name, None)


def _is_equal(page: Page, older: Page) -> bool:
    return page.status == older.status and page.body == older.body and _reading(page) == _reading(older)


def _reading(page: Page) -> list[tuple[str, str]]:
    return [(name, value) for name, value in page.headers if name.lower() in _HOW_TO_READ]


class SnapshotPages:
    """Stored answers. What cannot be read counts as not stored.

    The rules of a live site are asked for anew by each run, on condition: a snapshot may be crawled for weeks (RFC 9309, 2.4).
    """

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        self._folder = folder
        self._stored, self.pages = StoredPlaces(), 0
        self._rules: set[Key] = set()
        mend_index(folder)
        discard_foreign_parts(folder, snapshot, origin)
        self.older = OlderPages(folder, snapshot, origin)
        for _, row in found_rows(folder, snapshot, origin, with_segment=origin == "live"):
            place = Place(row.file, row.offset, row.length)
            if origin == "live" and is_robots(row.url):
                self.older.put(row.key, place)
                self._rules.add(row.key)
            elif row.key not in self._stored:
                self._add(row.key, place)

    def __contains__(self, key: Key) -> bool:
        return key in self._stored

    def __len__(self) -> int:
        return len(self._stored)

    def page(self, key: Key) -> Page | None:
        """Return a stored page, or None."""
        before = len(self._stored)
        page = read_or_forget(self._folder, self._stored, key)
        if len(self._stored) < before:
            self.pages -= not is_robots(key.url)
        return page

    def add(self, row: Row) -> None:
        """Take in an answer that was stored."""
        self._add(row.key, Place(row.file, row.offset, row.length))
        self.older.forget(row.key)

    def keep_rules(self, key: Key) -> bool:
        """Take in that the rules which this very snapshot holds still stand; tell whether it holds any."""
        place = self.older.place(key)
        if key not in self._rules or place is None:
            return False
        self._add(key, place)
        return True

    def _add(self, key: Key, place: Place) -> None:
        self._stored[key] = place
        self.pages += not is_robots(key.url)
