"""Questions that stand in other texts: parts of texts in, how much of each of some is in one of the others out. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex, NgramPrefilter
from atomexam.text.ngrams import least_shared, ngrams

NGRAM_CHARS = 5


class Contained(NamedTuple):
    """One text of which so large a share stands in another."""

    asked: str
    holder: str
    share: float
    """Of the distinct n-grams of the one that the other has; rounded to six digits."""


def parts_of(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return what carries meaning of each part of a text; parts without any are left out."""
    return tuple([part for text in texts if text and (part := canonical(text))])


def ngrams_of(parts: Iterable[str]) -> frozenset[str]:
    """Return the n-grams of each part of a text by itself; a part that is no longer than one is one as a whole."""
    grams: set[str] = set()
    for part in parts:
        if len(part) <= NGRAM_CHARS:
            grams.add(f"^{part}$")
        else:
            grams |= ngrams(part, NGRAM_CHARS)
    return frozenset(grams)


def contained(asked: Sequence[tuple[str, frozenset[str]]], holders: Iterable[tuple[str, Sequence[str]]], least: float) -> list[Contained]:
    """Return each pair of which the second holds at least such a share of the first's n-grams, sorted: all of them, and no others.

    A part that is no longer than an n-gram counts where it is a part of the second, or is quoted within a longer one, as short options
    are. Of a text that gives another away, one n-gram or short part at least is the other's as it stands.

    Args:
        asked: n-grams of each text that may be given away.
        holders: parts of each text that may hold one.
    """
    index = NgramIndex([grams for _, grams in asked], least, is_short)
    found = []
    for holder, parts in _prefilter(index.grams).passing(holders):
        held = ngrams_of(parts)
        for place in index.candidates(held):
            key, grams = asked[place]
            both = len(grams & held)
            if both < least_shared(len(grams), least):
                running = [part for part in parts if len(part) > NGRAM_CHARS]  # an option that stands in another short one is not it
                both += sum(any(gram[1:-1] in part for part in running) for gram in grams - held if is_short(gram))
            if key != holder and both >= least_shared(len(grams), least):
                found.append(Contained(key, holder, round(both / len(grams), 6)))
    return sorted(found)


def _prefilter(grams: Iterable[str]) -> NgramPrefilter:
    short = {gram for gram in grams if is_short(gram)}
    return NgramPrefilter([gram for gram in grams if len(gram) == NGRAM_CHARS], [gram[1:-1] for gram in short], NGRAM_CHARS)


def is_short(gram: str) -> bool:
    """Tell whether a whole part stands for itself, as it is no longer than an n-gram."""
    return gram[0] == "^" and gram[-1] == "$"
