"""Marks: bits of a text, of which each of its n-grams turns one over, so that two texts differ in at least as many n-grams as bits.

Each text has a mark of 256 bits, which lies near at hand; one of more n-grams has a second, of at least as many bits as n-grams,
since in a mark of fewer the bits of unlike texts differ no more often than those of texts that are nearly alike. Compiled by numba.
"""

import numpy as np
from numba import njit

MARK_WORDS = 4
_WORD_BITS = 64
_ONE, _LAST_BIT, _QUARTER, _HALF = np.uint64(1), np.uint64(_WORD_BITS - 1), np.uint64(16), np.uint64(32)


def wide_starts(grams: np.ndarray) -> np.ndarray:
    """Return where the wide mark of each text begins, by its n-grams, and where the last one ends; the words of one are a power of 2."""
    words = np.int64(1) << np.ceil(np.log2(np.maximum(grams, 1) / _WORD_BITS).clip(0)).astype(np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(words > MARK_WORDS, words, 0))])


@njit(forceinline=True)
def turn(mark, first, words, mixed):
    """Turn over the bit of an n-gram, by its mixed hash, in the mark of some words that begins at a place."""
    mark[first + (np.int64(mixed >> _HALF) & (words - 1))] ^= _ONE << ((mixed >> _QUARTER) & _LAST_BIT)


@njit(forceinline=True)
def bits(word):
    """Return how many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(forceinline=True)
def folded(marks, text):
    """Return the mark of a text as one word: its words laid over each other."""
    word = marks[text, 0]
    for i in range(1, MARK_WORDS):
        word ^= marks[text, i]
    return word


@njit(forceinline=True)
def unlike(marks, x, y):
    """Return how many bits the marks of two texts differ in."""
    differing = 0
    for i in range(MARK_WORDS):
        differing += bits(marks[x, i] ^ marks[y, i])
    return differing


@njit(forceinline=True)
def widely_unlike(wide, starts, x, y):
    """Return how many bits the wide marks of two texts differ in, the wider one folded to the width of the other; 0 where one has none."""
    if starts[x + 1] - starts[x] > starts[y + 1] - starts[y]:
        x, y = y, x
    words, others, differing = starts[x + 1] - starts[x], starts[y + 1] - starts[y], 0
    for i in range(words):
        word = wide[starts[x] + i]
        for k in range(i, others, words):
            word ^= wide[starts[y] + k]
        differing += bits(word)
    return differing
