"""Answers that are refusals whatever their status, by what the spider knows of its site."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response

from crawlers.source import SourceSpider
from crawlers.web.charset import Charset


class Refusals:
    """Asks the spider of every answer as it came, unpacked for that; a spider that knows no refusals is not asked."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._unpacking = HttpCompressionMiddleware(crawler=crawler)
        self._charset = Charset()

    def find(self, request: Request, response: Response) -> str | None:
        """Return why an answer is none, or None."""
        refusal = getattr(self._crawler.spider, "refusal", None)
        if refusal is None or getattr(refusal, "__func__", None) is SourceSpider.refusal:
            return None
        unpacked = self._unpacking.process_response(request, response)
        return refusal(self._charset.process_response(request, unpacked).replace(request=request))
