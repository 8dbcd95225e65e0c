"""Redirects by status and by meta tag, followed as Scrapy does, but never in silence where they lead nowhere."""

import asyncio
import re
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawlers.web.account import STOPPED, refuse
from crawlers.web.faults import REDIRECT_LOOP, TOO_MANY_REDIRECTS, UNREADABLE_REDIRECT

_LOGIN = re.compile(r"log-?in|sign-?in|passport|/sso\b|denglu|captcha|verify|antispider", re.I)
_COOKIE_ASKED = "asked_again_with_cookie"


class Redirects(RedirectMiddleware):
    """Redirects by status. Setting GIVE_UP_AFTER: so many in a row to one page for signing in end the crawl; 0 never does."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Redirects":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.wall = LoginWall(crawler)
        return made

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the request that a redirect makes, or the response that is none."""
        try:
            result = super().process_response(request, response)
        except IgnoreRequest:
            raise refuse(self.crawler.stats, request, TOO_MANY_REDIRECTS) from None
        except (ValueError, UnicodeError):
            raise refuse(self.crawler.stats, request, UNREADABLE_REDIRECT) from None
        if not isinstance(result, Request):
            self.wall.passed()
            return result
        self.wall.sent_to(result.url)
        if result.url == request.url and "Set-Cookie" in response.headers and not request.meta.get(_COOKIE_ASKED):
            result.meta[_COOKIE_ASKED] = True  # sites that test for cookies answer the second time
            return result.replace(dont_filter=True)
        return _followed(self.crawler, request, result)


class MetaRefresh(MetaRefreshMiddleware):
    """Redirects by meta tag; a page that only loads itself anew now and then is the page."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the request that a refresh makes, or the response that has none."""
        try:
            result = super().process_response(request, response)
        except IgnoreRequest:
            raise refuse(self.crawler.stats, request, TOO_MANY_REDIRECTS) from None
        except (ValueError, UnicodeError):  # an address that cannot be read: the page itself can
            return response
        if not isinstance(result, Request) or result.url == request.url:
            return response
        return _followed(self.crawler, request, result)


class LoginWall:
    """Ends a crawl that is sent to one page for signing in again and again, with nothing read between."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.limit = crawler.settings.getint("GIVE_UP_AFTER")
        self.page, self.times = "", 0

    def passed(self) -> None:
        """Forget what was counted: a page was read. The page for signing in, when it is read itself, counts as one too."""
        self.times = 0

    def sent_to(self, url: str) -> None:
        """Count a redirect."""
        page = urlsplit(url)._replace(query="", fragment="").geturl()
        self.times = self.times + 1 if page == self.page else 1
        self.page = page
        if self.limit and self.times == self.limit and _LOGIN.search(page):
            stop(self.crawler, f"{self.times} pages in a row were redirected to {page}: the site asks for a log-in")


def stop(crawler: Crawler, reason: str) -> None:
    """End a crawl early; the reason becomes its `finish_reason`."""
    if not crawler.stats.get_value(STOPPED):
        crawler.stats.set_value(STOPPED, reason)
        crawler.stopping = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))


def _followed(crawler: Crawler, request: Request, result: Request) -> Request:
    """Return the request of a redirect.

    Scrapy drops it where its address was asked before: right for a page, which is read once, and wrong for a request that
    carries something, such as the first half of an article, which would be lost without a word.
    """
    if result.url in (*request.meta.get("redirect_urls", ()), request.url):
        raise refuse(crawler.stats, request, REDIRECT_LOOP)
    return result.replace(dont_filter=True) if result.cb_kwargs or result.errback else result
