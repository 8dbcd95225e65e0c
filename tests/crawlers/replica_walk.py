"""A spider led through a replica, without server or network."""

import re
from collections import Counter
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawlers.embedded.site import Respond, SiteRequest
from crawlers.html.source_spider import SourceSpider

FORBIDDEN = 999
"""Status of what robots.txt forbids to ask for."""


class ReplicaWalk:
    """All pages that a spider comes to, and what it takes from them."""

    def __init__(self, spider_class: type[SourceSpider], respond: Respond, obeys_robots: bool = False) -> None:
        self.spider = spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-11-20")
        self.respond, self.obeys_robots = respond, obeys_robots
        self.items: list[Any] = []
        self.pages: list[tuple[str, str]] = []
        """Name of the callback and text of each page."""
        self.statuses: Counter[int] = Counter()
        self.cookies: dict[str, str] = {}
        waiting = [Request(url, callback=self.spider.parse) for url in self.spider.start_urls]
        seen: set[tuple[str, str, bytes]] = set()
        while waiting:
            request = waiting.pop()
            key = (request.method, request.url, request.body)
            if key not in seen:
                seen.add(key)
                waiting += self.visit(request)

    @property
    def misfits(self) -> list[str]:
        return self.spider.crawler.stats.get_value("misfit/pages", [])

    def visit(self, request: Request) -> list[Request]:
        """Take the items of a page and return the requests that follow from it."""
        response = self.fetch(request)
        self.statuses[response.status] += 1
        if response.status in (301, 302):
            return [request.replace(url=urljoin(request.url, response.headers["Location"].decode()))]
        if response.status != 200:
            failure = Failure(IgnoreRequest("robots.txt") if response.status == FORBIDDEN else HttpError(response))
            failure.request = request  # type: ignore[attr-defined]
            made = request.errback(failure) if request.errback else []
        else:
            self.pages.append((request.callback.__name__, response.text))
            made = request.callback(response, **request.cb_kwargs)
        made = list(made or [])
        self.items += [one for one in made if not isinstance(one, Request)]
        return [one for one in made if isinstance(one, Request)]

    def fetch(self, request: Request) -> Response:
        asked = urlsplit(request.url)
        assert asked.netloc in self.spider.allowed_domains
        target = asked.path + (f"?{asked.query}" if asked.query else "")
        if self.obeys_robots:
            robots = self.respond(SiteRequest(method="GET", host=asked.netloc, target="/robots.txt"))
            if any(target.startswith(rule) for rule in re.findall(r"Disallow: (\S+)", robots.body.decode())):
                return Response(request.url, status=FORBIDDEN)
        sent = {"user-agent": "test"} | {name.decode().lower(): values[0].decode() for name, values in request.headers.items()}
        sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.respond(SiteRequest(method=request.method, host=asked.netloc, target=target, headers=sent, body=request.body))
        if reply is None:
            return Response(request.url, status=404, request=request)
        if cookie := reply.headers.get("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        kind = responsetypes.from_args(headers=Headers(reply.headers), url=request.url, body=reply.body)
        return kind(request.url, status=reply.status, headers=Headers(reply.headers), body=reply.body, request=request)
