"""What was written for the exam sites examcoo and studyez comes back from their pages through their spiders, whole."""

import re
import unicodedata
from collections import Counter
from types import ModuleType
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.site import Respond, SiteRequest
from crawlers.embedded.sites import examcoo, studyez
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.examcoo.spider import ExamcooSpider
from crawlers.sources.studyez.spider import StudyezSpider

SITES: dict[str, tuple[ModuleType, type[SourceSpider]]] = {"examcoo": (examcoo, ExamcooSpider), "studyez": (studyez, StudyezSpider)}


class Walk:
    """A spider led through a replica, without server or network."""

    def __init__(self, spider_class: type[SourceSpider], respond: Respond) -> None:
        self.spider = spider_class.from_crawler(get_crawler(spider_class), snapshot="2026-01-01")
        self.respond = respond
        self.items: list[QuestionItem] = []
        self.statuses: Counter[int] = Counter()
        self.cookies: dict[str, str] = {}
        waiting = [Request(url, callback=self.spider.parse) for url in spider_class.start_urls]
        seen: set[tuple[str, str, bytes]] = set()
        while waiting:
            request = waiting.pop(0)
            key = (request.method, request.url, request.body)
            if key not in seen:
                seen.add(key)
                waiting += self.visit(request)

    def visit(self, request: Request) -> list[Request]:
        """Take the items of a page and return the requests that follow from it."""
        response = self.fetch(request)
        if response.status != 200:
            error = IgnoreRequest("robots.txt") if response.status == 999 else HttpError(response)
            failure = Failure(error)
            failure.request = request
            made = request.errback(failure) if request.errback else []
        else:
            made = request.callback(response, **request.cb_kwargs)
        made = list(made or [])
        self.items += [item for item in made if isinstance(item, QuestionItem)]
        return [following for following in made if isinstance(following, Request)]

    def fetch(self, request: Request) -> Response:
        """Return the answer, behind its redirects; 999 where robots.txt forbids to ask."""
        parts = urlsplit(request.url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        robots = self.respond(SiteRequest(method="GET", host=parts.netloc, target="/robots.txt"))
        rules = re.findall(r"Disallow: (\S+)", robots.body.decode())
        if any(target.startswith(rule) for rule in rules):
            self.statuses[999] += 1
            return Response(request.url, status=999)
        sent = {name.decode().lower(): values[0].decode() for name, values in request.headers.items()}
        sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.respond(SiteRequest(method=request.method, host=parts.netloc, target=target, headers=sent, body=request.body))
        self.statuses[reply.status if reply else 404] += 1
        if reply is None:
            return Response(request.url, status=404, request=request)
        if reply.status in (301, 302):
            return self.fetch(request.replace(url=urljoin(request.url, reply.headers["Location"])))
        headers = Headers(reply.headers)
        if cookie := reply.headers.get("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        kind = responsetypes.from_args(headers=headers, url=request.url, body=reply.body)
        return kind(request.url, status=reply.status, headers=headers, body=reply.body, request=request)

    @property
    def misfits(self) -> list[str]:
        return self.spider.crawler.stats.get_value("misfit/pages", [])


@pytest.fixture(scope="module")
def content() -> Content:
    return load_content()


@pytest.fixture(scope="module", params=SITES)
def walked(request: pytest.FixtureRequest, content: Content) -> tuple[str, Walk]:
    site, spider_class = SITES[request.param]
    return request.param, Walk(spider_class, site.build(content))


def plain(text: str | None) -> str | None:
    """Return what a text says, without the manner of the site."""
    if not text:
        return None
    return re.sub(r"\s|\[1分\]", "", re.sub("_{4,}", "______", unicodedata.normalize("NFKC", text))) or None


def shown(item: QuestionItem) -> dict[str, Any]:
    number = rf"{item.number_raw}[、.]" if item.provenance.source == "studyez" else "$^"
    letter = re.compile(r"\(?[A-J][).、]")
    return {
        "stem": re.sub(f"^{number}", "", plain(item.stem_raw) or "") or None,
        "options": [letter.sub("", plain(option) or "", count=1) or None for option in item.options_raw or []],
        "answer": plain(item.answer_raw),
        "explanation": plain(item.explanation_raw),
        "section": re.sub(r"\(每小题.*", "", plain(item.section_raw) or ""),
        "case": plain(item.case_raw),
        "shared_options": [letter.sub("", plain(option) or "") for option in item.shared_options_raw or []],
        "images": item.images,
    }


def written(site: str, paper: Paper, section: PaperSection, q: Q) -> dict[str, Any]:
    rendered = site == "examcoo" and paper.id in examcoo.RENDERED_PAPERS
    return {
        "stem": plain(q.raw.get("stem", q.stem)),
        "options": [plain(option) for option in q.raw.get("options", q.options)],
        "answer": {"正确": "对", "错误": "错"}[q.answer] if site == "examcoo" and q.type == "tf" else plain(q.raw.get("answer", q.answer)),
        "explanation": None if rendered else plain(q.explanation),
        "section": plain(section.heading) or "",
        "case": plain(section.case),
        "shared_options": list(map(plain, section.shared_options)),
        "images": q.images,
    }


@pytest.mark.slow
def test_every_question_comes_back(walked: tuple[str, Walk], content: Content) -> None:
    site, walk = walked
    by_paper: dict[str, list[QuestionItem]] = {}
    for item in walk.items:
        by_paper.setdefault(re.search(r"\d{7}", item.url)[0], []).append(item)
    papers = content.on(site).papers
    assert sorted(by_paper) == sorted(str(paper.id) for paper in papers)
    for paper in papers:
        items = sorted(by_paper[str(paper.id)], key=lambda item: int(item.provenance.position[1:]))
        wanted = [written(site, paper, section, q) for section in paper.sections for q in section.questions]
        assert [shown(item) for item in items] == wanted
        assert {item.paper_raw for item in items} == {paper.title}


def test_questions_of_a_case_or_of_shared_options_share_a_group(walked: tuple[str, Walk]) -> None:
    _, walk = walked
    groups: dict[tuple[str, str], set[Any]] = {}
    for item in walk.items:
        assert bool(item.group_raw) == bool(item.case_raw or item.shared_options_raw)
        if item.group_raw:
            groups.setdefault((item.url, item.group_raw), set()).add((item.case_raw, *(item.shared_options_raw or [])))
    assert groups
    assert all(len(shared) == 1 for shared in groups.values())
    assert len({(url, *shared) for (url, _), shared in groups.items()}) == len(groups)


def test_no_question_of_the_replicas_is_given_up(walked: tuple[str, Walk]) -> None:
    assert [item for item in walked[1].items if item.doubt] == []


def test_nothing_misfits_and_the_sites_have_their_nuisances(walked: tuple[str, Walk]) -> None:
    _, walk = walked
    assert walk.misfits == []
    assert walk.statuses[301] >= 1
    assert walk.statuses[404] == 1
    assert walk.statuses[999] == 1  # a list links to what robots.txt forbids


def test_the_examination_is_named(walked: tuple[str, Walk]) -> None:
    _, walk = walked
    named = {"心理咨询师", "心理学考研", "中医执业医师", "执业医师"}
    assert all(named & set((item.exam_raw or "").split(" > ")) for item in walk.items)


@pytest.mark.slow
def test_subject_of_a_licensing_paper_is_its_list() -> None:
    walk = Walk(ExamcooSpider, examcoo.build(load_content()))
    licensing = [item for item in walk.items if "中医执业医师" in (item.exam_raw or "")]
    assert licensing
    assert all(item.subject_raw in (item.paper_raw or "") for item in licensing)
