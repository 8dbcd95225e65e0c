"""Redirect chains: data that requests carry until the end of their chain is known.

A redirect is stored together with the page that it leads to. If it leads to none, the next run requests it again.
"""

from collections.abc import Iterator

from scrapy import Request, Spider
from scrapy.http import Response

from crawlers.store.exchanges import key_of
from crawlers.store.request_keys import is_robots
from crawlers.store.warc import Page, SentRequest

AT_LOGIN = "at_log_in"
"""Meta key: true if the site redirected a page to its log-in page."""
_FIRST = "asked_first"  # the request that the spider made, as `str(Key)` writes it
_PENDING = "held_redirects"
_FOLLOWED = {301, 302, 303, 307, 308}
_FOR_GOOD = {301, 308}
Redirect = tuple[Page, SentRequest]


def begin(request: Request, follower: Request) -> Request:
    """Return the request that follows another, marked with the key of the spider's original request."""
    follower.meta[_FIRST] = first_of(request)
    return follower


def first_of(request: Request) -> str:
    """Return the key of the spider's original request, with its method and body, which a redirect loses."""
    return request.meta.get(_FIRST) or str(key_of(request))


def is_followed(request: Request, response: Response, spider: Spider) -> bool:
    """Return whether an answer is a redirect that Scrapy will follow."""
    if response.status not in _FOLLOWED or "Location" not in response.headers:
        return False
    if request.meta.get("dont_redirect") or request.meta.get("handle_httpstatus_all"):
        return False
    handled = (*getattr(spider, "handle_httpstatus_list", ()), *request.meta.get("handle_httpstatus_list", ()))
    return response.status not in handled


def can_wait(request: Request) -> bool:
    """Return whether a redirect waits for the end of its chain; redirects of robots.txt do not, because other pages depend on them."""
    return not is_robots(request.meta.get("redirect_urls", [request.url])[0])


def add_pending(request: Request, redirect: Redirect) -> None:
    """Hold a redirect until the end of its chain is known; the following request inherits it."""
    request.meta[_PENDING] = (*pending(request), redirect)


def pending(request: Request) -> tuple[Redirect, ...]:
    """Return the redirects that led to a request and are not yet stored."""
    return request.meta.get(_PENDING, ())


def take_pending(request: Request) -> tuple[Redirect, ...]:
    """Remove and return the pending redirects once the end of the chain is known."""
    return request.meta.pop(_PENDING, ())


def unstored(request: Request) -> Iterator[str]:
    """Yield the requests that fail together with this one: the spider's original request and the pending redirects."""
    yield from dict.fromkeys((first_of(request), *(str(page.key) for page, _ in pending(request))))


def is_for_good(request: Request) -> bool:
    """Return whether a page has moved permanently, that is, all redirects to it are permanent."""
    return not request.meta.get(AT_LOGIN) and all(page.status in _FOR_GOOD for page, _ in pending(request))
