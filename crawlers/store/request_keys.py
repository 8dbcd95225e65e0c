"""Keys that identify requests."""

import hashlib
from urllib.parse import urlsplit

from msgspec import Struct
from w3lib.url import canonicalize_url

_DIGEST_BYTES = 16  # a crafted collision is noticed when the page is read


class Key(Struct, frozen=True):
    """The identity of a request."""

    url: str
    method: str = "GET"
    body_sha256: str | None = None
    """Digest of the request's body; None if it has none."""

    def __str__(self) -> str:
        return f"{self.method} {self.url} {self.body_sha256 or ''}".strip()

    @property
    def sort_key(self) -> tuple[str, str, str]:
        """Return the strings that keys are sorted by."""
        return self.url, self.method, self.body_sha256 or ""


def request_key(method: str, url: str, body: bytes = b"") -> Key:
    """Return the key of a request."""
    return Key(url, method, hashlib.sha256(body).hexdigest() if body else None)


def canonical(key: Key) -> str:
    """Return the canonical form of all URLs that Scrapy considers the same request."""
    try:
        return str(Key(canonicalize_url(key.url), key.method, key.body_sha256))
    except ValueError:  # an address that cannot be read
        return str(key)


def digest_of(request: str) -> bytes:
    """Return the digest of a request given as `str(Key)`."""
    return hashlib.blake2b(request.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def is_robots(url: str) -> bool:
    """Return whether a URL is that of a robots.txt."""
    return urlsplit(url).path == "/robots.txt"
