"""Saved pages of all sites: what they lead to, that the replicas are built like them, and that no damage makes a spider fail."""

import json
import pickle
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import msgspec
import pytest
from lxml.html import HtmlElement, document_fromstring
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, JsonResponse, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.embedded.content import Paper, PaperSection, Q, load_content
from crawlers.embedded.site import SiteRequest
from crawlers.embedded.sites import SITES
from crawlers.html.page_state import CONTAINERS
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.sources.ask120.spider import Ask120Spider
from crawlers.sources.examcoo.spider import ExamcooSpider
from crawlers.sources.hxter.spider import HxterSpider
from crawlers.sources.mxqe.spider import MxqeSpider
from crawlers.sources.studyez.spider import StudyezSpider
from crawlers.sources.xiaohe.spider import XiaoheSpider
from crawlers.store.exchanges import Outdated
from tests.crawlers.replica_walk import ReplicaWalk

SOURCES = Path(__file__).parents[3] / "crawlers/sources"
EXAMS: dict[str, type[SourceSpider]] = {
    "examcoo": ExamcooSpider, "studyez": StudyezSpider, "hxter": HxterSpider, "mxqe": MxqeSpider,
}  # fmt: skip
ENCYCLOPEDIAS: dict[str, type[SourceSpider]] = {"ask120": Ask120Spider, "xiaohe": XiaoheSpider}
SPIDERS = EXAMS | ENCYCLOPEDIAS
CASES = [path for source in SPIDERS for path in sorted((SOURCES / source / "pages").glob("*.json"))]
MUTANTS = 200
"""Damaged pages of each source."""
LIMIT_SECONDS = 10
"""Of the processor, on a machine that does much else; a reader that is not linear takes ten and more."""
_CONTAINER = re.compile(rf"(?<!\w)(?:{'|'.join(CONTAINERS)})(?!\w)")


def source_of(path: Path) -> str:
    return path.parents[1].name


def name_of(path: Path) -> str:
    return f"{source_of(path)}-{path.stem}"


def case_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def body_of(path: Path) -> bytes:
    return next(found for suffix in (".html", ".body") if (found := path.with_suffix(suffix)).exists()).read_bytes()


def response_of(path: Path, case: dict[str, Any], body: bytes | None = None) -> Response:
    headers = Headers(case.get("headers", {"Content-Type": "text/html" if source_of(path) in EXAMS else "text/html; charset=utf-8"}))
    body = body_of(path) if body is None else body
    kind = responsetypes.from_args(headers=headers, url=case["url"], body=body)
    return kind(case["url"], headers=headers, body=body, request=Request(case["url"], cb_kwargs=case.get("cb_kwargs", {})))


def read(path: Path, case: dict[str, Any], response: Response) -> tuple[SourceSpider, list[Any]]:
    """Return the spider, and what it makes of a saved page or of another answer in its place."""
    spider_class = SPIDERS[source_of(path)]
    spider = spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-11-20")
    callback = getattr(spider, case["callback"])
    shapes = get_type_hints(callback)
    known = {name: msgspec.convert(value, shapes.get(name, Any)) for name, value in case.get("cb_kwargs", {}).items()}
    return spider, list(callback(response, **known))


@pytest.mark.parametrize("path", CASES, ids=name_of)
def test_a_page_leads_where_it_says_and_fits_or_not(path: Path) -> None:
    case = case_of(path)
    spider, made = read(path, case, response_of(path, case))
    requests = [one for one in made if isinstance(one, Request)]
    if "follows" in case or source_of(path) in EXAMS:
        assert [[request.url, request.callback.__name__] for request in requests] == case["follows"]
    assert spider.crawler.stats.get_value("misfit/count", 0) == case.get("misfits", 0)
    stats = spider.crawler.stats.get_stats()
    noted = {name.removeprefix(NOTED): value for name, value in stats.items() if name.startswith(NOTED) and value}
    assert noted == case.get("noted", {}) or source_of(path) in ENCYCLOPEDIAS
    assert spider.refusal(response_of(path, case)) == case.get("refusal")
    for request in requests:  # what it needs travels with it: values, and methods of the spider
        assert request.callback == getattr(spider, request.callback.__name__)
        assert pickle.loads(pickle.dumps(request.cb_kwargs)) == request.cb_kwargs


@pytest.mark.parametrize("source", EXAMS)
def test_every_callback_has_a_page(source: str) -> None:
    callbacks = {name for name in vars(SPIDERS[source]) if re.match("parse(_|$)", name)}
    assert callbacks == {case_of(path)["callback"] for path in CASES if source_of(path) == source}


def places(html: str) -> Iterator[str]:
    """Yield the classes and ids of a page, each alone and under the nearest place above it that has one, and its state."""
    for tag in document_fromstring(html).iter():
        if not isinstance(tag, HtmlElement):
            continue
        if own := marks(tag):
            above = next((found for outer in tag.iterancestors() if (found := marks(outer))), [""])
            yield from own
            yield from (f"{outer} {mark}".strip() for outer in above for mark in own)
        if tag.tag == "script":
            yield from (f"state {name}" for name in _CONTAINER.findall(tag.text or ""))


def marks(tag: HtmlElement) -> list[str]:
    return [f"{tag.tag}.{name}" for name in (tag.get("class") or "").split()] + ([f"{tag.tag}#{tag.get('id')}"] if tag.get("id") else [])


def row_keys(text: str) -> Iterator[str]:
    """Yield what stands in the rows of a call of examcoo, by their kinds; the paper's own record writes numbers now so, now so."""
    for row in json.loads(text):
        kind = re.match(r"s100|s[1-5]|b|\d", str(row["id"]))
        name = "other" if kind is None else "record" if kind[0].isdigit() else kind[0]
        yield from (f"{name} {key}" + ("" if name == "record" else f" {type(row[key]).__name__}") for key in row if key != "o")


def shape(text: str) -> set[str]:
    """Return of what a page of an exam site is built, numbers aside."""
    if text.startswith(("[", "{")):
        return set(row_keys(text)) if text.startswith("[") else set()
    return {re.sub(r"\d+", "0", re.sub("#s[1-5]_", "#s_", place)) for place in places(text)}


def replica_pages(source: str) -> list[tuple[str, str]]:
    """Return the pages of a replica that its spider comes to, each with the callback that reads it."""
    kinds = [Q(type="tf", stem="甲", answer="正确"), Q(type="blank", stem="乙是______", answer="丙")]  # no paper of the content has them
    paper = Paper(id=2599999, exam="GEE", site="examcoo", title="卷", subject="普通心理学", sections=[PaperSection(questions=kinds)])
    content = load_content()
    respond = SITES[source].build(msgspec.structs.replace(content, papers=[*content.papers, paper]))
    return ReplicaWalk(SPIDERS[source], respond).pages


# What no page of the real sites showed, so that it stands in saved pages alone: the site without its order, and other ways out of it.
NOT_ON_REPLICA = re.compile(r"redesigned|no_stems|no_json|login|without_token|doubts|collapsed|wrapped|not_here|marks_apart|kinds$")
# Pages in no known form, and those of which the replicas lack a place: there they have nothing to be like.
UNKNOWN_FORMS = re.compile(
    r"redesigned|moved|library|prose|headings_only|blocks$|bare$|shell"
    r"|diet_(?:sentence|tables)|disease_2014|index_department|medicine_manual|surgery_part"
)


@pytest.mark.slow
@pytest.mark.parametrize("source", EXAMS)
def test_the_replica_is_built_like_the_saved_pages(source: str) -> None:
    saved: dict[str, set[str]] = {}
    must_be: dict[str, set[str]] = {}
    for path in CASES:
        if source_of(path) == source:
            case = case_of(path)
            found = shape(response_of(path, case).text)
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


@pytest.mark.parametrize("source", ENCYCLOPEDIAS)
def test_a_replica_has_every_place_of_a_saved_page(source: str) -> None:
    pages = [text for _, text in replica_pages(source)]
    if source == "xiaohe":  # a check of the browser, to which no page leads
        target = "/medical/qa/70000000000001?enter_position=nav"
        check = SITES[source].build(load_content())(SiteRequest(method="GET", host="www.xiaohe.cn", target=target))
        pages.append(check.body.decode())
    built = {place for html in pages if html.strip() for place in places(html)}
    shown = [path.with_suffix(".html") for path in CASES if source_of(path) == source and not UNKNOWN_FORMS.search(path.stem)]
    missing = {path.stem: set(places(path.read_text(encoding="utf-8"))) - built for path in shown if path.exists()}
    assert len(missing) > 9 and not {name: places for name, places in missing.items() if places}


PIECES = [
    "<div>" * 500,
    "</div></p></table>",
    "<p>1、",
    "A. ",
    "答案：",
    "【解析】",
    '<span style="display:none">',
    "<!--",
    "<script>",
    "&#x110000;",
    "\ud800",
    "\x00",
    "\ufffd",
    "（1～999题共用题干）",
    "9" * 400,
    "1-5 ABCDA ",
    '{"id":"s1_1"}',
    "[" * 2000,
    "|||",
    '"c":"99999999999"',
    '\\"o\\":1',
    'href="http://[',
    "null",
    'href="//xn--\u0130.example/\\n"',
    "下一页",
    "var answers = [",
    "总共：99999999999999999999页",
    '<a href="1_2.htm">下一页</a>' * 50,
    "\u202e",
    "ＡＢ．",
    "<input " * 100,
    "s5_",
    "p" * 5000,
    "(" * 300,
    "A" * 3000,
    " " * 5000,
    "题库" * 2000,
    "",
    "<",
    ">",
    '"',
    "-->",
    "{",
    "]}",
    "：",
    "\ufeff",
    "9" * 5000,
    "\\ud800",
]


def mutated(body: bytes, random: Random) -> bytes:
    """Return a page with some damage: pieces lost, doubled, cut off, strewn with marks, or nested deep."""
    for _ in range(random.randint(1, 6)):
        start = random.randrange(len(body) + 1)
        end = min(len(body), start + random.choice((1, 3, 20, 200, 400)))
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
    charsets = ["", "; charset=utf-8", "; charset=gbk"]
    kinds = [*(f"text/html{charset}" for charset in charsets), "application/json", "text/xml", "image/png", "text/plain", ""]
    cases = [(path, case_of(path), body_of(path)) for path in CASES if source_of(path) == source]
    for _ in range(MUTANTS):
        path, case, body = random.choice(cases)
        body = mutated(body, random)
        changed = {"headers": {"Content-Type": random.choice(kinds)}} if random.random() < 0.3 else {}
        response = response_of(path, case | changed, body)
        start = time.process_time()  # of this process alone: others may be at work on the machine
        spider, made = read(path, case, response)
        spider.refusal(response)
        assert time.process_time() - start < (5 if source in EXAMS else LIMIT_SECONDS), (path.stem, body)
        for one in made:
            if isinstance(one, QuestionItem | EntityItem):
                msgspec.json.decode(msgspec.json.encode(one), type=Item)  # can be stored
            elif one.errback and random.random() < 0.1:
                failure = Failure(random.choice([OSError("no answer"), IgnoreRequest("robots.txt"), Outdated("old")]))
                failure.request = one
                assert all(isinstance(said, QuestionItem | Request) for said in one.errback(failure))


@pytest.mark.parametrize("path", [path for path in CASES if source_of(path) in EXAMS], ids=name_of)
@pytest.mark.parametrize("kind", [Response, JsonResponse])
def test_answer_that_is_not_a_page_is_a_misfit(path: Path, kind: type[Response]) -> None:
    case = case_of(path)
    response = kind(case["url"], headers={"Content-Type": "image/png"}, body=b"[]", request=Request(case["url"]))
    spider, made = read(path, case, response)
    assert spider.crawler.stats.get_value("misfit/count", 0) >= 1
    known = case.get("cb_kwargs", {})
    kept = len(known.get("items", [])) + ("item" in known) + ("article" in known)
    assert len([one for one in made if isinstance(one, QuestionItem)]) == kept  # what came with the request


@pytest.mark.slow
@pytest.mark.parametrize("source", ENCYCLOPEDIAS)
def test_large_pages_are_read_in_time(source: str) -> None:
    """What is repeated costs no more than in proportion; a tenth of a second is usual here."""
    for path in (path for path in CASES if source_of(path) == source):
        case, inner = case_of(path), body_of(path).partition(b"<body>")[2].rpartition(b"</body>")[0]
        if inner:
            many = b"<html><body>" + inner * (50_000 // len(inner)) + b"</body></html>"
            before = time.process_time()
            read(path, case, response_of(path, case, many))
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
def test_reads_deep_nesting_in_time(name: str, opening: str, nested: str) -> None:
    path = SOURCES / f"{name.replace('/', '/pages/')}.json"
    case = case_of(path)
    before = time.process_time()
    _, found = read(path, case, response_of(path, case, f"<html><body>{opening}{nested * 1000}".encode()))
    assert any(isinstance(one, EntityItem) for one in found)
    assert time.process_time() - before < LIMIT_SECONDS
