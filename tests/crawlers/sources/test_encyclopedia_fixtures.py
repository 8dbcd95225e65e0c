"""Saved pages of the encyclopedias: what they lead to, that the replicas are built like them, and that no damage makes a spider fail."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec
import pytest
from lxml.html import HtmlElement, document_fromstring
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler

from atomexam.records.item import EntityItem
from crawlers.embedded.content import load_content
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import ask120, xiaohe
from crawlers.html.page_state import CONTAINERS
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.ask120.spider import Ask120Spider
from crawlers.sources.xiaohe.spider import XiaoheSpider

SOURCES = Path(__file__).parents[3] / "crawlers/sources"
SPIDERS: dict[str, type[SourceSpider]] = {"ask120": Ask120Spider, "xiaohe": XiaoheSpider}
SITES = {"ask120": ask120, "xiaohe": xiaohe}
CASES = [path for source in SPIDERS for path in sorted((SOURCES / source / "pages").glob("*.json"))]
# Pages in no known form: there the replicas have nothing to be like.
UNKNOWN_FORMS = re.compile(r"redesigned|moved|library|prose|headings_only|blocks$|bare$|shell")
_CONTAINER = re.compile(rf"(?<!\w)(?:{'|'.join(CONTAINERS)})(?!\w)")
MUTANTS = 1500
LIMIT_SECONDS = 10
"""Of the processor, on a machine that does much else; a reader that is not linear takes ten and more."""


def spider_of(path: Path) -> SourceSpider:
    spider_class = SPIDERS[path.parents[1].name]
    return spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-11-20")


def body_of(path: Path) -> bytes:
    return next(found for suffix in (".html", ".body") if (found := path.with_suffix(suffix)).exists()).read_bytes()


def response_of(case: dict[str, Any], body: bytes) -> Response:
    headers = Headers(case.get("headers", {"Content-Type": "text/html; charset=utf-8"}))
    kind = responsetypes.from_args(headers=headers, url=case["url"], body=body)
    request = Request(case["url"], cb_kwargs=case.get("cb_kwargs", {}))
    return kind(case["url"], headers=headers, body=body, request=request)


def read(spider: SourceSpider, case: dict[str, Any], body: bytes) -> list[Any]:
    return list(getattr(spider, case["callback"])(response_of(case, body), **case.get("cb_kwargs", {})))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_page_leads_where_it_says_and_fits_or_not(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    spider = spider_of(path)
    found = read(spider, case, body_of(path))
    requests = [one for one in found if isinstance(one, Request)]
    if "follows" in case:
        assert [[request.url, request.callback.__name__] for request in requests] == case["follows"]
    assert spider.crawler.stats.get_value("misfit/count", 0) == case.get("misfits", 0)
    assert spider.refusal(response_of(case, body_of(path))) == case.get("refusal")
    # What a request needs travels with it: plain values, and methods of the spider.
    for request in requests:
        assert getattr(spider, request.callback.__name__) == request.callback
        assert json.loads(json.dumps(request.cb_kwargs)) == request.cb_kwargs


def places(html: str) -> Iterator[str]:
    """Yield the classes and ids of a page, each alone and under the nearest place above it that has one."""
    root = document_fromstring(html)
    for tag in root.iter():
        if not isinstance(tag, HtmlElement):
            continue
        if own := marks(tag):
            above = next((found for outer in tag.iterancestors() if (found := marks(outer))), [""])
            yield from own
            yield from (f"{outer} {mark}" for outer in above for mark in own)
        if tag.tag == "script":
            yield from (f"state {name}" for name in _CONTAINER.findall(tag.text or ""))


def marks(tag: HtmlElement) -> list[str]:
    return [f"{tag.tag}.{name}" for name in (tag.get("class") or "").split()] + ([f"{tag.tag}#{tag.get('id')}"] if tag.get("id") else [])


def replica_pages(source: str) -> list[str]:
    """Return the pages of a replica that its spider comes to, and the check of the browser that it does not."""
    respond = SITES[source].build(load_content())
    spider = SPIDERS[source].from_crawler(get_crawler(SPIDERS[source]), snapshot="2026-11-20")
    left = [Request(url) for url in spider.start_urls]
    pages: dict[str, str] = {}
    if source == "xiaohe":
        target = "/medical/qa/70000000000001?enter_position=nav"
        pages[target] = respond(SiteRequest(method="GET", host="www.xiaohe.cn", target=target)).body.decode()
    while left:
        request = left.pop()
        asked = urlsplit(request.url)
        target = asked.path + (f"?{asked.query}" if asked.query else "")
        reply = (
            None
            if request.url in pages
            else respond(SiteRequest(method="GET", host=asked.netloc, target=target, headers={"user-agent": "test"}))
        )
        if reply and reply.status == 301:
            left.append(request.replace(url=urljoin(request.url, reply.headers["Location"])))
        elif reply and reply.status == 200:
            kind = responsetypes.from_args(headers=Headers(reply.headers), url=request.url, body=reply.body)
            response = kind(request.url, headers=reply.headers, body=reply.body, request=request)
            pages[request.url] = response.text
            found = (request.callback or spider.parse)(response, **request.cb_kwargs)
            left += [one for one in found if isinstance(one, Request)]
    return list(pages.values())


@pytest.fixture(scope="module")
def built() -> dict[str, set[str]]:
    """What places the pages of each replica have."""
    return {source: {place for html in replica_pages(source) if html.strip() for place in places(html)} for source in SITES}


@pytest.mark.parametrize("path", [path for path in CASES if path.with_suffix(".html").exists()], ids=lambda path: path.stem)
def test_a_replica_has_every_place_of_a_saved_page(path: Path, built: dict[str, set[str]]) -> None:
    if not UNKNOWN_FORMS.search(path.stem):
        shown = set(places(path.read_text(encoding="utf-8")))
        assert shown - built[path.parents[1].name] == set()


def mutated(body: bytes, random: Random) -> bytes:
    """Return a page with some damage: pieces lost, doubled, moved, cut off, strewn with marks, or nested deep."""
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(body))
        end = min(len(body), start + random.choice((1, 5, 40, 400)))
        piece = random.choice(
            [b"", body[start:end] * 2, b"<", b">", b'"', b"\x00", b"</div>", b"<div>" * 300, b"\xff\xfe", "：".encode(), "\ufeff".encode(),
             b"{", b"]}", b"&#x110000;", b"<script>", b"-->", b"[" * 2000, body[:end], b"9" * 5000, b"\\ud800", b' href="http://[" ']
        )  # fmt: skip
        body = body[:start] + piece + body[random.choice((start, end)) :]
    return body


@pytest.mark.slow
def test_no_damage_makes_a_spider_fail() -> None:
    random = Random(20261120)
    cases = [(path, json.loads(path.read_text(encoding="utf-8")), body_of(path), spider_of(path)) for path in CASES]
    slowest = 0.0
    for _ in range(MUTANTS):
        _, case, body, spider = random.choice(cases)
        body = mutated(body, random)
        before = time.process_time()
        found = read(spider, case, body)
        spider.refusal(response_of(case, body))
        slowest = max(slowest, time.process_time() - before)
        assert all(isinstance(one, EntityItem | Request) for one in found)
        msgspec.json.encode([one for one in found if isinstance(one, EntityItem)])
    assert slowest < LIMIT_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("source", SPIDERS)
def test_large_pages_are_read_in_time(source: str) -> None:
    """What is repeated costs no more than in proportion; a tenth of a second is usual here."""
    for path in (path for path in CASES if path.parents[1].name == source):
        case, body = json.loads(path.read_text(encoding="utf-8")), body_of(path)
        inner = body.partition(b"<body>")[2].rpartition(b"</body>")[0]
        if inner:
            many = b"<html><body>" + inner * (50_000 // len(inner)) + b"</body></html>"
            before = time.process_time()
            read(spider_of(path), case, many)
            assert time.process_time() - before < LIMIT_SECONDS, path.stem


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, opening, nested",
    [
        ("xiaohe/disease_headings_only", "<h1>甲</h1><section><h2>乙</h2>", "<ul><li>丙<div>"),
        ("xiaohe/disease_headings_only", "<h1>甲</h1>", "<section><h2>乙</h2><div>丙"),
        ("xiaohe/disease_headings_only", "<h1>甲</h1>", "<div><h2>乙</h2><div>丙"),
        ("ask120/article_2014", "", '<div class="art_cont"><b>甲：</b>'),
        ("ask120/disease_boxless", '<div class="disease-cont"><strong>甲</strong></div>', "<ul><li><span>乙：</span><var>丙"),
        ("ask120/medicine", '<div class="details-right-drug"><p>甲</p></div><div class="cont-Drug-details"><div class="tab-dm-2">',
         '<span class="td">乙</span><var>'),
    ],
)  # fmt: skip
def test_what_is_nested_deep_is_read_in_time(name: str, opening: str, nested: str) -> None:
    path = SOURCES / f"{name.replace('/', '/pages/')}.json"
    case = json.loads(path.read_text(encoding="utf-8"))
    before = time.process_time()
    found = read(spider_of(path), case, f"<html><body>{opening}{nested * 1000}".encode())
    assert any(isinstance(one, EntityItem) for one in found)
    assert time.process_time() - before < LIMIT_SECONDS
