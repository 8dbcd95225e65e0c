"""Bit signatures of texts: each n-gram of a text flips one bit, so two texts differ in at least as many n-grams as bits.

Each text has a signature of 256 bits. A text of more n-grams has a second, wide one of at least as many bits as n-grams: in fewer bits,
unlike texts differ no more often than similar ones. Compiled by numba.
"""

import numpy as np
from numba import njit

SIGNATURE_WORDS = 4
_WORD_BITS = 64
_ONE, _LAST_BIT, _QUARTER, _HALF = np.uint64(1), np.uint64(_WORD_BITS - 1), np.uint64(16), np.uint64(32)


def wide_starts(grams: np.ndarray) -> np.ndarray:
    """Return where the wide signature of each text begins, by its n-grams, and where the last ends; the words of one are a power of 2."""
    words = np.int64(1) << np.ceil(np.log2(np.maximum(grams, 1) / _WORD_BITS).clip(0)).astype(np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(words > SIGNATURE_WORDS, words, 0))])


@njit(forceinline=True)
def flip_bit(signature, first, words, mixed):
    """Flip the bit of an n-gram, by its mixed hash, in the signature of some words that begins at an offset."""
    signature[first + (np.int64(mixed >> _HALF) & (words - 1))] ^= _ONE << ((mixed >> _QUARTER) & _LAST_BIT)


@njit(forceinline=True)
def bit_count(word):
    """Return how many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(forceinline=True)
def folded(signatures, text):
    """Return the signature of a text as one word, the exclusive or of its words."""
    word = signatures[text, 0]
    for i in range(1, SIGNATURE_WORDS):
        word ^= signatures[text, i]
    return word


@njit(forceinline=True)
def differing_bits(signatures, x, y):
    """Return how many bits the signatures of two texts differ in."""
    differing = 0
    for i in range(SIGNATURE_WORDS):
        differing += bit_count(signatures[x, i] ^ signatures[y, i])
    return differing


@njit(forceinline=True)
def differing_bits_wide(wide, starts, x, y):
    """Return how many bits the wide signatures of two texts differ in, the wider folded to the width of the other; 0 where one has none."""
    if starts[x + 1] - starts[x] > starts[y + 1] - starts[y]:
        x, y = y, x
    words, others, differing = starts[x + 1] - starts[x], starts[y + 1] - starts[y], 0
    for i in range(words):
        word = wide[starts[x] + i]
        for k in range(i, others, words):
            word ^= wide[starts[y] + k]
        differing += bit_count(word)
    return differing
