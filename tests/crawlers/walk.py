"""Walk a replica or saved pages with a spider, a few pages of each kind, without network and reactor."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import Struct, field
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.statscollectors import MemoryStatsCollector

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.embedded.content import load_content
from crawlers.embedded.serving.saved import saved_site
from crawlers.embedded.site import Respond, SiteReply, SiteRequest
from crawlers.embedded.sites import SITES
from crawlers.html.source_spider import NOTED, SourceSpider
from crawlers.store.exchanges import key_of
from crawlers.web.broken_pages import begin_page
from crawlers.web.charset import Charset
from crawlers.web.failure_causes import Refused
from crawlers.web.page_kinds import checked, kind_of
from crawlers.web.run_spider import spider_settings
from crawlers.web.settings import USER_AGENT

_REDIRECTS = 5


class Visit(Struct, kw_only=True):
    """One page and its output."""

    kind: str
    """Name of the callback."""
    request: Request
    response: Response
    items: list[Item] = []
    requests: list[Request] = []
    misfits: list[str] = []
    noted: list[str] = []
    figures: Counter[str] = field(default_factory=Counter)
    """As a crawl counts the kind."""

    @property
    def reading(self) -> tuple[Any, ...]:
        """Items and requests to compare, without positions on the page."""
        requests = sorted((request.method, request.url, str(request.body), kind_of(request)) for request in self.requests)
        return [_content(item) for item in self.items], requests


def _content(item: Item) -> tuple[Any, ...]:
    """Return the content of an item. The labelled values of an entry are unordered."""
    fields = {name: getattr(item, name) for name in item.__struct_fields__ if name != "provenance"}
    if isinstance(item, EntityItem):
        fields["values"] = sorted((value.label, value.value) for value in item.values)
        fields["sections"] = [(section.title, section.text) for section in item.sections]
    return type(item).__name__, *((name, str(value)) for name, value in fields.items())


def respond_of(spider: type[SourceSpider]) -> Respond:
    """Return the function that answers for a source: of its replica, or of its saved pages if it has none."""
    if spider.name in SITES:
        return SITES[spider.name].build(load_content())
    return saved_site(spider).build(load_content())


def detached_spider(spider: type[SourceSpider], **arguments: Any) -> SourceSpider:
    """Return a spider that counts into its own stats and belongs to no crawl."""
    settings = spider_settings({"STATS_DUMP": False})
    spider_made = spider(**arguments)
    crawler = SimpleNamespace(settings=settings)
    crawler.stats = MemoryStatsCollector(crawler)  # type: ignore[arg-type]
    spider_made.crawler, spider_made.settings = crawler, settings  # type: ignore[assignment]
    return spider_made


def visit_page(spider: SourceSpider, request: Request, response: Response) -> Visit:
    """Read one page as a crawl would."""
    stats = spider.crawler.stats
    assert stats is not None
    stats.clear_stats()
    begin_page(str(key_of(request)))
    response = response.replace(request=request)
    visit = Visit(kind=kind_of(request), request=request, response=response)
    if response.status != 200 and response.status not in request.meta.get("handle_httpstatus_list", ()):
        visit.misfits.append(f"HTTP status {response.status}")
        return visit
    try:
        response = Charset().process_response(request, response).replace(request=request)
    except Refused as refused:
        visit.misfits.append(str(refused))
        return visit
    visit.response = response
    if why := spider.refusal(response):
        visit.misfits.append(why)
        return visit
    callback = getattr(spider, visit.kind)  # not the request's own, which may belong to another instance
    try:
        with _quiet(spider.name):
            for output in checked(spider, response, _all(callback(response, **request.cb_kwargs)), visit.figures):
                if isinstance(output, Request):
                    visit.requests.append(output)
                elif isinstance(output, QuestionItem | EntityItem):
                    visit.items.append(output)
    except Exception as error:
        visit.misfits.append(f"{type(error).__name__}: {error}")
    visit.misfits += stats.get_value("misfit/pages", [])
    visit.noted += sorted(name for name in stats.get_stats() if name.startswith(NOTED))
    return visit


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keep the misfits of a spider out of the log: they are in the visit."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def walk(spider: type[SourceSpider], respond: Respond, per_kind: int = 40, **arguments: Any) -> Iterator[Visit]:
    """Yield the visits of a spider, breadth first, at most `per_kind` of a kind."""
    reader = detached_spider(spider, **arguments)
    cookies: dict[str, str] = {}
    waiting = deque(asyncio.run(_collected(reader.start())))
    seen: set[tuple[str, str, bytes]] = set()
    counts: Counter[str] = Counter()
    while waiting:
        request = waiting.popleft()
        key = (request.method, request.url, request.body)
        if counts[kind_of(request)] >= per_kind or (key in seen and not request.dont_filter):
            continue
        seen.add(key)
        counts[kind_of(request)] += 1
        response = response_to(request, respond, cookies)
        visit = visit_page(reader, request, response)
        waiting.extend(visit.requests)
        yield visit


def response_to(request: Request, respond: Respond, cookies: dict[str, str]) -> Response:
    """Return a site's answer after redirects."""
    url, method = request.url, request.method
    for _ in range(_REDIRECTS):
        address = urlsplit(url)
        headers = {"user-agent": USER_AGENT} | {
            name.decode().lower(): values[0].decode("latin-1") for name, values in request.headers.items() if values
        }
        if cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        reply = respond(
            SiteRequest(method=method, host=(address.hostname or ""), target=target, headers=headers, body=request.body)
        ) or SiteReply(status=404)
        for name, value in reply.headers.items():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                cookies[key] = rest.partition(";")[0]
        onward = {name.lower(): value for name, value in reply.headers.items()}.get("location")
        if reply.status not in (301, 302, 303, 307, 308) or not onward:
            break
        url, method = urljoin(url, onward), "GET"
    headers_came = Headers(reply.headers)
    kind = responsetypes.from_args(headers=headers_came, url=url, body=reply.body)
    return kind(url=url, status=reply.status, headers=headers_came, body=reply.body)


def _all(made_of_page: Any) -> Iterator[Any]:
    if hasattr(made_of_page, "__aiter__"):
        yield from asyncio.run(_collected(made_of_page))
    elif made_of_page is not None:
        yield from made_of_page


async def _collected(iterator: Any) -> list[Any]:
    return [one async for one in iterator]
