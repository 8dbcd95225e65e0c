"""Bit signatures of texts: each n-gram of a text flips one bit, so two texts differ in at least as many n-grams as bits.

Each text has a signature of 256 bits. A text with more n-grams has a second, wide one with at least as many bits as n-grams: with
fewer bits, unlike texts differ no more often than similar ones. Compiled by numba.
"""

import numpy as np
from numba import njit

SIGNATURE_WORDS = 4
_WORD_BITS = 64
_ONE, _LAST_BIT, _QUARTER, _HALF = np.uint64(1), np.uint64(_WORD_BITS - 1), np.uint64(16), np.uint64(32)


def wide_starts(grams: np.ndarray) -> np.ndarray:
    """Return the start of each text's wide signature, by its n-grams, and the end of the last; each is a power of 2 words long."""
    words = np.int64(1) << np.ceil(np.log2(np.maximum(grams, 1) / _WORD_BITS).clip(0)).astype(np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(words > SIGNATURE_WORDS, words, 0))])


@njit(forceinline=True)
def flip_bit(signature, first, words, mixed):
    """Flip the bit of an n-gram, by its mixed hash, in the signature of `words` words at an offset."""
    signature[first + (np.int64(mixed >> _HALF) & (words - 1))] ^= _ONE << ((mixed >> _QUARTER) & _LAST_BIT)


@njit(forceinline=True)
def bit_count(word):
    """Return the number of bits set."""
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
    """Return the number of bits in which the signatures of two texts differ."""
    differing = 0
    for i in range(SIGNATURE_WORDS):
        differing += bit_count(signatures[x, i] ^ signatures[y, i])
    return differing


@njit(forceinline=True)
def differing_bits_wide(wide, starts, x, y):
    """Return the number of bits in which two wide signatures differ, the wider one folded to the width of the other; 0 if one is
    missing."""
    if starts[x + 1] - starts[x] > starts[y + 1] - starts[y]:
        x, y = y, x
    words, others, differing = starts[x + 1] - starts[x], starts[y + 1] - starts[y], 0
    for i in range(words):
        word = wide[starts[x] + i]
        for k in range(i, others, words):
            word ^= wide[starts[y] + k]
        differing += bit_count(word)
    return differing
