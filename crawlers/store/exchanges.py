"""Convert between Scrapy's requests and responses and the stored records.

Part of a request, such as a token read from a page, may be valid in only one session; it is called the session word. A spider puts it in
the request's
meta, and the archive stores the answer under a URL without it, so that a later run with another session finds the answer. If an answer is
not stored and the token came from a stored page, the site would no longer accept the token; the errback then gets `Outdated` and reads a
new token from the page, requested with `UNSTORED`.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from crawlers.store.request_keys import Key, request_key
from crawlers.store.warc import Page, SentRequest, header_value

SESSION_WORD = "session_word"
"""Meta key: the session word, long enough to occur nowhere else in the URL and body."""
OLD_SESSION = "old_session"
"""Meta key: true if the word came from a stored page and may therefore be from an earlier run."""
UNSTORED = "unstored"
"""Meta key: true if the page is requested for a new session word; it is neither looked up in the archive nor stored."""
REPLAYED = "archived"
"""Flag of a response from the archive."""
_LEFT_OUT = "-"

_PRIVATE = {b"cookie", b"set-cookie", b"authorization", b"proxy-authorization"}


class Outdated(IgnoreRequest):
    """Raised if an answer is not stored and the request's session word is from an earlier session."""


def lasting(request: Request) -> tuple[str, bytes]:
    """Return the URL and body of a request without its session word, user name and password."""
    url, word = without_password(request.url), request.meta.get(SESSION_WORD)
    if not word:
        return url, request.body
    return url.replace(word, _LEFT_OUT), request.body.replace(word.encode(), _LEFT_OUT.encode())


def without_password(url: str) -> str:
    """Return a URL without user name and password, for files and messages."""
    host = urlsplit(url).netloc if "@" in url else ""
    return url.replace(host, f"{_LEFT_OUT}@{host.rpartition('@')[2]}", 1) if "@" in host else url


def is_replayed(response: Response) -> bool:
    """Return whether a response came from the archive."""
    return REPLAYED in response.flags


def of_session(word: str, page: Response) -> dict[str, object]:
    """Return the meta of a request that contains a word read from a page."""
    return {SESSION_WORD: word, OLD_SESSION: is_replayed(page)}


def key_of(request: Request) -> Key:
    """Return the key under which a request's answer is stored."""
    return request_key(request.method, *lasting(request))


def response_of(page: Page, url: str, *flags: str) -> Response:
    """Return a stored page as Scrapy returns a fetched one."""
    headers = Headers()
    for name, value in page.headers:
        if name.lower() != "set-cookie":  # those in other archives must not overwrite this session's cookies
            headers.appendlist(name, value)
    kind = responsetypes.from_args(headers=headers, url=url, body=page.body)
    return kind(url=url, status=page.status, headers=headers, body=page.body, flags=list(flags))


def exchange(key: Key, request: Request, response: Response, origin: str) -> tuple[SentRequest, Page]:
    """Return the stored form of a request and its answer."""
    date = _date(response, origin)
    sent_request = SentRequest(key=key, date=date, headers=_sent(request), body=lasting(request)[1])
    return sent_request, Page(key=key, date=date, status=response.status, headers=_headers(response.headers), body=response.body)


def _headers(headers: Headers) -> list[tuple[str, str]]:
    """Return headers without cookies and credentials, since the folder may be shared."""
    return sorted(
        (header_value(name), header_value(value)) for name, values in headers.items() if name.lower() not in _PRIVATE for value in values
    )


def _sent(request: Request) -> list[tuple[str, str]]:
    """Return the headers of a request as they are sent."""
    headers = request.headers.copy()
    headers.setdefault("Host", request.url.split("/")[2])
    return _headers(headers)


def _date(response: Response, origin: str) -> str:
    """Return when a page was fetched: by the replica server's clock, which is fixed at the snapshot, or by the local clock."""
    sent = response.headers.get("Date")
    moment = parsedate_to_datetime(sent.decode()) if sent and origin != "live" else datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
