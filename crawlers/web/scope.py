"""What the lists that a scope in params.yaml names answer: addresses with their names in, those that the site has not out, in words."""

from collections.abc import Iterable

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

GONE = "scope/gone"
"""Key of the stats: address of a named list -> status, where the site has no such page."""
_NO_PAGE = {404, 410}
Named = dict[str, tuple[str, str]]
"""Address -> scope and name, as `SourceSpider.named` has them."""


class ScopeAnswers:
    """Scrapy extension: notes named lists that the site has not."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._gone: dict[str, int] = {}
        crawler.stats.set_value(GONE, self._gone)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ScopeAnswers":
        """Return the extension of a crawl."""
        made = cls(crawler)
        crawler.signals.connect(made.note, signals.response_received)
        return made

    def note(self, response: Response, request: Request) -> None:
        """Note the answer of a named list, by the address that it was asked for under."""
        asked = request.meta.get("redirect_urls", [request.url])[0]
        if response.status in _NO_PAGE and asked in self._crawler.spider.named:
            self._gone[asked] = response.status


def warnings_of(name: str, named: Named, gone: dict[str, int]) -> list[str]:
    """Return a line for each named list that the site has not."""
    return [f"warning: params.yaml: {line}\n" for line in _lines(name, named, gone)]


def complaint_of(name: str, named: Named, gone: dict[str, int], items: int) -> str | None:
    """Return what is wrong with a scope of which nothing was found, or None."""
    if not named or items or not named.keys() <= gone.keys():
        return None
    lines = "".join(f"\n  {line}" for line in _lines(name, named, gone))
    return f"the site has nothing of what the scope in params.yaml names; give names as in its addresses, or leave the scope out:{lines}"


def _lines(name: str, named: Named, gone: dict[str, int]) -> Iterable[str]:
    for url, status in sorted(gone.items()):
        scope, word = named[url]
        yield f"sources.{name}.{scope}: {word!r} ({url}): HTTP status {status}, no such list"
