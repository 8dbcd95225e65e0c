"""Spider middleware of `check`: for every page its callback, its items and what it asked for; page kinds are visited by turns."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.check.page_hints import PageHints, hints_of
from crawlers.html.source_spider import NOTED
from crawlers.store.exchanges import without_password
from crawlers.store.request_keys import is_robots
from crawlers.web.failure_causes import SENT_STATUS
from crawlers.web.page_kinds import kind_of

PAGES, KEPT, REFUSED, ANSWERS, MET = "watch/pages", "watch/kept", "watch/refused", "watch/answers", "watch/met"
"""Keys of the stats: list of PageSeen, url -> PageKept, url -> status, list of addresses with what came, requests with what came."""
_HINTED = 20  # pages that gave nothing; of more, one knows enough
_FIRST, _AT_ONCE, _MOST_DEPTH = 1_000_000, 2_000_000, 1000


class PageSeen(Struct, kw_only=True):
    """What a callback made of a page."""

    url: str
    callback: str
    items: list[Item] = []
    asked: list[tuple[str, str]] = []
    """Address and callback of each request."""
    others: int = 0
    """Things that are neither items nor requests."""
    is_explained: bool = False
    """The spider counted what the page lacks, and called it no misfit."""
    hints: PageHints | None = None
    """Of a page that gave nothing, or questions of which none has a stem, options or an answer."""

    @property
    def is_empty(self) -> bool:
        """Tell whether the page gave nothing."""
        return not self.items and not self.asked

    @property
    def lacks_parts(self) -> bool:
        """Tell whether none of its questions has a stem, options or an answer, so that a selector finds nothing."""
        asked = [item for item in self.items if isinstance(item, QuestionItem)]
        has_stem = any(one.stem_raw for one in asked)
        has_options = any(one.options_raw or one.shared_options_raw for one in asked)
        return bool(asked) and not (has_stem and has_options and any(one.answer_raw for one in asked))

    def note(self, found: Any) -> None:
        """Take in what is no request."""
        if isinstance(found, QuestionItem | EntityItem):
            self.items.append(found)
        else:
            self.others += 1


class PageKept(Struct, frozen=True, kw_only=True):
    """A page as it is saved."""

    url: str
    callback: str
    cb_kwargs: dict[str, Any]
    content_type: str
    body: bytes
    encoding: str = ""
    """As it was read."""


def page_kept(request: Request, response: Response, url: str) -> PageKept:
    """Return a page as it is saved."""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    encoding = response.encoding if isinstance(response, TextResponse) else ""
    return PageKept(
        url=url, callback=kind_of(request), cb_kwargs=dict(request.cb_kwargs), content_type=kind, body=response.body, encoding=encoding
    )


class Watch:
    """Looks on. Setting WATCH_KEEP: addresses of pages that are kept whole."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.keep = set(crawler.settings.getlist("WATCH_KEEP"))
        self.asked: Counter[str] = Counter()
        self.pages: list[PageSeen] = []
        self.kept: dict[str, PageKept] = {}
        self.refused: dict[str, int] = {}
        self.answers: list[tuple[str, Response]] = []
        self.met: list[tuple[Request, Response]] = []
        self.hinted = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Watch":
        """Return the middleware of a crawl."""
        watch = cls(crawler)
        crawler.signals.connect(watch.note_status, signals.response_received)
        for key, value in ((PAGES, watch.pages), (KEPT, watch.kept), (REFUSED, watch.refused), (ANSWERS, watch.answers), (MET, watch.met)):
            crawler.stats.set_value(key, value)
        return watch

    def note_status(self, response: Response, request: Request) -> None:
        """Note an answer, and one that no callback sees. A refusal has a name among the failures, which says more than its status."""
        if is_walled := response.status == 403 and SENT_STATUS in request.meta:
            response = response.replace(status=request.meta[SENT_STATUS])
        if response.status >= 400 and not is_walled and not is_robots(request.url):
            self.refused[response.url] = response.status
        if not is_robots(request.url):
            self.met.append((request, response))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Note what a callback yields, as far as it comes."""
        page = PageSeen(url=response.url, callback=kind_of(response.request))
        self.pages.append(page)
        self.answers.append((response.url, response))
        self._keep(response, page.callback)
        requests: list[Request] = []
        noted, misfits = self._noted(), self.stats.get_value("misfit/count")
        try:
            async for found in result:
                if isinstance(found, Request):
                    requests.append(found)
                else:
                    page.note(found)
                    yield found
            for request in requests:
                yield self._in_turn(page, request, response.meta.get("depth", 0), is_only=len(requests) == 1 and not page.items)
        finally:
            page.is_explained = self._noted() > noted and self.stats.get_value("misfit/count") == misfits
            if (page.is_empty or page.lacks_parts) and self.hinted < _HINTED:
                page.hints = hints_of(response)
                self.hinted += 1

    def _noted(self) -> int:
        return sum(value for name, value in self.stats.get_stats().items() if name.startswith(NOTED))

    def _in_turn(self, page: PageSeen, request: Request, depth: int, is_only: bool) -> Request:
        """Return a request with its turn: the first page of every kind before the second of any, the deeper first.

        So a few pages show all kinds. What is a page's only way on, such as the next page of a paper, comes at once.
        """
        callback = kind_of(request)
        page.asked.append((without_password(request.url), callback))  # what links say is shown to people
        self.asked[callback] += 1
        turn = _AT_ONCE if is_only else _FIRST - _MOST_DEPTH * self.asked[callback] + min(depth, _MOST_DEPTH - 1)
        return request.replace(priority=request.priority + turn)

    def _keep(self, response: Response, callback: str) -> None:
        request = response.request
        if request is None:
            return
        for url in self.keep.intersection([response.url, request.url, *request.meta.get("redirect_urls", ())]):
            self.kept[url] = page_kept(request, response, response.url)
