"""What redirects end at: whether many end at one address, or all at a page for signing in; and the early end of a crawl."""

import asyncio
import re
from collections import Counter
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from crawlers.store.stored import digest_of
from crawlers.web.account import STOPPED
from crawlers.web.chains import AT_LOGIN

MOST, MOST_TO = "redirects/most", "redirects/most_to"
"""Stats: how many requests were redirected to the one address that most were, and the address."""
_LOGIN = re.compile(r"log-?in|sign-?in|passport|/sso\b|denglu|captcha|verify|antispider", re.I)


class Ends:
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


def stop(crawler: Crawler, reason: str) -> None:
    """End a crawl early; the reason becomes its `finish_reason`."""
    if not crawler.stats.get_value(STOPPED):
        crawler.stats.set_value(STOPPED, reason)
        crawler.stopping = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))


def _place(url: str) -> str:
    address = urlsplit(url)
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="", fragment="").geturl()
