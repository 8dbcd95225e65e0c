"""Retry failed requests in a second round after all others, and stop a crawl whose site no longer answers."""

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
    """Downloader middleware around Scrapy's retries: move a request that failed temporarily to the end of the queue, once.

    The spider is notified only if the second round fails too. Settings: SECOND_ROUND_PAUSE (seconds between the rounds),
    SECOND_ROUND_RETRIES, GIVE_UP_AFTER (this many unanswered requests in a row stop the crawl; 0: no limit).
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
        """Return the response, or the request for the second round if the response is not a valid answer."""
        why = of_answer(response.url, response.status)
        if why is None or is_replayed(response):  # answers in old archives that are no longer valid are not requested again
            self.in_a_row = 0
            return response
        return self._again(request, request.meta.pop(UNANSWERED_FOR, why)) or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Return the request for the second round if the failure may be temporary."""
        return self._again(request, of_exception(exception)) if isinstance(exception, DOWNLOAD_ERRORS) else None

    def _again(self, request: Request, why: str) -> Request | None:
        if _SINCE in request.meta or is_robots(request.url) or not is_passing(why):  # all requests wait for the rules
            return None
        self.in_a_row += 1
        if self.limit and self.in_a_row == self.limit:
            stop(self.crawler, f"{self.in_a_row} requests in a row got no answer; cause of the last failure: {why}")
            return None
        meta = request.meta | {_SINCE: monotonic(), "retry_times": 0, "max_retry_times": self.retries}
        return request.replace(meta=meta, priority=request.priority - _LAST, dont_filter=True)
