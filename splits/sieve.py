"""Texts that hold any of some n-grams: texts as parts in, those that hold one, and now and then another, out. Pure.

A split has a million texts and few of them share words with what is looked for; to make sets of the n-grams of all takes minutes.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

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
