"""xiaohe: diseases, symptoms, examinations, medicines and foods of the encyclopedia of xiaohe.cn.

No page of the real site was available: URLs and key names are assumed. Pages that do not fit, and lists that may continue in an unknown
way, are reported.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from atomexam.records.item import EntityItem
from crawlers.html.links import Link, link_to, links_to
from crawlers.html.page_state import dicts, parsed, states
from crawlers.html.pages import is_page
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.xiaohe.entries import read_entry
from crawlers.text.fields import text_of
from crawlers.web.failure_causes import of_answer

ROWS = ("list", "items", "records")
_NAMES = ("name", "title")
_MORE = re.compile(r"(?:has|is)_?(?:more|next)(?:_?page)?", re.I)
_CURSOR_KEYS = ("cursor", "next_cursor", "nextCursor", "offset")
_TOTAL = re.compile(r"total(?:_?(?:count|num|number|size))?", re.I)
_PAGING = re.compile(r"next|cursor|offset|token|more|(?:^|_)page|Page", re.I)
_LISTED_KEYS = 8


class Listing(NamedTuple):
    """A list, or one page of it."""

    hrefs: tuple[str, ...] = ()
    rows: int = 0
    """Number of its entries, including those without an address."""
    cursor: str | None = None
    """Parameter of the call for more entries; None at the end of the list."""
    faults: tuple[str, ...] = ()
    """Reasons why the list may have more entries than can be read."""


def listings(state: Any, kind: str, before: int = 0) -> Iterator[Listing]:
    """Yield the lists of a state; `before` is the number of entries on the pages before."""
    for listing in dicts(state):
        key = next((key for key in ROWS if isinstance(listing.get(key), list)), None)
        if key is not None:
            yield _listing(listing, listing[key], kind, before)


def _listing(listing: dict[str, Any], rows: list[Any], kind: str, before: int) -> Listing:
    entries = [row for row in rows if isinstance(row, dict)]
    addressed = [row for row in entries if row.get("url") or row.get("id")]
    named = [row for row in entries if row not in addressed and any(row.get(name) for name in _NAMES)]
    faults = []
    if named:
        faults.append(f"{len(named)} of {len(rows)} entries of a list have neither url nor id, but the keys {_keys(named[0])}")
    cursor = None
    if addressed or not rows:
        cursor, fault = _way_on(listing, before + len(rows))
        faults += [fault] if fault else []
    hrefs = tuple(str(row.get("url") or f"/medical/{kind}/{row['id']}") for row in addressed)
    return Listing(hrefs, len(rows), cursor if addressed else None, tuple(faults))


def _way_on(listing: dict[str, Any], count: int) -> tuple[str | None, str | None]:
    """Return the cursor of the call for more, and why the list may have more entries than can be read."""
    more_flags = [value for key, value in listing.items() if _MORE.fullmatch(key)]
    total = next((int(value) for key, value in listing.items() if _TOTAL.fullmatch(key) and re.fullmatch(r"\d{1,9}", str(value))), None)
    cursor = next((str(listing[key]) for key in _CURSOR_KEYS if listing.get(key) is not None), None)
    has_more = any(more_flags) if more_flags else total is not None and total > count
    if has_more and cursor is None:
        return (
            None,
            f"a list has more than the {count} entries shown, and no {', '.join(_CURSOR_KEYS)} to send; its keys are {_keys(listing)}",
        )
    if has_more:
        return cursor, None
    if total is not None and total > count:
        return None, f"a list of {total} entries ends after {count}; its keys are {_keys(listing)}"
    unknown = [key for key, value in listing.items() if _PAGING.search(key) and value and not _MORE.fullmatch(key)]
    if unknown and count and not more_flags and total is None:
        return None, f"whether a list continues after {count} entries is unknown: {_keys(listing)}"
    return None, None


def _keys(listing: dict[str, Any]) -> str:
    more = ", …" if len(listing) > _LISTED_KEYS else ""
    return ", ".join(str(key)[:30] for key in list(listing)[:_LISTED_KEYS]) + more


_WWW, _MOBILE, _SEARCH = "www.xiaohe.cn", "m.xiaohe.cn", "search.xiaohe.cn"
_ENTITY_TYPES = {
    "disease": "disease", "symptom": "symptom", "examination": "examination", "check": "examination", "drug": "medicine",
    "medicine": "medicine", "food": "food",
}  # fmt: skip
_KINDS = "|".join(_ENTITY_TYPES)
_ENTRY = re.compile(rf"/medical/({_KINDS})/(\w+)$")
_LIST = re.compile(rf"/medical/({_KINDS})$")
_LEAFLET = re.compile(r"(?:^|&)drug_id=(\d+)(?:&|$)")
_PAGE = re.compile(r"(?:^|&)(?:page|p|pn|page_?num|offset|cursor)=\w+", re.I)
_MORE_WORDS = re.compile("加载更多|下一页")
_CHECK = re.compile(rb"__ac_nonce|__ac_signature|byted_acrawler")
_SHORT_BYTES = 10_000
"""Real pages, with their state and styles, are longer than this; the browser check is not."""
_FEW_CHARS = 40


class XiaoheSpider(SourceSpider):
    """The root leads to one list per kind; a list shows its first entries and loads more through a call; each entry is a page."""

    name = "xiaohe"
    allowed_domains = [_WWW, _MOBILE, _SEARCH]  # noqa: RUF012 (Scrapy requires a plain list)
    start_urls = [f"https://{_WWW}/medical"]  # noqa: RUF012
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if wrong := [kind for kind in self.lists or [] if kind not in _ENTITY_TYPES]:
            form = f"expected kinds of entries: {', '.join(sorted(_ENTITY_TYPES))}"
            raise ValueError(f"params.yaml: sources.xiaohe: lists: found {wrong!r}; {form}")
        self.entity_types = {_ENTITY_TYPES[kind] for kind in self.lists or _ENTITY_TYPES}

    def refusal(self, response: Response) -> str | None:
        """Return why a page looks like the site's browser check: no state, no text, and its markers or a very short body."""
        if response.status != 200 or not isinstance(response, HtmlResponse) or urlsplit(response.url).path == "/robots.txt":
            return None
        mark = _CHECK.search(response.body)
        if not mark and len(response.body) > _SHORT_BYTES:
            return None
        has_words = bool(response.css("h1, h2, section")) or len(text_of(response.css("body")).strip()) > _FEW_CHARS
        if has_words or any(True for _ in states(response)):
            return None
        return f"a check of the browser: {mark[0].decode()}" if mark else "a short page without state or words"

    def parse(self, response: Response) -> Iterator[Request | EntityItem]:
        """Read the root or a list: its entries, and the call for more."""
        if not is_page(response, self):
            return
        hrefs = response.css("a::attr(href)").getall()
        requests, page_listings = list(self._links(response, hrefs)), []
        if kind := _LIST.search(urlsplit(response.url).path):
            requests += [Request(url, self.parse) for url in self._pages(response, hrefs)]
            page_listings = [listing for state in states(response) for listing in listings(state, kind[1])]
            if not page_listings and (button := _MORE_WORDS.search(text_of(response.css("body")))):
                page_listings = [Listing(faults=(f"a list has {button[0]} but no state with a list",))]
            requests += self._listed(response, kind[1], page_listings)
        if not requests and not any(listing.faults for listing in page_listings):
            self._misfit(response, f"neither lists nor entries (links to /medical/{_KINDS}, state with a list)")
        yield from requests

    def parse_more(self, response: Response, kind: str, before: int = 0) -> Iterator[Request | EntityItem]:
        """Read what a list loads after its first `before` entries."""
        page_listings = list(listings(parsed(response.text), kind, before)) if isinstance(response, TextResponse) else []
        requests = list(self._listed(response, kind, page_listings, before))
        if not requests and not any(listing.faults for listing in page_listings):
            self._misfit(response, f"no entries in the answer ({', '.join(ROWS)})")
        yield from requests

    def more_failed(self, failure: Failure) -> None:
        """Report a failed call for more. Its URL is assumed, so without the report the rest of a list would be lost silently."""
        if failure.check(HttpError):
            response = failure.value.response
            if of_answer(response.url, response.status) is None:  # otherwise it counts as failed and is requested again
                self._misfit(response, f"the rest of a list was not sent: HTTP status {response.status}")

    def parse_entry(self, response: Response, entity_type: str) -> Iterator[Request | EntityItem]:
        """Read an entry from its state, else from the HTML."""
        if not is_page(response, self):
            return
        entry = read_entry(response)
        if entry is None or not (entry.values or entry.sections):
            self._misfit(response, "no entry (a title with text in a state, h1 with section or h2)")
            return
        if not entry.from_state:
            self.note("entries read from what is seen")
        yield self.entity(
            response,
            entity_type,
            name_raw=entry.name,
            alias_raw=entry.alias or None,
            values=entry.values,
            sections=entry.sections,
            url=_canonical(response.url),
        )
        yield from self._links(response, response.css("section a::attr(href), .content a::attr(href)").getall())

    def _misfit(self, response: Response, why: str) -> None:
        self.misfit(response, self.refusal(response) or why)

    def _links(self, response: Response, hrefs: Iterable[str]) -> Iterator[Request]:
        """Yield requests for the lists and entries of the requested kinds, each under one canonical address."""
        for link in links_to(response.url, hrefs):
            kind, is_entry = _kind_of_link(link)
            if kind and _ENTITY_TYPES[kind] in self.entity_types:
                callback: Any = self.parse_entry if is_entry else self.parse
                known = {"entity_type": _ENTITY_TYPES[kind]} if is_entry else {}
                url = _canonical(f"{link.url}?{link.query}" if link.host == _SEARCH else link.url)
                yield Request(url, callback, cb_kwargs=known)

    def _pages(self, response: Response, hrefs: Iterable[str]) -> list[str]:
        """Return the further pages of a list that it links to."""
        current = link_to(response.url, "")
        links = [link for link in links_to(response.url, hrefs) if current and (link.host, link.path) == (current.host, current.path)]
        return [f"{link.url}?{link.query}" for link in links if _PAGE.search(link.query)]

    def _listed(self, response: Response, kind: str, page_listings: Iterable[Listing], before: int = 0) -> Iterator[Request]:
        """Yield requests for the entries and further pages of lists; report other content of the lists as one misfit."""
        faults = [fault for listing in page_listings for fault in listing.faults]
        for listing in page_listings:
            lost = [href for href in listing.hrefs if (link := link_to(response.url, href)) is None or not _kind_of_link(link)[0]]
            if lost:
                faults.append(f"{len(lost)} of {listing.rows} entries of a list lead to no known address: {lost[0][:60]!r}")
            yield from self._links(response, listing.hrefs)
            if listing.cursor is not None:
                url = f"https://{_WWW}/medical/api/list?type={kind}&cursor={quote(listing.cursor, safe='')}"
                faults += [f"a list continues at its own address: {url}"] if url == response.url else []
                known = {"kind": kind, "before": before + listing.rows}
                yield Request(url, self.parse_more, errback=self.more_failed, cb_kwargs=known)
        if faults:
            self._misfit(response, faults[0])


def _kind_of_link(link: Link) -> tuple[str, bool]:
    """Return the kind in a URL, and whether it is an entry; no kind if it is neither an entry nor a list."""
    if link.host == _SEARCH:
        is_leaflet = link.path == "/drug/document" and bool(_LEAFLET.search(link.query))
        return ("drug", True) if is_leaflet else ("", False)
    link_match = _ENTRY.match(link.path) or _LIST.match(link.path) if link.host in (_WWW, _MOBILE) else None
    return (link_match[1], link_match.re is _ENTRY) if link_match else ("", False)


def _canonical(url: str) -> str:
    """Return the canonical URL of a page: without its query, which only tracks visitors, except for the number of a leaflet."""
    link = link_to(url, "")
    if link is None:
        return url
    if link.host == _SEARCH and (match := _LEAFLET.search(link.query)):
        return f"{link.url}?drug_id={match[1]}"
    return link._replace(host=_WWW if link.host == _MOBILE else link.host).url
