"""Saved pages of the exam sites: what they lead to, that the replicas are built like them, and that no damage makes a spider fail."""

import json
import pickle
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, get_type_hints
from urllib.parse import urljoin, urlsplit

import msgspec
import pytest
from lxml.html import HtmlElement, document_fromstring
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, JsonResponse, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.embedded.content import Paper, PaperSection, Q, load_content
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import examcoo, hxter, mxqe, studyez
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.sources.examcoo.spider import ExamcooSpider
from crawlers.sources.hxter.spider import HxterSpider
from crawlers.sources.mxqe.spider import MxqeSpider
from crawlers.sources.studyez.spider import StudyezSpider
from crawlers.store.exchanges import Outdated

SOURCES = Path(__file__).parents[3] / "crawlers/sources"
SPIDERS: dict[str, type[SourceSpider]] = {
    "examcoo": ExamcooSpider, "studyez": StudyezSpider, "hxter": HxterSpider, "mxqe": MxqeSpider,
}  # fmt: skip
SITES = {"examcoo": examcoo, "studyez": studyez, "hxter": hxter, "mxqe": mxqe}
CASES = [path for source in SPIDERS for path in sorted((SOURCES / source / "pages").glob("*.json"))]
NAMES = [f"{path.parents[1].name}-{path.stem}" for path in CASES]
MUTANTS = 800


def spider_of(path: Path) -> SourceSpider:
    spider_class = SPIDERS[path.parents[1].name]
    return spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-11-20")


def body_of(path: Path) -> bytes:
    return next(found for suffix in (".html", ".body") if (found := path.with_suffix(suffix)).exists()).read_bytes()


def read(path: Path, case: dict[str, Any], response: Response | None = None) -> tuple[SourceSpider, list[Any]]:
    """Return the spider, and what it makes of a saved page or of another answer in its place."""
    spider = spider_of(path)
    callback = getattr(spider, case["callback"])
    shapes = get_type_hints(callback)
    known = {name: msgspec.convert(value, shapes.get(name, Any)) for name, value in case.get("cb_kwargs", {}).items()}
    return spider, list(callback(response or response_of(case, body_of(path)), **known))


def response_of(case: dict[str, Any], body: bytes) -> Response:
    headers = Headers(case.get("headers", {"Content-Type": "text/html"}))
    kind = responsetypes.from_args(headers=headers, url=case["url"], body=body)
    return kind(case["url"], headers=headers, body=body, request=Request(case["url"]))


def follows(made: list[Any]) -> list[list[str]]:
    return [[request.url, request.callback.__name__] for request in made if isinstance(request, Request)]


def noted(spider: SourceSpider) -> dict[str, int]:
    stats = spider.crawler.stats.get_stats()
    return {name.removeprefix(NOTED): value for name, value in sorted(stats.items()) if name.startswith(NOTED) and value}


@pytest.mark.parametrize("path", CASES, ids=NAMES)
def test_a_page_leads_where_it_says_and_fits_or_not(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    spider, made = read(path, case)
    assert follows(made) == case["follows"]
    assert spider.crawler.stats.get_value("misfit/count", 0) == case["misfits"]
    assert noted(spider) == case.get("noted", {})
    assert spider.refusal(response_of(case, body_of(path))) == case.get("refusal")
    for request in made:
        if isinstance(request, Request):  # what it needs travels with it: values, and methods of the spider
            assert request.callback == getattr(spider, request.callback.__name__)
            assert pickle.loads(pickle.dumps(request.cb_kwargs)) == request.cb_kwargs


@pytest.mark.parametrize("source", SPIDERS)
def test_every_callback_has_a_page(source: str) -> None:
    callbacks = {name for name in vars(SPIDERS[source]) if re.match("parse(_|$)", name)}
    assert callbacks == {json.loads(path.read_text(encoding="utf-8"))["callback"] for path in CASES if path.parents[1].name == source}


def places(html: str) -> Iterator[str]:
    """Yield the tags of a page that have a class or an id, numbers aside, each under the nearest such tag above it."""
    for tag in document_fromstring(html).iter():
        if isinstance(tag, HtmlElement) and (own := marks(tag)):
            above = next((found for outer in tag.iterancestors() if (found := marks(outer))), [""])
            yield from (f"{outer} {mark}".strip() for outer in above for mark in own)


def marks(tag: HtmlElement) -> list[str]:
    names = [f"{tag.tag}.{name}" for name in (tag.get("class") or "").split()] + ([f"{tag.tag}#{tag.get('id')}"] if tag.get("id") else [])
    return [re.sub(r"\d+", "0", re.sub("#s[1-5]_", "#s_", name)) for name in names]


def row_keys(text: str) -> Iterator[str]:
    """Yield what stands in the rows of a call of examcoo, by their kinds; the paper's own record writes numbers now so, now so."""
    for row in json.loads(text):
        kind = re.match(r"s100|s[1-5]|b|\d", str(row["id"]))
        name = "other" if kind is None else "record" if kind[0].isdigit() else kind[0]
        yield from (f"{name} {key}" + ("" if name == "record" else f" {type(row[key]).__name__}") for key in row if key != "o")


def shape(text: str) -> set[str]:
    return set(row_keys(text)) if text.startswith("[") else set() if text.startswith("{") else set(places(text))


def replica_pages(source: str) -> Iterator[tuple[str, str]]:
    """Yield the pages of a replica that its spider comes to, each with the callback that reads it."""
    kinds = [Q(type="tf", stem="甲", answer="正确"), Q(type="blank", stem="乙是______", answer="丙")]  # no paper of the content has them
    paper = Paper(id=2599999, exam="GEE", site="examcoo", title="卷", subject="普通心理学", sections=[PaperSection(questions=kinds)])
    content = load_content()
    respond = SITES[source].build(msgspec.structs.replace(content, papers=[*content.papers, paper]))
    spider_class = SPIDERS[source]
    spider = spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-11-20")
    left, seen, cookie = [Request(url, spider.parse) for url in spider.start_urls], set(), ""
    while left:
        request = left.pop()
        asked = urlsplit(request.url)
        target = asked.path + (f"?{asked.query}" if asked.query else "")
        if (request.url, request.body) in seen:
            continue
        seen.add((request.url, request.body))
        sent = {name.decode().lower(): values[0].decode() for name, values in request.headers.items()} | {"cookie": cookie}
        reply = respond(SiteRequest(method=request.method, host=asked.netloc, target=target, headers=sent, body=request.body))
        if reply and reply.status == 301:
            left.append(request.replace(url=urljoin(request.url, reply.headers["Location"])))
        elif reply and reply.status == 200:
            cookie = reply.headers.get("Set-Cookie", cookie).partition(";")[0]
            kind = responsetypes.from_args(headers=Headers(reply.headers), url=request.url, body=reply.body)
            response = kind(request.url, headers=reply.headers, body=reply.body, request=request)
            yield request.callback.__name__, response.text
            left += [one for one in request.callback(response, **request.cb_kwargs) if isinstance(one, Request)]


# What no page of the real sites showed, so that it stands in saved pages alone: the site without its order, and other ways out of it.
NOT_ON_REPLICA = re.compile(r"redesigned|no_stems|no_json|login|without_token|doubts|collapsed|wrapped|not_here|marks_apart|kinds$")


@pytest.mark.slow
@pytest.mark.parametrize("source", SPIDERS)
def test_the_replica_is_built_like_the_saved_pages(source: str) -> None:
    saved: dict[str, set[str]] = {}
    must_be: dict[str, set[str]] = {}
    for path in CASES:
        if path.parents[1].name == source:
            case = json.loads(path.read_text(encoding="utf-8"))
            found = shape(response_of(case, body_of(path)).text)
            saved.setdefault(case["callback"], set()).update(found)
            if not NOT_ON_REPLICA.search(path.stem):
                must_be.setdefault(case["callback"], set()).update(found)
    replica: dict[str, set[str]] = {}
    for callback, text in replica_pages(source):
        replica.setdefault(callback, set()).update(shape(text))
    for callback, found in replica.items():
        assert found - saved[callback] == set(), f"{callback}: the replica has what no saved page has"
        assert must_be.get(callback, set()) - found == set(), f"{callback}: saved pages have what the replica has not"
    assert replica.keys() <= saved.keys()


PIECES = [
    "<div>" * 500, "</div></p></table>", "<p>1、", "A. ", "答案：", "【解析】", '<span style="display:none">', "<!--", "<script>",
    "&#x110000;", "\ud800", "\x00", "\ufffd", "（1～999题共用题干）", "9" * 400, "1-5 ABCDA ", '{"id":"s1_1"}', "[" * 2000, "|||",
    '"c":"99999999999"', '\\"o\\":1', 'href="http://[', "null", 'href="//xn--\u0130.example/\\n"', "下一页", "var answers = [",
    "总共：99999999999999999999页", '<a href="1_2.htm">下一页</a>' * 50, "\u202e", "ＡＢ．", "<input " * 100, "s5_", "p" * 5000,
    "(" * 300, "A" * 3000, " " * 5000, "题库" * 2000,
]  # fmt: skip


def mutated(body: bytes, random: Random) -> bytes:
    for _ in range(random.randint(1, 6)):
        start = random.randrange(len(body) + 1)
        end = min(len(body), start + random.choice((1, 3, 20, 200)))
        piece = random.choice(PIECES).encode("utf-8", "surrogatepass")
        match random.randrange(6):
            case 0:
                body = body[:start] + body[end:]
            case 1:
                body = body[:start] + piece + body[start:]
            case 2:
                body = body[:end] + body[start:end] * random.choice((1, 2, 50)) + body[end:]
            case 3:
                body = body[:start] + bytes(random.randrange(256) for _ in range(end - start)) + body[end:]
            case 4:
                body = body[:start]
            case _:
                body = body[:start] + piece + body[end:]
    return body


@pytest.mark.slow
@pytest.mark.parametrize("source", SPIDERS)
def test_no_damage_makes_a_spider_fail(source: str) -> None:
    random = Random(f"damage to {source}")
    kinds = [
        "text/html",
        "text/html; charset=utf-8",
        "text/html; charset=gbk",
        "application/json",
        "text/xml",
        "image/png",
        "text/plain",
        "",
    ]
    cases = [(path, json.loads(path.read_text(encoding="utf-8")), body_of(path)) for path in CASES if path.parents[1].name == source]
    for _ in range(MUTANTS // len(SPIDERS)):
        path, case, body = random.choice(cases)
        body = mutated(body, random)
        headers = {"Content-Type": random.choice(kinds)} if random.random() < 0.3 else case.get("headers", {"Content-Type": "text/html"})
        response = response_of({**case, "headers": headers}, body)
        start = time.process_time()  # of this process alone: others may be at work on the machine
        spider, made = read(path, case, response)
        spider.refusal(response)
        assert time.process_time() - start < 5, (path.stem, body)
        for one in made:
            if isinstance(one, QuestionItem):
                msgspec.json.decode(msgspec.json.encode(one), type=QuestionItem)  # can be stored
            elif one.errback and random.random() < 0.1:
                failure = Failure(random.choice([OSError("no answer"), IgnoreRequest("robots.txt"), Outdated("old")]))
                failure.request = one
                assert all(isinstance(said, QuestionItem | Request) for said in one.errback(failure))


@pytest.mark.parametrize("path", CASES, ids=NAMES)
@pytest.mark.parametrize("kind", [Response, JsonResponse])
def test_what_is_no_page_is_a_misfit_and_costs_no_question(path: Path, kind: type[Response]) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    response = kind(case["url"], headers={"Content-Type": "image/png"}, body=b"[]", request=Request(case["url"]))
    spider, made = read(path, case, response=response)
    assert spider.crawler.stats.get_value("misfit/count", 0) >= 1
    known = case.get("cb_kwargs", {})
    kept = len(known.get("items", [])) + ("item" in known) + ("article" in known)
    assert len([one for one in made if isinstance(one, QuestionItem)]) == kept  # what came with the request
