"""The site that bench/crawl.py crawls: lists of any number of exam papers of about 20 kB, and the two spiders that read it.

python bench/generated_site.py PAGES        serve it on loopback and print its address
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from scrapy import Request, Spider

from crawlers.html.source_spider import SourceSpider

HOST, LIST_PAGES = "bench.example", 100
_DRAW = random.Random(1)
_WORDS = ["".join(chr(0x4E00 + int(_DRAW.paretovariate(0.6)) % 6000) for _ in range(_DRAW.choice([1, 2, 2, 3]))) for _ in range(3000)]
_TEXTS = ["".join(_DRAW.choices(_WORDS, k=_DRAW.randrange(8, 40))) for _ in range(997)]
_MENU = "".join(f'<li class="menu"><a href="/about/{number}">{_TEXTS[number][:8]}</a></li>' for number in range(60))


def body(path: str, pages: int, questions: int = 10) -> bytes:
    """Return a page of the site: its root, a list or a paper."""
    kind, _, number = path.strip("/").partition("/")
    if kind == "robots.txt":
        return b"User-agent: *\nDisallow: /about/\n"
    if kind == "paper":
        return _page(_paper(int(number), pages, questions))
    if kind == "list":
        first = int(number) * LIST_PAGES
        return _page("".join(f'<a class="paper" href="/paper/{one}">{one}</a>' for one in range(first, min(first + LIST_PAGES, pages))))
    return _page("".join(f'<a class="list" href="/list/{one}">{one}</a>' for one in range(-(-pages // LIST_PAGES))))


def paths(pages: int) -> Iterator[str]:
    """Yield all paths of the site."""
    yield from ("/robots.txt", "/")
    yield from (f"/list/{number}" for number in range(-(-pages // LIST_PAGES)))
    yield from (f"/paper/{number}" for number in range(pages))


def _page(content: str) -> bytes:
    head = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{HOST}</title></head><body><ul>{_MENU}</ul>"
    return f"{head}<main>{content}</main></body></html>".encode()


def _paper(paper: int, pages: int, count: int) -> str:
    seen = (_TEXTS[(paper * 31 + place * 7) % len(_TEXTS)] for place in range(count * 8))
    questions = []
    for number in range(count):
        options = "".join(f"<li>{letter}. {next(seen)}</li>" for letter in "ABCDE")
        stem = f"<p class=stem>{number + 1}. {paper} {next(seen)}{next(seen)}（　）</p>"
        questions.append(
            f"<div class=question>{stem}<ol>{options}</ol><p class=answer>答案：{'ABCDE'[paper % 5]}</p><p>{next(seen)}</p></div>"
        )
    onward = f'<a class="paper" href="/paper/{(paper + 1) % pages}">下一篇</a><a class="list" href="/list/{paper // LIST_PAGES}">返回</a>'
    return "".join(questions) + onward


def questions_in(response: Any) -> Iterator[dict[str, Any]]:
    """Yield the raw fields of each question."""
    for question in response.css("div.question"):
        yield {
            "stem_raw": question.css("p.stem::text").get(),
            "options_raw": question.css("li::text").getall(),
            "answer_raw": question.css("p.answer::text").get(),
            "explanation_raw": question.xpath("./p[last()]/text()").get(),
        }


def requests_in(spider: Any, response: Any) -> Iterator[Request]:
    """Yield a request for each link to a list or a paper."""
    yield from (response.follow(link, spider.parse) for link in response.css("a.list::attr(href)").getall())
    yield from (response.follow(link, spider.parse_paper) for link in response.css("a.paper::attr(href)").getall())


class Ours(SourceSpider):
    """Spider of the site, written like the sources of this project."""

    name = "bench"
    allowed_domains = (HOST,)
    start_urls = [f"https://{HOST}/"]  # noqa: RUF012 (Scrapy requires a plain list)

    def parse(self, response: Any) -> Iterator[Any]:
        yield from requests_in(self, response)

    def parse_paper(self, response: Any) -> Iterator[Any]:
        for number, fields in enumerate(questions_in(response), 1):
            yield self.question(response, f"q{number}", **fields)
        yield from requests_in(self, response)


class Plain(Spider):
    """Plain Scrapy spider with the same parsing."""

    name = "plain"

    def parse(self, response: Any) -> Iterator[Any]:
        yield from requests_in(self, response)

    def parse_paper(self, response: Any) -> Iterator[Any]:
        for number, fields in enumerate(questions_in(response), 1):
            yield {"url": response.url, "position": f"q{number}", **fields}
        yield from requests_in(self, response)


def store(pages: Path, snapshot: str, count: int, questions: int) -> None:
    """Store the site as a crawl would, without crawling it."""
    from crawlers.store.part_writer import PartWriter
    from crawlers.store.request_keys import request_key
    from crawlers.store.warc import Page
    from crawlers.web.archive import finish_crawl

    pages.mkdir(parents=True)
    writer = PartWriter(pages, snapshot, "embedded bench")
    for path in paths(count):
        kind = "text/plain" if path == "/robots.txt" else "text/html"
        headers = [("Content-Type", f"{kind}; charset=utf-8")]
        key = request_key("GET", f"https://{HOST}{path}")
        writer.write(Page(key=key, date=f"{snapshot}T00:00:00Z", status=200, headers=headers, body=body(path, count, questions)))
    writer.close()
    finish_crawl(pages, snapshot, "embedded bench")


def serve(pages: int) -> None:
    """Serve the site until killed."""
    import asyncio

    from aiohttp import web

    async def reply(request: web.BaseRequest) -> web.Response:
        kind = "text/plain" if request.path == "/robots.txt" else "text/html"
        return web.Response(body=body(request.path, pages), content_type=kind, charset="utf-8")

    async def run() -> None:
        runner = web.ServerRunner(web.Server(reply))
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


if __name__ == "__main__":
    serve(int(sys.argv[1]))
