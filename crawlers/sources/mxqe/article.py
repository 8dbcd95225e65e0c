"""An article of mxqe -> its questions: where its text begins, hidden content, and questions whose stem is the title. Pure."""

import re

import msgspec
from parsel import SelectorList
from scrapy.http import TextResponse

from atomexam.records.item import QuestionItem
from crawlers.html.nesting import outermost
from crawlers.html.pages import Article, without_noise
from crawlers.read.lines.paper import lines_of, read_paper
from crawlers.read.vocabulary.labels import IMAGE, flat, parts_of
from crawlers.read.vocabulary.options import options_in
from crawlers.text.fields import text_of

WALL, IMAGES = "a pay-wall", "images"
"""Marks of an article's page."""
_TO_PAY = '.m-vip, a[href*="/pay/"]'
_PAY_WORDS = re.compile(
    r"(?:开通|成为|购买).{0,6}(?:VIP|会员)|(?:VIP|会员).{0,8}(?:查看|可见|专享)|扫码.{0,10}(?:查看|获取).{0,4}答案", re.I
)
_TITLE = "(//h1)[1] | (//h1)[1]/following-sibling::*[1][self::h1]"
"""A title, and the part of it that a second heading repeats."""
_BEGINS = re.compile(r"^\W*题目[和及与]答案如下\W*")


def about(page: TextResponse) -> dict[str, str | None]:
    """Return the fields that apply to all questions of an article."""
    path = [text_of(link) for link in SelectorList(outermost(page.css("div.m-position"))).css("a")][1:]
    return {
        "exam_raw": " > ".join(path) or None,
        "subject_raw": page.css('.m-info a[href*="tagname="]::text').get(),
        "paper_raw": "".join(map(text_of, page.xpath(_TITLE))) or None,
    }


def lines_of_article(html: str, is_first: bool) -> list[str]:
    """Return the lines of a page's text, from 题目和答案如下 on if it occurs, without payment buttons."""
    lines = lines_of(without_noise(html, drop='a[href*="/pay/"]'))
    begin = next((index for index, line in enumerate(lines) if _BEGINS.match(line)), None) if is_first else None
    return lines if begin is None else [_BEGINS.sub("", lines[begin]), *lines[begin + 1 :]]


def marks_of(page: TextResponse, lines: list[str]) -> list[str]:
    """Return what an article's page has instead of text: a paywall, images."""
    is_walled = bool(page.css(_TO_PAY)) or any(_PAY_WORDS.search(line) for line in lines)
    return [*([WALL] if is_walled else []), *([IMAGES] if any(IMAGE in line for line in lines) else [])]


def questions_in(article: Article) -> tuple[list[QuestionItem], int]:
    """Return the questions of an article, and the number of lines that belong to no question."""
    reading = read_paper(article.lines)
    if reading.drafts or not _is_one_question(article.lines):
        return [article.item(draft) for draft in reading.drafts], len(reading.unread)
    # One question, whose stem is the article's title.
    title = article.about.get("paper_raw") or ""
    alone = msgspec.structs.replace(article, lines=[f"1、{title}", *article.lines])
    reading = read_paper(alone.lines)
    items = [alone.item(draft) for draft in reading.drafts[:1]]
    return [msgspec.structs.replace(item, stem_raw=title or None, number_raw=None) for item in items], len(reading.unread)


def _is_one_question(lines: list[str]) -> bool:
    """Return whether lines without numbers are the options or the answer of a single question."""
    texts = [flat(line) for line in lines]
    has_options = any(line.lstrip("(").startswith("A") and options_in(line) for line in texts)
    has_answer = any(kind == "answer" for line in texts for kind, _ in parts_of(line or "-"))
    return has_options or has_answer
