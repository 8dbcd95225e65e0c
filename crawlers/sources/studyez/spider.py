"""studyez: home -> channels -> lists of past and mock papers -> articles, each a paper as running text on one or more pages."""

import re
from collections.abc import Iterator
from typing import Any

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
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import options_in
from crawlers.text.fields import text_of

_HOST = "http://www.studyez.com"
_WANTED = re.compile("心理咨询|医师|中医")
_KNOWN_CHANNEL = {"psychology": "心理咨询师"}
_CHANNEL = re.compile(r"^https?://www\.studyez\.com/([a-z]+)/?$")
_SECTIONS = {"lnst": "历年真题", "mnst": "模拟试题"}
_ARTICLE = re.compile(r"/(?:(?P<channel>[a-z]+)/(?P<section>lnst|mnst)/[a-z]+/\d{6}|news/\d{6}/\d{2})/(?P<id>\d+)\.htm$")
_LIST = ".tbatitle_new2 a, .list a"
_REMARK = re.compile(
    r"学易网|责任编辑|^\s*(?:来源|作者|时间|发布时间|编辑推荐|相关推荐|热点推荐)\s*[:：]|^\s*(?:上|下)一(?:页|篇)"
    r"|^\s*更多.{2,30}(?:试题|真题|资料)|关注.{2,20}频道"
)
_REMARK_CHARS = 80  # a longer line is content, whatever it mentions
_DOWNLOAD = re.compile(r"\.(?:docx?|pdf|rar|zip|xlsx?)$", re.I)


class StudyezSpider(SourceSpider):
    """Spider for the channels whose names mention counsellors or physicians.

    With `lists`, only those are read: `psychology` for both sections of a channel, `psychology/lnst` for one.
    """

    name = "studyez"
    allowed_domains = ("www.studyez.com",)
    start_urls = [f"{_HOST}/"]  # noqa: RUF012
    scopes = ("lists",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if wrong := [one for one in self.lists or [] if not re.fullmatch("[a-z]+(?:/(?:lnst|mnst))?", str(one)) or one in _SECTIONS]:
            form = "expected channels and their sections as in addresses: psychology, psychology/lnst, psychology/mnst"
            raise ValueError(f"params.yaml: sources.studyez: lists: found {wrong!r}; {form}")
        self.named = {url: ("lists", channel) for channel in self.lists or [] for url in _addresses(channel)}

    def parse(self, response: Response) -> Iterator[Request]:
        """Read the home page's list of examinations, which names the channels."""
        if not is_page(response, self):
            return
        names: dict[str, list[str]] = {}
        for url, link in links_of(response):
            if channel_match := _CHANNEL.match(url):
                label, title = (re.sub(r"\s", "", words).lstrip("·") for words in (text_of(link), link.root.get("title", "")))
                is_cut = bool(title) and label.endswith(("…", "..."))
                names.setdefault(channel_match[1], []).extend(filter(None, ["" if is_cut else label, title]))
        wanted = {channel: name for channel, all_names in names.items() for name in all_names[::-1] if _WANTED.search(name)}
        labels = [name for all_names in names.values() for name in all_names]
        missed = [f"/{channel}/ ({name})" for channel, name in _KNOWN_CHANNEL.items() if channel not in wanted]
        if labels and not wanted:
            self.unmatched(response, "channel", labels)
        elif missed and (self.lists is None or not wanted):
            self.misfit(response, f"no link to known channels, {', '.join(missed)}; they are requested anyway")
        for scope in self.lists if self.lists is not None else wanted | _KNOWN_CHANNEL:
            channel = scope.partition("/")[0]
            name = wanted.get(channel) or next(iter(names.get(channel, [])), "") or _KNOWN_CHANNEL.get(channel, channel)
            for url in _addresses(scope):
                yield Request(url, self.parse_list, cb_kwargs={"channel": name})

    def parse_list(self, response: Response, channel: str = "", number: int = 1, before: list[str] | None = None) -> Iterator[Request]:
        """Read one page of a list of articles; its other rows lead to channels. `before` has the articles of the previous page."""
        address = [part for part in response.url.split("/")[3:5] if part]
        if not is_page(response, self) or len(address) < 2:
            return
        exam = f"{channel or address[0]} > {_SECTIONS.get(address[1], address[1])}"
        articles: dict[str, str] = {}
        for url, link in list(links_of(response, _LIST)) or links_of(response):
            match = _ARTICLE.search(url)
            if match and match["channel"] in (address[0], None):  # articles of other examinations are next to the list
                articles.setdefault(url, link.root.get("title") or text_of(link).lstrip("·"))
        if not articles:
            self.misfit(
                response, f"a list without articles: no link to /{'/'.join(address)}/REGION/YYYYMM/ID.htm or /news/YYYYMM/DD/ID.htm"
            )
        for url, title in articles.items():
            yield Request(url, self.parse_article, cb_kwargs={"exam": exam, "title": title})
        onward = next_list(response, lambda url: "/".join(address) in url.split("//")[-1])
        if onward and set(articles) - set(before or []) and number < MOST_PAGES:
            known = {"channel": channel, "number": number + 1, "before": list(articles)}
            yield Request(onward, self.parse_list, cb_kwargs=known)

    def parse_article(
        self, response: Response, exam: str = "", title: str = "", article: Article | None = None
    ) -> Iterator[QuestionItem | Request]:
        """Read one page of a paper. The paper is parsed after its last page, which may contain the answers."""
        if not is_page(response, self):
            yield from self._questions(article) if article else ()
            return
        if article is None:
            address = _ARTICLE.search(response.url)
            if address and address["section"]:  # the address is more reliable than a list
                exam = f"{exam.partition(' > ')[0]} > {_SECTIONS[address['section']]}"
            about = {"exam_raw": exam, "paper_raw": _title(response) or title or None}
            article = Article(url=response.url, about=about)
        article = article.with_page(_lines(response), self.provenance(response, "page"), _marks(response))
        if onward := article.next_page(response):
            yield Request(onward, self.parse_article, errback=self.without_page, cb_kwargs={"article": article})
        else:
            yield from self._questions(article)

    def without_page(self, failure: Failure) -> Iterator[QuestionItem]:
        """Yield the questions on the pages of a paper that could be fetched."""
        self.misfit(Response(request_of(failure).url), f"this page of a paper cannot be fetched: {failure.getErrorMessage()}")
        yield from self._questions(request_of(failure).cb_kwargs["article"])

    def _questions(self, article: Article) -> Iterator[QuestionItem]:
        reading = read_paper(article.lines)
        if not reading.drafts and article.marks:
            self.note(f"articles of {article.marks[0]} alone")
        elif not reading.drafts:
            self.misfit(Response(article.url), f"no question in {len(article.lines)} lines, and neither images nor a file to download")
        self.note("lines of no question", len(reading.unread))
        yield from map(article.item, reading.drafts)


def _title(page: TextResponse) -> str:
    centred = 'p[style*="text-align: center"], p[style*="text-align:center"]'
    return next((text for where in (".kao_h3", centred, "h1") if (text := text_of(page.css(where)[:1]))), "")


def _lines(page: TextResponse) -> list[str]:
    """Return the lines of a paper: from the known body, from the older template's paragraphs, or from the entire page."""
    bodies = outermost(page.css(".kao_text"))
    lines = [line for body in bodies for line in lines_of(without_noise(body.get()))]
    if not bodies:
        parts = [lines_of(without_noise(part.get())) for part in page.xpath("//p[not(ancestor::p)]") or page.css("body")]
        edges = {0, len(parts) - 2, len(parts) - 1} if len(parts) > 3 else set()  # the first and the last two may come from the site
        lines = [line for index, part in enumerate(parts) for line in part if index not in edges or _is_content(line)]
    return [line for line in lines if not _is_remark(line)]


def _marks(page: TextResponse) -> list[str]:
    """Return the kinds of content that an article may have instead of text."""
    body = SelectorList(outermost(page.css(".kao_text")))
    files = any(_DOWNLOAD.search(href) for href in body.css("a::attr(href)").getall())
    return [*(["files"] if files else []), *(["images"] if body.css("img") else [])]


def _is_remark(line: str) -> bool:
    """Return whether a line was written by the site and is not part of the paper."""
    return bool(len(line) <= _REMARK_CHARS and _REMARK.search(line) and not _is_content(line))


def _is_content(line: str) -> bool:
    """Return whether a line has the form of a part of a question."""
    words = flat(line.strip())
    return bool(number_of(words) or options_in(words) or [kind for kind, _ in parts_of(words) if kind != "text"] or IMAGE in words)


def _addresses(scope: str) -> list[str]:
    """Return the lists of a channel, or the list of one of its sections."""
    channel, _, section = scope.partition("/")
    return [f"{_HOST}/{channel}/{one}/" for one in ([section] if section else _SECTIONS)]
