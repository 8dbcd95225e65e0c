"""Redirects on their way: what a chain of requests carries until its end is known. From values to values.

A redirect is stored with the page that it leads to. Where it leads to none it is no answer, and the next run asks for it again.
"""

from collections.abc import Iterator

from scrapy import Request, Spider
from scrapy.http import Response

from crawlers.store.exchanges import key_of
from crawlers.store.request_keys import is_robots
from crawlers.store.warc import Asked, Page

AT_LOGIN = "at_log_in"
"""Key of meta: true where a page was asked for and the site sends to one for signing in."""
_FIRST = "asked_first"  # the request that the spider made, as `str(Key)` writes it
_HELD = "held_redirects"
_FOLLOWED = {301, 302, 303, 307, 308}
_FOR_GOOD = {301, 308}
Held = tuple[Page, Asked]


def begin(request: Request, follower: Request) -> Request:
    """Return the request that follows another, with the name of the one that the spider made."""
    follower.meta[_FIRST] = first_of(request)
    return follower


def first_of(request: Request) -> str:
    """Return the request that the spider made, with its method and body: after a redirect neither can be told any more."""
    return request.meta.get(_FIRST) or str(key_of(request))


def is_followed(request: Request, response: Response, spider: Spider) -> bool:
    """Tell whether an answer is a redirect that will be followed, by what Scrapy goes by."""
    if response.status not in _FOLLOWED or "Location" not in response.headers:
        return False
    if request.meta.get("dont_redirect") or request.meta.get("handle_httpstatus_all"):
        return False
    taken = (*getattr(spider, "handle_httpstatus_list", ()), *request.meta.get("handle_httpstatus_list", ()))
    return response.status not in taken


def may_hold(request: Request) -> bool:
    """Tell whether a redirect waits for its end; those of robots.txt do not: their end decides over other pages."""
    return not is_robots(request.meta.get("redirect_urls", [request.url])[0])


def hold(request: Request, redirect: Held) -> None:
    """Keep a redirect until its end is known; the request that follows it inherits it."""
    request.meta[_HELD] = (*held(request), redirect)


def held(request: Request) -> tuple[Held, ...]:
    """Return the redirects that led to a request and are not stored yet."""
    return request.meta.get(_HELD, ())


def release(request: Request) -> tuple[Held, ...]:
    """Return the same for the last time: their end is known."""
    return request.meta.pop(_HELD, ())


def unstored(request: Request) -> Iterator[str]:
    """Yield the requests that bring no page when this one brings none: the one that the spider made, and the steps that wait."""
    yield from dict.fromkeys((first_of(request), *(str(page.key) for page, _ in held(request))))


def is_for_good(request: Request) -> bool:
    """Tell whether a page has merely moved: all redirects to it say so."""
    return not request.meta.get(AT_LOGIN) and all(page.status in _FOR_GOOD for page, _ in held(request))
