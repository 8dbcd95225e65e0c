"""Pages that crash or stall their reader: the process that reads a page records which one it is, so that another process can report it.

libxml2 may run for minutes or crash on one crafted page, and no limit inside the process stops it. So a crawl runs in a separate process
(`atomexam.runtime.budgets.run_isolated`), and restarts without that page. The page stays stored, is listed in failed.jsonl with the cause
and the version of the code that failed on it, and is read again after the code has changed. A page on which a callback computes too long,
or which exceeds a budget, is rejected in the same way, without a restart.
"""

import hashlib
import mmap
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from atomexam.runtime.budgets import OverBudget, ProcessFailure, renew_cpu_limit, run_isolated
from crawlers.store.exchanges import key_of
from crawlers.store.missing_pages import BREAKS_READER

PAGE_SECONDS = 60.0
"""Maximum CPU time for one page."""
MOST_BROKEN = 20
"""Maximum number of pages that one crawl or replay may skip; if there are more, the spider is at fault, not the pages."""
MAX_MEMORY_BYTES = 8 * 1024**3
"""Maximum memory of a process that reads pages; the largest allowed page takes a tenth of it."""
_CRAWLERS = Path(__file__).parents[1]
_READERS = ("html", "read/lines", "read/vocabulary", "text", "web")
_LIBRARIES = ("beautifulsoup4", "lxml", "parsel", "scrapy", "w3lib")
_REQUEST_BYTES = 1 << 16
_MAX_LINES = 5
T = TypeVar("T")


class CurrentPage:
    """The request whose page is being read, in memory shared with forked processes that outlives them."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _REQUEST_BYTES)
        self._last = ""

    def set(self, request: str) -> None:
        """Set the current page."""
        if request is not self._last:  # mostly the same object, for the next output of its page
            encoded = request.encode("utf-8", "surrogatepass")[: _REQUEST_BYTES - 1]
            self._shared[: len(encoded) + 1] = encoded + b"\0"
            self._last = request

    def request(self) -> str | None:
        """Return the request of the page that was read last; None if there was none."""
        return self._shared[: self._shared.find(b"\0")].decode("utf-8", "replace") or None


_used: list[CurrentPage] = [CurrentPage()]


def current_request() -> str | None:
    """Return the request of the page that this process or its forks read last."""
    return _used[0].request()


def track_pages_in(page: CurrentPage) -> None:
    """Make this process and its forks record their current page in `page`."""
    _used[0] = page


def run_without_broken_pages(attempt: Callable[[], T], leave_out: Callable[[str, str], Any], what: str, advice: str) -> T:
    """Return the result of work on many pages. If a page breaks the process, restart the work without that page.

    Args:
        leave_out: called with the page's request and how it broke the process.
        what: name of the work in messages.
        advice: what to do if the pages are not to blame.

    Raises:
        ValueError: raised by the work; or the process broke before its first page, on a skipped page, or on too many pages.
    """
    broken: dict[str, str] = {}
    while len(broken) < MOST_BROKEN:
        track_pages_in(CurrentPage())
        came = run_isolated(attempt, PAGE_SECONDS, MAX_MEMORY_BYTES)
        if not isinstance(came, ProcessFailure):
            return came
        if (request := current_request()) is None or request in broken:
            raise ValueError(f"{what} {came.words} {'on a page that was left out' if request else 'before its first page'}; {advice}")
        broken[request] = came.words
        leave_out(request, came.words)
    first = "".join(f"\n  {request}: {words}" for request, words in [*broken.items()][:_MAX_LINES])
    raise ValueError(f"{what} broke on {len(broken)} pages; {advice}:{first}")


def begin_page(request: str) -> None:
    """Set the current page, and restart the time limit."""
    _used[0].set(request)
    renew_page_limit()


def renew_page_limit() -> None:
    """Restart the time limit after work that was not stuck on a page."""
    renew_cpu_limit(PAGE_SECONDS)


@cache
def reader_version(source: str) -> str:
    """Return a hash of the code that reads a source's pages."""
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in _LIBRARIES).encode())
    for folder in (*(_CRAWLERS / name for name in _READERS), _CRAWLERS / "sources" / source):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".yaml")):
            digest.update(f"{path.relative_to(_CRAWLERS).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class PageTracker:
    """Downloader middleware closest to the network, and spider middleware: tracks each page while code works on it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageTracker":
        """Return the middleware of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.end, signals.spider_closed)
        return made

    def end(self) -> None:
        """End the time limit after the last page."""
        renew_cpu_limit(0)

    def process_response(self, request: Request, response: Response) -> Response:
        """Track a page before any code reads it."""
        begin_page(str(key_of(request)))
        return response

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Yield the output of a callback for a page as long as it stays within its budget."""
        turn = CallbackTimer(self._crawler, response)
        turn.begin()
        try:
            for one in result:
                if turn.is_late():
                    return
                yield one
                turn.begin()
            turn.is_late()
        except (OverBudget, MemoryError) as error:
            turn.reject(error)

    async def process_spider_output_async(self, response: Response, result: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Do the same for an asynchronous callback."""
        turn = CallbackTimer(self._crawler, response)
        turn.begin()
        try:
            async for one in result:
                if turn.is_late():
                    return
                yield one
                turn.begin()
            turn.is_late()
        except (OverBudget, MemoryError) as error:
            turn.reject(error)


class CallbackTimer:
    """Measures a callback's CPU time on one page; rejects the page if the callback exceeds a limit."""

    __slots__ = ("_crawler", "_page_request", "_request", "_spent", "_start")

    def __init__(self, crawler: Crawler, response: Response) -> None:
        self._crawler, self._page_request = crawler, response.request
        self._request = str(key_of(response.request))  # type: ignore[arg-type]
        self._spent = 0.0

    def begin(self) -> None:
        """Start the clock when the callback starts computing."""
        _used[0].set(self._request)
        self._start = time.thread_time()

    def is_late(self) -> bool:
        """Stop the clock; return whether the page took too long and was rejected."""
        self._spent += time.thread_time() - self._start
        if self._spent > PAGE_SECONDS:
            self._reject(f"takes more than {PAGE_SECONDS:g} seconds of computing")
            return True
        return False

    def reject(self, error: OverBudget | MemoryError) -> None:
        """Reject the page for the exceeded limit."""
        self._reject(str(error) if isinstance(error, OverBudget) else f"more than {MAX_MEMORY_BYTES // 1024**2} MB of memory")

    def _reject(self, why: str) -> None:
        self._crawler.reject_page(self._page_request, f"{BREAKS_READER}: {why}")  # type: ignore[attr-defined]
