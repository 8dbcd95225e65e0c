"""Look up which heads a tail can have, in `allowed_heads.yaml`, and which body parts a text mentions."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from curation.vocab.reader import compiled, read_vocabulary

_BODY = re.compile(r"\{[a-z]+\}")


class _AllowedHeads(NamedTuple):
    tails: re.Pattern[str]
    heads: re.Pattern[str]
    others: re.Pattern[str] | None = None
    """Names of heads that match the pattern but cannot have the tail."""


def is_allowed_head(relation: str, tail: str, head: str, context: str = "") -> bool | None:
    """Return whether a head in this context may have the tail; None if no row covers the tail."""
    row = _row(relation, tail)
    if row is None:
        return None
    return not (row.others and row.others.search(head)) and row.heads.search(f"{head}|{context}") is not None


@lru_cache(maxsize=1 << 17)
def body_parts(text: str) -> frozenset[str]:
    """Return the names of the body parts (keys of `bodies`) that a text mentions."""
    return frozenset(name for name, pattern in _bodies().items() if pattern.search(text))


@lru_cache(maxsize=1 << 17)
def _row(relation: str, tail: str) -> _AllowedHeads | None:
    return next((row for row in _rows().get(relation, ()) if row.tails.search(tail)), None)


@cache
def _rows() -> dict[str, list[_AllowedHeads]]:
    table = dict(read_vocabulary("allowed_heads"))
    bodies = {f"{{{name}}}": f"(?:{pattern})" for name, pattern in table.pop("bodies").items()}
    return {
        relation: [_AllowedHeads(*(compiled(_BODY.sub(lambda body: bodies[body[0]], pattern)) for pattern in row)) for row in rows]
        for relation, rows in table.items()
    }


@cache
def _bodies() -> dict[str, re.Pattern[str]]:
    return {name: compiled(pattern) for name, pattern in read_vocabulary("allowed_heads")["bodies"].items()}
