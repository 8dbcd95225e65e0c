"""Requests to the keys that answers are stored under, and stored pages to the responses that spiders see."""

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from crawlers.store.session import lasting
from crawlers.store.warc import Key, Page, request_key


def key_of(request: Request) -> Key:
    """Return what a request's answer is stored under."""
    return request_key(request.method, *lasting(request))


def response_of(page: Page, url: str, *flags: str) -> Response:
    """Return a stored page as Scrapy gives a fetched one."""
    headers = Headers()
    for name, value in page.headers:
        if name.lower() != "set-cookie":  # of an earlier session: it must not write over the cookie of this one
            headers.appendlist(name, value)
    kind = responsetypes.from_args(headers=headers, url=url, body=page.body)
    return kind(url=url, status=page.status, headers=headers, body=page.body, flags=list(flags))
