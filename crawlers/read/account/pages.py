"""Account of a source's pages: stored pages and their items -> where the characters of the visible text went.

All visible text of a page counts, not only the part that the spider reads. A character is in an item if it is part of eight consecutive
characters, ignoring punctuation, that also occur together in an item of the source: a paper may span many pages, and its answers may be on
other pages. The rest of a line is also in an item if it consists of shorter item texts, apart from labels (【解析】见教材). What remains
is mostly site furniture: the text of links, and lines that occur on most pages of a kind; the two kinds are pages with text of items and
pages without. For a large source, a sample of pages is checked, chosen by id.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import structs
from scrapy import Request
from scrapy.http import Response, TextResponse

from atomexam.records.item import Item
from atomexam.runtime.budgets import OverBudget, renew_cpu_limit
from atomexam.runtime.jsonl import read_jsonl
from crawlers.read.account.characters import CharacterAccount, Unread, folded
from crawlers.read.account.comparison import (
    NGRAM_CHARS,
    ItemTexts,
    MarkedLines,
    contents_of,
    count_marks,
    is_short_answer,
    keys_of,
    mark_items,
    signless,
    texts_of,
    unexplained,
)
from crawlers.read.lines.paper import lines_of
from crawlers.store.exchanges import response_of
from crawlers.store.segments import ArchiveRow, read_index, read_page
from crawlers.store.warc import Page
from crawlers.text.fields import parsed_json, text_of
from crawlers.web.bodies import unpacked
from crawlers.web.broken_pages import begin_page
from crawlers.web.charset import Charset
from crawlers.web.failure_causes import Refused

MOST_PAGES = 2000
_LEAST_PAGES = 3
_OK = 200


class _VisiblePage:
    """The text of one page."""

    def __init__(self, url: str, response: TextResponse) -> None:
        self.url = url
        lines, self.links = _visible(response)
        self.lines = MarkedLines(lines)


def account_of_pages(folder: Path, snapshot: str, items: Path, left_out: Collection[str] = ()) -> CharacterAccount:
    """Return the account of a source's stored pages, except for those that are too large to read.

    Args:
        items: the output of `extract`.
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
    """Return the account of the given pages with their addresses, and of all items of their source."""
    pages = [*_visible_pages(responses)]
    renew_cpu_limit(0)
    texts, account = ItemTexts(()), CharacterAccount()
    reasons = mark_items([page.lines for page in pages], _sharing_short(items, texts))
    for page in pages:
        count_marks(page.lines, ["doubt"] * len(reasons), account)
    _count_rest(pages, texts, account)
    return account


def _sharing_short(items: Iterable[Item], texts: ItemTexts) -> Iterator[Item]:
    """Yield items, and add those of their texts to `texts` that are too short to be found by n-grams."""
    keys = set[str]()
    for item in items:
        keys.update(key for text in texts_of(item) for key in keys_of(text) if 0 < len(key) < NGRAM_CHARS)
        yield item
    texts.share(keys)


def _visible_pages(responses: Iterable[tuple[str, Response]]) -> Iterator[_VisiblePage]:
    for url, response in responses:
        if isinstance(response, TextResponse):
            with suppress(OverBudget):
                yield _VisiblePage(url, response)


def _count_rest(pages: Sequence[_VisiblePage], texts: ItemTexts, account: CharacterAccount) -> None:
    """Count the rest: furniture, short item texts, and lines that occur on most pages of a kind; anything else is unread."""
    counts, on, sizes = Counter[bool](), Counter[tuple[bool, str]](), Counter[tuple[bool, str]]()
    left: dict[tuple[bool, str], Unread] = {}
    for page in pages:
        has_text = any(page.lines.marks)
        counts[has_text] += 1
        found = set[tuple[bool, str]]()
        for stretch in unexplained(page.lines, account):
            key = has_text, page.lines.text[stretch.start : stretch.end]
            if is_short_answer(stretch.text):
                account.furniture["answer"] += stretch.size
            elif signless(key[1]) in page.links:
                account.furniture["link"] += stretch.size
            elif own := sum(size for _, size in texts.take_all(contents_of(stretch.text))):
                account.in_items += own
                account.furniture["label"] += stretch.size - own
            else:
                found.add(key)
                sizes[key] += stretch.size
                reason, excerpt = "unread_line" if stretch.is_whole else "unread_words", " ".join(stretch.text.split())
                left.setdefault(key, Unread(f"{page.url} line {stretch.line + 1}", reason, 0, excerpt[:60]))
        on.update(found)
    for key, one in left.items():
        if on[key] >= _LEAST_PAGES and on[key] * 2 > counts[key[0]]:
            account.furniture["repeated"] += sizes[key]
        else:
            account.unread.append(structs.replace(one, characters=sizes[key]))


def spider_response(page: Page) -> Response:
    """Return a stored page as spiders see it: unpacked, in its true encoding."""
    packings = [value.encode() for name, value in page.headers if name.lower() == "content-encoding"]
    headers = [(name, value) for name, value in page.headers if name.lower() != "content-encoding"]
    page = structs.replace(page, body=unpacked(page.body, packings), headers=headers)
    return Charset().process_response(Request(page.key.url), response_of(page, page.key.url))


def _visible(response: TextResponse) -> tuple[list[str], str]:
    """Return the lines of a page as a person reads them, and the text of its links as one string."""
    if response.text.lstrip()[:1] in ("{", "["):
        try:
            return [line for text in _values_in(response.text) for line in text_of(text).split("\n")], ""
        except ValueError:
            pass
    links = "".join(response.css("a ::text").getall())
    return lines_of(response.text, drop_hidden=True), signless(folded(links))


def _values_in(text: str) -> Iterator[str]:
    """Yield the values in a JSON text in order, including those of lists and objects that strings inside it contain as JSON.

    Raises:
        ValueError: the text is not JSON.
    """
    waiting = [_without_keys(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip()[:1] in ("{", "["):
            with suppress(ValueError):
                value = _without_keys(value) or value
        if isinstance(value, list):
            waiting += reversed(value)
        elif value is not None:
            yield value if isinstance(value, str) else json.dumps(value)


def _without_keys(text: str) -> Any:
    """Return a parsed JSON text in which each object is replaced by the list of its values, including the values of duplicate keys."""
    return parsed_json(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])
