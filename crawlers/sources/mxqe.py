"""tk.mxqe.com and www.mxqe.com: an EmpireCMS. Lists with `title="总数"` -> articles of one or several pages -> questions in their text."""

import re
from collections.abc import Iterator
from math import ceil
from typing import Any
from urllib.parse import quote

from bs4 import BeautifulSoup
from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawlers.fields import is_hidden, text_of
from crawlers.paper import IMAGE, lines_of, read_paper
from crawlers.source import SourceSpider
from records.item import QuestionItem

_TAG = "自学考试"
_COLUMN = re.compile(r"^https?://tk\.mxqe\.com/[a-z]+/(?:index\.html)?$")
_ARTICLE = re.compile(r"/[a-z]+/\d+\.html$")
_INLINE = ("b", "em", "font", "i", "span", "strong", "u")
_ANSWER = re.compile(r"^\s*(?:(?:参考|正确|标准)?答案\s*[:：]|【(?:参考|正确|标准)?答案】)")  # and not 答案圈, the site's name

Pages = list[tuple[Response, list[str]]]
"""The pages of one article, each with its lines."""


class MxqeSpider(SourceSpider):
    """Home -> columns -> articles; and the list of one tag on the older host."""

    name = "mxqe"
    allowed_domains = ("tk.mxqe.com", "www.mxqe.com")
    start_urls = ("https://tk.mxqe.com/", f"https://www.mxqe.com/e/tags/index.php?page=0&tagname={quote(_TAG)}&line=10&tempid=24")

    def parse(self, response: Response) -> Iterator[Request]:
        """Read a start page: the list of a tag, or the home page with its columns."""
        if "/e/tags/" in response.url:
            yield from self.parse_list(response)
            return
        columns = [url for url in map(response.urljoin, _utf8(response).css("a::attr(href)").getall()) if _COLUMN.match(url)]
        if not columns:
            self.misfit(response, "no link to a column such as https://tk.mxqe.com/zkxl/")
        for url in columns:
            yield response.follow(url, self.parse_list)

    def parse_list(self, response: Response, first: bool = True) -> Iterator[Request]:
        """Read a list; the first page of one says how many articles there are, and so how many pages."""
        page = _utf8(response)
        articles = [link for link in page.css("dt a::attr(href)").getall() if _ARTICLE.search(link)]
        total = page.css('a[title="总数"] b::text').re_first(r"\d{1,12}")
        if not articles and total != "0":
            self.misfit(response, f"no article in `dt a`, and {total or 'no number'} in `a[title=总数]`")
        for link in articles:
            yield response.follow(link, self.parse_article)
        if first and articles:
            pages = ceil(int(total or 0) / len(articles))
            for number in range(2, 1 + min(pages, self.max_pages or pages)):  # the site may claim any number
                yield response.follow(_list_page(response.url, number), self.parse_list, cb_kwargs={"first": False})

    def parse_article(self, response: Response, before: Pages | None = None) -> Iterator[QuestionItem | Request]:
        """Read one page of an article; its questions are told when the last page is read, since answers may stand there."""
        page = _utf8(response)
        body = page.css("div.m-cmsinfo-cont")
        if not body:
            self.misfit(response, "no div.m-cmsinfo-cont")
            return
        pages = [*(before or []), (response, lines_of(_readable(body[0].get())))]
        onward = page.xpath('//div[@class="m-pages"]//a[normalize-space()="下一页"]/@href').get()
        if onward:
            yield response.follow(onward, self.parse_article, errback=self.without_rest, cb_kwargs={"before": pages})
        else:
            yield from self._questions(pages)

    def without_rest(self, failure: Failure) -> Iterator[QuestionItem]:
        """Tell the questions of an article whose next page cannot be had."""
        pages = failure.request.cb_kwargs["before"]
        self.misfit(pages[-1][0], f"its next page {failure.request.url} cannot be had: {failure.getErrorMessage()}")
        yield from self._questions(pages)

    def _questions(self, pages: Pages) -> Iterator[QuestionItem]:
        about = _about(_utf8(pages[0][0]))
        owners = [response for response, lines in pages for _ in lines]
        drafts = read_paper([line for _, lines in pages for line in lines]).questions
        if not drafts:
            self._without_questions(pages[0][0])
        for draft in drafts:
            # Pages may break off inside a question: it belongs to the page it begins on.
            yield self.question(owners[draft.line], draft.position, **about, **draft.raw_fields())

    def _without_questions(self, response: Response) -> None:
        """Count an article that keeps its text to itself; any other without questions is a misfit."""
        page = _utf8(response)
        if page.css(".m-vip"):
            self.crawler.stats.inc_value("mxqe/behind_paywall")
        elif IMAGE in "".join(lines_of(page.css("div.m-cmsinfo-cont").get() or "")):
            self.crawler.stats.inc_value("mxqe/images_only")
        else:
            self.misfit(response, "no question in div.m-cmsinfo-cont, and neither a pay-wall nor images")


def _utf8(response: Response) -> Response:
    """Return the page read as UTF-8: the site's header names no charset."""
    return response.replace(encoding="utf-8")


def _about(page: Response) -> dict[str, str | None]:
    """Return what an article says of all its questions."""
    path = [text_of(link) for link in page.css("div.m-position a")][1:]
    return {
        "exam_raw": " > ".join(path) or None,
        "subject_raw": page.css('.m-info a[href*="tagname="]::text').get(),
        "paper_raw": text_of(page.css("h1")) or None,
    }


def _readable(html: str) -> str:
    """Return the text of an article without the noise hidden between its words and without the button that leads to payment.

    Only inline tags are noise: a hidden `div` is an answer that a click would show.
    """
    soup = BeautifulSoup(html, "lxml")
    noise: list[Any] = [tag for tag in soup.find_all(_INLINE) if is_hidden(tag) and not _ANSWER.match(tag.get_text())]
    for tag in noise + soup.select('a[href*="/pay/"]'):
        tag.decompose()
    return str(soup)


def _list_page(url: str, number: int) -> str:
    """Return the address of a further page of a list: `index_2.html`, or `page=1` where counting begins with 0."""
    if "page=0" in url:
        return url.replace("page=0", f"page={number - 1}")
    return re.sub(r"(?:index\.html)?$", f"index_{number}.html", url, count=1)
