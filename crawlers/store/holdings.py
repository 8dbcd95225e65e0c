"""What a crawl has before it asks: the pages of its own snapshot, by request, and those of older ones."""

from pathlib import Path

from crawlers.store.index import mend_index
from crawlers.store.merging import found_rows
from crawlers.store.older import Older
from crawlers.store.parts import discard_foreign_parts
from crawlers.store.segments import Row, read_or_forget
from crawlers.store.stored import Place, Stored
from crawlers.store.warc import Key, Page
from crawlers.web.faults import is_robots


class Holdings:
    """Stored answers. What cannot be read counts as not stored.

    The rules of a live site are asked for anew by each run, on condition: a snapshot may be crawled for weeks (RFC 9309, 2.4).
    """

    def __init__(self, folder: Path, snapshot: str, origin: str) -> None:
        self._folder = folder
        self._stored, self.pages = Stored(), 0
        self._rules: set[Key] = set()
        mend_index(folder)
        discard_foreign_parts(folder, snapshot, origin)
        self.older = Older(folder, snapshot, origin)
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
