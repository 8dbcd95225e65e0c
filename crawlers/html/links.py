"""Links of a page as valid URLs; even malformed links do not make a spider fail."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

_WEB = {"http", "https"}
_PLAIN_PATH = re.compile(r"/(?:\w[\w-]*+/)*+(?:\w[\w.-]*+)?", re.ASCII)
"""A path that can simply be appended to the root of its site, like most of the thousands of links in a list."""


class Link(NamedTuple):
    """The target of a link."""

    host: str
    """Host in lower case, without the port."""
    path: str
    query: str

    @property
    def url(self) -> str:
        """The URL without query and fragment."""
        return f"https://{self.host}{self.path}"


def links_to(page: str, hrefs: Iterable[str]) -> Iterator[Link]:
    """Yield the distinct targets of a page's links; skip links that are invalid or not HTTP or HTTPS."""
    seen: set[Link] = set()
    for href in hrefs:
        link = link_to(page, href)
        if link is not None and link not in seen:
            seen.add(link)
            yield link


def link_to(page: str, href: str) -> Link | None:
    """Return the target of a link; None if it is not a web address."""
    try:
        parts = urlsplit(urljoin(page, href.strip()))
        host = parts.hostname or ""
    except ValueError:  # an invalid bracket or port
        return None
    if parts.scheme not in _WEB or not host:
        return None
    return Link(host.lower(), parts.path or "/", parts.query)


def address_of(page: str, href: str) -> str | None:
    """Return a link's address with its query and without its fragment; None if it is not a web address."""
    if _PLAIN_PATH.fullmatch(href):
        root = _root_of(page)
        return root and root + href[1:]
    return _resolved(page, href)


@lru_cache(maxsize=64)
def _root_of(page: str) -> str | None:
    return _resolved(page, "/")


def _resolved(page: str, href: str) -> str | None:
    try:
        parts = urlsplit(urljoin(page, href.strip()))
        if parts.scheme not in _WEB or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    return parts._replace(fragment="").geturl()
