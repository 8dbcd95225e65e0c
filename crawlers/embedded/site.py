"""The interface of a replica: a function from request to reply."""

from collections.abc import Callable

from msgspec import Struct


class SiteRequest(Struct, frozen=True, kw_only=True):
    """One request as it reached the server."""

    method: str
    host: str
    """Requested host name, lower case, without port."""
    target: str
    """Path and query as sent: `/jibing/ks/nk.html?page=2`."""
    headers: dict[str, str] = {}
    """Names in lower case."""
    body: bytes = b""


class SiteReply(Struct, frozen=True, kw_only=True):
    """One answer. `Content-Type` has the real site's charset; it is omitted if the real site omits it."""

    status: int = 200
    headers: dict[str, str] = {}
    body: bytes = b""


Respond = Callable[[SiteRequest], SiteReply | None]
"""None means status 404."""
