"""Content-derived ids, and the location of a record."""

import hashlib
from collections.abc import Iterable
from itertools import chain

from msgspec import Struct

_ID_HEX_CHARS = 20  # 80 bits: the probability of a collision among ten million records is below 1e-10


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and the first 20 hex digits of the SHA-256 of the parts, which are joined by a separator and otherwise hashed
    unchanged."""
    return content_id_of_chunks(prefix, ["\x1f".join(parts)])


def content_id_of_chunks(prefix: str, chunks: Iterable[str]) -> str:
    """Return the id of a text given in chunks; its parts are separated by U+001F."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk.encode())
    return f"{prefix}-{digest.hexdigest()[:_ID_HEX_CHARS]}"


def draw_order(seed: int, key: str) -> bytes:
    """Return the sort key of an id for seeded sampling, which takes the ids with the lowest keys. The key does not depend on the other ids
    or their order."""
    return hashlib.sha256(f"{seed}/{key}".encode()).digest()


_CHUNK_BYTES = 1 << 20  # converting a file of 400 MB to hexadecimal in one call took six times its size


class Provenance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One location of a record."""

    source: str
    """Key of the source in params.yaml."""
    url: str
    """URL of the page as given by the site; for imported sets, `file:` and the file's name."""
    snapshot: str
    """Nominal date of the crawl in params.yaml. Only the WARC record has the time of the fetch."""
    page_id: str
    """Hash of URL and body; a key in the index of the source's archive."""
    position: str
    """Position within the page, such as `q12` for the twelfth question, `li:哪些症状:2`, or `line:3` of an imported file."""


def page_id(url: str, body: bytes) -> str:
    """Return the id of a page: a hash of its URL and its unchanged body."""
    chunks = (body[at : at + _CHUNK_BYTES].hex() for at in range(0, len(body), _CHUNK_BYTES))
    return content_id_of_chunks("page", chain([url, "\x1f"], chunks))
