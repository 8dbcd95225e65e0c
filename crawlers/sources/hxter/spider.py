"""hxter: exam bank of teacher qualification papers. The site's structure is unknown, so it is described in selectors.yaml."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsel import Selector, SelectorList
from scrapy import Request
from scrapy.http import JsonResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from atomexam.records.item import QuestionItem
from crawlers.html.links import address_of
from crawlers.html.nesting import outermost
from crawlers.html.pages import is_page, request_of
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.hxter.answers import (
    answers_in_json,
    answers_in_scripts,
    answers_on_page,
    bare_key,
    plain_analysis,
    plain_answer,
    with_answer,
)
from crawlers.sources.hxter.selectors import QuestionSelectors, every, read_selectors, text_at
from crawlers.text.fields import images_in, text_of

_FILE = Path(__file__).with_name("selectors.yaml")
_MEND = "fix crawlers/sources/hxter/selectors.yaml"
_EXPECTED = ("number", "options")
"""Parts that a page with questions should have; if other parts named in a layout are missing, they are only counted."""
_TORN = "question_torn"
"""Doubt for a question that contains another one."""
_TORN_CHARS = 500
_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.．、]\s*")


class HxterSpider(SourceSpider):
    """Home -> lists by subject -> papers -> questions -> pages of separate answers. With `lists`, only those lists are read."""

    name = "hxter"
    allowed_domains = ("www.hxter.com",)
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.where = read_selectors(_FILE, self.allowed_domains)
        self.start_urls = [self.where.home]
        if self.lists is not None:
            if self.where.list_address is None:
                raise ValueError(
                    "params.yaml: sources.hxter: `lists` needs `list_address`, which is missing from crawlers/sources/hxter/selectors.yaml"
                )
            if wrong := [one for one in self.lists if not re.fullmatch(r"[\w.%-]+(?:/[\w.%-]+)*", str(one))]:
                raise ValueError(f"params.yaml: sources.hxter: lists: found {wrong!r}; expected parts of addresses such as [xiaoxue]")
            self.named = {self.where.list_address.replace("{}", one): ("lists", one) for one in self.lists}
            self.start_urls = list(self.named)

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the home page, or a list named in `lists`."""
        if self.lists is not None:
            yield from self.parse_list(response)
        elif is_page(response, self):
            yield from self._links(_decoded(response), "categories", self.parse_list)

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Read one page of a list of papers."""
        if is_page(response, self):
            page = _decoded(response)
            yield from self._links(page, "papers", self.parse_paper)
            yield from self._onward(page, "next_list", self.parse_list)

    def parse_paper(self, response: Response) -> Iterator[QuestionItem | Request]:
        """Read one page of a paper with the first layout that matches its questions."""
        if not is_page(response, self):
            return
        page = _decoded(response)
        for name, layout in self.where.layouts.items():
            questions = every(page, layout.question)
            if questions:
                yield from self._questions(page, name, layout, questions)
                break
        else:
            tried = ", ".join(f"{name} ({layout.question})" for name, layout in self.where.layouts.items())
            self.misfit(response, f"0 questions matched selectors; tried layouts {tried}; {_MEND}")
        yield from self._onward(page, "next_page", self.parse_paper)

    def parse_answers(self, response: Response, items: list[QuestionItem], keys: list[list[str]]) -> Iterator[QuestionItem]:
        """Add the answers on a page, or in the JSON that a button loads, to the questions read before."""
        answers = {}
        if isinstance(response, TextResponse) and self.where.script:
            answers = answers_in_json(_decoded(response).text, self.where.script)
        if not answers and not isinstance(response, JsonResponse) and self.where.answer_page and is_page(response, self):
            answers = answers_on_page(_decoded(response), self.where.answer_page)
        if not answers:
            entry = self.where.answer_page.entry if self.where.answer_page else "none"
            self.misfit(
                response, f"0 answers matched selector answer_page.entry ({entry}), and the page is not JSON as `script` describes; {_MEND}"
            )
        alone = next(iter(answers.values())) if len(items) == len(answers) == 1 else None
        for item, names in zip(items, keys, strict=True):
            yield with_answer(item, alone or next((answers[name] for name in names if name in answers), None))

    def unanswered(self, failure: Failure) -> Iterator[QuestionItem]:
        """Yield the questions without the answers that could not be fetched."""
        if failure.check(HttpError):
            self.misfit(failure.value.response, f"an answer page returned status {failure.value.response.status}")
        yield from request_of(failure).cb_kwargs["items"]

    def _links(self, page: TextResponse, key: str, callback: Any) -> Iterator[Request]:
        where = getattr(self.where, key)
        links = [address for href in every(page, where).getall() if (address := address_of(page.url, href))]
        if not links:
            self.misfit(page, f"0 links matched selector {key}: {where!r}; {_MEND}")
        yield from (Request(link, callback) for link in links)

    def _onward(self, page: TextResponse, key: str, callback: Any) -> Iterator[Request]:
        for href in every(page, getattr(self.where, key)).getall():
            address = address_of(page.url, href)
            if address and address != page.url:
                yield Request(address, callback)

    def _questions(
        self, page: TextResponse, name: str, layout: QuestionSelectors, blocks: SelectorList
    ) -> Iterator[QuestionItem | Request]:
        path = [text_of(link).strip() for link in every(page, self.where.breadcrumb)]
        about = {
            "exam_raw": path[1] or None if len(path) > 1 else None,
            "subject_raw": path[2] or None if len(path) > 2 else None,
            "paper_raw": text_at(page, self.where.title),
        }
        answers = answers_in_scripts(page.css("script::text").getall(), self.where.script) if self.where.script else {}
        items, keys = [], []
        for number, (block, fields) in enumerate(zip(blocks, _fields_of_all(blocks, layout), strict=True), 1):
            item = self.question(page, f"q{number}", **about, **fields)
            names = [bare_key(text_at(block, layout.key)), bare_key(item.number_raw), str(number)]
            names = [one for one in names if one]
            items.append(with_answer(item, next((answers[one] for one in names if one in answers), None) if answers else None))
            keys.append(names)
        if answers is None and self.where.script:
            self.misfit(
                page, f"the answers in a script ({', '.join(self.where.script.variables)}) are not JSON as `script` describes; {_MEND}"
            )
        self._report_missing(page, name, layout, items)
        yield from self._with_answers(page, name, list(zip(blocks, items, keys, strict=True)))

    def _with_answers(
        self, page: TextResponse, name: str, questions: list[tuple[Selector, QuestionItem, list[str]]]
    ) -> Iterator[QuestionItem | Request]:
        """Yield the complete questions, and request the answers of the others if they have links to them."""
        layout = self.where.layouts[name]
        link = text_at(page, self.where.answer_page.link) if self.where.answer_page else None
        together = address_of(page.url, link) if link else None
        waiting: list[tuple[QuestionItem, list[str]]] = []
        if (
            layout.answer
            and not together
            and not any(item.answer_raw or text_at(block, layout.answer_link) for block, item, _ in questions)
        ):
            self._count_missing(page, f"layouts.{name}.answer", layout.answer)
        for block, item, names in questions:
            own = None if item.answer_raw else text_at(block, layout.answer_link)
            address = address_of(page.url, own) if own else None
            if address:
                yield self._ask(page, address, [item], [names])
            elif together and not item.answer_raw:
                waiting.append((item, names))
            else:
                yield item
        if together and waiting:
            yield self._ask(page, together, [item for item, _ in waiting], [names for _, names in waiting])

    def _ask(self, page: TextResponse, address: str, items: list[QuestionItem], keys: list[list[str]]) -> Request:
        # No duplicate filter: two pages of a paper may link to one page of answers, and each request carries its questions.
        known = {"items": items, "keys": keys}
        return Request(
            address, self.parse_answers, errback=self.unanswered, cb_kwargs=known, headers={"Referer": page.url}, dont_filter=True
        )

    def _report_missing(self, page: TextResponse, name: str, layout: QuestionSelectors, items: list[QuestionItem]) -> None:
        """Report selectors without a match on a page that has questions."""
        if not any(item.stem_raw for item in items):
            self.misfit(page, f"none of {len(items)} questions has a stem in layouts.{name}.stem ({layout.stem!r}); {_MEND}")
        if torn := [item.provenance.position for item in items if item.doubt == _TORN]:
            self.misfit(page, f"{len(torn)} of {len(items)} questions contain other questions, the first being {torn[0]}; {_MEND}")
        if not items[0].paper_raw:
            self._count_missing(page, "title", self.where.title)
        for part in _EXPECTED:
            if getattr(layout, part) and not any(getattr(item, f"{part}_raw") for item in items):
                self._count_missing(page, f"layouts.{name}.{part}", getattr(layout, part))

    def _count_missing(self, page: TextResponse, name: str, where: Any) -> None:
        self.note(f"pages with nothing at {name}")
        self.logger.info("%s: selector %s (%r) found nothing", page.url, name, where)


def _decoded(response: TextResponse) -> TextResponse:
    """Return a page in the encoding of its header or meta tag, else as UTF-8 if that is valid, else as GB 18030."""
    named = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if http_content_type_encoding(named) or html_body_declared_encoding(response.body):
        return response
    try:  # Scrapy would guess from letter frequencies, which fails on short pages
        response.body.decode("utf-8")
    except UnicodeDecodeError:
        return response.replace(encoding="gb18030")
    return response.replace(encoding="utf-8")


def _fields_of_all(blocks: SelectorList, layout: QuestionSelectors) -> list[dict[str, Any]]:
    """Return the raw fields of each question on a page; a question that contains another one comes from broken markup and is rejected."""
    roots = {block.root for block in blocks}
    torn = {outer for block in blocks for outer in block.root.iterancestors() if outer in roots}
    return [_torn_fields(block, layout) if block.root in torn else _fields(block, layout) for block in blocks]


def _torn_fields(block: Selector, layout: QuestionSelectors) -> dict[str, Any]:
    words = every(block, layout.stem)[:1].xpath("string()").get() or ""
    return {"stem_raw": words.strip()[:_TORN_CHARS] or None, "doubt": _TORN}


def _fields(block: Selector, layout: QuestionSelectors) -> dict[str, Any]:
    options = outermost(every(block, layout.options))
    number = text_at(block, layout.number)
    stem = text_at(block, layout.stem, drop_hidden=True)
    if stem and number and stem.startswith(number):  # the number is inside the stem
        stem = stem[len(number) :].strip() or None
    return {
        "section_raw": text_at(block, layout.heading),
        "type_raw": text_at(block, layout.mark),
        "number_raw": number or (number_match.group() if stem and (number_match := _NUMBER.match(stem)) else None),
        "stem_raw": stem,
        "options_raw": [text_of(option, drop_hidden=True) for option in options] or None,
        "answer_raw": plain_answer(text_at(block, layout.answer)),
        "explanation_raw": plain_analysis(text_at(block, layout.analysis)),
        "images": sum(images_in(part) for part in [*outermost(every(block, layout.stem)), *options]),
    }
