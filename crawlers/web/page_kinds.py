"""Checks for all spiders: a page that yields nothing is a misfit; a kind of page that has disappeared since the last snapshot is an error.

Each callback is a kind of page. Its figures count pages, requests and items, and the filled fields and labels of the items.
"""

import base64
import binascii
import re
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.params import Source
from atomexam.runtime.jsonl import read_json, write_json
from crawlers.html.link_order import links_in_order
from crawlers.html.page_state import values_of
from crawlers.html.question_order import regularities
from crawlers.html.readable import is_json
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.html.text_order import at_most, texts_in_order

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}(?![A-Za-z0-9+/=])")
EXCERPT_CHARS = 20
"""Maximum characters of a decoded text shown in a message."""
_MOST_TRIED = 1000
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/]{60})(?:\\r|\\n|[\r\n])+(?=[A-Za-z0-9+/])")
"""Line breaks within an encoded text, as in mail; in JSON they are escaped."""


def base64_in(text: str) -> str | None:
    """Return the first base64 text, decoded; only Chinese text and markup count, since plain letters may be a name."""
    return _first_in(_WRAPPED.sub("", text)) or _first_in(text)


def _first_in(text: str) -> str | None:
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _MOST_TRIED:
            break
        try:
            plain = base64.b64decode(match[0], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if re.search(r"[\u4e00-\u9fff]", plain) or plain.lstrip().startswith("<"):
            return plain
    return None


KINDS_FILE = "kinds.json"
_STAT = "kind/"
LOOKED_AT = "pages looked at"
_WITH = "pages with "
"""Prefix of figures that are compared as a share of the checked pages, not as a count."""
_PROVENANCE = {"url", "provenance", "exam", "subject"}
"""Fields that do not come from the page."""
_FLAWS = {"doubt", "images"}
"""Fields for defects of an item, which may become filled when the site changes."""
_READ_SHARE = 0.3
"""Minimum share of a base64 text that items must contain; with less, they have only its title or name, taken from elsewhere on the page."""
_LABEL_CHARS = 20
_LOOKED_AT = 500
"""Maximum number of pages of each kind whose text is checked; a site that encodes text does so from the first page."""
_ENCODINGS = ("utf", "gb", "ascii", "hz", "cp936")
_TAG = re.compile(r"<[^<>]*>")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_LISTED_LINKS = 3
Figures = dict[str, int]


class Snapshot(Struct, frozen=True, kw_only=True):
    """The figures of the kinds of pages of one snapshot."""

    origin: str
    """`embedded` or `live`: the two are not compared."""
    scope: str
    """Snapshots of different scopes are not compared."""
    figures: Figures


class PageKinds:
    """The spider middleware closest to the spider: it reports pages that yield nothing and counts the output of each kind of page."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Any = crawler  # its spider is a SourceSpider
        self._figures: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageKinds":
        """Return the middleware of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.write_stats, signals.spider_closed)
        return made

    def write_stats(self) -> None:
        """Write the figures to the stats once; updating a stat for each item would cost more than reading the item."""
        for name, count in sorted(self._figures.items()):
            self._crawler.stats.set_value(_STAT + name, count)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Yield the output of a callback."""
        yield from checked(self._crawler.spider, response, result, self._figures)

    async def process_spider_output_async(self, response: Response, result: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Do the same for an asynchronous callback."""
        page = _Page(self._crawler.spider, response, self._figures)
        if page.is_sent_home():
            return
        async for output in result:
            page.count(output)
            yield output
        page.end()


def checked(spider: SourceSpider, response: Response, result: Iterable[Any], figures: Counter[str] | None = None) -> Iterator[Any]:
    """Yield the output of a callback; report a page that yields nothing, and skip one sent in place of another."""
    page = _Page(spider, response, Counter() if figures is None else figures)
    if page.is_sent_home():
        return
    for output in result:
        page.count(output)
        yield output
    page.end()


def kind_of(request: Request | None) -> str:
    """Return the kind of a requested page: the name of the callback."""
    return getattr(request.callback, "__name__", "parse") if request is not None and request.callback else "parse"


class _Page:
    """One page while its callback runs."""

    def __init__(self, spider: SourceSpider, response: Response, figures: Counter[str]) -> None:
        self._spider, self._response, self._figures = spider, response, figures
        self._kind = kind_of(response.request)
        self._messages_before, self._misfits_before = self._messages(), self._misfits()
        self._has_yielded = False
        self._items: list[QuestionItem | EntityItem] = []
        self._requests: list[Request] = []

    def is_sent_home(self) -> bool:
        """Return whether the site redirected a request to a start page or the site's root, and report that as a misfit."""
        request = self._response.request
        wanted = request.meta.get("redirect_urls", [request.url])[0] if request is not None else self._response.url
        came = _host_path_query(self._response.url)
        if came == _host_path_query(wanted) or came not in self._starts() or _host_path_query(wanted)[1:] == came[1:]:
            return False
        self._spider.misfit(self._response, f"{wanted} was redirected to this start page, so it has been moved or removed")
        return True

    def _starts(self) -> set[tuple[str, str, str]]:
        return {
            _host_path_query(url) for url in (*getattr(self._spider, "start_urls", ()), f"//{_host_path_query(self._response.url)[0]}/")
        }

    def count(self, output: Any) -> None:
        """Count one output of the callback."""
        self._has_yielded = True
        if isinstance(output, Request):
            self._figures[f"{self._kind}: links to {kind_of(output)}"] += 1
            self._requests.append(output)
        elif isinstance(output, QuestionItem | EntityItem):
            self._figures.update(f"{self._kind}: {name}" for name in _filled(output))
            self._items.append(output)

    def end(self) -> None:
        """Count the page; report it if it yielded nothing and the spider did not report why."""
        self._figures[f"{self._kind}: pages"] += 1
        if getattr(self._response, "encoding", "utf-8").lower().startswith(_ENCODINGS):
            self._figures[f"{self._kind}: pages in UTF-8 or GB"] += 1
        if self._figures[f"{self._kind}: pages"] <= _LOOKED_AT:
            if encoded := self._unread_base64():
                self._spider.misfit(self._response, f"text in base64 that was not decoded: {encoded!r}")
            self._count_order()
        is_page = self._response.status < 300  # a spider may request a 404 on purpose
        if is_page and not self._has_yielded and self._messages() == self._messages_before:
            self._spider.misfit(self._response, f"{self._kind} yielded neither items nor requests; {_description(self._response)}")

    def _count_order(self) -> None:
        """Count the regularities of the page; if a kind of page loses one, the site has changed."""
        noted = at_most(self._messages() - self._messages_before, "things noted")
        values = values_of(self._response)
        texts = texts_in_order(self._response, values, self._items, self._requests)
        links = links_in_order(self._response, values, self._requests)
        self._figures[f"{self._kind}: {LOOKED_AT}"] += 1
        requested = {_host_path_query(request.url) for request in self._requests}
        onward = {"links to other pages alone"} if requested.isdisjoint(self._starts() | {_host_path_query(self._response.url)}) else set()
        self._figures.update(f"{self._kind}: {_WITH}{name}" for name in {*onward, *texts, *links, *regularities(self._items), *noted})

    def _unread_base64(self) -> str | None:
        """Return the beginning of a base64 text that no item has decoded."""
        if not isinstance(self._response, TextResponse) or (encoded := base64_in(_TAG.sub("\n", self._response.text))) is None:
            return None
        if not self._items and self._misfits() == self._misfits_before and self._messages() > self._messages_before:
            return None  # the spider read it and reported why it yields nothing
        texts = [text for item in self._items for text in _texts(item)]
        if any(map(base64_in, texts)):  # its text may still be in other items
            return encoded[:EXCERPT_CHARS]
        words = _CHINESE.findall(_TAG.sub("\n", encoded))
        read = sum(len(word) for word in words if any(word in text for text in texts))
        return None if words and read >= _READ_SHARE * sum(map(len, words)) else encoded[:EXCERPT_CHARS]

    def _messages(self) -> int:
        """Return how many misfits and notes the spider reported."""
        stats = self._spider.crawler.stats.get_stats()
        return self._misfits() + sum(value for name, value in stats.items() if name.startswith(NOTED))

    def _misfits(self) -> int:
        return self._spider.crawler.stats.get_value("misfit/count", 0)


def _filled(item: QuestionItem | EntityItem) -> Iterator[str]:
    """Yield the names of the figures that an item adds to: items, filled fields, labels, titles, and the absence of defects."""
    yield "items"
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if name in _FLAWS:
            if not value:
                yield f"items without {name}"
        elif value and name not in _PROVENANCE:
            yield name
    if isinstance(item, EntityItem):
        yield from {f"label {value.label.strip()[:_LABEL_CHARS]}" for value in item.values}
        yield from {f"section {section.title.strip()[:_LABEL_CHARS]}" for section in item.sections if section.title}


def _texts(item: QuestionItem | EntityItem) -> Iterator[str]:
    """Yield the texts of an item."""
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if isinstance(value, str) and name != "url":
            yield value
        elif isinstance(value, list):
            yield from (
                text for one in value for text in (one, getattr(one, "value", None), getattr(one, "text", None)) if isinstance(text, str)
            )


def _host_path_query(url: str) -> tuple[str, str, str]:
    address = urlsplit(url)
    return (address.hostname or "").lower(), address.path.rstrip("/"), address.query


def _description(response: Response) -> str:
    """Return a description of a page for a misfit."""
    if not isinstance(response, TextResponse) or not response.body.strip():
        return f"it has {len(response.body)} bytes"
    if is_json(response) or response.selector.type != "html":
        return f"it begins with {response.text.strip()[:60]!r}"
    title = "".join(response.css("title ::text").getall()).strip()
    links = dict.fromkeys(words for link in response.css("a") if (words := "".join(link.css("::text").getall()).strip()))
    return f"its title is {title[:40]!r}, and {len(links)} links are {', '.join(repr(words[:20]) for words in list(links)[:_LISTED_LINKS])}"


def figures_of(stats: dict[str, Any]) -> Figures:
    """Return the figures that the middleware stored in the stats of a crawl or a replay."""
    return {name.removeprefix(_STAT): count for name, count in sorted(stats.items()) if name.startswith(_STAT)}


def losses(before: Figures, now: Figures, bound: float) -> list[str]:
    """Return a line for each figure that fell by more than the given share since the last snapshot, and for each kind of page that is
    gone."""
    gone = {name.partition(":")[0] for name in before} - {name.partition(":")[0] for name in now}
    lines = [f"{kind}: {before.get(f'{kind}: pages', 0)} pages in the last snapshot, none now" for kind in sorted(gone)]
    remaining = {name: count for name, count in before.items() if name.partition(":")[0] not in gone}
    for name, count in remaining.items():
        kind, _, what = name.partition(": ")
        if not what.startswith(_WITH):
            if now.get(name, 0) < (1 - bound) * count:
                lines.append(f"{name}: {count} in the last snapshot, {now.get(name, 0)} now")
            continue
        of_before, of_now = before.get(f"{kind}: {LOOKED_AT}", 0), now.get(f"{kind}: {LOOKED_AT}", 0)
        if of_before and of_now and count / of_before - now.get(name, 0) / of_now > bound:
            lines.append(f"{name}: {count} of {of_before} in the last snapshot, {now.get(name, 0)} of {of_now} now")
    return lines


def add_snapshot(folder: Path, source: Source, origin: str, figures: Figures) -> None:
    """Store the figures of a snapshot next to its pages."""
    known = _snapshots(folder) | {source.snapshot: Snapshot(origin=origin.partition(" ")[0], scope=_scope(source), figures=figures)}
    write_json(folder / KINDS_FILE, dict(sorted(known.items())))


def last_figures(folder: Path, source: Source) -> Figures:
    """Return the figures of the latest comparable earlier snapshot; empty if there is none."""
    known = _snapshots(folder)
    current = known.get(source.snapshot)
    like = [
        name
        for name, one in known.items()
        if current and name < source.snapshot and (one.origin, one.scope) == (current.origin, current.scope)
    ]
    return known[max(like)].figures if like else {}


def _snapshots(folder: Path) -> dict[str, Snapshot]:
    """Return the figures of all snapshots.

    Raises:
        ValueError: the file was not written by a crawl.
    """
    path = folder / KINDS_FILE
    advice = "`dvc checkout` restores the last one; without it, nothing is compared with older snapshots"
    return read_json(path, dict[str, Snapshot], f"expected the figures of each snapshot; {advice}") if path.exists() else {}


def _scope(source: Source) -> str:
    return "; ".join(
        f"{name} {getattr(source, name)}" for name in ("max_pages", "letters", "departments", "lists") if getattr(source, name)
    )
