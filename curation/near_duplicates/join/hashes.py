"""Hashes and bit signatures of the character n-grams of a text, compiled by numba, the machine code cached."""

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import config as numba_config
from numba import njit
from numba.misc.appdirs import AppDirs

config: Any = numba_config  # its settings come from the environment, so it has no type for them
_SOURCES = Path(__file__).parent


def _version() -> str:
    """Return a hash of the modules of this package that use numba."""
    sources = ((path.name.encode(), path.read_bytes()) for path in sorted(_SOURCES.glob("*.py")))
    return hashlib.sha256(b"\0".join(part for named in sources if b"numba" in named[1] for part in named)).hexdigest()[:16]


def _folder(version: str) -> str | None:
    """Return a folder for machine code: the user's choice, next to the sources, or in the user's cache."""
    candidates = [config.CACHE_DIR] if config.CACHE_DIR else [_SOURCES / "__pycache__", AppDirs("numba", appauthor=False).user_cache_dir]
    for candidate in candidates:
        folder = Path(candidate, f"join-{version}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    return None


_FOLDER = _folder(_version())


def cached_njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled at its first call and, with a writable folder, never again for the same sources."""
    if _FOLDER is None:
        return njit(function)
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER  # read when the function is decorated
    try:
        return njit(cache=True)(function)
    finally:
        config.CACHE_DIR = before


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
