"""A site for sources without a replica; it serves the pages saved in crawlers/sources/SOURCE/pages.

A case is CASE.json next to the page CASE.html (or CASE.body if it is not HTML). The JSON has `url` and, if the page needs them, `headers`.
Only GET requests can be answered.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from atomexam.text.columns import counted
from crawlers.embedded.content import Content
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.html.source_spider import SourceSpider

SOURCES = Path(__file__).parents[2] / "sources"
PAGE_SUFFIXES = (".html", ".body")
SavedAddress = tuple[str, str]
"""Host and target of a page."""


class SavedSite:
    """The saved pages of one source, as a site for the server of the replicas."""

    def __init__(self, name: str, hosts: set[str], pages: dict[SavedAddress, SiteReply]) -> None:
        self.__name__ = f"saved pages of {name}"
        self.HOSTS = tuple(sorted(hosts))
        self.pages = pages

    def build(self, content: Content) -> Respond:
        """Return the function that answers requests for the site; it serves only saved pages."""
        return lambda ask: self._reply_to(ask) if ask.method in ("GET", "HEAD") else None

    def state(self) -> str:
        """Return a hash of all pages."""
        digest = sha256()
        for key, reply in sorted(self.pages.items()):
            digest.update(json.dumps([key, sorted(reply.headers.items())]).encode() + sha256(reply.body).digest())
        return digest.hexdigest()[:16]

    def _reply_to(self, ask: SiteRequest) -> SiteReply | None:
        return self.pages.get((ask.host, ask.target))


def saved_site(spider: type[SourceSpider], sources: Path = SOURCES) -> SavedSite:
    """Return the site of a spider's saved pages.

    Raises:
        ValueError: there are no saved pages, two have the same URL, or none has a start URL of the spider; the message says what to do.
    """
    name = spider.name
    pages: dict[SavedAddress, SiteReply] = {}
    by: dict[SavedAddress, str] = {}
    for case, url, reply in _cases(pages_folder(name, sources)):
        key = _key_of(url)
        if key in by and pages[key] != reply:
            raise ValueError(
                f"crawlers/sources/{name}/pages: {by[key]} and {case} are both saved from {url}; change the url of one of them"
            )
        pages[key], by[key] = reply, case
    _require_start(spider, pages)
    hosts = {host for host, _ in pages} | {domain.lower() for domain in spider.allowed_domains or ()}
    return SavedSite(name, hosts, pages)


def pages_folder(name: str, sources: Path = SOURCES) -> Path:
    """Return the folder of a source's saved pages."""
    return sources / name / "pages"


def saved_page(path: Path) -> Path:
    """Return the page that belongs to a case's JSON.

    Raises:
        ValueError: there is no page.
    """
    for suffix in PAGE_SUFFIXES:
        if (page := path.with_suffix(suffix)).exists():
            return page
    expected = " or ".join(path.with_suffix(suffix).name for suffix in PAGE_SUFFIXES)
    raise ValueError(f"crawlers/sources/{path.parent.parent.name}/pages/{path.name}: its page is missing; expected {expected} next to it")


def headers_of(case: dict[str, Any], page: Path) -> dict[str, str]:
    """Return the headers of a saved page; by default, those of HTML."""
    return case.get("headers") or ({"Content-Type": "text/html"} if page.suffix == ".html" else {})


def _cases(folder: Path) -> Iterator[tuple[str, str, SiteReply]]:
    for path in sorted(folder.glob("*.json")):
        where = f"crawlers/sources/{folder.parent.name}/pages/{path.name}"
        try:
            case = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{where}: not valid JSON: {error}") from None
        if not isinstance(case, dict) or not isinstance(case.get("url"), str):
            raise ValueError(f'{where}: expected an object with "url", the address that the page was saved from')
        page = saved_page(path)
        yield path.stem, case["url"], SiteReply(headers=headers_of(case, page), body=page.read_bytes())


def _require_start(spider: type[SourceSpider], pages: dict[SavedAddress, SiteReply]) -> None:
    """Raise ValueError if the spider could not start on the saved pages."""
    starts = [str(url) for url in getattr(spider, "start_urls", ())]
    if pages and (not starts or any(_key_of(url) in pages for url in starts)):
        return
    fault = f"has {counted(len(pages), 'page')}, but none of {', '.join(starts)}" if pages else "has no page"
    save = f"`python -m crawlers.check {spider.name} --live --save list {starts[0] if starts else 'URL'}` saves one"
    live = f"or set `mode: live` in the line of {spider.name} in params.yaml"
    raise ValueError(
        f"source {spider.name}: no replica in crawlers/embedded/sites, and crawlers/sources/{spider.name}/pages {fault}; {save}, {live}"
    )


def _key_of(url: str) -> SavedAddress:
    """Return the host and target of a URL as the server receives them."""
    address = urlsplit(safe_url_string(url))
    return (address.hostname or "").lower(), (address.path or "/") + (f"?{address.query}" if address.query else "")
