"""Hashes of the character n-grams of a text, and a hash table that distinguishes n-grams by their code points. Compiled by numba.

No loop uses `break`: numba would then count references to arrays in every iteration.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

_BASE = np.uint64(0xD1342543DE82EF95)  # an odd multiplier with good spectral properties, from Steele and Vigna 2021
_BITS = {2: 16, 4: 21}  # of a code point, by its size in bytes
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Knuth, The Art of Computer Programming 3, section 6.4


class Hashing(NamedTuple):
    """How n-grams are hashed: as numbers in a positional system."""

    ngram_chars: int
    base: np.uint64
    exact: bool
    """The number consists of the code points themselves, so equal numbers are equal n-grams."""


def hashing(codes: np.ndarray, ngram_chars: int) -> Hashing:
    """Return how to hash the n-grams of code points: as the code points themselves, if they fit into 64 bits."""
    bits = _BITS[codes.dtype.itemsize]
    exact = bits * ngram_chars <= 64
    return Hashing(ngram_chars, np.uint64(1 << bits) if exact else _BASE, exact)


@njit(forceinline=True)
def hash_all(codes, start, end, how, hashes):
    """Write the hash of each n-gram of a text; return their number."""
    weight, hashed = np.uint64(1), np.uint64(0)
    for i in range(start, min(start + how.ngram_chars - 1, end)):
        hashed = hashed * how.base + np.uint64(codes[i])
        weight *= how.base
    grams = max(end - start - how.ngram_chars + 1, 0)
    for i in range(grams):
        hashed = hashed * how.base + np.uint64(codes[start + i + how.ngram_chars - 1])
        hashes[i] = hashed
        hashed -= np.uint64(codes[start + i]) * weight
    return grams


@njit(forceinline=True)
def same_gram(codes, a, b, ngram_chars):
    i = 0
    while i < ngram_chars and codes[a + i] == codes[b + i]:
        i += 1
    return i == ngram_chars


@njit(forceinline=True)
def _holds(codes, start, how, hashes, number, at, hashed):
    return hashes[number] == hashed and (how.exact or same_gram(codes, start + number, at, how.ngram_chars))


@njit(forceinline=True)
def find(codes, start, how, hashes, slots, base, mask, at, hashed):
    """Return the slot of the n-gram at a position in the hash table of a text.

    An occupied slot contains `base` plus the n-gram's number in the text; smaller values are left from other texts, so nothing is cleared.
    """
    slot = np.int64((hashed * MULTIPLIER) >> np.uint64(32)) & mask
    while slots[slot] >= base and (
        hashes[slots[slot] - base] != hashed or not (how.exact or same_gram(codes, start + slots[slot] - base, at, how.ngram_chars))
    ):
        slot = (slot + 1) & mask
    return slot


@njit(forceinline=True)
def table_size(grams):
    size = 16
    while size < 4 * grams:
        size *= 2
    return size
