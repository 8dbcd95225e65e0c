"""Why requests have no page, for failed.jsonl, the closing table and the figures, and how a crawl records the causes."""

import asyncio
from urllib.parse import urljoin

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.statscollectors import StatsCollector
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.web.client import ResponseFailed

from crawlers.store.missing_pages import BREAKS_READER, Failures
from crawlers.store.request_keys import is_robots
from crawlers.web.redirect_chains import unstored

REFUSED = "crawl/refused"  # stats: request -> why, for requests not sent or redirects not followed
UNANSWERED_FOR = "unanswered for"  # meta: why the archive rejected an answer, if its status does not show it
SENT_STATUS = "sent status"  # meta: the true status of a refusal, which the archive presents as 403
STOPPED = "crawl/stopped"  # stats: why the crawl was given up
FORBIDDEN = "robotstxt/forbidden"
OFF_SITE = "hosts/off_site"

HOST_NOT_FOUND = "host not found"
CONNECTION_REFUSED = "connection refused"
CONNECTION_LOST = "connection lost"
NOT_HTTP = "answer is not HTTP"
TIMEOUT = "timeout"
TORN_BODY = "truncated body"
NOT_PACKED = "body is not packed as named"
EMPTY_BODY = "empty body"
TOO_LARGE = "too large"
REDIRECT_LOOP = "redirect loop"
TOO_MANY_REDIRECTS = "too many redirects"
UNREADABLE_REDIRECT = "unreadable redirect"
OTHER_SITE = "redirect to another site"
REQUESTED_BEFORE = "redirect to a page asked before"
LOG_IN = "redirect to a log-in page"
NOT_PUBLIC = "address is not public"
NOT_THE_WEB = "not an address of the web"
NO_ROBOTS = "robots.txt without answer"

_LASTING = {
    TOO_LARGE,
    REDIRECT_LOOP,
    TOO_MANY_REDIRECTS,
    UNREADABLE_REDIRECT,
    OTHER_SITE,
    REQUESTED_BEFORE,
    NOT_PUBLIC,
    NOT_THE_WEB,
    BREAKS_READER,
}
"""Permanent causes, which repeating the request does not fix."""

# The first matching type decides.
_WORDS: dict[type[Exception], str] = {
    CannotResolveHostError: HOST_NOT_FOUND,
    DownloadConnectionRefusedError: CONNECTION_REFUSED,
    DownloadTimeoutError: TIMEOUT,
    DownloadCancelledError: TOO_LARGE,  # for its size; for its time Scrapy uses the name above
    ResponseDataLossError: TORN_BODY,
    DownloadFailedError: CONNECTION_LOST,
    ResponseFailed: CONNECTION_LOST,
    ConnectError: CONNECTION_LOST,
    ConnectionClosed: CONNECTION_LOST,
    UnsupportedURLSchemeError: NOT_THE_WEB,
    NotSupported: NOT_THE_WEB,
    OSError: CONNECTION_LOST,
}
# By names of failures that are not public in Twisted, and of connections that crawlers.web.download aborts.
_BY_REASON = {"ParseError": NOT_HTTP, "ConnectionAborted": f"{TOO_LARGE}: the head of the answer"}
DOWNLOAD_ERRORS: tuple[type[Exception], ...] = tuple(_WORDS)
"""Exceptions that a download may raise; any other is a bug."""

_NO_SUCH_PAGE = {404, 410, 414}
"""Statuses that mean that the page does not exist. Any other may be a wall, a limit or a temporary error."""
_ROBOTS_DEFERRED = {407, 408, 425, 429}


class Refused(IgnoreRequest):
    """A request that is not sent, or a redirect that is not followed; the message is one of the causes, with details."""


def of_exception(error: Exception) -> str:
    """Return why a download failed, as a stable text without object addresses or times."""
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, DownloadFailedError):
        reasons = {reason.type.__name__ for reason in getattr(error.__cause__, "reasons", ())}  # of Twisted's ResponseFailed
        return _BY_REASON.get(next(iter(reasons & _BY_REASON.keys()), ""), CONNECTION_LOST)
    for kind, words in _WORDS.items():
        if isinstance(error, kind):
            # The handlers' message is more specific than "truncated body": which encoding, or that the body is empty.
            message = str(error)
            return message if message.startswith((TORN_BODY, NOT_PACKED, EMPTY_BODY, TOO_LARGE)) else words
    return f"{type(error).__name__}: {error}".strip(": ")


def of_answer(url: str, status: int, location: str | None = None) -> str | None:
    """Return why an answer is invalid; None for a page, a redirect, or the answer that there is no such page."""
    if not 200 <= status < 600:  # RFC 9110, 15: invalid; broken servers even send 0 and negative numbers
        return f"HTTP status {status}"
    if status >= 400 and status not in _NO_SUCH_PAGE:
        # RFC 9309, 2.3.1.3: a site that refuses its robots.txt has no rules, and that counts as an answer.
        has_no_rules = is_robots(url) and status < 500 and status not in _ROBOTS_DEFERRED
        return None if has_no_rules else f"HTTP status {status}"
    # A site that sets a cookie and redirects to the same URL has not answered yet.
    return REDIRECT_LOOP if 300 <= status < 400 and location is not None and _is_same(url, location) else None


def cause(why: str) -> str:
    """Return a cause without its details, for counting."""
    return why.partition(":")[0]


def is_passing(why: str) -> bool:
    """Return whether a later request may succeed."""
    return cause(why) not in _LASTING


def _is_same(url: str, location: str) -> bool:
    try:
        return urljoin(url, location).partition("#")[0] == url.partition("#")[0]
    except ValueError:  # an unreadable address leads nowhere
        return False


def refuse(stats: StatsCollector, request: Request, why: str) -> Refused:
    """Record the spider's original request as failed, with the redirects that led here; return the exception to raise."""
    if (refused := stats.get_value(REFUSED)) is None:
        stats.set_value(REFUSED, refused := Failures())
    for failed_request in unstored(request):
        refused[failed_request] = why
    return Refused(why)


def stop(crawler: Crawler, reason: str) -> None:
    """Stop a crawl early; the reason becomes its `finish_reason`."""
    if not crawler.stats.get_value(STOPPED):
        crawler.stats.set_value(STOPPED, reason)
        crawler.stopping = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))  # type: ignore[attr-defined]
