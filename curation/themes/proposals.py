"""Queries -> the codes that keywords speak for, to be confirmed by a coder."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from curation.themes.queries import Query


class Proposal(NamedTuple):
    """A code that a query may have."""

    code: str
    keyword: str
    """What in the query speaks for it."""


def propose(query: Query, codes: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Proposal]:
    """Return the codes whose keywords stand in a query, that of the longest keyword first; keywords of its own intent go before others."""
    found = []
    for place, (code, keywords) in enumerate(codes.items()):
        spoken = [
            (name != query.intent, -len(word), word)
            for name in ("any", query.intent)
            for word in keywords.get(name, ())
            if word in query.text
        ]
        if spoken:
            own, length, word = min(spoken)
            found.append((length, own, place, Proposal(code, word)))
    return [proposal for *_, proposal in sorted(found)]
