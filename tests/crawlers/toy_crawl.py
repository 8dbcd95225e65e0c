"""A toy site and its spider, run as the stages run the real ones: `python toy_crawl.py crawl|extract|live FOLDER [flag=value …]`.

Flags: pages (of the site), per_list (links a list page has; else the start page has all), next (last: the link to the next list stands
last), asked (file that lists every page the server was asked for), broken (pages answered with 500), edition (word in every tenth
page), timers (file for the number of timers that the process holds in the end), snapshot, max_pages, spider (plain, misfit, greedy,
failing, broken: on every page, silent: no items, mute: nor a word,
foreign: every page is a misfit), origin (live: stored as pages of the real site are),
loop (7,9: pages on which the spider runs in circles), full (8-11: between these requests the disk takes no more than 2,000 bytes a
file), hidden (a path that robots.txt forbids).
"""

import gc
import gzip
import resource
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from twisted.internet.base import DelayedCall

from atomexam.records.params import ExtractFlags
from atomexam.runtime.jsonl import folder_lock
from atomexam.runtime.stage import run_stage
from crawlers.crawl import _crawl, crawl_embedded, crawl_live, crawl_without_broken_pages
from crawlers.embedded.content import Content
from crawlers.embedded.serving.server import serving
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.extract import replay
from crawlers.html.source_spider import SourceSpider
from crawlers.web import broken_pages, settings

MODE, FOLDER = sys.argv[1], Path(sys.argv[2])
FLAGS = dict(flag.split("=", 1) for flag in sys.argv[3:])
PAGES = int(FLAGS.get("pages", 30))
PER_LIST = int(FLAGS.get("per_list", PAGES))
KIND = FLAGS.get("spider", "plain")


class Toy(SourceSpider):
    name = "toy"
    allowed_domains = ("toy.example", "localhost")
    start_urls = (FLAGS.get("start", "https://toy.example/"),)
    custom_settings: ClassVar = {"RETRY_ENABLED": False}

    def parse(self, response: Any) -> Iterator[Any]:
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse if link.startswith("/l/") else self.parse_page)
        if KIND == "greedy":
            yield response.follow("/p/never-crawled", self.parse_page)

    def parse_page(self, response: Any) -> Iterator[Any]:
        number = int(response.url.rsplit("/", 1)[1])
        if KIND == "broken" or (KIND == "failing" and number == 3):
            raise KeyError("no such field")
        if str(number) in FLAGS.get("loop", "").split(","):
            while True:
                pass
        if KIND == "silent":
            self.note("pages without text")
        if KIND in ("silent", "mute"):
            return
        if KIND == "foreign" or (KIND == "misfit" and number % 5 == 0):
            self.misfit(response, "no stem")
            return
        yield self.question(response, "q1", stem_raw=response.css("p::text").get())

    def closed(self, reason: str) -> None:
        if "timers" in FLAGS:
            held = sum(isinstance(one, DelayedCall) for one in gc.get_objects())
            Path(FLAGS["timers"]).write_text(str(held), encoding="utf-8")


def build(content: object) -> Respond:
    requests = count(1)

    def respond(ask: SiteRequest) -> SiteReply | None:
        if "full" in FLAGS:
            fill_disk(next(requests))
        if "asked" in FLAGS:
            with open(FLAGS["asked"], "a", encoding="utf-8") as asked:
                asked.write(ask.target + "\n")
        if ask.target == "/robots.txt" and "hidden" in FLAGS:
            return SiteReply(headers={"Content-Type": "text/plain"}, body=f"User-agent: *\nDisallow: {FLAGS['hidden']}\n".encode())
        if ask.target == "/" or ask.target.startswith("/l/"):
            return _list(int(ask.target.removeprefix("/l/").removeprefix("/") or 0))
        if not ask.target.startswith("/p/"):
            return None
        number = int(ask.target.removeprefix("/p/"))
        if number >= PAGES - int(FLAGS.get("broken", 0)):
            return SiteReply(status=500, body=b"")
        edition = FLAGS.get("edition", "") if number % 10 == 0 else ""
        return _page(f"<p>第{number}页{edition}</p>" + "字" * 3000, packed=number % 2 == 1)

    return respond


def fill_disk(request: int) -> None:
    """Let no file grow beyond 2,000 bytes while certain requests are answered."""
    first, behind = map(int, FLAGS["full"].split("-"))
    if request in (first, behind):
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000 if request == first else resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _list(number: int) -> SiteReply:
    """Return a list page. A crawl goes into depth: it leaves the first link for the end, and follows the last one first."""
    first = number * PER_LIST
    more = f"<a href=/l/{number + 1}>…</a>" if first + PER_LIST < PAGES else ""
    links = [more, *(f"<a href=/p/{page}>{page}</a>" for page in range(first, min(first + PER_LIST, PAGES)))]
    return _page("".join(links if FLAGS.get("next") != "last" else reversed(links)))


def _page(text: str, packed: bool = False) -> SiteReply:
    body, kind = text.encode("gbk"), {"Content-Type": "text/html; charset=gbk"}
    return (
        SiteReply(headers=kind | {"Content-Encoding": "gzip"}, body=gzip.compress(body, mtime=0))
        if packed
        else SiteReply(headers=kind, body=body)
    )


def main() -> None:
    source = ExtractFlags(snapshot=FLAGS.get("snapshot", "2026-11-20"), max_pages=int(FLAGS.get("max_pages", 0)))
    if MODE == "extract":
        replay(Toy, source, FOLDER, float(FLAGS.get("share", 0.05)), FOLDER.parent / "items.jsonl", float(FLAGS.get("kind_loss", 1)))
        return
    with folder_lock(FOLDER):
        if MODE == "live":
            crawl_live(Toy, source, FOLDER)
        else:
            sites = {"toy": SimpleNamespace(__name__="toy", HOSTS=("toy.example",), build=build)}
            if FLAGS.get("origin") != "live":
                crawl = partial(crawl_embedded, Toy, source, FOLDER, partial(serving, sites=sites, content=Content))
                if "loop" not in FLAGS:
                    crawl()
                    return
                broken_pages.PAGE_SECONDS = 0.5
                crawl_without_broken_pages("toy", FOLDER, crawl)
                return
            with serving(source.snapshot, sites=sites, content=Content) as url:
                _crawl(Toy, source, FOLDER, "live", settings.embedded(url), lambda text: None)


run_stage(main)
