"""Follow redirects by status and meta tag as Scrapy does, but report those that lead nowhere, off the site, or all to one page."""

import re
from collections import Counter
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawlers.html.source_spider import spider_of
from crawlers.store.request_keys import digest_of
from crawlers.web.failure_causes import (
    LOG_IN,
    REDIRECT_LOOP,
    REQUESTED_BEFORE,
    TOO_MANY_REDIRECTS,
    UNREADABLE_REDIRECT,
    of_answer,
    refuse,
    stop,
)
from crawlers.web.hosts import Hosts
from crawlers.web.redirect_chains import AT_LOGIN, begin, is_followed, is_for_good

MOST, MOST_TO = "redirects/most", "redirects/most_to"
"""Stats: the most frequent target of redirects, and the number of requests redirected to it."""
_LOGIN = re.compile(r"log-?in|sign-?in|passport|/sso\b|denglu|captcha|verify|antispider", re.I)

_COOKIE_RETRY = "asked_again_with_cookie"


class RedirectTargets:
    """Counts redirects to already requested pages, by URL. Setting REDIRECTS_TO_ONE_MAX: more redirects to one page are refused."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.most = crawler.settings.getint("REDIRECTS_TO_ONE_MAX")
        self.counts: Counter[bytes] = Counter()

    def count(self, address: str) -> int:
        """Count a redirect; return how many have ended at this URL."""
        mark = digest_of(address)
        self.counts[mark] += 1
        if self.counts[mark] > self.stats.get_value(MOST, 0):
            self.stats.set_value(MOST, self.counts[mark])
            self.stats.set_value(MOST_TO, address)
        return self.counts[mark]

    def are_too_many(self, address: str) -> bool:
        """Count a redirect; return whether too many end at its target for them to be parts of one page."""
        return 0 < self.most < self.count(address)


class LoginWall:
    """Marks redirects to a log-in page, and stops a crawl that is redirected to one repeatedly without a page in between.

    Setting GIVE_UP_AFTER: the number of such redirects in a row; with 0, a log-in page is treated as an ordinary page. The mark keeps a
    redirect and its target out of
    the archive, because the log-in page was not requested and does not show that the site grants access.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.limit = crawler.settings.getint("GIVE_UP_AFTER")
        self.page, self.times = "", 0

    def passed(self) -> None:
        """Reset the count after a page was read."""
        self.times = 0

    def sent_to(self, request: Request, result: Request) -> None:
        """Mark a redirect to a log-in page, and count it if it is the first of its chain."""
        page = _without_query(result.url)
        was_there = request.meta.get(AT_LOGIN, False)
        is_there = self.limit > 0 and bool(_LOGIN.search(page)) and not _LOGIN.search(_without_query(result.meta["redirect_urls"][0]))
        result.meta[AT_LOGIN] = is_there
        if not is_there or was_there:
            return
        self.times = self.times + 1 if page == self.page else 1
        self.page = page
        if self.times == self.limit:
            stop(self.crawler, f"{self.times} pages in a row were redirected to {page}: the site requires a log-in")


def _without_query(url: str) -> str:
    address = urlsplit(url)
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()


class Redirects(RedirectMiddleware):
    """Redirects by status. Settings: GIVE_UP_AFTER, REDIRECTS_TO_ONE_MAX; see LoginWall and RedirectTargets."""

    rules: "RedirectRules"
    wall: LoginWall

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Redirects":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.rules, made.wall = RedirectRules(crawler), LoginWall(crawler)
        crawler.signals.connect(made.dropped, signals.request_dropped)
        return made

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        """Return the request that a redirect leads to, or the response if it is not a redirect."""
        try:
            result = super().process_response(request, response)
        except IgnoreRequest:
            raise refuse(self.crawler.stats, request, TOO_MANY_REDIRECTS) from None
        except (ValueError, UnicodeError):
            raise refuse(self.crawler.stats, request, UNREADABLE_REDIRECT) from None
        if not isinstance(result, Request):
            return self._ended(request, result)
        if result.url == request.url and "Set-Cookie" in response.headers and not request.meta.get(_COOKIE_RETRY):
            result.meta[_COOKIE_RETRY] = True  # sites that test for cookies accept the second request
            return result.replace(dont_filter=True)
        self.wall.sent_to(request, result)
        return self.rules.follow(request, result)

    def dropped(self, request: Request) -> None:
        """Record a request as failed if it was redirected to a page requested before, unless the page has moved permanently."""
        if not request.meta.get("redirect_urls"):
            return
        self.rules.targets.count(request.url)
        if not is_for_good(request):
            refuse(self.crawler.stats, request, _repeated(request))

    def _ended(self, request: Request, response: Response) -> Response:
        if is_followed(request, response, spider_of(self.crawler)):
            raise refuse(self.crawler.stats, request, UNREADABLE_REDIRECT)  # such as a mail address
        if of_answer(request.url, response.status) is not None:
            return response
        if request.meta.get(AT_LOGIN):
            raise refuse(self.crawler.stats, request, LOG_IN)
        self.wall.passed()
        return response


class MetaRefresh(MetaRefreshMiddleware):
    """Redirects by meta tag; a page that only reloads itself is not a redirect."""

    rules: "RedirectRules"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "MetaRefresh":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.rules = RedirectRules(crawler)
        return made

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        """Return the request that a refresh leads to, or the response if it has no refresh."""
        try:
            result = super().process_response(request, response)
        except IgnoreRequest:
            raise refuse(self.crawler.stats, request, TOO_MANY_REDIRECTS) from None
        except (ValueError, UnicodeError):  # the URL is invalid, but the page is readable
            return response
        if not isinstance(result, Request) or result.url == request.url:
            return response
        return self.rules.follow(request, result)


class RedirectRules:
    """Rules for redirect targets."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats, self.hosts, self.targets = crawler.stats, Hosts(crawler), RedirectTargets(crawler)

    def follow(self, request: Request, result: Request) -> Request:
        """Return the request that a redirect leads to.

        Scrapy drops it if its URL was requested before. That is correct for a page, which is read once, but not for a request that
        carries data, such as the first half of an article: the data would be lost silently.
        """
        result = begin(request, result)
        if result.url in (*request.meta.get("redirect_urls", ()), request.url):
            raise refuse(self.stats, request, REDIRECT_LOOP)
        if why := self.hosts.why_not(result):  # here, since the scheduler passes only the first of many redirects to one URL
            self.targets.count(result.url.split("/")[2].rpartition("@")[2])
            raise refuse(self.stats, request, why)
        if not (result.cb_kwargs or result.errback):
            return result
        if self.targets.are_too_many(result.url):
            raise refuse(self.stats, request, _repeated(result))
        return result.replace(dont_filter=True)


def _repeated(request: Request) -> str:
    return LOG_IN if request.meta.get(AT_LOGIN) else f"{REQUESTED_BEFORE}: {request.url}"
