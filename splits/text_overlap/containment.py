"""Containment: the share of one text's n-grams that another text contains. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex, NgramPrefilter
from atomexam.text.ngrams import least_shared, ngrams

NGRAM_CHARS = 5


class Contained(NamedTuple):
    """A text and another that contains at least the required share of it."""

    id: str
    holder_id: str
    share: float
    """Share of the text's distinct n-grams that the holder contains; rounded to six digits."""


def parts_of(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the canonical form of each text; those that become empty are left out."""
    return tuple([part for text in texts if text and (part := canonical(text))])


def ngrams_of(parts: Iterable[str]) -> frozenset[str]:
    """Return the n-grams of each part of a text; a part no longer than an n-gram counts as one, between ^ and $."""
    grams: set[str] = set()
    for part in parts:
        if len(part) <= NGRAM_CHARS:
            grams.add(f"^{part}$")
        else:
            grams |= ngrams(part, NGRAM_CHARS)
    return frozenset(grams)


def contained(texts: Sequence[tuple[str, frozenset[str]]], holders: Iterable[tuple[str, Sequence[str]]], least: float) -> list[Contained]:
    """Return all pairs of a text and a holder with at least the share `least` of the text's n-grams, sorted.

    A short part, no longer than an n-gram, counts if it is a part of the holder or a substring of one of its longer parts, as options
    are. A holder shares at least one n-gram or complete short part with the text.

    Args:
        texts: id and n-grams of each text that may be contained.
        holders: id and parts of each text that may contain one.
    """
    index = NgramIndex([grams for _, grams in texts], least, is_short)
    pairs = []
    for holder_id, parts in _prefilter(index.grams).passing(holders):
        holder_grams = ngrams_of(parts)
        for position in index.candidates(holder_grams):
            key, grams = texts[position]
            shared = len(grams & holder_grams)
            if shared < least_shared(len(grams), least):
                long_parts = [part for part in parts if len(part) > NGRAM_CHARS]  # an option within another short option is a different one
                shared += sum(any(gram[1:-1] in part for part in long_parts) for gram in grams - holder_grams if is_short(gram))
            if key != holder_id and shared >= least_shared(len(grams), least):
                pairs.append(Contained(key, holder_id, round(shared / len(grams), 6)))
    return sorted(pairs)


def _prefilter(grams: Iterable[str]) -> NgramPrefilter:
    short = {gram for gram in grams if is_short(gram)}
    return NgramPrefilter([gram for gram in grams if len(gram) == NGRAM_CHARS], [gram[1:-1] for gram in short], NGRAM_CHARS)


def is_short(gram: str) -> bool:
    """Return whether an n-gram is a complete short part."""
    return gram[0] == "^" and gram[-1] == "$"
