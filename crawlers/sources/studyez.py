"""studyez: home -> channels -> lists of past and mock papers -> articles, each a paper as running text on one page or several."""

import bisect
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawlers.fields import text_of
from crawlers.paper import lines_of, read_paper
from crawlers.source import SourceSpider
from records.item import QuestionItem
from records.provenance import Provenance

_WANTED = re.compile("心理咨询|医师|中医")
_CHANNEL = re.compile(r"^https?://www\.studyez\.com/([a-z]+)/$")
_SECTIONS = {"lnst": "历年真题", "mnst": "模拟试题"}
_ARTICLE = re.compile(r"/(?:(?P<channel>[a-z]+)/(?P<section>lnst|mnst)/[a-z]+/\d{6}|news/\d{6}/\d{2})/(?P<id>\d+)\.htm$")
_REMARK = re.compile(r"学易网|责任编辑|^\s*(?:来源|作者|时间|发布时间|编辑推荐|相关推荐|热点推荐)\s*[:：]|^\s*(?:上|下)一(?:页|篇)")
_REMARK_CHARS = 80  # a longer line is content, whatever it names


class Article(msgspec.Struct):
    """A paper whose pages are being read."""

    exam: str
    title: str
    url: str
    lines: list[str] = []
    starts: list[int] = []
    """Index of the first line of each page."""
    pages: list[Provenance] = []


class StudyezSpider(SourceSpider):
    """Reads the channels whose name speaks of counsellors or physicians."""

    name = "studyez"
    allowed_domains = ("www.studyez.com",)
    start_urls = ("http://www.studyez.com/",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.channels: dict[str, str] = {}

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the home page's list of examinations."""
        for link in response.css("a"):
            name, found = text_of(link), _CHANNEL.match(response.urljoin(link.attrib.get("href", "")))
            if found and _WANTED.search(name):
                self.channels.setdefault(found[1], name)
        if not self.channels:
            self.misfit(response, "no channel of counsellors or physicians")
        for channel in self.channels:
            for section in _SECTIONS:
                yield response.follow(f"/{channel}/{section}/", self.parse_list)

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Read one page of a list of articles; its other rows lead to channels."""
        address = [part for part in response.url.split("/")[3:] if part]
        exam = f"{self.channels.get(address[0], address[0])} > {_SECTIONS.get(address[1], address[1])}"
        articles = 0
        for link in response.css("a[href]"):
            if _ARTICLE.search(link.attrib["href"]):
                articles += 1
                title = link.attrib.get("title") or text_of(link).lstrip("·")
                yield response.follow(link, self.parse_article, cb_kwargs={"exam": exam, "title": title})
        if not articles:
            self.misfit(response, "a list without articles")
        yield from self._next(response, self.parse_list)

    def parse_article(
        self, response: Response, exam: str = "", title: str = "", article: Article | None = None
    ) -> Iterator[QuestionItem | Request]:
        """Read one page of a paper. It is taken apart when its last page is there, since the answers may be on that."""
        if article is None:
            article = Article(exam=exam, title=text_of(response.css(".kao_h3")[:1]) or title, url=response.url)
        body = response.css(".kao_text") or response.css("body")
        article.starts.append(len(article.lines))
        article.pages.append(self.provenance(response, "page"))
        for part in body:
            article.lines += [line for line in lines_of(part, drop_hidden=True) if not _is_remark(line)]
        onward = list(self._next(response, self.parse_article, article=article, stem=article.url.removesuffix(".htm")))
        yield from onward or self._questions(article, response)

    def without_page(self, failure: Failure) -> Iterator[QuestionItem]:
        """Give what the pages of a paper say that could be had."""
        yield from self._questions(failure.request.cb_kwargs["article"])

    def _next(self, response: Response, callback: Any, stem: str = "", **kwargs: Any) -> Iterator[Request]:
        for link in response.xpath('//a[contains(., "下一页")]/@href').getall()[:1]:
            address = response.urljoin(link)
            if address.startswith(f"{stem}_" if stem else "http") and address != response.url:
                yield response.follow(address, callback, errback=self.without_page if kwargs else None, cb_kwargs=kwargs)

    def _questions(self, article: Article, response: Response | None = None) -> Iterator[QuestionItem]:
        reading = read_paper(article.lines)
        if response and not reading.questions:
            self.misfit(response, f"no question in {len(article.lines)} lines")
        self.crawler.stats.inc_value("paper/unread_lines", len(reading.unread))
        for draft in reading.questions:
            page = article.pages[bisect.bisect_right(article.starts, draft.line) - 1]
            yield QuestionItem(
                url=article.url,
                provenance=msgspec.structs.replace(page, position=draft.position),
                exam_raw=article.exam,
                paper_raw=article.title,
                **draft.raw_fields(),
            )


def _is_remark(line: str) -> bool:
    """Tell whether a line is the site's own word, not the paper's."""
    return bool(len(line) <= _REMARK_CHARS and _REMARK.search(line))
