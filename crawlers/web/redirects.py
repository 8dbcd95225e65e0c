"""Redirects by status and by meta tag, followed as Scrapy does, but never in silence where they lead nowhere, away, or all to one place."""

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawlers.web.account import refuse
from crawlers.web.chains import AT_LOGIN, begin, is_followed, is_for_good
from crawlers.web.ends import Ends, LoginWall
from crawlers.web.faults import ASKED_BEFORE, LOG_IN, REDIRECT_LOOP, TOO_MANY_REDIRECTS, UNREADABLE_REDIRECT, of_answer
from crawlers.web.hosts import Hosts

_COOKIE_ASKED = "asked_again_with_cookie"


class Redirects(RedirectMiddleware):
    """Redirects by status. Settings: GIVE_UP_AFTER, REDIRECTS_TO_ONE_MAX, see LoginWall and Ends."""

    way: "Way"
    wall: LoginWall

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Redirects":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.way, made.wall = Way(crawler), LoginWall(crawler)
        crawler.signals.connect(made.dropped, signals.request_dropped)
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
            return self._ended(request, result)
        if result.url == request.url and "Set-Cookie" in response.headers and not request.meta.get(_COOKIE_ASKED):
            result.meta[_COOKIE_ASKED] = True  # sites that test for cookies answer the second time
            return result.replace(dont_filter=True)
        self.wall.sent_to(request, result)
        return self.way.follow(request, result)

    def dropped(self, request: Request) -> None:
        """Enter a request in the account whose redirect led to what was asked before, unless the page has merely moved."""
        if not request.meta.get("redirect_urls"):
            return
        self.way.ends.count(request.url)
        if not is_for_good(request):
            refuse(self.crawler.stats, request, _repeated(request))

    def _ended(self, request: Request, response: Response) -> Response:
        if is_followed(request, response, self.crawler.spider):
            raise refuse(self.crawler.stats, request, UNREADABLE_REDIRECT)  # to a mail address and the like
        if of_answer(request.url, response.status) is not None:
            return response
        if request.meta.get(AT_LOGIN):
            raise refuse(self.crawler.stats, request, LOG_IN)
        self.wall.passed()
        return response


class MetaRefresh(MetaRefreshMiddleware):
    """Redirects by meta tag; a page that only loads itself anew now and then is the page."""

    way: "Way"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "MetaRefresh":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.way = Way(crawler)
        return made

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
        return self.way.follow(request, result)


class Way:
    """Where redirects may lead."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats, self.hosts, self.ends = crawler.stats, Hosts(crawler), Ends(crawler)

    def follow(self, request: Request, result: Request) -> Request:
        """Return the request of a redirect.

        Scrapy drops it where its address was asked before: right for a page, which is read once, and wrong for a request that
        carries something, such as the first half of an article, which would be lost without a word.
        """
        result = begin(request, result)
        if result.url in (*request.meta.get("redirect_urls", ()), request.url):
            raise refuse(self.stats, request, REDIRECT_LOOP)
        if why := self.hosts.why_not(result.url):  # here, since of many redirects to one address the scheduler lets through the first
            self.ends.count(result.url.split("/")[2].rpartition("@")[2])
            raise refuse(self.stats, request, why)
        if not (result.cb_kwargs or result.errback):
            return result
        if self.ends.are_too_many(result.url):
            raise refuse(self.stats, request, _repeated(result))
        return result.replace(dont_filter=True)


def _repeated(request: Request) -> str:
    return LOG_IN if request.meta.get(AT_LOGIN) else f"{ASKED_BEFORE}: {request.url}"
