"""What a source's line in params.yaml says of all its questions, `exam` and `subject`, stands in the place of what their pages say."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from msgspec.structs import replace
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from atomexam.records.item import QuestionItem
from crawlers.html.source_spider import spider_of


class StatedExam:
    """Spider middleware next to the spider."""

    def __init__(self, told: dict[str, str]) -> None:
        self._told = told

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "StatedExam":
        """Return the middleware of a crawl whose source's line says something of it."""
        spider = spider_of(crawler)
        told = {f"{name}_raw": value for name in ("exam", "subject") if (value := getattr(spider, name, None))}
        if not told:
            raise NotConfigured
        return cls(told)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a callback yields."""
        yield from map(self._named, result)

    async def process_spider_output_async(self, response: Response, result: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Do the same for a callback that waits for something."""
        async for found in result:
            yield self._named(found)

    def _named(self, found: Any) -> Any:
        return replace(found, **self._told) if isinstance(found, QuestionItem) else found
