"""What of a page is in order: all texts and links of a place are read, questions of a section are alike. A site's change breaks some."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, Response

from atomexam.records.item import LabelledValue, QuestionItem, Section
from atomexam.records.provenance import Provenance
from crawlers.html.question_order import regularities
from crawlers.html.source_spider import SourceSpider
from crawlers.web.page_kinds import losses
from tests.crawlers.walk import detached_spider, visit_page

STEMS = ("记忆的过程有哪些", "注意的品质有哪些", "情绪的功能有哪些", "人格的特征有哪些", "思维的种类有哪些", "感觉的阈限是什么")
NOTES = ("见于记忆一章。", "见于注意一章。", "见于情绪一章。", "见于人格一章。", "见于思维一章。", "见于感觉一章。")


class Bank(SourceSpider):
    """Reads questions of one list, the first note of each, and the links below."""

    name = "bank"
    start_urls = ["https://bank.example/"]  # noqa: RUF012

    def parse_paper(self, response: Response) -> Iterator[Any]:
        for place, block in enumerate(response.css("li.q"), 1):
            texts = {name: block.css(f".{name}::text").get() for name in ("num", "stem", "note")}
            yield self.question(
                response, f"q{place}", number_raw=texts["num"], stem_raw=texts["stem"], answer_raw="略", explanation_raw=texts["note"]
            )
        yield from (Request(response.urljoin(href), self.parse_paper) for href in response.css("p.more a::attr(href)").getall())

    def parse_data(self, response: Response) -> Iterator[Any]:
        for place, row in enumerate(response.json()["rows"], 1):
            yield self.question(response, f"q{place}", stem_raw=row.get("q"), answer_raw="略")


def block(number: int, stem: str, note: str) -> str:
    return f'<li class="q"><b class="num">{number}、</b><div class="stem">{stem}</div><div class="note">{note}</div></li>'


BLOCKS = [block(number, *texts) for number, texts in enumerate(zip(STEMS, NOTES, strict=True), 1)]
TURNED = f'<li class="q"><div class="note">{NOTES[2]}</div><b class="num">3、</b><div class="stem">{STEMS[2]}</div></li>'
LINKS = '<p class="more"><a href="/p/2.html">二</a><a href="/p/3.html">三</a></p>'


def figures(blocks: list[str], links: str = LINKS) -> Counter[str]:
    body = f"<ul>{''.join(blocks)}</ul>{links}".encode()
    request = Request("https://bank.example/p/1.html", detached_spider(Bank).parse_paper)
    return visit_page(detached_spider(Bank), request, HtmlResponse(request.url, body=body, encoding="utf-8")).figures


WHOLE = figures(BLOCKS)


def changed(old: str, new: str, at: int = 2) -> list[str]:
    assert old in BLOCKS[at]
    return [each.replace(old, new) if place == at else each for place, each in enumerate(BLOCKS)]


def broken(now: Counter[str]) -> set[str]:
    """Return what is no longer in order, as `extract` would say of a site all of whose pages changed so."""
    return {line.partition(": ")[2].partition(":")[0].removeprefix("pages with ") for line in losses(WHOLE, now, 0.3)}


def test_a_page_like_the_others_breaks_nothing() -> None:
    texts = enumerate(zip(STEMS, NOTES, strict=True), 1)
    other = [block(number, stem.replace("哪些", "哪几种"), note.replace("章", "节")) for number, (stem, note) in texts]
    assert broken(figures(other)) == set()


@pytest.mark.parametrize(
    ("blocks", "name"),
    [
        (changed(NOTES[2], "见于情绪</div><div class='note'>与动机一章。"), "explanation_raw without texts that were not read"),
        (changed(NOTES[2], "见于情绪</div><div class='note'>，一章。"), "explanation_raw without texts that are broken off"),
        (changed(NOTES[2], ""), "explanation_raw without empty elements"),
        (changed(NOTES[2], "<img src='/d/1.png'>"), "explanation_raw without pictures for text"),
        (changed(f'<div class="note">{NOTES[2]}</div>', ""), "every question has explanation_raw"),
        (changed(STEMS[2], "情绪的功能</div><div class='stem'>有哪些呢说说看"), "stem_raw without texts that were not read"),
        (changed("3、", "8、"), "numbers in order"),
        (BLOCKS[:2] + BLOCKS[3:], "numbers in order"),
        ([*BLOCKS[:2], TURNED, *BLOCKS[3:]], "explanation_raw without elements out of turn"),
    ],
)
def test_one_field_of_one_question_that_changed_is_seen(blocks: list[str], name: str) -> None:
    assert name in broken(figures(blocks))


@pytest.mark.parametrize(
    ("links", "name"),
    [
        (LINKS.replace('href="/p/3.html', 'data-href="/p/3.html'), "links to parse_paper all followed"),
        (LINKS.replace("/p/3.html", "/"), "at most 1 forms of links to parse_paper"),
        (LINKS.replace("/p/3.html", "/p/1.html"), "links to other pages alone"),
        (f'<p class="more">{LINKS}</p>', "at most 0 unlike parts of lists"),
    ],
)
def test_one_link_that_changed_is_seen(links: str, name: str) -> None:
    assert name in broken(figures(BLOCKS, links))


@pytest.mark.parametrize(
    ("row", "name"), [({"q1": "情绪的", "q2": "功能有哪些"}, "at most 0 empty elements"), ({"q": ""}, "at most 0 empty elements")]
)
def test_a_row_of_json_that_changed_is_seen(row: dict[str, str], name: str) -> None:
    def read(rows: list[dict[str, str]]) -> Counter[str]:
        request = Request("https://bank.example/api", detached_spider(Bank).parse_data)
        return visit_page(
            detached_spider(Bank), request, JsonResponse(request.url, body=json.dumps({"rows": rows}, ensure_ascii=False).encode())
        ).figures

    rows = [{"q": stem} for stem in STEMS]
    lost = losses(read(rows), read([*rows[:2], row, *rows[3:]]), 0.3)
    assert f"parse_data: pages with {name}: 1 of 1 in the last snapshot, 0 of 1 now" in lost


def question(**fields: Any) -> QuestionItem:
    seen = Provenance(source="bank", url="https://bank.example/", snapshot="2026-01-01", page_id="0" * 16, position="q1")
    return QuestionItem(url="https://bank.example/", provenance=seen, stem_raw="题干", **fields)


ABC = ["A.甲", "B.乙", "C.丙"]


@pytest.mark.parametrize(
    ("items", "name"),
    [
        ([question(options_raw=ABC), question(options_raw=["A.甲", "乙的后半", "C.丙"])], "letters of options in order"),
        ([question(options_raw=ABC), question(options_raw=["A.甲", "C.丙"])], "letters of options in order"),
        ([question(options_raw=ABC), question(options_raw=ABC[:2])], "as many options in each section"),
        ([question(options_raw=ABC, answer_raw="A"), question(answer_raw="B")], "letters with options"),
        ([question(section_raw="一、单选（每题2分，共4分）")], "as many questions as headings say"),
        ([question(section_raw="一、单选（共2题）")], "as many questions as headings say"),
        ([question(section_raw="一、单选"), question(section_raw="三、问答")], "sections in order"),
        ([question(answer_raw="A"), question()], "answer_raw alike in each section"),
    ],
)
def test_dissimilar_questions(items: list[QuestionItem], name: str) -> None:
    whole = [
        question(section_raw="一、单选（每题2分，共2分）", options_raw=ABC, answer_raw="A"),
        question(section_raw="二、问答", answer_raw="略"),
    ]
    assert name in set(regularities(whole)) and name not in set(regularities(items))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"alias_raw": "别名：甲"}, "alias_raw without a label"),
        ({"sections": [Section(title="", text="正文", position="1")]}, "sections with titles"),
        ({"values": [LabelledValue(label="：", value="甲", position="1")]}, "values with labels"),
    ],
)
def test_entries_that_are_not_alike(fields: dict[str, Any], name: str) -> None:
    page = HtmlResponse("https://bank.example/", body=b"x", encoding="utf-8")

    def entry(**changes: Any) -> Any:
        known = {"name_raw": "甲病", "alias_raw": "乙病", "values": [LabelledValue(label="科室", value="内科", position="1")]}
        return detached_spider(Bank).entity(
            page, "disease", **{**known, "sections": [Section(title="病因", text="正文", position="1")], **changes}
        )

    assert name in set(regularities([entry()])) and name not in set(regularities([entry(**fields)]))


@pytest.mark.parametrize(
    ("before", "now", "is_lost"),
    [
        ((100, 90), (50, 44), False),
        ((100, 90), (50, 29), True),
        ((100, 2), (100, 0), False),
        ((3, 3), (3, 2), True),
        ((10, 10), (0, 0), False),
    ],
)
def test_of_what_is_in_order_the_share_of_pages_counts(before: tuple[int, int], now: tuple[int, int], is_lost: bool) -> None:
    def counted(pages: int, count: int) -> dict[str, int]:
        return {"parse: pages": 100, "parse: pages looked at": pages, "parse: pages with numbers in order": count}

    lost = [line for line in losses(counted(*before), counted(*now), 0.3) if "pages with" in line]
    assert lost == (
        [f"parse: pages with numbers in order: {before[1]} of {before[0]} in the last snapshot, {now[1]} of {now[0]} now"] * is_lost
    )


@pytest.mark.parametrize(
    "body", ["<a href='http://['>甲</a>" * 3, "<div class='" + "x " * 500 + "'>" * 300 + "甲乙丙丁", "\0", "<p></p>" * 5000]
)
def test_no_page_is_too_strange_to_be_looked_at(body: str) -> None:
    assert figures([], body)["parse_paper: pages looked at"] == 1
