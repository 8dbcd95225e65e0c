"""A tail and what is known of its head -> whether such a head is one that such tails befall, by a table of organs."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from curation.clean.facts.patterns import compiled, table_of
from curation.clean.facts.pieces import REMEMBERED

_BODY = re.compile(r"\{[a-z]+\}")


class _Row(NamedTuple):
    tails: re.Pattern[str]
    heads: re.Pattern[str]
    others: re.Pattern[str] | None = None
    """Names of heads that the tail is not for all the same."""


def befalls(relation: str, tail: str, head: str, places: str = "") -> bool | None:
    """Tell whether a head of these places is one for the tail; None where no row names the tail."""
    row = _row(relation, tail)
    if row is None:
        return None
    return not (row.others and row.others.search(head)) and row.heads.search(f"{head}|{places}") is not None


@lru_cache(REMEMBERED)
def _row(relation: str, tail: str) -> _Row | None:
    return next((row for row in _rows().get(relation, ()) if row.tails.search(tail)), None)


@cache
def _rows() -> dict[str, list[_Row]]:
    table = dict(table_of("bearers"))
    bodies = {f"{{{name}}}": f"(?:{pattern})" for name, pattern in table.pop("bodies").items()}
    return {
        relation: [_Row(*(compiled(_BODY.sub(lambda body: bodies[body[0]], pattern)) for pattern in row)) for row in rows]
        for relation, rows in table.items()
    }
