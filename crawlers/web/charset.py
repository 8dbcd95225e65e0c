"""Middleware that sets the true encoding of a page, whatever its header declares."""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

from atomexam.runtime.budgets import OverBudget
from atomexam.text.encodings import is_charset, true_encoding
from crawlers.html.readable import readable
from crawlers.store.missing_pages import BREAKS_READER
from crawlers.store.request_keys import is_robots
from crawlers.web.failure_causes import Refused


class Charset:
    """Downloader middleware, next to the one that decompresses bodies. Replayed pages pass through it like fetched ones."""

    def __init__(self, crawler: Crawler | None = None) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Charset":
        """Return the middleware of a crawl."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return a readable response, with its encoding set if the declared one is wrong or missing.

        Raises:
            Refused: the page exceeds the reader's budget.
        """
        if not isinstance(response, TextResponse):
            response = _without_false_encoding(response)
        if not isinstance(response, TextResponse) or is_robots(request.url):
            return response
        declared_names = _declared(response)
        valid = next(filter(is_charset, declared_names), None)
        true_name = valid if response.body.isascii() else true_encoding(response.body, valid)
        if declared_names and true_name is None:  # the declared name is not an encoding
            true_name = "utf-8"
        if (declared_names and true_name != declared_names[0]) or (not declared_names and true_name is not None):
            response = response.replace(encoding=true_name)
        try:
            return readable(response)
        except OverBudget as error:
            why = f"{BREAKS_READER}: {error}"
            reject = getattr(self._crawler, "reject_page", lambda _, why: Refused(why))
            raise reject(request, why) from None


def _declared(response: TextResponse) -> list[str]:
    """Return the declared encodings: byte order mark, header, meta tag, in this order."""
    header = (response.headers.get("Content-Type") or b"").decode("latin-1")
    declared_names = read_bom(response.body)[0], http_content_type_encoding(header), html_body_declared_encoding(response.body)
    return [name for name in declared_names if name]


def _without_false_encoding(response: Response) -> Response:
    """Drop a Content-Encoding header that names no compression (`utf-8`, `none`) if the response is text without it."""
    if "Content-Encoding" not in response.headers:
        return response
    headers = response.headers.copy()
    del headers["Content-Encoding"]
    kind = responsetypes.from_args(headers=headers, url=response.url, body=response.body)
    return response.replace(cls=kind, headers=headers) if issubclass(kind, TextResponse) else response
