"""What it takes to guard a page against what breaks its reader: CPU of the middleware and of the look for depth and tags, a page.

    python bench/guard.py --turns 60

Turns with and without the guard take turns, and the least of each counts: other work on the machine makes some turns longer, none shorter.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from twisted.internet import asyncioreactor

asyncioreactor.install()  # before Scrapy takes another one

sys.path.insert(0, str(Path(__file__).parent.parent))

from scrapy import Request  # noqa: E402 - behind the reactor
from scrapy.core.spidermw import SpiderMiddlewareManager  # noqa: E402
from scrapy.crawler import Crawler  # noqa: E402
from scrapy.http import HtmlResponse  # noqa: E402
from scrapy.statscollectors import MemoryStatsCollector  # noqa: E402

from atomexam.runtime import budgets  # noqa: E402
from bench.generated_site import Ours, body  # noqa: E402
from crawlers.html.readable import readable  # noqa: E402
from crawlers.web import settings  # noqa: E402
from crawlers.web.broken_pages import PageTracker  # noqa: E402
from crawlers.web.run_spider import spider_settings  # noqa: E402

GUARD = f"{PageTracker.__module__}.{PageTracker.__name__}"
PAGE, PAGES_A_TURN = body("/paper/7", 500), 100


def page() -> HtmlResponse:
    """Return a paper of ten questions, parsed."""
    request = Request("https://bench.example/paper/7")
    response = HtmlResponse(request.url, body=PAGE, encoding="utf-8", request=request)
    _ = response.selector
    return response


def manager(without: str = "") -> SpiderMiddlewareManager:
    """Return Scrapy's chain around a callback, but for one middleware."""
    ours = {name: place for name, place in settings.SPIDER_MIDDLEWARES.items() if name != without}
    crawler = Crawler(Ours, spider_settings({"SPIDER_MIDDLEWARES": ours, "LOG_ENABLED": False}))
    crawler.stats = MemoryStatsCollector(crawler)
    crawler.spider = Ours(snapshot="2026-11-20")
    crawler.spider.crawler = crawler
    return SpiderMiddlewareManager.from_crawler(crawler)


async def through(chain: SpiderMiddlewareManager, response: Any, found: list[Any]) -> None:
    """Pass what a callback yields for a page through a chain."""

    async def callback(*_: Any) -> AsyncIterator[Any]:
        async def made() -> AsyncIterator[Any]:
            for one in found:
                yield one

        return made()

    async for _ in await chain.scrape_response_async(callback, response, response.request):
        pass


def microseconds(work: Callable[..., Any], *given: Any) -> float:
    start = time.thread_time()
    work(*given)
    return (time.thread_time() - start) * 1e6


async def measure(turns: int) -> str:
    """Return what a page takes more."""
    budgets._beats[0] = True  # as in a process that may break
    chains = {"with": manager(), "without": manager(GUARD)}
    found = list(Ours(snapshot="2026-11-20").parse_paper(page()))
    least = dict.fromkeys(chains, float("inf"))
    for _ in range(turns):
        for name, chain in chains.items():
            response, start = page(), time.thread_time()
            for _ in range(PAGES_A_TURN):
                await through(chain, response, found)
            least[name] = min(least[name], (time.thread_time() - start) / PAGES_A_TURN * 1e6)
    guard, one = PageTracker(Crawler(Ours)), page()
    looked = min(microseconds(readable, page()) for _ in range(turns * PAGES_A_TURN))
    taken = min(microseconds(guard.process_response, one.request, one) for _ in range(turns * PAGES_A_TURN))
    around = least["with"] - least["without"]
    parts = f"{around:.0f} µs around the callback, {looked:.0f} µs for depth and tags, {taken:.0f} µs to take it in hand"
    return f"{len(PAGE)} bytes, {len(found)} items and requests: {parts}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=60)
    print(asyncio.run(measure(parser.parse_args().turns)))
