"""tk.mxqe.com and www.mxqe.com: an EmpireCMS. Lists with `title="总数"` -> articles of one or several pages -> questions in their text."""

import base64
import binascii
import re
from collections.abc import Iterator
from math import ceil
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import msgspec
from parsel import SelectorList
from scrapy import Request
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from crawlers.html.nesting import outermost
from crawlers.html.pages import MOST_PAGES, Article, is_page, links_of, next_list, request_of, without_noise
from crawlers.html.source_spider import SourceSpider
from crawlers.read.lines.paper import lines_of, read_paper
from crawlers.read.vocabulary.labels import IMAGE, flat, parts_of
from crawlers.read.vocabulary.options import options_in
from crawlers.text.fields import parsed_json, text_of

WALL, IMAGES = "a pay-wall", "images"
"""Properties of an article's page."""
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
    """Return what an article's page has in place of text: a paywall, images."""
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


_BANK, _MAIN, _API = "tk.mxqe.com", "www.mxqe.com", "api.mxqe.com"
_TAG = "自学考试"
_TAGGED = "https://www.mxqe.com/e/tags/index.php?page=0&tagname={}&line=10&tempid=24"
_COLUMN = re.compile(r"^https?://tk\.mxqe\.com/[a-z0-9]+/(?:index\.html)?$")
_ARTICLE = re.compile(r"/[a-z0-9]+/(\d+)\.html$")
_SCOPE = re.compile(r"(?:(?P<host>tk|www)\.mxqe\.com/)?(?P<column>[a-z0-9]+)|tagname=(?P<tag>[^&=/\s]+)")

_FREE = {"0", "False", "None", ""}


class MxqeSpider(SourceSpider):
    """Home -> columns -> articles; and the list of one tag on the older host.

    With `lists`, only those columns (`zkxl`, `www.mxqe.com/qnj`) and tags (`tagname=自学考试`) are read.
    """

    name = "mxqe"
    allowed_domains = (_BANK, _MAIN, _API)
    start_urls = [f"https://{_BANK}/", _TAGGED.format(quote(_TAG))]  # noqa: RUF012
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.lists is not None:
            self.named = {_list_address(self.name, scope): ("lists", scope) for scope in self.lists}
            self.start_urls = list(self.named)

    def parse(self, response: Response) -> Iterator[Request]:
        """Read a start page: a list, or the home page with its columns."""
        if self.lists is not None or "/e/tags/" in response.url:
            yield from self.parse_list(response)
        elif is_page(response, self):
            columns = dict.fromkeys(url for url, _ in links_of(_utf8(response)) if _COLUMN.match(url))
            if not columns:
                self.misfit(response, "no link to a column such as https://tk.mxqe.com/zkxl/")
            for url in columns:
                yield Request(url, self.parse_list)

    def parse_list(self, response: Response, is_first: bool = True, before: list[str] | None = None) -> Iterator[Request]:
        """Read one page of a list; the first states the number of articles, otherwise each page leads to the next."""
        if not is_page(response, self):
            return
        page = _utf8(response)
        articles = list(dict.fromkeys(url for url, _ in links_of(page, "dt a") if _ARTICLE.search(url)))
        total = page.css('a[title="总数"] b::text').re_first(r"\d{1,12}")
        if not articles and is_first and (total is None or int(total)):
            self.misfit(response, f"no article in `dt a`, and {total or 'no number'} in `a[title=总数]`")
        for link in articles:
            yield Request(link, self.parse_article)
        if not articles:
            return
        if total is not None and is_first:
            linked = max((_list_number(url) or 0 for url, _ in links_of(page) if _is_same_list(response.url, url)), default=0)
            pages = max(ceil(int(total) / _rows(response.url, len(articles))), linked)
            for number in range(2, 1 + min(pages, self.max_pages or pages, MOST_PAGES)):  # the site may claim any number
                yield Request(_list_page(response.url, number), self.parse_list, cb_kwargs={"is_first": False})
        elif total is None and set(articles) - set(before or []):
            onward = next_list(page, lambda url: _is_same_list(response.url, url))
            if onward:
                yield Request(onward, self.parse_list, cb_kwargs={"is_first": False, "before": articles})

    def parse_article(self, response: Response, article: Article | None = None) -> Iterator[QuestionItem | Request]:
        """Read one page of an article; its questions are yielded after the last page, which may contain the answers."""
        if not is_page(response, self):
            yield from self._questions(article) if article else ()
            return
        page = _utf8(response)
        body = page.css("div.m-cmsinfo-cont")
        if not body:
            yield from self._without_body(response, article)
            return
        article = article or Article(url=response.url, about=about(page))
        lines = lines_of_article(body[0].get(), is_first=not article.pages)
        article = article.with_page(lines, self.provenance(response, "page"), marks_of(page, lines))
        if onward := article.next_page(page):
            yield Request(onward, self.parse_article, errback=self.without_rest, cb_kwargs={"article": article})
        else:
            yield from self._questions(article)

    def without_rest(self, failure: Failure) -> Iterator[QuestionItem]:
        """Yield the questions of an article whose next page cannot be fetched."""
        self.misfit(Response(request_of(failure).url), f"this page of an article cannot be fetched: {failure.getErrorMessage()}")
        yield from self._questions(request_of(failure).cb_kwargs["article"])

    def _without_body(self, response: Response, article: Article | None) -> Iterator[QuestionItem | Request]:
        """Request a moved article of the main host from the API, which does not accept the numbers of other hosts."""
        article_match = _ARTICLE.search(response.url)
        if article is not None:
            self.misfit(response, "no div.m-cmsinfo-cont on a later page of an article")
            yield from self._questions(article)
        elif article_match and urlsplit(response.url).netloc == _MAIN:
            address = f"https://{_API}/baiduApi.php?action=detail&id={article_match[1]}"
            yield Request(address, self.parse_detail, errback=self.without_detail, cb_kwargs={"url": response.url})
        else:
            self.misfit(response, "no div.m-cmsinfo-cont")

    def parse_detail(self, response: Response, url: str) -> Iterator[QuestionItem]:
        """Read an article from the API; null content means that it was removed."""
        try:
            decoded = parsed_json(response.body.decode("utf-8", "replace").lstrip("\ufeff"))
        except ValueError:
            decoded = None
        answer = decoded if isinstance(decoded, dict) else {}
        data = answer["data"] if isinstance(answer.get("data"), dict) else answer
        prices = {str(each["is_sf"]) for each in (answer, data) if "is_sf" in each}
        if not isinstance(data.get("content", 0), str | None):
            self.misfit(response, f"no div.m-cmsinfo-cont on {url}, and no `content` in the API's answer: {response.body[:40]!r}")
        elif not data["content"]:
            self.note("articles that were removed")
        elif prices - _FREE:  # the text is sent anyway, and the client hides it
            self.note("articles that are to be paid for")
        elif not prices:
            self.misfit(response, f"no `is_sf`, which marks paid articles; the keys are {', '.join(map(str, data))[:80]}")
        else:
            title = data.get("title") if isinstance(data.get("title"), str) else ""
            lines = lines_of_article(_plain(data["content"]), is_first=True)
            article = Article(url=url, about={"paper_raw": text_of(title) or None})
            yield from self._questions(article.with_page(lines, self.provenance(response, "page"), []))

    def without_detail(self, failure: Failure) -> Iterator[QuestionItem]:
        """Report an article that neither its page nor the API provides."""
        url = request_of(failure).cb_kwargs["url"]
        self.misfit(Response(url), f"no div.m-cmsinfo-cont, and the API does not answer: {failure.getErrorMessage()}")
        yield from ()

    def _questions(self, article: Article) -> Iterator[QuestionItem]:
        """Yield the questions of an article, and count what it hides."""
        items, unread = questions_in(article)
        self.note("lines of no question", unread)
        without = sum(item.answer_raw is None for item in items)
        if without:
            self.note("answers behind a pay-wall" if WALL in article.marks else "answers that are absent", without)
        if not items and article.marks:
            self.note(f"articles of {article.marks[0]} alone")
        elif not items:
            self.misfit(Response(article.url), "no question in div.m-cmsinfo-cont, and neither a paywall nor images")
        yield from items


def _utf8(response: TextResponse) -> TextResponse:
    """Return the page decoded as UTF-8: the site's header names no charset."""
    return response.replace(encoding="utf-8")


def _plain(content: str) -> str:
    """Return the HTML of an article, which the API sends in base64."""
    try:
        return base64.b64decode("".join(content.split()), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return content


def _list_address(source: str, scope: str) -> str:
    """Return the address of a list as params.yaml names it.

    Raises:
        ValueError: the name is invalid.
    """
    match = _SCOPE.fullmatch(str(scope))
    if match is None:
        form = "expected columns and tags as in addresses: zkxl, www.mxqe.com/qnj, tagname=自学考试"
        raise ValueError(f"params.yaml: sources.{source}: lists: found {scope!r}; {form}")
    return _TAGGED.format(quote(match["tag"])) if match["tag"] else f"https://{match['host'] or 'tk'}.mxqe.com/{match['column']}/"


def _list_page(url: str, number: int) -> str:
    """Return the address of a further page of a list: `index_2.html`, or `page=1` where counting starts at 0."""
    if "page=0" in url:
        return url.replace("page=0", f"page={number - 1}")
    return re.sub(r"(?:index\.html)?$", f"index_{number}.html", url, count=1)


def _list_number(url: str) -> int | None:
    """Return the number of the list page at an address, counted from 1."""
    match = re.search(r"/index_(\d{1,6})\.html$|[?&]page=(\d{1,6})(?:&|$)", url)
    return (int(match[1]) if match[1] else int(match[2]) + 1) if match else None


def _is_same_list(url: str, other: str) -> bool:
    """Return whether two addresses belong to one list."""
    first, second = urlsplit(url), urlsplit(other)
    same_folder = first.netloc == second.netloc and first.path.rpartition("/")[0] == second.path.rpartition("/")[0]
    return same_folder and parse_qs(first.query).get("tagname") == parse_qs(second.query).get("tagname")


def _rows(url: str, default: int) -> int:
    """Return the number of rows on a page of a list, from its address or else the default."""
    line = parse_qs(urlsplit(url).query).get("line", [""])[0]
    return int(line) if re.fullmatch("[1-9][0-9]{0,3}", line) else default
