"""What tells one request from another."""

import hashlib
from urllib.parse import urlsplit

from msgspec import Struct
from w3lib.url import canonicalize_url

_DIGEST_BYTES = 16  # a page whose address was made to collide with another's would be told when it is read


class Key(Struct, frozen=True):
    """What tells one request from another."""

    url: str
    method: str = "GET"
    body_sha256: str | None = None
    """Of the body that was sent; None where none was."""

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.body_sha256 or ''}".strip()

    @property
    def place(self) -> tuple[str, str, str]:
        """What keys are sorted by."""
        return self.url, self.method, self.body_sha256 or ""


def request_key(method: str, url: str, body: bytes = b"") -> Key:
    """Return the key of a request."""
    return Key(url, method, hashlib.sha256(body).hexdigest() if body else None)


def canonical(key: Key) -> str:
    """Return a request as all addresses share it that Scrapy takes for one."""
    try:
        return str(Key(canonicalize_url(key.url), key.method, key.body_sha256))
    except ValueError:  # an address that cannot be read
        return str(key)


def digest_of(request: str) -> bytes:
    """Return what stands for a request, as `str(Key)` writes it, in memory."""
    return hashlib.blake2b(request.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def is_robots(url: str) -> bool:
    """Tell whether an address is that of a site's rules."""
    return urlsplit(url).path == "/robots.txt"
