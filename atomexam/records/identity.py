"""Ids that come from content, so that they survive re-crawls, order and machines."""

import hashlib
from collections.abc import Iterable

_ID_HEX_CHARS = 20  # 80 bits: a collision among ten million records has a chance below 1e-10


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 20 hex digits of the SHA-256 over the parts; the parts are hashed as given, apart from each other."""
    return content_id_of_chunks(prefix, ["\x1f".join(parts)])


def content_id_of_chunks(prefix: str, chunks: Iterable[str]) -> str:
    """Return the id of a text in chunks: of parts with U+001F between them."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk.encode())
    return f"{prefix}-{digest.hexdigest()[:_ID_HEX_CHARS]}"


def draw_order(seed: int, key: str) -> bytes:
    """Return the sort key of an id in a draw under a seed: the lowest comes first. It depends on no other id and on no order."""
    return hashlib.sha256(f"{seed}/{key}".encode()).digest()
