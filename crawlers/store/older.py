"""Pages of older snapshots: asked for on condition that they have changed, and stored again only if they have."""

from pathlib import Path

from scrapy import Request
from scrapy.http import Response

from atomexam.records.provenance import page_id
from crawlers.store.merging import older_pages
from crawlers.store.segments import read_or_forget
from crawlers.store.stored import Place
from crawlers.store.warc import Key, Page, Revisit, payload_digest

_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_NO_CONDITIONS = "asked_without_conditions"
_HOW_TO_READ = {"content-type", "content-encoding", "content-language"}  # said anew, they make equal bytes another page
_DATE_CHARS = len("2026-11-20")


class Older:
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
