"""Pages and spiders for the tests of the replay: a graph of links that is stored as a crawl would store it."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.exceptions import CloseSpider
from twisted.python.failure import Failure

from crawlers.html.source_spider import SourceSpider
from crawlers.store.merging import finish
from crawlers.store.part_writer import PartWriter
from crawlers.store.request_keys import request_key
from crawlers.store.warc import Page

SNAPSHOT = "2026-11-20"
HOME = "https://toy.example"
Graph = dict[str, list[str]]
"""Path of a page -> the links on it."""


class Walk(SourceSpider):
    """Follows each link, tells by which page it came to each page, and does what the page's path says."""

    name = "toy"
    allowed_domains = ("toy.example",)
    start_urls = (f"{HOME}/",)

    def parse(self, response: Any, via: str = "") -> Iterator[Any]:
        yield self.question(response, "q1", stem_raw=via, options_raw=response.css("a::text").getall())
        for place, link in enumerate(response.css("a::attr(href)").getall()):
            yield response.follow(link, self.parse, errback=self.without, cb_kwargs={"via": f"{response.url} {place}"})

    def without(self, failure: Failure) -> Iterator[Any]:
        """Tell of a page that cannot be had, and go on from it."""
        self.crawler.stats.inc_value("toy/without")
        yield Request(f"{HOME}/after-failure", self.parse, cb_kwargs={"via": failure.request.url})


class Trouble(Walk):
    """Does on a page what its path says."""

    def parse(self, response: Any, via: str = "") -> Iterator[Any]:
        yield from super().parse(response, via)
        does = response.url.rsplit("/", 1)[1]
        if does.startswith("misfit"):
            self.misfit(response, "no stem")
        elif does.startswith("raise"):
            raise KeyError(does)
        elif does == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif does == "exit":
            os._exit(3)
        elif does == "crash":
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # no words of Python's own
            os.kill(os.getpid(), signal.SIGSEGV)
        elif does == "swell":
            yield bytearray(1 << 40)
        elif does == "hang":
            while True:
                pass
        elif does.startswith("sleep"):
            time.sleep(0.1)
        elif does == "close":
            raise CloseSpider("enough")
        elif does == "lambda":
            yield Request(f"{HOME}/a", lambda answer: None)
        elif does == "generator":
            yield Request(f"{HOME}/a", self.parse, cb_kwargs={"via": (letter for letter in "abc")})
        elif does == "twice":
            for number in range(3):
                yield Request(f"{HOME}/again", self.parse_again, dont_filter=True, cb_kwargs={"number": number})
        elif does == "half":
            yield self.question(response, "q2", stem_raw="\ud800")
        elif does == "dict":
            yield {"stem": "of no shape"}

    def parse_again(self, response: Any, number: int) -> Iterator[Any]:
        yield self.question(response, f"q{number}")


class Scoped(Walk):
    """Cannot be made."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**(arguments | {"letters": ["a"]}))


class Starting(Walk):
    """Starts with requests and an item of its own."""

    async def start(self) -> Any:
        yield self.question(_Nowhere(), "start")
        for path in ("/b", "/a", "/b"):
            yield Request(HOME + path, cb_kwargs={"via": "start"})


class _Nowhere:
    url, body, request = HOME, b"", None


def store(folder: Path, pages: dict[str, str | Page], robots: str = "User-agent: *\nDisallow:\n") -> None:
    """Store pages as a finished crawl does: paths to bodies or to whole answers."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = PartWriter(folder, SNAPSHOT, "live")
    for path, page in {"/robots.txt": robots, **pages}.items():
        writer.write(answer(path, body=page) if isinstance(page, str) else page)
    writer.close()
    finish(folder, SNAPSHOT, "live")


def answer(path: str, body: str = "", status: int = 200, **headers: str) -> Page:
    """Return a stored answer."""
    kind = "text/plain" if path == "/robots.txt" else "text/html; charset=utf-8"
    sent = sorted({"Content-Type": kind, **headers}.items())
    return Page(key=request_key("GET", HOME + path), date=f"{SNAPSHOT}T00:00:00Z", status=status, headers=sent, body=body.encode())


def linked(graph: Graph) -> dict[str, str]:
    """Return the pages of a graph."""
    return {path: "".join(f'<a href="{link}">{link}</a>' for link in links) + f"<p>{path}</p>" for path, links in graph.items()}
