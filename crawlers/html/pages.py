"""Pages of exam papers: check that a response is a page, read its links, and join papers that span several pages."""

import bisect
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard
from urllib.parse import parse_qs, urlsplit

import msgspec
from bs4 import BeautifulSoup, Tag
from msgspec import Struct
from parsel import Selector
from scrapy import Request
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.html.links import address_of
from crawlers.html.readable import is_json
from crawlers.html.source_spider import SourceSpider
from crawlers.read.lines.questions.draft import Draft
from crawlers.text.fields import is_hidden, uncrowded

MOST_PAGES = 4000
"""Maximum number of pages of one list; further ones are ignored."""
_MOST_ARTICLE_PAGES = 60
_ONWARD = re.compile(r"^\W*(?:下一?页|后一?页|下一?頁|next)\W*$", re.I)
_INLINE = {"a", "b", "em", "font", "i", "ins", "label", "s", "small", "span", "strong", "sub", "sup", "u"}
_ANSWER = re.compile(r"^\s*(?:(?:参考|正确|标准)?答案\s*[:：]|【(?:参考|正确|标准)?答案】)")  # but not 答案圈, the name of a site
_CONTENT = re.compile(r"答案(?!圈)|解析|答\s*[:：]|^[^\S\n]*(?:\d{1,3}|[A-J])\s*[.．、]", re.M)
_MAY_HIDE = re.compile("hidden|style", re.I)
_NOISE_CHARS = 60  # a longer hidden block is content that a click would show


class Article(Struct, frozen=True, kw_only=True):
    """A paper whose pages are being read; it is passed from page to page in `cb_kwargs`."""

    url: str
    about: dict[str, Any]
    """Fields that all its questions have in common, as raw fields of a QuestionItem."""
    lines: list[str] = []
    starts: list[int] = []
    """Index of the first line of each page."""
    pages: list[Provenance] = []
    marks: list[str] = []
    """Names of properties of its pages, chosen by the spider."""

    def with_page(self, lines: list[str], provenance: Provenance, marks: list[str] | None = None) -> "Article":
        """Return the article with one more page."""
        return msgspec.structs.replace(
            self,
            lines=[*self.lines, *lines],
            starts=[*self.starts, len(self.lines)],
            pages=[*self.pages, provenance],
            marks=[*self.marks, *(marks or [])],
        )

    def item(self, draft: Draft) -> QuestionItem:
        """Return a question, with the provenance of the page on which it begins."""
        page = self.pages[max(0, bisect.bisect_right(self.starts, draft.line) - 1)]
        where = msgspec.structs.replace(page, position=draft.position)
        return QuestionItem(url=self.url, provenance=where, **self.about, **draft.raw_fields())

    def next_page(self, response: TextResponse) -> str | None:
        """Return the URL of the article's next page, which 下一页 or the next number links to; links to other articles do not count."""
        current = _number(self.url, response.url) or 0
        onward: dict[bool, list[tuple[int, str]]] = {True: [], False: []}
        for url, link in links_of(response):
            number = _number(self.url, url)
            if number is not None and number > current:
                words = "".join(link.xpath(".//text()").getall()) or link.root.get("title", "")
                onward[bool(_ONWARD.match(words))].append((number, url))
        named = min(onward[True], default=None)
        numbered = min(onward[False], default=None)
        if named is None and numbered and numbered[0] > max(current + 1, 2):
            numbered = None  # the last page, or another article with a similar URL
        following = named or numbered
        return following[1] if following and len(self.pages) < _MOST_ARTICLE_PAGES else None


def without_noise(html: str, drop: str | None = None) -> str:
    """Return the HTML of an article without the hidden noise between its words and without the tags that a selector matches.

    Hidden inline tags are noise unless they begin with 答案. A hidden block is content that a click would reveal, unless it is short and
    contains no part of a question.
    """
    if not drop and not _MAY_HIDE.search(html):
        return html
    soup = BeautifulSoup(uncrowded(html), "lxml")
    for tag in [tag for tag in soup.find_all(True) if is_hidden(tag.attrs) and _is_noise(tag)]:
        if not tag.decomposed:  # with an enclosing tag
            tag.decompose()
    for tag in soup.select(drop) if drop else ():
        tag.decompose()
    return str(soup)


def without(html: str, css: str) -> str:
    """Return HTML without the tags that a selector matches; parsel's `drop` fails if a control character follows a tag."""
    soup = BeautifulSoup(uncrowded(html), "lxml")
    for tag in soup.select(css):
        tag.decompose()
    return str(soup)


def _is_noise(tag: Tag) -> bool:
    text = tag.get_text()
    return not _ANSWER.match(text) if tag.name in _INLINE else len(text) <= _NOISE_CHARS and not _CONTENT.search(text)


def is_page(response: Response, spider: SourceSpider) -> TypeGuard[TextResponse]:
    """Return whether a response is a page; report an image, another file or JSON as a misfit, whatever its declared type."""
    if isinstance(response, TextResponse) and not is_json(response):
        return True
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    spider.misfit(response, f"expected a page, found a file of type {kind or 'unknown'}")
    return False


def request_of(failure: Failure) -> Request:
    """Return the failed request, which Scrapy attaches to the failure object."""
    return failure.request  # type: ignore[attr-defined]


def links_of(response: TextResponse, where: str = "a") -> Iterator[tuple[str, Selector]]:
    """Yield the HTTP and HTTPS links on a page with their URLs."""
    for link in response.css(where):
        href = link.root.get("href", "").strip()  # not `link.attrib`, which fails on an attribute with a broken name
        if href and (url := address_of(response.url, href)):
            yield url, link


def next_list(response: TextResponse, belongs: Callable[[str], Any]) -> str | None:
    """Return the URL of the next page of a list (下一页), if it belongs to the list."""
    for url, link in links_of(response):
        words = "".join(link.xpath(".//text()").getall()) or link.root.get("title", "")
        if _ONWARD.match(words) and url != response.url and belongs(url):
            return url
    return None


def _number(first: str, url: str) -> int | None:
    """Return the page number in the URL of an article's page: 2 for `7_2.htm` and `7.htm?page=2`, 0 for `7.htm`; None for another
    article."""
    home, other = urlsplit(first), urlsplit(url)
    stem, dot, suffix = home.path.rpartition(".")
    stem = stem.removesuffix("_1")
    match = re.fullmatch(rf"{re.escape(stem)}(?:_(\d{{1,4}}))?{re.escape(dot + suffix)}", other.path)
    if match is None or home.netloc != other.netloc:
        return None
    query = parse_qs(other.query).get("page", ["0"])[0]
    return int(match[1] or (query if re.fullmatch(r"[0-9]{1,4}", query) else 0))
