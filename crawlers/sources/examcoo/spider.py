"""examcoo: bank home -> categories -> paper lists -> view pages; one call returns the questions, and one call each explanation."""

import re
from collections.abc import Iterator
from math import ceil
from typing import Any

import msgspec
from scrapy import FormRequest, Request
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.html.pages import MOST_PAGES, is_page, links_of, request_of
from crawlers.html.source_spider import SourceSpider
from crawlers.sources.examcoo.content import TIMED_OUT, read_rows, refused_with, rows_of
from crawlers.sources.examcoo.page import about, call_of, holds_questions, read_page
from crawlers.sources.examcoo.parts import ExamcooPaper, PaperQuestion
from crawlers.store.exchanges import UNSTORED, Outdated, lasting, of_session
from crawlers.text.fields import text_of

_HOST = "https://www.examcoo.com"
_WANTED = re.compile("心理|中医|中西医|中药|方剂|针灸|医师|药师")  # the bank covers everything from school mathematics to tour guide exams
_VIEW = re.compile(r"/editor/do/view/id/(\d+)")
_LIST = re.compile(r"/paperlist/index/k/(\d+)(?:/p/(\d+))?")
_PAGES = re.compile(r"总共\s*[：:]\s*(\d{1,9})\s*页")
_RECORDS = re.compile(r"(\d{1,9})\s*条记录")
_ROWS_A_PAGE = 25
_EXPLANATION = '//div[contains(@class, "bold")][contains(., "试题解析")]/following-sibling::div[1][not(contains(@class, "bold"))]'
_NO_EXPLANATION = "[ 尚无记录 ]"
_ROW_NAME_CHARS = 60
_PART = 'preceding::a[contains(concat(" ", @class, " "), " catSubAnchor ")][1]'

Fields = dict[str, Any]
_RETRIED = "requested with a new token"


class ExamcooSpider(SourceSpider):
    """Spider for papers in lists on psychology or traditional medicine; with `lists`, only in the lists with those numbers."""

    name = "examcoo"
    allowed_domains = ("www.examcoo.com",)
    start_urls = [f"{_HOST}/index/ku"]  # noqa: RUF012
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if wrong := [kid for kid in self.lists or [] if not re.fullmatch("[0-9]+", str(kid))]:
            form = 'expected numbers as in addresses: ["1701"] for /paperlist/index/k/1701/p/1'
            raise ValueError(f"params.yaml: sources.examcoo: lists: found {wrong!r}; {form}")
        if self.lists is not None:
            self.named = {f"{_HOST}/paperlist/index/k/{kid}/p/1": ("lists", kid) for kid in self.lists}
            self.start_urls = list(self.named)

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the bank's home, or the first page of a list that `lists` names."""
        if self.lists is not None:
            yield from self.parse_list(response)
        elif is_page(response, self):
            categories: dict[str, str] = {}
            for url, link in links_of(response):
                if "/index/detail/mid/" in url:  # a link into the page (#s1) has the name of a part, not of the category
                    name = "" if "#" in link.root.get("href", "") else text_of(link)
                    categories[url] = categories.get(url) or name
            if not categories:
                self.misfit(response, "no link to a category, /index/detail/mid/")
            for url, name in categories.items():
                yield Request(url, self.parse_category, cb_kwargs={"category": name})

    def parse_category(self, response: Response, category: str = "") -> Iterator[Request]:
        """Read the lists of one category.

        A link may name only the subject; the examination is then in its title, the first cell of the row, or the heading of its section.
        """
        if not is_page(response, self):
            return
        lists: dict[str, str] = {}
        rows = _rows(response)
        for url, link in links_of(response):
            if _LIST.search(url):
                row = next((rows[above] for above in link.root.iterancestors("tr") if above in rows), "")
                words = [text_of(link.xpath(_PART)), text_of(link), link.root.get("title", "")]
                lists[url] = " ".join([lists.get(url, ""), row, *map(_closed_up, words)]).strip()
        bare = [name for row, name in rows.items() if _WANTED.search(name) and next(row.iter("a"), None) is None]
        if bare:
            self.misfit(response, f"no list, /paperlist/index/k/, in the row of {bare[0]!r}")
        elif not lists:
            self.misfit(response, "a category without lists, /paperlist/index/k/")
        wanted = [url for url, words in lists.items() if _WANTED.search(f"{_closed_up(category)} {words}")]
        if lists and not wanted:  # as in most categories, which contain other examinations
            self.note("categories of other examinations: none of their lists passes the filter")
            self.logger.info(
                "%s: the filter matches none of its lists; the row reads %s",
                response.url,
                ", ".join(map(repr, sorted(set(lists.values()))[:5])),
            )
        for url in wanted:
            yield Request(url, self.parse_list)

    def parse_list(self, response: Response, is_first: bool = True, before: list[str] | None = None) -> Iterator[Request]:
        """Read one page of a list of papers; pinned rows and advertisements have no view link, or the same one on each page.

        The first page states the number of pages; otherwise, each page leads to the next as long as it has new papers (not in `before`).
        """
        list_match = _LIST.search(response.url)
        if not is_page(response, self) or not list_match:
            return
        papers = list(dict.fromkeys(view[1] for url, _ in links_of(response, "tr a") if (view := _VIEW.search(url))))
        footer = text_of(response.text)
        records = _RECORDS.search(footer)
        if not papers and is_first and not (records and int(records[1]) == 0):
            self.misfit(response, "a list without papers: no link to /editor/do/view/id/ in `tr a`, and not `0条记录`")
        for pid in papers:
            yield Request(f"{_HOST}/editor/do/view/id/{pid}", self.parse_view)
        address, page = f"{_HOST}/paperlist/index/k/{list_match[1]}/p/", int(list_match[2] or 1)
        stated = _PAGES.search(footer)
        pages = int(stated[1]) if stated else ceil(int(records[1]) / _ROWS_A_PAGE) if records else None
        if pages is not None and is_first and papers:
            for number in range(page + 1, min(pages, MOST_PAGES) + 1):
                yield Request(f"{address}{number}", self.parse_list, cb_kwargs={"is_first": False})
        elif pages is None and len(papers) >= _ROWS_A_PAGE and set(papers) - set(before or []) and page < MOST_PAGES:
            yield Request(f"{address}{page + 1}", self.parse_list, cb_kwargs={"is_first": False, "before": papers})

    def parse_view(self, response: Response) -> Iterator[QuestionItem | Request]:
        """Read the page of a paper, which has either the questions (until 2019) or the parameters of the call for them."""
        if not is_page(response, self):
            return
        page, paper = about(response), call_of(response)
        if holds_questions(response):
            reading = read_page(response.selector)
            yield from self._items(response, reading, page)
            yield from self._source_papers(reading)
        elif paper:
            is_again = response.request is not None and UNSTORED in response.request.meta
            yield Request(
                f"{_HOST}/editor/rpc/getpapercontent/pid/{paper['pid']}/tokenpid/{paper['tokenpid']}/fromAction/view",
                self.parse_content,
                headers={"Referer": response.url},
                cb_kwargs={"view": response.url, "paper": paper, "page": page},
                errback=self.without_content,
                meta=of_session(paper["tokenpid"], response) | {_RETRIED: is_again},
                dont_filter=is_again,  # the new token may equal the old one
            )
        else:
            excerpt = text_of(response.css("#paperContent") or response.css("body"))[:60]
            self.misfit(response, f"neither questions nor pid and vp4tokenpid (32 hex digits) to request them with; it reads {excerpt!r}")

    def without_content(self, failure: Failure) -> Iterator[Request]:
        """Request a paper's page again if its token is from an earlier run or, once, if it has timed out; report other failures."""
        request = request_of(failure)
        if failure.check(Outdated) or (failure.check(HttpError) and _has_timed_out(failure.value.response) and not request.meta[_RETRIED]):
            yield Request(request.cb_kwargs["view"], self.parse_view, dont_filter=True, meta={UNSTORED: True})
        elif failure.check(HttpError):
            self.misfit(failure.value.response, f"the content call was answered with status {failure.value.response.status}")

    def refusal(self, response: Response) -> str | None:
        """Return why a call was refused: the answer is a page instead of rows, or the token timed out."""
        if "/editor/rpc/" not in response.url or not isinstance(response, TextResponse):
            return super().refusal(response)
        if _has_timed_out(response):
            return f"the content call was answered with {TIMED_OUT}: the token of the page timed out"
        return "the content call was answered with a page" if response.text.lstrip("\ufeff \t\r\n")[:1] in ("<", "") else None

    def parse_content(self, response: Response, view: str, paper: dict[str, str], page: Fields) -> Iterator[QuestionItem | Request]:
        """Read the questions of a paper."""
        try:
            rows = rows_of(response.text)
        except (ValueError, AttributeError) as error:  # a binary answer has no text
            self.misfit(response, str(error))
            return
        reading = read_rows(rows)
        if reading.title and not page["paper_raw"]:
            page = page | {"paper_raw": reading.title}
        items = self._items(response, reading, page, view)
        for question, item in zip(reading.questions, items, strict=True):
            yield self._ask_explanation(response, question, item, paper) if question.is_explained else item
        yield from self._source_papers(reading)

    def _source_papers(self, reading: ExamcooPaper) -> Iterator[Request]:
        """Follow the papers from which a paper samples its questions."""
        for pid in dict.fromkeys(reading.source_papers):
            yield Request(f"{_HOST}/editor/do/view/id/{pid}", self.parse_view)

    def _items(self, response: Response, reading: ExamcooPaper, page: Fields, view: str | None = None) -> Iterator[QuestionItem]:
        """Yield the questions of a paper, and report unexpected content."""
        if reading.source_papers:
            self.note("rules that draw questions from another paper", len(reading.source_papers))
        if reading.faults or not (reading.questions or reading.source_papers):
            problem = "; ".join(reading.faults[:3]) or "no questions"
            self.misfit(response, f"{len(reading.faults)} rows cannot be read: {problem}" if reading.faults else problem)
        elif reading.questions and not any(question.fields.get("answer_raw") for question in reading.questions):
            self.note("papers without answers")
        self.note("lines of no question", len(reading.unread))
        page_provenance = self.provenance(response, "page")
        if response.request:
            page_provenance = msgspec.structs.replace(page_provenance, url=lasting(response.request)[0])
        for number, question in enumerate(reading.questions, 1):
            where = msgspec.structs.replace(page_provenance, position=f"q{number}")
            yield QuestionItem(url=view or response.url, provenance=where, **page, **question.fields)

    def _ask_explanation(self, page: Response, question: PaperQuestion, item: QuestionItem, paper: dict[str, str]) -> Request:
        form = {"id": question.id.partition("_")[2], "sdtId": question.id, "p": "1", "l": "0", "msgid": "0", "cmid": "0", "tid": "0"}
        return FormRequest(
            f"{_HOST}/editor/comment/index",
            formdata={**form, "verifydtid": "0", **paper},
            headers={"Referer": item.url},
            callback=self.parse_explanation,
            errback=self.unexplained,
            cb_kwargs={"item": item, "asked": question, "paper": paper},
            dont_filter=True,  # a paper may show one question twice, and the request carries the question
            meta=of_session(paper["tokenpid"], page),
        )

    def parse_explanation(self, response: Response, item: QuestionItem, **_: Any) -> Iterator[QuestionItem]:
        """Read the explanation below 试题解析; there may be only comments."""
        is_read = is_page(response, self)
        text = text_of(response.xpath(_EXPLANATION)[:1]) if is_read else ""
        if is_read and (refused := refused_with(response.text) or text_of(response.css(".error-bar")[:1])):
            self.misfit(response, f"the call for an explanation was refused: {refused[:60]!r}")
        elif not text or text == _NO_EXPLANATION:
            self.note("explanations that are announced and absent")
            text = ""
        yield msgspec.structs.replace(item, explanation_raw=text or None)

    def unexplained(self, failure: Failure) -> Iterator[QuestionItem | Request]:
        """Yield the question without its explanation, or request a new token if the old one comes from an earlier run."""
        known = request_of(failure).cb_kwargs
        if failure.check(Outdated):
            yield Request(
                known["item"].url, self.parse_token, errback=self.unexplained, cb_kwargs=known, dont_filter=True, meta={UNSTORED: True}
            )
        else:
            yield known["item"]

    def parse_token(
        self, response: Response, item: QuestionItem, asked: PaperQuestion, paper: dict[str, str]
    ) -> Iterator[QuestionItem | Request]:
        """Read a new token from the page of a paper, and request the explanation with it."""
        new_token = call_of(response) if is_page(response, self) else None
        yield self._ask_explanation(response, asked, item, paper | new_token) if new_token else item


def _has_timed_out(response: Response) -> bool:
    return (refused_with(response.body.decode("utf-8", "replace")) or "").startswith(f"{TIMED_OUT}:")


def _closed_up(name: str) -> str:
    """Return a name without padding spaces."""
    return re.sub(r"\s", "", name)


def _rows(page: TextResponse) -> dict[Any, str]:
    """Return the rows of a category's tables with their names: the first cell, and a cell above that spans several rows."""
    names: dict[Any, str] = {}
    for table in page.css("table"):
        above, left = "", 0
        for row in table.xpath("tr | tbody/tr"):
            cell = row.xpath("(td | th)[1]")
            own = _closed_up(text_of(cell))[:_ROW_NAME_CHARS]
            names[row.root] = f"{above} {own}".strip() if left > 0 else own
            left -= 1
            span = cell.xpath("@rowspan").get("")
            if re.fullmatch("[1-9][0-9]{0,3}", span) and span != "1":
                above, left = own, int(span) - 1
    return names
