"""What an embedded site is: a function from what is asked to what is answered."""

from collections.abc import Callable

from msgspec import Struct


class Ask(Struct, frozen=True, kw_only=True):
    """One request as it reached the server."""

    method: str
    host: str
    """Host name asked for, lower case, without port."""
    target: str
    """Path with its query as sent: `/jibing/ks/nk.html?page=2`."""
    headers: dict[str, str] = {}
    """Names in lower case."""
    body: bytes = b""


class Reply(Struct, frozen=True, kw_only=True):
    """One answer. Give `Content-Type` with the charset the real site uses, or leave it out where the real site does."""

    status: int = 200
    headers: dict[str, str] = {}
    body: bytes = b""


Respond = Callable[[Ask], Reply | None]
"""None is answered with 404."""
