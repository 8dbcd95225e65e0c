"""Spider middleware of `check` that records the callback, items and requests of every page, and visits the kinds of pages in turn."""

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

PAGES, FIXTURES, REFUSED, ANSWERS, RESPONSES = "watch/pages", "watch/kept", "watch/refused", "watch/answers", "watch/met"
"""Keys of the stats, whose values are a list of PageOutput, url -> FixturePage, url -> status, a list of (url, response), and a list of
(request, response)."""
_HINTED = 20  # pages without output that get hints; more would not help
_FIRST, _AT_ONCE, _MOST_DEPTH = 1_000_000, 2_000_000, 1000


class PageOutput(Struct, kw_only=True):
    """What a callback yielded for a page."""

    url: str
    callback: str
    items: list[Item] = []
    requests: list[tuple[str, str]] = []
    """Address and callback of each request."""
    others: int = 0
    """Outputs that are neither items nor requests."""
    is_explained: bool = False
    """Whether the spider noted that the page lacks something but did not report a misfit."""
    hints: PageHints | None = None
    """Hints for a page that gave no output, or whose questions all lack a stem, options or an answer."""

    @property
    def is_empty(self) -> bool:
        """Return whether the page gave no output."""
        return not self.items and not self.requests

    @property
    def lacks_parts(self) -> bool:
        """Return whether all of the page's questions lack a stem, options or an answer, which means that a selector matches nothing."""
        questions = [item for item in self.items if isinstance(item, QuestionItem)]
        has_stem = any(one.stem_raw for one in questions)
        has_options = any(one.options_raw or one.shared_options_raw for one in questions)
        return bool(questions) and not (has_stem and has_options and any(one.answer_raw for one in questions))

    def note(self, output: Any) -> None:
        """Record an output that is not a request."""
        if isinstance(output, QuestionItem | EntityItem):
            self.items.append(output)
        else:
            self.others += 1


class FixturePage(Struct, frozen=True, kw_only=True):
    """A page to be saved as a fixture."""

    url: str
    callback: str
    cb_kwargs: dict[str, Any]
    content_type: str
    body: bytes
    encoding: str = ""
    """The body as received."""


def fixture_page(request: Request, response: Response, url: str) -> FixturePage:
    """Return a page to be saved as a fixture."""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    encoding = response.encoding if isinstance(response, TextResponse) else ""
    return FixturePage(
        url=url, callback=kind_of(request), cb_kwargs=dict(request.cb_kwargs), content_type=kind, body=response.body, encoding=encoding
    )


class Watch:
    """Record what a crawl does. The setting WATCH_KEEP lists the addresses of the pages to save as fixtures."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.keep = set(crawler.settings.getlist("WATCH_KEEP"))
        self.request_counts: Counter[str] = Counter()
        self.pages: list[PageOutput] = []
        self.fixtures: dict[str, FixturePage] = {}
        self.refused: dict[str, int] = {}
        self.answers: list[tuple[str, Response]] = []
        self.responses: list[tuple[Request, Response]] = []
        self.hinted = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Watch":
        """Return the middleware of a crawl."""
        watch = cls(crawler)
        crawler.signals.connect(watch.note_status, signals.response_received)
        for key, value in (
            (PAGES, watch.pages),
            (FIXTURES, watch.fixtures),
            (REFUSED, watch.refused),
            (ANSWERS, watch.answers),
            (RESPONSES, watch.responses),
        ):
            crawler.stats.set_value(key, value)
        return watch

    def note_status(self, response: Response, request: Request) -> None:
        """Record a response, or only its status if it does not reach a callback. Refusals are listed among the failures instead."""
        if is_walled := response.status == 403 and SENT_STATUS in request.meta:
            response = response.replace(status=request.meta[SENT_STATUS])
        if response.status >= 400 and not is_walled and not is_robots(request.url):
            self.refused[response.url] = response.status
        if not is_robots(request.url):
            self.responses.append((request, response))

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Record what a callback yields until it ends or fails."""
        page = PageOutput(url=response.url, callback=kind_of(response.request))
        self.pages.append(page)
        self.answers.append((response.url, response))
        self._keep(response, page.callback)
        requests: list[Request] = []
        noted, misfits = self._noted(), self.stats.get_value("misfit/count")
        try:
            async for output in result:
                if isinstance(output, Request):
                    requests.append(output)
                else:
                    page.note(output)
                    yield output
            for request in requests:
                yield self._in_turn(page, request, response.meta.get("depth", 0), is_only=len(requests) == 1 and not page.items)
        finally:
            page.is_explained = self._noted() > noted and self.stats.get_value("misfit/count") == misfits
            if (page.is_empty or page.lacks_parts) and self.hinted < _HINTED:
                page.hints = hints_of(response)
                self.hinted += 1

    def _noted(self) -> int:
        return sum(value for name, value in self.stats.get_stats().items() if name.startswith(NOTED))

    def _in_turn(self, page: PageOutput, request: Request, depth: int, is_only: bool) -> Request:
        """Return a request with its priority: the first page of each kind comes before the second of any kind, and deeper pages come first.

        This way, a few pages cover all kinds. A page's only request, such as the next page of a paper, goes first.
        """
        callback = kind_of(request)
        page.requests.append((without_password(request.url), callback))  # addresses of links are printed
        self.request_counts[callback] += 1
        turn = _AT_ONCE if is_only else _FIRST - _MOST_DEPTH * self.request_counts[callback] + min(depth, _MOST_DEPTH - 1)
        return request.replace(priority=request.priority + turn)

    def _keep(self, response: Response, callback: str) -> None:
        request = response.request
        if request is None:
            return
        for url in self.keep.intersection([response.url, request.url, *request.meta.get("redirect_urls", ())]):
            self.fixtures[url] = fixture_page(request, response, response.url)
