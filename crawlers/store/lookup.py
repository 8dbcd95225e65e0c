"""Stored pages for a crawl: those of its own snapshot, and those of older snapshots, which are requested conditionally."""

from pathlib import Path

from scrapy import Request
from scrapy.http import Response

from atomexam.records.provenance import page_id
from crawlers.store.index import mend_index
from crawlers.store.merging import older_pages, stored_rows
from crawlers.store.part_writer import discard_foreign_parts
from crawlers.store.request_keys import Key, is_robots
from crawlers.store.segments import ArchiveRow, RecordLocation, StoredLocations, read_or_forget
from crawlers.store.warc import Page, Revisit, payload_digest

_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_NO_CONDITIONS = "asked_without_conditions"
_READING_HEADERS = {"content-type", "content-encoding", "content-language"}  # if one differs, equal bytes are a different page
_DATE_CHARS = len("2026-11-20")


class OlderPages:
    """Pages in older snapshots of one origin."""

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        self._folder = folder
        self._locations = older_pages(folder, snapshot, origin)

    def locate(self, key: Key) -> RecordLocation | None:
        """Return the location of an older page."""
        return self._locations.get(key)

    def add(self, key: Key, location: RecordLocation) -> None:
        """Add another page to be requested conditionally."""
        self._locations[key] = location

    def page(self, key: Key) -> Page | None:
        """Return an older page."""
        return read_or_forget(self._folder, self._locations, key)

    def forget(self, key: Key) -> None:
        """Drop an older page whose request has been answered."""
        self._locations.discard(key)

    def add_conditions(self, key: Key, request: Request) -> None:
        """Make a request conditional before it is sent."""
        remove_conditions(request)
        older = self.page(key) if key.method == "GET" and not request.meta.get(_NO_CONDITIONS) else None
        for name, value in older.headers if older else ():
            if condition := _CONDITIONS.get(name.lower()):
                request.headers[condition] = value

    def revisit(self, page: Page, older: Page | None) -> Revisit | None:
        """Return the revisit record of an unchanged page; None if the answer is a new page."""
        location = self._locations.get(page.key)
        if older is None or location is None or not (page.status == 304 or _is_equal(page, older)):
            return None
        return Revisit(
            key=page.key,
            date=page.date,
            status=page.status,
            headers=page.headers,
            page_id=page_id(page.key.url, older.body),
            snapshot=location.file[:_DATE_CHARS],
            older_date=older.date,
            payload=payload_digest(older.body),
        )


def unconditional_retry(request: Request, response: Response) -> Request | None:
    """Return the request to repeat once without conditions if the site rejects them with 412 (which is meant for other methods: RFC 9110,
    13.1.2)."""
    if response.status != 412 or not any(name in request.headers for name in _CONDITIONS.values()):
        return None
    again = request.replace(meta=request.meta | {_NO_CONDITIONS: True}, dont_filter=True)
    remove_conditions(again)
    return again


def remove_conditions(request: Request) -> None:
    """Remove the conditions from a request, since a redirect or retry inherits the headers of the previous request."""
    for name in _CONDITIONS.values():
        request.headers.pop(name, None)


def _is_equal(page: Page, older: Page) -> bool:
    return page.status == older.status and page.body == older.body and _reading(page) == _reading(older)


def _reading(page: Page) -> list[tuple[str, str]]:
    return [(name, value) for name, value in page.headers if name.lower() in _READING_HEADERS]


class SnapshotPages:
    """Stored answers of a snapshot. An unreadable one counts as not stored.

    Each run requests the robots.txt of a live site again, conditionally, because a crawl may take weeks (RFC 9309, 2.4).
    """

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        self._folder = folder
        self._stored, self.pages = StoredLocations(), 0
        self._rules: set[Key] = set()
        mend_index(folder)
        discard_foreign_parts(folder, snapshot, origin)
        self.older = OlderPages(folder, snapshot, origin)
        for _, row in stored_rows(folder, snapshot, origin, with_segment=origin == "live"):
            location = RecordLocation(row.file, row.offset, row.length)
            if origin == "live" and is_robots(row.url):
                self.older.add(row.key, location)
                self._rules.add(row.key)
            elif row.key not in self._stored:
                self._add(row.key, location)

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

    def add(self, row: ArchiveRow) -> None:
        """Add an answer that was stored."""
        self._add(row.key, RecordLocation(row.file, row.offset, row.length))
        self.older.forget(row.key)

    def confirm_rules(self, key: Key) -> bool:
        """Mark the robots.txt in this snapshot as still valid; return whether there is one."""
        location = self.older.locate(key)
        if key not in self._rules or location is None:
            return False
        self._add(key, location)
        return True

    def _add(self, key: Key, location: RecordLocation) -> None:
        self._stored[key] = location
        self.pages += not is_robots(key.url)
