"""What was written for the exam banks hxter and mxqe comes back from their pages through their spiders, whole."""

import re
import unicodedata
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.text.canonical import canonical
from crawlers.embedded.content import Content, Paper, PaperSection, Q, load_content
from crawlers.embedded.sites import hxter, mxqe
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.hxter.spider import HxterSpider
from crawlers.sources.mxqe.spider import MxqeSpider
from tests.crawlers.replica_walk import ReplicaWalk

SITES: dict[str, tuple[ModuleType, type[SourceSpider]]] = {"hxter": (hxter, HxterSpider), "mxqe": (mxqe, MxqeSpider)}
TRUTH = {"正确": "正确", "√": "正确", "对": "正确", "错误": "错误", "×": "错误", "错": "错误"}


@pytest.fixture(scope="module", params=SITES)
def site_name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def walked(site_name: str) -> ReplicaWalk:
    site, spider_class = SITES[site_name]
    return ReplicaWalk(spider_class, site.build(load_content()))


def written(paper: Paper) -> list[tuple]:
    """Return what the questions of a paper say, in their order."""
    return [
        (
            paper.id,
            section.heading,
            canonical(q.stem),
            tuple(map(canonical, q.options)),
            (canonical(q.answer or "") if q.type != "tf" else q.answer) or None,
            canonical(q.explanation or "") or None,
            q.images,
        )
        for section in paper.sections
        for q in section.questions
    ]


def read(item: QuestionItem) -> tuple:
    """Return what an item says, as a careful reader would take it."""
    stem = re.sub(r"^\d+、", "", item.stem_raw or "", count=1)
    options = [re.sub(r"^[A-J][.．、]", "", option.removesuffix("；")) for option in item.options_raw or []]
    answer = TRUTH.get(item.answer_raw or "") or canonical(item.answer_raw or "") or None
    return (
        int(re.search(r"\d{7}", item.url)[0]),
        re.sub(r"（每题.*）", "", item.section_raw) if item.section_raw else None,
        canonical(stem),
        tuple(map(canonical, options)),
        answer,
        canonical(item.explanation_raw or "") or None,
        item.images,
    )


def in_order(items: list[QuestionItem]) -> list[QuestionItem]:
    return sorted(items, key=lambda item: (re.findall(r"\d{7}", item.provenance.url)[0], int(item.number_raw.rstrip("、"))))


def test_every_question_comes_back(walked: ReplicaWalk, site_name: str) -> None:
    papers = load_content().on(site_name).papers
    expected = [row for paper in papers for row in written(paper)]
    assert [read(item) for item in in_order(walked.items)] == expected + (OF_THE_API if site_name == "mxqe" else [])


OF_THE_API = [
    (2551047, None, canonical(stem), options, answer, None, 0)
    for stem, options, answer in (
        ("旋转木马停下来以后，人一时还觉得周围在转动，这与内耳的（ ）有关。", ("鼓膜", "耳蜗", "半规管", "咽鼓管"), "c"),
        ("人在暗处停留一段时间后，对弱光的感受性会（ ）。", ("下降", "上升", "先升后降", "保持原样"), "b"),
    )
]
"""What the text of an article says that only the API has: number, section, stem, options, answer, explanation, images."""


def test_no_question_of_the_replicas_is_given_up(walked: ReplicaWalk) -> None:
    assert [item for item in walked.items if item.doubt] == []


def test_dead_links_are_no_misfits(walked: ReplicaWalk) -> None:
    assert walked.statuses[404] and walked.misfits == []


def test_places_are_unique(walked: ReplicaWalk) -> None:
    places = [(item.provenance.url, item.provenance.position) for item in walked.items]
    assert len(set(places)) == len(places)


# Any words, and what mark-up is made of; numbers, letters of options and labels are the paper's own.
_TEXT = st.text(alphabet="心理学情绪的甲乙丙丁<>&'\"{}%　", min_size=4, max_size=20).filter(lambda text: len(canonical(text)) > 3)


@st.composite
def questions(draw: st.DrawFn) -> Q:
    options = draw(st.lists(_TEXT, min_size=2, max_size=5, unique_by=canonical))
    answer = "".join(sorted(draw(st.sets(st.sampled_from("ABCDE"[: len(options)]), min_size=1))))
    kind = "mcqa" if len(answer) == 1 else "mrqa"
    return Q(type=kind, stem=draw(_TEXT) + "（ ）。", options=options, answer=answer, explanation=draw(st.none() | _TEXT))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(number=st.integers(0, 11), asked=st.lists(questions(), min_size=1, max_size=30))
def test_any_paper_round_trips_in_any_layout(number: int, asked: list[Q]) -> None:
    section = PaperSection(heading="一、单项选择题", questions=asked)
    for site, (module, spider_class) in SITES.items():
        subject = "初中教师心理学" if site == "hxter" else "生理心理学"
        paper = Paper(id=(2530000 if site == "hxter" else 2550000) + number, site=site, title=subject, subject=subject, sections=[section])
        found = ReplicaWalk(spider_class, module.build(Content(papers=[paper])))
        assert [read(item) for item in in_order(found.items) if str(paper.id) in item.url] == written(paper)
        assert found.misfits == []


def test_a_paper_the_site_cannot_show_is_refused() -> None:
    case = PaperSection(heading="案例一", case="某人", questions=[Q(type="mcqa", stem="题干", options=["甲", "乙"], answer="A")])
    for site, (module, _) in SITES.items():
        paper = Paper(id=1, site=site, title="x", subject="初中教师心理学", sections=[case])
        with pytest.raises(ValueError, match="content: paper 1"):
            module.build(Content(papers=[paper]))


def test_full_width_forms_are_among_the_answers_of_hxter() -> None:
    answers = {item.answer_raw for item in ReplicaWalk(HxterSpider, hxter.build(load_content())).items}
    assert any(unicodedata.normalize("NFKC", answer) != answer for answer in answers if answer) and "√" in answers
