"""Redirects by status and by meta tag, followed as Scrapy does, but never in silence where they lead nowhere, away, or all to one place."""

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
    ASKED_BEFORE,
    LOG_IN,
    REDIRECT_LOOP,
    TOO_MANY_REDIRECTS,
    UNREADABLE_REDIRECT,
    of_answer,
    refuse,
    stop,
)
from crawlers.web.hosts import Hosts
from crawlers.web.redirect_chains import AT_LOGIN, begin, is_followed, is_for_good

MOST, MOST_TO = "redirects/most", "redirects/most_to"
"""Stats: how many requests were redirected to the one address that most were, and the address."""
_LOGIN = re.compile(r"log-?in|sign-?in|passport|/sso\b|denglu|captcha|verify|antispider", re.I)

_COOKIE_ASKED = "asked_again_with_cookie"


class RedirectTargets:
    """Counts the redirects to what was asked before, by address. Setting REDIRECTS_TO_ONE_MAX: more to one page are not believed."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.most = crawler.settings.getint("REDIRECTS_TO_ONE_MAX")
        self.counts: Counter[bytes] = Counter()

    def count(self, address: str) -> int:
        """Count a redirect; return how many ended there."""
        mark = digest_of(address)
        self.counts[mark] += 1
        if self.counts[mark] > self.stats.get_value(MOST, 0):
            self.stats.set_value(MOST, self.counts[mark])
            self.stats.set_value(MOST_TO, address)
        return self.counts[mark]

    def are_too_many(self, address: str) -> bool:
        """Count a redirect; tell whether more end there than the parts of one page would."""
        return 0 < self.most < self.count(address)


class LoginWall:
    """Marks redirects to a page for signing in, and ends a crawl that is sent to one again and again with nothing read between.

    Setting GIVE_UP_AFTER: so many in a row; with 0 such a page is a page like any other. The mark keeps a redirect, and what it
    leads to, out of the archive: the page for signing in is none that was asked for, and no sign that the site lets in.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.limit = crawler.settings.getint("GIVE_UP_AFTER")
        self.page, self.times = "", 0

    def passed(self) -> None:
        """Forget what was counted: a page was read."""
        self.times = 0

    def sent_to(self, request: Request, result: Request) -> None:
        """Mark a redirect, and count it where it is the first to lead to such a page."""
        page = _place(result.url)
        was_there = request.meta.get(AT_LOGIN, False)
        is_there = self.limit > 0 and bool(_LOGIN.search(page)) and not _LOGIN.search(_place(result.meta["redirect_urls"][0]))
        result.meta[AT_LOGIN] = is_there
        if not is_there or was_there:
            return
        self.times = self.times + 1 if page == self.page else 1
        self.page = page
        if self.times == self.limit:
            stop(self.crawler, f"{self.times} pages in a row were redirected to {page}: the site asks for a log-in")


def _place(url: str) -> str:
    address = urlsplit(url)
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()


class Redirects(RedirectMiddleware):
    """Redirects by status. Settings: GIVE_UP_AFTER, REDIRECTS_TO_ONE_MAX, see LoginWall and RedirectTargets."""

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
        return self.rules.follow(request, result)

    def dropped(self, request: Request) -> None:
        """Enter a request in the account whose redirect led to what was asked before, unless the page has merely moved."""
        if not request.meta.get("redirect_urls"):
            return
        self.rules.targets.count(request.url)
        if not is_for_good(request):
            refuse(self.crawler.stats, request, _repeated(request))

    def _ended(self, request: Request, response: Response) -> Response:
        if is_followed(request, response, spider_of(self.crawler)):
            raise refuse(self.crawler.stats, request, UNREADABLE_REDIRECT)  # to a mail address and the like
        if of_answer(request.url, response.status) is not None:
            return response
        if request.meta.get(AT_LOGIN):
            raise refuse(self.crawler.stats, request, LOG_IN)
        self.wall.passed()
        return response


class MetaRefresh(MetaRefreshMiddleware):
    """Redirects by meta tag; a page that only loads itself anew now and then is the page."""

    rules: "RedirectRules"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "MetaRefresh":
        """Return the middleware of a crawl."""
        made = super().from_crawler(crawler)
        made.rules = RedirectRules(crawler)
        return made

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        """Return the request that a refresh makes, or the response that has none."""
        try:
            result = super().process_response(request, response)
        except IgnoreRequest:
            raise refuse(self.crawler.stats, request, TOO_MANY_REDIRECTS) from None
        except (ValueError, UnicodeError):  # an address that cannot be read: the page itself can
            return response
        if not isinstance(result, Request) or result.url == request.url:
            return response
        return self.rules.follow(request, result)


class RedirectRules:
    """Where redirects may lead."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats, self.hosts, self.targets = crawler.stats, Hosts(crawler), RedirectTargets(crawler)

    def follow(self, request: Request, result: Request) -> Request:
        """Return the request of a redirect.

        Scrapy drops it where its address was asked before: right for a page, which is read once, and wrong for a request that
        carries something, such as the first half of an article, which would be lost without a word.
        """
        result = begin(request, result)
        if result.url in (*request.meta.get("redirect_urls", ()), request.url):
            raise refuse(self.stats, request, REDIRECT_LOOP)
        if why := self.hosts.why_not(result.url):  # here, since of many redirects to one address the scheduler lets through the first
            self.targets.count(result.url.split("/")[2].rpartition("@")[2])
            raise refuse(self.stats, request, why)
        if not (result.cb_kwargs or result.errback):
            return result
        if self.targets.are_too_many(result.url):
            raise refuse(self.stats, request, _repeated(result))
        return result.replace(dont_filter=True)


def _repeated(request: Request) -> str:
    return LOG_IN if request.meta.get(AT_LOGIN) else f"{ASKED_BEFORE}: {request.url}"
