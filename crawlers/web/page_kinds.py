"""A law for all spiders: a page that yields nothing is a misfit, and so is a kind of page that the last snapshot had and this one lacks.

A kind is a callback. Its figures are what came of its pages: pages, requests, items, and of those the fields and labels that are filled.
"""

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
from crawlers.html.base64_text import SHOWN, base64_in
from crawlers.html.link_order import links_in_order
from crawlers.html.page_state import values_of
from crawlers.html.places import at_most, texts_in_order
from crawlers.html.question_order import regularities
from crawlers.html.readable import is_json
from crawlers.html.source_spider import NOTED, SourceSpider

KINDS_FILE = "kinds.json"
_STAT = "kind/"
LOOKED_AT = "pages looked at"
_WITH = "pages with "
"""Begins figures of which the share of the pages looked at counts, not the number."""
_PROVENANCE = {"url", "provenance"}
_FLAWS = {"doubt", "images"}
"""Fields that say of an item what it lacks: a site's change fills them."""
_READ_SHARE = 0.3
"""Of a text in base64: with less of it in items, they have its title or name from elsewhere on the page."""
_LABEL_CHARS = 20
_LOOKED_AT = 500
"""Pages of a kind whose text is looked into; a site that encodes it does so from the first on."""
_ENCODINGS = ("utf", "gb", "ascii", "hz", "cp936")
_TAG = re.compile(r"<[^<>]*>")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_SHOWN_LINKS = 3
Figures = dict[str, int]


class Snapshot(Struct, frozen=True, kw_only=True):
    """What the kinds of pages of one snapshot came to."""

    origin: str
    """`embedded` or `live`: the two are not compared."""
    scope: str
    """Of two scopes neither has to have what the other has."""
    figures: Figures


class PageKinds:
    """Spider middleware next to the spider: reports pages that yield nothing, and counts what came of each kind."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Any = crawler  # its spider is of a source
        self._figures: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageKinds":
        """Return the middleware of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.write_stats, signals.spider_closed)
        return made

    def write_stats(self) -> None:
        """Hand over the figures; once, since a stat an item would cost more than the reading."""
        for name, count in sorted(self._figures.items()):
            self._crawler.stats.set_value(_STAT + name, count)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a callback yields."""
        yield from checked(self._crawler.spider, response, result, self._figures)

    async def process_spider_output_async(self, response: Response, result: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Do the same for a callback that waits for something."""
        page = _Page(self._crawler.spider, response, self._figures)
        if page.is_sent_home():
            return
        async for found in result:
            page.count(found)
            yield found
        page.end()


def checked(spider: SourceSpider, response: Response, result: Iterable[Any], figures: Counter[str] | None = None) -> Iterator[Any]:
    """Yield what a callback yields; report a page that yields nothing, and do not read one that stands in another's place."""
    page = _Page(spider, response, Counter() if figures is None else figures)
    if page.is_sent_home():
        return
    for found in result:
        page.count(found)
        yield found
    page.end()


def kind_of(request: Request | None) -> str:
    """Return the kind of page that a request wants: the name of its callback."""
    return getattr(request.callback, "__name__", "parse") if request is not None and request.callback else "parse"


class _Page:
    """One page while its callback yields."""

    def __init__(self, spider: SourceSpider, response: Response, figures: Counter[str]) -> None:
        self._spider, self._response, self._figures = spider, response, figures
        self._kind = kind_of(response.request)
        self._told, self._misfits_before = self._messages(), self._misfits()
        self._has_yielded = False
        self._items: list[QuestionItem | EntityItem] = []
        self._requests: list[Request] = []

    def is_sent_home(self) -> bool:
        """Tell whether the site answered with where the spider starts, or its root, instead of the page; that is a misfit."""
        request = self._response.request
        wanted = request.meta.get("redirect_urls", [request.url])[0] if request is not None else self._response.url
        came = _place(self._response.url)
        if came == _place(wanted) or came not in self._starts() or _place(wanted)[1:] == came[1:]:
            return False
        self._spider.misfit(
            self._response, f"came instead of {wanted}, which has been moved or removed: redirected to where the site begins"
        )
        return True

    def _starts(self) -> set[tuple[str, str, str]]:
        return {_place(url) for url in (*getattr(self._spider, "start_urls", ()), f"//{_place(self._response.url)[0]}/")}

    def count(self, found: Any) -> None:
        """Count one thing that the callback yields."""
        self._has_yielded = True
        if isinstance(found, Request):
            self._figures[f"{self._kind}: links to {kind_of(found)}"] += 1
            self._requests.append(found)
        elif isinstance(found, QuestionItem | EntityItem):
            self._figures.update(f"{self._kind}: {name}" for name in _filled(found))
            self._items.append(found)

    def end(self) -> None:
        """Count the page, and report it if it yielded nothing and the spider said nothing of it."""
        self._figures[f"{self._kind}: pages"] += 1
        if getattr(self._response, "encoding", "utf-8").lower().startswith(_ENCODINGS):
            self._figures[f"{self._kind}: pages in UTF-8 or GB"] += 1
        if self._figures[f"{self._kind}: pages"] <= _LOOKED_AT:
            if encoded := self._unread_base64():
                self._spider.misfit(self._response, f"text in base64 that was not decoded: {encoded!r}")
            self._count_order()
        is_page = self._response.status < 300  # a spider may ask to see a 404, too
        if is_page and not self._has_yielded and self._messages() == self._told:
            self._spider.misfit(self._response, f"{self._kind} yielded neither items nor requests; {_seen(self._response)}")

    def _count_order(self) -> None:
        """Count what is in order of the page; what is not, on pages of which it was, is a change of the site."""
        noted = at_most(self._messages() - self._told, "things noted")
        values = values_of(self._response)
        texts = texts_in_order(self._response, values, self._items, self._requests)
        links = links_in_order(self._response, values, self._requests)
        self._figures[f"{self._kind}: {LOOKED_AT}"] += 1
        asked = {_place(request.url) for request in self._requests}
        onward = {"links to other pages alone"} if asked.isdisjoint(self._starts() | {_place(self._response.url)}) else set()
        self._figures.update(f"{self._kind}: {_WITH}{name}" for name in {*onward, *texts, *links, *regularities(self._items), *noted})

    def _unread_base64(self) -> str | None:
        """Return the beginning of a text in base64 that no item has decoded."""
        if not isinstance(self._response, TextResponse) or (encoded := base64_in(_TAG.sub("\n", self._response.text))) is None:
            return None
        if not self._items and self._misfits() == self._misfits_before and self._messages() > self._told:
            return None  # the spider read it and said why it takes nothing of it
        texts = [text for item in self._items for text in _texts(item)]
        if any(map(base64_in, texts)):  # its words may stand in other items all the same
            return encoded[:SHOWN]
        words = _CHINESE.findall(_TAG.sub("\n", encoded))
        read = sum(len(word) for word in words if any(word in text for text in texts))
        return None if words and read >= _READ_SHARE * sum(map(len, words)) else encoded[:SHOWN]

    def _messages(self) -> int:
        """Return how often the spider said why a page lacks something."""
        stats = self._spider.crawler.stats.get_stats()
        return self._misfits() + sum(value for name, value in stats.items() if name.startswith(NOTED))

    def _misfits(self) -> int:
        return self._spider.crawler.stats.get_value("misfit/count", 0)


def _filled(item: QuestionItem | EntityItem) -> Iterator[str]:
    """Yield what an item counts for: itself, its fields, the labels and titles in them, and that nothing is wrong with it."""
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


def _place(url: str) -> tuple[str, str, str]:
    address = urlsplit(url)
    return (address.hostname or "").lower(), address.path.rstrip("/"), address.query


def _seen(response: Response) -> str:
    """Return what a page has, for who looks for what it lacks."""
    if not isinstance(response, TextResponse) or not response.body.strip():
        return f"it has {len(response.body)} bytes"
    if is_json(response) or response.selector.type != "html":
        return f"it begins with {response.text.strip()[:60]!r}"
    title = "".join(response.css("title ::text").getall()).strip()
    links = dict.fromkeys(words for link in response.css("a") if (words := "".join(link.css("::text").getall()).strip()))
    return f"its title is {title[:40]!r}, and {len(links)} links say {', '.join(repr(words[:20]) for words in list(links)[:_SHOWN_LINKS])}"


def figures_of(stats: dict[str, Any]) -> Figures:
    """Return the figures that the middleware left in the stats of a crawl or a replay."""
    return {name.removeprefix(_STAT): count for name, count in sorted(stats.items()) if name.startswith(_STAT)}


def losses(before: Figures, now: Figures, bound: float) -> list[str]:
    """Return the figures of which more than a share is gone since the last snapshot, one line each; a kind that is gone is one line."""
    gone = {name.partition(":")[0] for name in before} - {name.partition(":")[0] for name in now}
    lines = [f"{kind}: {before.get(f'{kind}: pages', 0)} pages in the last snapshot, none now" for kind in sorted(gone)]
    kept = {name: count for name, count in before.items() if name.partition(":")[0] not in gone}
    for name, count in kept.items():
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
    """Keep the figures of a snapshot beside its pages."""
    known = _snapshots(folder) | {source.snapshot: Snapshot(origin=origin.partition(" ")[0], scope=_scope(source), figures=figures)}
    write_json(folder / KINDS_FILE, dict(sorted(known.items())), on_disk=True)


def last_figures(folder: Path, source: Source) -> Figures:
    """Return the figures of the last snapshot before this one that is like it; nothing where there is none."""
    known = _snapshots(folder)
    here = known.get(source.snapshot)
    like = [name for name, one in known.items() if here and name < source.snapshot and (one.origin, one.scope) == (here.origin, here.scope)]
    return known[max(like)].figures if like else {}


def _snapshots(folder: Path) -> dict[str, Snapshot]:
    """Return the figures of all snapshots.

    Raises:
        ValueError: the file is not what a crawl writes.
    """
    path = folder / KINDS_FILE
    advice = "`dvc checkout` brings back the last one; without it, nothing is compared with older snapshots"
    return read_json(path, dict[str, Snapshot], f"expected the figures of each snapshot; {advice}") if path.exists() else {}


def _scope(source: Source) -> str:
    return "; ".join(
        f"{name} {getattr(source, name)}" for name in ("max_pages", "letters", "departments", "lists") if getattr(source, name)
    )
