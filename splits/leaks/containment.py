"""Questions that stand in other texts: parts of texts in, how much of each of some is in one of the others out. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from records.identity import canonical

_BATCH = 5_000
_TABLE_BITS = 24
_FACTOR = 0x9E3779B97F4A7C15
_APART = "\ue0ff"  # of private use, which no canonical text of ours looks for
_SHIFT = np.uint64(64 - _TABLE_BITS)


class Sieve:
    """N-grams of one length, and shorter texts that are looked for as a whole."""

    def __init__(self, grams: Iterable[str], shorter: Iterable[str], length: int) -> None:
        self._length = length
        self._shorter = set(shorter)
        codes = np.array([list(map(ord, gram)) for gram in sorted(grams)], dtype=np.uint64).reshape(-1, length)
        self._wanted = np.unique(_mixed([codes[:, place] for place in range(length)]))
        # Nearly all n-grams are looked up in vain: a table of flags tells that at once.
        self._flags = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self._flags[self._wanted >> _SHIFT] = True

    def passing(self, texts: Iterable[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the (key, parts) of which a part holds an n-gram or is one of the shorter texts."""
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            kept = self._holding([_APART.join(parts) + _APART for _, parts in batch])
            for place, (key, parts) in enumerate(batch):
                if place in kept or not self._shorter.isdisjoint(parts):
                    yield key, parts

    def _holding(self, texts: Sequence[str]) -> set[int]:
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
        number = max(0, len(codes) - self._length + 1)
        hashes = _mixed([codes[place : place + number] for place in range(self._length)])
        hits = np.flatnonzero(self._flags[hashes >> _SHIFT])
        hits = hits[np.isin(hashes[hits], self._wanted)]
        # An n-gram over the end of a text holds the sign that parts are held apart by, so it is not looked for.
        return set(np.searchsorted(np.cumsum([len(text) for text in texts]), hits, side="right").tolist())


def _mixed(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return one number for the characters of each n-gram: the same for the same n-gram."""
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        mixed = (mixed + column) * np.uint64(_FACTOR)
    return mixed ^ (mixed >> np.uint64(29))


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
            grams.update([part[i : i + NGRAM_CHARS] for i in range(len(part) - NGRAM_CHARS + 1)])
    return frozenset(grams)


def contained(asked: Sequence[tuple[str, frozenset[str]]], holders: Iterable[tuple[str, Sequence[str]]], least: float) -> list[Contained]:
    """Return each pair of which the second holds at least such a share of the first's n-grams, sorted: all of them, and no others.

    A part that is no longer than an n-gram counts where it is a part of the second, or is quoted within a longer one, as short options
    are. Of a text that gives another away, one n-gram or short part at least is the other's as it stands.

    Args:
        asked: n-grams of each text that may be given away.
        holders: parts of each text that may hold one.
    """
    numbers = Counter(gram for _, grams in asked for gram in grams)
    index: dict[str, list[int]] = defaultdict(list)
    for place, (_, grams) in enumerate(asked):
        # Who holds a share holds one of the rarest n-grams: the others alone, and all short parts, are too few.
        telling = [gram for gram in grams if not is_short(gram)]
        most = len(grams) - needed(grams, least) + 1
        rarest = sorted(telling, key=lambda gram: (numbers[gram], gram))[:most] if len(telling) >= most else grams
        for gram in rarest:
            index[gram].append(place)
    found = []
    for holder, parts in _sieve(index).passing(holders):
        held = ngrams_of(parts)
        for place in {place for gram in held & index.keys() for place in index[gram]}:
            key, grams = asked[place]
            both = len(grams & held)
            if both < needed(grams, least):
                running = [part for part in parts if len(part) > NGRAM_CHARS]  # an option that stands in another short one is not it
                both += sum(any(gram[1:-1] in part for part in running) for gram in grams - held if is_short(gram))
            if key != holder and both >= needed(grams, least):
                found.append(Contained(key, holder, round(both / len(grams), 6)))
    return sorted(found)


def _sieve(grams: Iterable[str]) -> Sieve:
    short = {gram for gram in grams if is_short(gram)}
    return Sieve([gram for gram in grams if len(gram) == NGRAM_CHARS], [gram[1:-1] for gram in short], NGRAM_CHARS)


def is_short(gram: str) -> bool:
    """Tell whether a whole part stands for itself, as it is no longer than an n-gram."""
    return gram[0] == "^" and gram[-1] == "$"


def needed(grams: frozenset[str], least: float) -> int:
    """Return how many n-grams make such a share, one at least."""
    share = round(least * len(grams), 6)
    return max(1, int(share) + (share > int(share)))
