"""Links of a page as addresses that are safe to use: whatever a page holds, no link makes a spider fail."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

_WEB = {"http", "https"}


class Link(NamedTuple):
    """Where a link leads."""

    host: str
    """Lower case, without port."""
    path: str
    query: str

    @property
    def url(self) -> str:
        """The address without query and fragment."""
        return f"https://{self.host}{self.path}"


def links_to(page: str, hrefs: Iterable[str]) -> Iterator[Link]:
    """Yield where the links of a page lead, without repeats; what leads out of the web, or nowhere, is left out."""
    seen: set[Link] = set()
    for href in hrefs:
        link = link_to(page, href)
        if link is not None and link not in seen:
            seen.add(link)
            yield link


def link_to(page: str, href: str) -> Link | None:
    """Return where a link of a page leads; None where that is no address of the web."""
    try:
        parts = urlsplit(urljoin(page, href.strip()))
        host = parts.hostname or ""
    except ValueError:  # a bracket or port that is none
        return None
    if parts.scheme not in _WEB or not host:
        return None
    return Link(host.lower(), parts.path or "/", parts.query)


def address_of(page: str, href: str) -> str | None:
    """Return a link's address with its query and without fragment; None where that is no address of the web."""
    try:
        parts = urlsplit(urljoin(page, href.strip()))
        if parts.scheme not in _WEB or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    return parts._replace(fragment="").geturl()
