"""Ids derived from content: the same after a re-crawl, in any order, on any machine."""

import hashlib
from collections.abc import Iterable

_ID_HEX_CHARS = 20  # 80 bits: a collision among ten million records has a chance below 1e-10


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 20 hex digits of the SHA-256 of the parts, hashed unchanged with a separator between them."""
    return content_id_of_chunks(prefix, ["\x1f".join(parts)])


def content_id_of_chunks(prefix: str, chunks: Iterable[str]) -> str:
    """Return the id of a text given in chunks, whose parts are separated by U+001F."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk.encode())
    return f"{prefix}-{digest.hexdigest()[:_ID_HEX_CHARS]}"


def draw_order(seed: int, key: str) -> bytes:
    """Return the sort key of an id for sampling with a seed: the lowest keys are sampled. It depends on no other id and no order."""
    return hashlib.sha256(f"{seed}/{key}".encode()).digest()
