"""The interface of a replica: a function from request to reply."""

from collections.abc import Callable

from msgspec import Struct


class SiteRequest(Struct, frozen=True, kw_only=True):
    """One request as it reached the server."""

    method: str
    host: str
    """Requested host name, lower case, without port."""
    target: str
    """Path with its query as sent: `/jibing/ks/nk.html?page=2`."""
    headers: dict[str, str] = {}
    """Names in lower case."""
    body: bytes = b""


class SiteReply(Struct, frozen=True, kw_only=True):
    """One answer. `Content-Type` has the charset of the real site, or is left out as there."""

    status: int = 200
    headers: dict[str, str] = {}
    body: bytes = b""


Respond = Callable[[SiteRequest], SiteReply | None]
"""None is answered with 404."""
