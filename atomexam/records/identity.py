"""Ids that come from content, so that they survive re-crawls, order and machines."""

import hashlib
from collections.abc import Iterable

_ID_HEX_CHARS = 20  # 80 bits: a collision among ten million records has a chance below 1e-10


def content_id(prefix: str, *parts: str) -> str:
    """Return `prefix-` and 20 hex digits of the SHA-256 over the parts; the parts are hashed as given, apart from each other."""
    return content_id_of_pieces(prefix, ["\x1f".join(parts)])


def content_id_of_pieces(prefix: str, pieces: Iterable[str]) -> str:
    """Return the id of what the pieces are together: of parts with U+001F between them."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.encode())
    return f"{prefix}-{digest.hexdigest()[:_ID_HEX_CHARS]}"


def lot(seed: int, key: str) -> bytes:
    """Return what is drawn for an id under a seed: who has the lowest lot comes first. No other id and no order changes it."""
    return hashlib.sha256(f"{seed}/{key}".encode()).digest()
