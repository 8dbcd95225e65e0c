"""A second round for failed requests after all others, and the end of a crawl whose site no longer answers."""

import asyncio
from time import monotonic

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawlers.store.exchanges import is_replayed
from crawlers.store.request_keys import is_robots
from crawlers.web.failure_causes import DOWNLOAD_ERRORS, UNANSWERED_FOR, is_passing, of_answer, of_exception, stop

_LAST = 1_000_000  # the priority of the second round is lower than any other by this much
_SINCE = "second_round_since"


class SecondRound:
    """Downloader middleware around Scrapy's retries: a request that failed for a temporary cause goes to the end of the queue, once.

    The spider is notified only if the second round fails, too. Settings: SECOND_ROUND_PAUSE (seconds between the two),
    SECOND_ROUND_RETRIES, GIVE_UP_AFTER (this many unanswered requests in a row end the crawl; with 0 none do).
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.pause = crawler.settings.getfloat("SECOND_ROUND_PAUSE")
        self.retries = crawler.settings.getint("SECOND_ROUND_RETRIES")
        self.limit = crawler.settings.getint("GIVE_UP_AFTER")
        self.in_a_row = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SecondRound":
        """Return the middleware of a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the pause before the second round is over."""
        since = request.meta.get(_SINCE)
        if since is not None and (left := since + self.pause - monotonic()) > 0:
            await asyncio.sleep(left)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the response, or the request again if the response does not count."""
        why = of_answer(response.url, response.status)
        if why is None or is_replayed(response):  # old archives may contain what no longer counts as an answer: it is not requested again
            self.in_a_row = 0
            return response
        return self._again(request, request.meta.pop(UNANSWERED_FOR, why)) or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Return the request again if the failure may be temporary."""
        return self._again(request, of_exception(exception)) if isinstance(exception, DOWNLOAD_ERRORS) else None

    def _again(self, request: Request, why: str) -> Request | None:
        if _SINCE in request.meta or is_robots(request.url) or not is_passing(why):  # all requests wait for the rules
            return None
        self.in_a_row += 1
        if self.limit and self.in_a_row == self.limit:
            stop(self.crawler, f"{self.in_a_row} requests in a row had no answer, the last: {why}")
            return None
        meta = request.meta | {_SINCE: monotonic(), "retry_times": 0, "max_retry_times": self.retries}
        return request.replace(meta=meta, priority=request.priority - _LAST, dont_filter=True)
