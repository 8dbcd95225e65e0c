"""Requests and responses to what is stored of them, and stored pages to the responses that spiders see. From values to values."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from crawlers.store.session import lasting
from crawlers.store.warc import Asked, Key, Page, header_value, request_key

_PRIVATE = {b"cookie", b"set-cookie", b"authorization", b"proxy-authorization"}


def key_of(request: Request) -> Key:
    """Return what a request's answer is stored under."""
    return request_key(request.method, *lasting(request))


def response_of(page: Page, url: str, *flags: str) -> Response:
    """Return a stored page as Scrapy gives a fetched one."""
    headers = Headers()
    for name, value in page.headers:
        if name.lower() != "set-cookie":  # files of others may hold some: it must not write over the cookie of this session
            headers.appendlist(name, value)
    kind = responsetypes.from_args(headers=headers, url=url, body=page.body)
    return kind(url=url, status=page.status, headers=headers, body=page.body, flags=list(flags))


def exchange(key: Key, request: Request, response: Response, origin: str) -> tuple[Asked, Page]:
    """Return what is stored of a request and its answer."""
    date = _date(response, origin)
    asked = Asked(key=key, date=date, headers=_sent(request), body=lasting(request)[1])
    return asked, Page(key=key, date=date, status=response.status, headers=_headers(response.headers), body=response.body)


def _headers(headers: Headers) -> list[tuple[str, str]]:
    """Return headers without what tells one asker from another, either way: the folder is data that is handed on."""
    return sorted(
        (header_value(name), header_value(value)) for name, values in headers.items() if name.lower() not in _PRIVATE for value in values
    )


def _sent(request: Request) -> list[tuple[str, str]]:
    """Return the headers of a request as they are sent."""
    headers = request.headers.copy()
    headers.setdefault("Host", request.url.split("/")[2])
    return _headers(headers)


def _date(response: Response, origin: str) -> str:
    """Return when a page was fetched: by the clock of the embedded server, which stands at the snapshot, or by our own."""
    sent = response.headers.get("Date")
    moment = parsedate_to_datetime(sent.decode()) if sent and origin != "live" else datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
