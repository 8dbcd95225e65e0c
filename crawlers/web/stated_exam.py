"""Set `exam` and `subject` from a source's line in params.yaml on each of its questions, overriding what its pages state."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from msgspec.structs import replace
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from atomexam.records.item import QuestionItem
from crawlers.html.source_spider import spider_of


class StatedExam:
    """Spider middleware closest to the spider."""

    def __init__(self, fields: dict[str, str]) -> None:
        self._fields = fields

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "StatedExam":
        """Return the middleware of a crawl whose source's line states an exam or subject."""
        spider = spider_of(crawler)
        fields = {name: value for name in ("exam", "subject") if (value := getattr(spider, name, None))}
        if not fields:
            raise NotConfigured
        return cls(fields)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Yield the output of a callback with the stated exam and subject."""
        yield from map(self._named, result)

    async def process_spider_output_async(self, response: Response, result: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Do the same for an asynchronous callback."""
        async for output in result:
            yield self._named(output)

    def _named(self, output: Any) -> Any:
        return replace(output, **self._fields) if isinstance(output, QuestionItem) else output
