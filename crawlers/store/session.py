"""What of a request holds for one session only, such as a token read off a page: how a spider tells the archive.

A spider that asks with such a word names it in the request's meta, and the archive stores and finds the answer under an address without
it: a later run, which has another session, finds the same answers under the same addresses. Where an answer is not stored and the
word came from a stored page, the site would not know it any more: `Outdated` goes to the errback, which reads a new word off the
page, asked for with `UNSTORED`.
"""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

SESSION_WORD = "session_word"
"""Key of meta: the word, at least so long that nothing else in address and body can be meant."""
OLD_SESSION = "old_session"
"""Key of meta: true where the word came from a stored page, and so maybe from an earlier run."""
UNSTORED = "unstored"
"""Key of meta: the page is asked for a word of this session; it is neither looked up in the archive nor stored."""
REPLAYED = "archived"
"""Flag of a response that came from the archive."""
_LEFT_OUT = "-"


class Outdated(IgnoreRequest):
    """An answer is not stored, and the request's word is of an earlier session."""


def lasting(request: Request) -> tuple[str, bytes]:
    """Return the address and body of a request without its session word, and without name and password."""
    url, word = without_password(request.url), request.meta.get(SESSION_WORD)
    if not word:
        return url, request.body
    return url.replace(word, _LEFT_OUT), request.body.replace(word.encode(), _LEFT_OUT.encode())


def without_password(url: str) -> str:
    """Return an address as files and messages may name it: without the name and password that stand before a host."""
    place = urlsplit(url).netloc if "@" in url else ""
    return url.replace(place, f"{_LEFT_OUT}@{place.rpartition('@')[2]}", 1) if "@" in place else url


def is_replayed(response: Response) -> bool:
    """Tell whether a response came from the archive."""
    return REPLAYED in response.flags


def of_session(word: str, page: Response) -> dict[str, object]:
    """Return the meta of a request that asks with a word read off a page."""
    return {SESSION_WORD: word, OLD_SESSION: is_replayed(page)}
