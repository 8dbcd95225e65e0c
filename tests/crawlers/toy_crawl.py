"""A toy site and its spider, run as the stages run the real ones: `python toy_crawl.py crawl|extract|live FOLDER [flag=value …]`.

Flags: pages (of the site), asked (file that lists every page the server was asked for), broken (pages answered with 500),
max_pages, spider (plain, misfit, greedy, failing).
"""

import gzip
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from crawlers.crawl import crawl_embedded, crawl_live
from crawlers.embedded.content import Content
from crawlers.embedded.server import serving
from crawlers.embedded.site import Ask, Reply, Respond
from crawlers.extract import natural, replay
from crawlers.source import SourceSpider
from records.jsonl import folder_lock, write_jsonl
from records.params import Extraction
from records.stage import run_stage

MODE, FOLDER = sys.argv[1], Path(sys.argv[2])
FLAGS = dict(flag.split("=", 1) for flag in sys.argv[3:])
PAGES = int(FLAGS.get("pages", 30))
KIND = FLAGS.get("spider", "plain")


class Toy(SourceSpider):
    name = "toy"
    allowed_domains = ("toy.example", "localhost")
    start_urls = (FLAGS.get("start", "https://toy.example/"),)
    custom_settings: ClassVar = {"RETRY_ENABLED": False}

    def parse(self, response: Any) -> Iterator[Any]:
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_page)
        if KIND == "greedy":
            yield response.follow("/p/never-crawled", self.parse_page)

    def parse_page(self, response: Any) -> Iterator[Any]:
        number = int(response.url.rsplit("/", 1)[1])
        if KIND == "failing" and number == 3:
            raise KeyError("no such field")
        if KIND == "misfit" and number % 5 == 0:
            self.misfit(response, "no stem")
            return
        yield self.question(response, "q1", stem_raw=response.css("p::text").get())


def build(content: object) -> Respond:
    def respond(ask: Ask) -> Reply | None:
        if "asked" in FLAGS:
            with open(FLAGS["asked"], "a", encoding="utf-8") as asked:
                asked.write(ask.target + "\n")
        if ask.target == "/":
            return _page("".join(f"<a href=/p/{number}>{number}</a>" for number in range(PAGES)))
        if not ask.target.startswith("/p/"):
            return None
        number = int(ask.target.removeprefix("/p/"))
        if number >= PAGES - int(FLAGS.get("broken", 0)):
            return Reply(status=500, body=b"")
        return _page(f"<p>第{number}页</p>" + "字" * 3000, packed=number % 2 == 1)

    return respond


def _page(text: str, packed: bool = False) -> Reply:
    body, kind = text.encode("gbk"), {"Content-Type": "text/html; charset=gbk"}
    return (
        Reply(headers=kind | {"Content-Encoding": "gzip"}, body=gzip.compress(body, mtime=0)) if packed else Reply(headers=kind, body=body)
    )


def main() -> None:
    source = Extraction(snapshot="2026-11-20", max_pages=int(FLAGS.get("max_pages", 0)))
    if MODE == "extract":
        items = replay(Toy, source, FOLDER, float(FLAGS.get("share", 0.05)))
        write_jsonl(FOLDER.parent / "items.jsonl", items, key=lambda item: (item.url, natural(item.provenance.position)))
        return
    with folder_lock(FOLDER):
        if MODE == "live":
            crawl_live(Toy, source, FOLDER)
        else:
            sites = {"toy": SimpleNamespace(__name__="toy", HOSTS=("toy.example",), build=build)}
            crawl_embedded(Toy, source, FOLDER, partial(serving, sites=sites, content=Content))


run_stage(main)
