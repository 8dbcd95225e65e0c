"""hxter: exam bank of teacher qualification papers. Nothing of the site is known, so what stands where is in hxter.yaml."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsel import Selector, SelectorList
from ruamel.yaml import YAML
from scrapy import Request
from scrapy.http import Response
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from crawlers.fields import images_in, text_of
from crawlers.source import SourceSpider
from records.item import QuestionItem

_ANSWER_LABEL = re.compile(r"^\s*[【\[]?(?:参考|正确|标准)?答案[】\]]?\s*[:：]?\s*")
_ANALYSIS_LABEL = re.compile(r"^\s*[【\[]?(?:试题|答案)?解析[】\]]?\s*[:：]?\s*")
_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.．、]\s*")

Where = str | list[str]
"""One selector of hxter.yaml, or several of which the first that gives text is taken."""


def read_selectors() -> dict[str, Any]:
    """Return where things stand on the pages."""
    with open(Path(__file__).with_suffix(".yaml"), encoding="utf-8") as file:
        return YAML(typ="safe", pure=True).load(file)


class HxterSpider(SourceSpider):
    """Home -> lists by subject -> papers -> questions."""

    name = "hxter"
    allowed_domains = ("www.hxter.com",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.where = read_selectors()
        self.start_urls = [self.where["home"]]

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the home page."""
        yield from self._links(_decoded(response), "categories", self.parse_list)

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Read one page of a list of papers."""
        response = _decoded(response)
        yield from self._links(response, "papers", self.parse_paper)
        for link in _all(response, self.where["next_list"]).getall():
            yield response.follow(link, self.parse_list)

    def parse_paper(self, response: Response) -> Iterator[QuestionItem | Request]:
        """Read one page of a paper by the first layout whose questions are there."""
        response = _decoded(response)
        for layout in self.where["layouts"].values():
            questions = _all(response, layout["question"])
            if questions:
                yield from self._questions(response, layout, questions)
                break
        else:
            tried = ", ".join(f"{name} ({layout['question']})" for name, layout in self.where["layouts"].items())
            self.misfit(response, f"0 questions matched selectors; tried layouts {tried}; mend crawlers/sources/hxter.yaml")
        for link in _all(response, self.where["next_page"]).getall():
            yield response.follow(link, self.parse_paper)

    def _links(self, response: Response, key: str, callback: Any) -> Iterator[Request]:
        links = _all(response, self.where[key]).getall()
        if not links:
            self.misfit(response, f"0 links matched selector {key}: {self.where[key]!r}; mend crawlers/sources/hxter.yaml")
        for link in links:
            yield response.follow(link, callback)

    def _questions(self, response: Response, layout: dict[str, Any], questions: SelectorList) -> Iterator[QuestionItem]:
        path = [text_of(link).strip() for link in _all(response, self.where["breadcrumb"])]
        page = {
            "exam_raw": path[1] if len(path) > 1 else None,
            "subject_raw": path[2] if len(path) > 2 else None,
            "paper_raw": _text(response, self.where["title"]),
        }
        found = [_fields(block, layout) for block in questions]
        if not any(fields["stem_raw"] for fields in found):
            self.misfit(response, f"none of {len(found)} questions has a stem in {layout['stem']!r}; mend crawlers/sources/hxter.yaml")
        for place, fields in enumerate(found, 1):
            yield self.question(response, f"q{place}", **page, **fields)


def _fields(block: Selector, layout: dict[str, Where]) -> dict[str, Any]:
    """Return the raw fields of one question."""
    options = _all(block, layout["options"])
    answer, analysis = _text(block, layout["answer"]), _text(block, layout["analysis"])
    number = _text(block, layout["number"])
    stem = _text(block, layout["stem"], drop_hidden=True)
    if stem and number and stem.startswith(number):  # the number stands inside the stem
        stem = stem[len(number) :].strip() or None
    return {
        "section_raw": _text(block, layout["heading"]),
        "type_raw": _text(block, layout["mark"]),
        "number_raw": number or (found.group() if stem and (found := _NUMBER.match(stem)) else None),
        "stem_raw": stem,
        "options_raw": [text_of(option, drop_hidden=True) for option in options] or None,
        "answer_raw": _ANSWER_LABEL.sub("", answer) or None if answer else None,
        "explanation_raw": _ANALYSIS_LABEL.sub("", analysis) or None if analysis else None,
        "images": sum(images_in(part) for part in [*_all(block, layout["stem"]), *options]),
    }


def _decoded(response: Response) -> Response:
    """Return a page as its header or its meta tag says it is written, else as UTF-8 where it can be, else as GB 18030."""
    named = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if http_content_type_encoding(named) or html_body_declared_encoding(response.body):
        return response
    try:  # Scrapy would guess by the frequency of letters, which errs on short pages
        response.body.decode("utf-8")
    except UnicodeDecodeError:
        return response.replace(encoding="gb18030")
    return response.replace(encoding="utf-8")


def _all(page: Response | Selector, where: Where) -> SelectorList:
    """Return what the first selector that finds anything finds."""
    found = SelectorList()
    for selector in [where] if isinstance(where, str) else where:
        found = page.xpath(selector) if selector.startswith((".", "/", "(")) else page.css(selector)
        if found:
            break
    return found


def _text(page: Response | Selector, where: Where, drop_hidden: bool = False) -> str | None:
    """Return the text or attribute that the first selector with text finds; None where there is none."""
    for selector in [where] if isinstance(where, str) else where:
        for found in _all(page, selector):
            if text := found.root.strip() if isinstance(found.root, str) else text_of(found, drop_hidden):
                return text
    return None
