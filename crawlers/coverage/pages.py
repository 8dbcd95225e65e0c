"""Account of a source's pages: stored pages and the items read from them in, where the characters of the visible text went out.

All visible text of a page counts, not only the part that the spider reads. A character is in the items if it is within eight consecutive
characters, punctuation aside, that some item of the source has in a row: a paper may span many pages, and its answers may be on others. The
rest is mostly the site's own: the words of links are furniture, and so is a line that occurs on most pages of its kind, that is, those with
text of items or those without. Of a large source, a sample of pages chosen by id is checked.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from scrapy import Request
from scrapy.http import Response, TextResponse

from atomexam.records.item import EntityItem, Item
from atomexam.runtime.budgets import OverBudget, renew_cpu_limit
from atomexam.runtime.jsonl import read_jsonl
from crawlers.coverage.alignment import IN_ITEM, REJECTED, MarkedLines
from crawlers.coverage.characters import CharacterAccount, Unread, folded
from crawlers.coverage.furniture import class_of_line, is_short_answer, parts_of_stretch
from crawlers.coverage.leaves import texts_in
from crawlers.papers.paper import lines_of
from crawlers.store.exchanges import response_of
from crawlers.store.segments import ArchiveRow, read_index, read_page
from crawlers.store.warc import Page
from crawlers.text.fields import text_of
from crawlers.web.bodies import unpacked
from crawlers.web.broken_pages import begin_page
from crawlers.web.charset import Charset
from crawlers.web.failure_causes import Refused

MOST_PAGES = 2000
_LEAST_PAGES = 3
_NGRAM_CHARS = 8
"""Consecutive characters that identify text of an item."""
_OK = 200
_FACTOR = np.uint64(1_099_511_628_211)  # of the FNV hash
_SIGNS = re.compile(r"[\W_]+")
_FIELDS = (
    "exam_raw", "subject_raw", "paper_raw", "section_raw", "case_raw", "shared_options_raw", "stem_raw", "options_raw", "answer_raw",
    "explanation_raw",
)  # fmt: skip
Hashes = NDArray[np.uint64]


class _VisiblePage:
    """The text of one page."""

    def __init__(self, url: str, response: TextResponse) -> None:
        self.url = url
        lines, links = _visible(response)
        self.lines = MarkedLines(lines)
        self.links = links
        text = self.lines.text
        self.positions = np.fromiter((position for position, sign in enumerate(text) if not _SIGNS.match(sign)), dtype=np.int64)
        self.ngrams = _ngrams_of(text)

    def mark(self, good: NDArray[np.bool_], doubtful: NDArray[np.bool_]) -> bool:
        """Mark text that is in items; return whether there is any."""
        for hits, mark in ((doubtful, REJECTED), (good, IN_ITEM)):
            for start in np.flatnonzero(hits):
                low, high = int(self.positions[start]), int(self.positions[start + _NGRAM_CHARS - 1])
                self.lines.marks[low : high + 1] = bytes([mark]) * (high + 1 - low)
        return bool(good.any() or doubtful.any())


def account_of_pages(folder: Path, snapshot: str, items: Path, left_out: Collection[str] = ()) -> CharacterAccount:
    """Return the account of a source's stored pages, except for those larger than what is read.

    Args:
        items: what `extract` wrote.
        left_out: requests whose pages break their reader.
    """
    rows = sorted((row for row in read_index(folder, snapshot) if row.status == _OK), key=lambda row: row.page_id)[:MOST_PAGES]
    return account_of_responses(_responses(folder, rows, left_out), read_jsonl(items, Item))


def _responses(folder: Path, rows: Iterable[ArchiveRow], left_out: Collection[str]) -> Iterator[tuple[str, Response]]:
    for row in rows:
        if not row.url.endswith("/robots.txt") and str(row.key) not in left_out:
            begin_page(str(row.key))
            with suppress(Refused):
                yield row.url, spider_response(read_page(folder, row))


def account_of_responses(responses: Iterable[tuple[str, Response]], items: Iterable[Item]) -> CharacterAccount:
    """Return the account of pages, each with its address, and of all items of their source."""
    pages = [*_visible_pages(responses)]
    renew_cpu_limit(0)
    known = np.unique(np.concatenate([np.zeros(0, np.uint64), *(page.ngrams for page in pages)]))
    hits = {is_doubtful: np.zeros(len(known), dtype=bool) for is_doubtful in (False, True)}
    for item in items:
        ngrams = _ngrams_of(folded(" ".join(_texts_of(item))))
        indices = np.searchsorted(known, ngrams)
        there = indices[indices < len(known)]
        there = there[known[there] == ngrams[indices < len(known)]]
        hits[getattr(item, "doubt", None) is not None][there] = True
    account, rest = CharacterAccount(), _UnclaimedLines()
    for page in pages:
        indices = np.searchsorted(known, page.ngrams)
        has_text = page.mark(hits[False][indices], hits[True][indices])
        marks = page.lines.marks
        account.characters += len(marks) + page.lines.markup
        account.furniture["markup"] += page.lines.markup
        account.in_items += marks.count(IN_ITEM)
        account.rejected["doubt"] += marks.count(REJECTED)
        rest.add(page, has_text, account)
    rest.count(account)
    return account


def _visible_pages(responses: Iterable[tuple[str, Response]]) -> Iterator[_VisiblePage]:
    for url, response in responses:
        if isinstance(response, TextResponse):
            with suppress(OverBudget):
                yield _VisiblePage(url, response)


class _UnclaimedLines:
    """Lines that are in no item, until it is known on how many pages each occurs."""

    def __init__(self) -> None:
        self._pages: Counter[bool] = Counter()
        self._on: Counter[tuple[bool, str]] = Counter()
        self._left: dict[tuple[bool, str], Unread] = {}

    def add(self, page: _VisiblePage, has_text: bool, account: CharacterAccount) -> None:
        """Count a page's furniture, and keep the rest."""
        self._pages[has_text] += 1
        counts: dict[str, int] = defaultdict(int)
        for line, start, end in page.lines.free_runs():
            low, high = page.lines.bounds(line)
            text = page.lines.original(line, start, end)
            is_whole = (start, end) == (low, high)
            words = _SIGNS.sub("", page.lines.text[start:end])
            if is_whole and (kind := class_of_line(text)):
                account.furniture[kind] += end - start
            elif parts := ([] if is_whole else parts_of_stretch(text, start == low, end < high)):
                for kind, part in parts:
                    account.furniture[kind] += len(folded(part))
            elif is_short_answer(text):
                account.furniture["answer"] += end - start
            elif words in page.links:
                account.furniture["link"] += end - start
            else:
                counts[page.lines.text[start:end]] += end - start
                one = Unread(f"{page.url} line {line + 1}", "unread_line" if is_whole else "unread_words", 0, " ".join(text.split())[:60])
                self._left.setdefault((has_text, page.lines.text[start:end]), one)
        for text, count in counts.items():
            self._on[has_text, text] += 1
            one = self._left[has_text, text]
            self._left[has_text, text] = structs.replace(one, characters=one.characters + count)

    def count(self, account: CharacterAccount) -> None:
        """Separate the lines that occur on most pages of a kind from unread text."""
        for (kind, text), one in self._left.items():
            if self._on[kind, text] >= _LEAST_PAGES and self._on[kind, text] * 2 > self._pages[kind]:
                account.furniture["repeated"] += one.characters
            else:
                account.unread.append(one)


def spider_response(page: Page) -> Response:
    """Return a stored page as spiders see it: unpacked, in its true encoding."""
    packings = [value.encode() for name, value in page.headers if name.lower() == "content-encoding"]
    headers = [(name, value) for name, value in page.headers if name.lower() != "content-encoding"]
    page = structs.replace(page, body=unpacked(page.body, packings), headers=headers)
    return Charset().process_response(Request(page.key.url), response_of(page, page.key.url))


def _ngrams_of(text: str) -> Hashes:
    """Return a number for each eight consecutive characters of a folded text, punctuation aside."""
    words = _SIGNS.sub("", text)
    codes = np.frombuffer(words.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = len(codes) - _NGRAM_CHARS + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    ngrams = np.zeros(count, np.uint64)
    for offset in range(_NGRAM_CHARS):
        ngrams = ngrams * _FACTOR + codes[offset : offset + count]
    return ngrams


def _texts_of(item: Item) -> Iterator[str]:
    """Yield the texts of an item in the order in which pages have them."""
    if isinstance(item, EntityItem):
        yield from filter(None, (item.name_raw, item.alias_raw))
        for value in item.values:
            yield from (value.label, value.value)
        for section in item.sections:
            yield from (section.title, section.text)
        return
    for field in _FIELDS:
        value = getattr(item, field)
        yield from value if isinstance(value, list) else filter(None, [value])


def _visible(response: TextResponse) -> tuple[list[str], str]:
    """Return the lines of a page as its reader sees them, and the words of its links in a row."""
    if response.text.lstrip()[:1] in ("{", "["):
        try:
            return [line for text in texts_in(response.text) for line in text_of(text).split("\n")], ""
        except (ValueError, RecursionError):
            pass
    links = "".join(response.css("a ::text").getall())
    return lines_of(response.text, drop_hidden=True), _SIGNS.sub("", folded(links))
