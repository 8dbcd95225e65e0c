"""What was written for the exam sites examcoo and studyez comes back from their pages through their spiders, whole."""

import re
import unicodedata
from types import ModuleType
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.sites import examcoo, studyez
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.examcoo.spider import ExamcooSpider
from crawlers.sources.studyez.spider import StudyezSpider
from tests.crawlers.replica_walk import FORBIDDEN, ReplicaWalk

SITES: dict[str, tuple[ModuleType, type[SourceSpider]]] = {"examcoo": (examcoo, ExamcooSpider), "studyez": (studyez, StudyezSpider)}


@pytest.fixture(scope="module")
def content() -> Content:
    return load_content()


@pytest.fixture(scope="module", params=SITES)
def walked(request: pytest.FixtureRequest, content: Content) -> tuple[str, ReplicaWalk]:
    site, spider_class = SITES[request.param]
    return request.param, ReplicaWalk(spider_class, site.build(content), obeys_robots=True)


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
def test_every_question_comes_back(walked: tuple[str, ReplicaWalk], content: Content) -> None:
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


def test_questions_of_a_case_or_of_shared_options_share_a_group(walked: tuple[str, ReplicaWalk]) -> None:
    _, walk = walked
    groups: dict[tuple[str, str], set[Any]] = {}
    for item in walk.items:
        assert bool(item.group_raw) == bool(item.case_raw or item.shared_options_raw)
        if item.group_raw:
            groups.setdefault((item.url, item.group_raw), set()).add((item.case_raw, *(item.shared_options_raw or [])))
    assert groups
    assert all(len(shared) == 1 for shared in groups.values())
    assert len({(url, *shared) for (url, _), shared in groups.items()}) == len(groups)


def test_no_question_of_the_replicas_is_given_up(walked: tuple[str, ReplicaWalk]) -> None:
    assert [item for item in walked[1].items if item.doubt] == []


def test_nothing_misfits_and_the_sites_have_their_nuisances(walked: tuple[str, ReplicaWalk]) -> None:
    _, walk = walked
    assert walk.misfits == []
    assert walk.statuses[301] >= 1
    assert walk.statuses[404] == 1
    assert walk.statuses[FORBIDDEN] == 1  # a list links to what robots.txt forbids


def test_the_examination_is_named(walked: tuple[str, ReplicaWalk]) -> None:
    _, walk = walked
    named = {"心理咨询师", "心理学考研", "中医执业医师", "执业医师"}
    assert all(named & set((item.exam_raw or "").split(" > ")) for item in walk.items)


@pytest.mark.slow
def test_subject_of_a_licensing_paper_is_its_list() -> None:
    walk = ReplicaWalk(ExamcooSpider, examcoo.build(load_content()), obeys_robots=True)
    licensing = [item for item in walk.items if "中医执业医师" in (item.exam_raw or "")]
    assert licensing
    assert all(item.subject_raw in (item.paper_raw or "") for item in licensing)
