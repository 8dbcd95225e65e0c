"""Questions that stand in other texts: parts of texts in, how much of each of some is in one of the others out. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from records.identity import canonical

NGRAM_CHARS = 5


class Contained(NamedTuple):
    """One text of which so large a share stands in another."""

    asked: str
    holder: str
    share: float
    """Of the distinct n-grams of the one that the other has; rounded to six digits."""


def ngrams_of(parts: Iterable[str | None]) -> frozenset[str]:
    """Return the n-grams of each part of a text by itself; a part that is shorter than one is one as a whole."""
    grams: set[str] = set()
    for part in parts:
        text = canonical(part or "")
        if len(text) <= NGRAM_CHARS:
            grams.add(f"^{text}$")
        else:
            grams.update([text[i : i + NGRAM_CHARS] for i in range(len(text) - NGRAM_CHARS + 1)])
    grams.discard("^$")
    return frozenset(grams)


def contained(asked: Sequence[tuple[str, frozenset[str]]], holders: Iterable[tuple[str, frozenset[str]]], least: float) -> list[Contained]:
    """Return each pair of which the second holds at least such a share of the first's n-grams, sorted: all of them, and no others."""
    numbers = Counter(gram for _, grams in asked for gram in grams)
    index: dict[str, list[int]] = defaultdict(list)
    for place, (_, grams) in enumerate(asked):
        # Who holds a share holds one of the rarest n-grams: the others alone are too few.
        for gram in sorted(grams, key=lambda gram: (numbers[gram], gram))[: len(grams) - _needed(grams, least) + 1]:
            index[gram].append(place)
    found = []
    for holder, held in holders:
        for place in {place for gram in held & index.keys() for place in index[gram]}:
            key, grams = asked[place]
            both = len(grams & held)
            if key != holder and both >= _needed(grams, least):
                found.append(Contained(key, holder, round(both / len(grams), 6)))
    return sorted(found)


def _needed(grams: frozenset[str], least: float) -> int:
    """Return how many n-grams make such a share, one at least."""
    share = round(least * len(grams), 6)
    return max(1, int(share) + (share > int(share)))
