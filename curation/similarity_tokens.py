"""Numbers for the character n-grams of texts: each distinct one has its own, found by its full code points.

The loops are compiled by numba and kept in its cache.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

_BATCH_CHARS = 1 << 18  # small enough to stay in cache, large enough that the calls cost nothing
_CODE_POINT_BITS = 21
_GRAM_CHARS = 3  # three code points of 21 bits fit one key of 64
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Knuth, The Art of Computer Programming 3, section 6.4
_HIGH = np.uint64(32)


class Tokens(NamedTuple):
    """The distinct n-grams of many texts."""

    numbers: np.ndarray
    """Numbers of the n-grams of all texts, text by text; room at the end may be unused."""
    starts: np.ndarray
    """Where each text begins, and where the last one ends."""
    frequency: np.ndarray
    """In how many texts each number is."""


def number_ngrams(texts: Sequence[str], ngram_chars: int) -> Tokens:
    """Return the distinct n-grams of each text as numbers."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    grams = np.maximum(lengths - ngram_chars + 1, 0)
    tokens = np.empty(int(grams.sum()), np.int32)  # upper bound; what is never written to costs no memory
    starts = np.zeros(len(texts) + 1, np.int64)
    vocabularies = [_Vocabulary() for _ in range(_levels(ngram_chars))]
    frequency, last_text = np.zeros(0, np.int32), np.zeros(0, np.int32)
    for first, last in _batches(lengths):
        codes = np.frombuffer("".join(texts[first:last]).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
        ends = np.repeat(np.cumsum(lengths[first:last]), lengths[first:last])
        inside = (np.arange(len(codes)) + ngram_chars <= ends)[: max(len(codes) - ngram_chars + 1, 0)]
        numbers = vocabularies[-1].number(_keys(codes, ngram_chars, vocabularies)[inside])
        frequency = _grown(frequency, vocabularies[-1].size, 0)
        last_text = _grown(last_text, vocabularies[-1].size, -1)
        _distinct(numbers, grams[first:last], first, last_text, frequency, tokens, starts)
    return Tokens(tokens, starts, frequency[: vocabularies[-1].size])


def _levels(ngram_chars: int) -> int:
    return 1 if ngram_chars <= _GRAM_CHARS else 1 + _levels((ngram_chars + 1) // 2)


def _keys(codes: np.ndarray, ngram_chars: int, vocabularies: list["_Vocabulary"]) -> np.ndarray:
    """Return a 64-bit key for the n-gram at each place: its code points, or the numbers of its two overlapping halves."""
    places = max(len(codes) - ngram_chars + 1, 0)
    if ngram_chars <= _GRAM_CHARS:
        keys = np.zeros(places, np.uint64)
        for i in range(ngram_chars):
            keys = (keys << np.uint64(_CODE_POINT_BITS)) | codes[i : i + places]
        return keys
    half = (ngram_chars + 1) // 2
    halves = vocabularies[-2].number(_keys(codes, half, vocabularies[:-1])).astype(np.uint64)
    return (halves[:places] << np.uint64(32)) | halves[ngram_chars - half : ngram_chars - half + places]


class _Vocabulary:
    """Numbers for keys, 0, 1, … in the order of first sight. Whole keys are compared, so no two share a number."""

    def __init__(self) -> None:
        self.size = 0
        self._keys = np.zeros(1 << 12, np.uint64)
        self._numbers = np.full(1 << 12, -1, np.int32)

    def number(self, keys: np.ndarray) -> np.ndarray:
        """Return the number of each key; a new key gets the next one."""
        while 3 * (self.size + len(keys)) > 2 * len(self._keys):
            old = self._keys, self._numbers
            self._keys = np.zeros(2 * len(old[0]), np.uint64)
            self._numbers = np.full(2 * len(old[0]), -1, np.int32)
            _rehash(*old, self._keys, self._numbers)
        numbers = np.empty(len(keys), np.int32)
        self.size = _number(np.ascontiguousarray(keys), self._keys, self._numbers, self.size, numbers)
        return numbers


def _batches(lengths: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield runs of texts of about a batch's characters each; a text is never cut."""
    batch = np.cumsum(lengths) // _BATCH_CHARS
    edges = np.flatnonzero(np.diff(batch)) + 1
    bounds = [0, *edges.tolist(), len(lengths)]
    yield from ((first, last) for first, last in pairwise(bounds) if first < last)


def _grown(values: np.ndarray, size: int, fill: int) -> np.ndarray:
    """Return the array with room for `size` values, doubled so that growing stays cheap."""
    if size <= len(values):
        return values
    return np.concatenate([values, np.full(max(size, 2 * len(values)) - len(values), fill, values.dtype)])


@njit
def _slot(key, mask):
    hashed = key * _MULTIPLIER
    return np.int64(hashed ^ (hashed >> _HIGH)) & mask


@njit("void(uint64[::1], int32[::1], uint64[::1], int32[::1])", cache=True)
def _rehash(keys, numbers, wider_keys, wider_numbers):
    """Move a hash table into a wider one."""
    mask = len(wider_keys) - 1
    for i in range(len(keys)):
        if numbers[i] >= 0:
            slot = _slot(keys[i], mask)
            while wider_numbers[slot] >= 0:
                slot = (slot + 1) & mask
            wider_keys[slot] = keys[i]
            wider_numbers[slot] = numbers[i]


@njit("int64(uint64[::1], uint64[::1], int32[::1], int64, int32[::1])", cache=True)
def _number(keys, table_keys, table_numbers, size, numbers):
    """Write the number of each key, adding new keys to the table; return how many keys it holds."""
    mask = len(table_keys) - 1
    for i in range(len(keys)):
        slot = _slot(keys[i], mask)
        while table_numbers[slot] >= 0 and table_keys[slot] != keys[i]:
            slot = (slot + 1) & mask
        if table_numbers[slot] < 0:
            table_keys[slot] = keys[i]
            table_numbers[slot] = size
            size += 1
        numbers[i] = table_numbers[slot]
    return size


@njit("void(int32[::1], int64[::1], int64, int32[::1], int32[::1], int32[::1], int64[::1])", cache=True)
def _distinct(numbers, counts, first, last_text, frequency, tokens, starts):
    """Append the distinct numbers of each text of a batch to `tokens`, and count in how many texts each number is."""
    place = 0
    for i in range(len(counts)):
        text = first + i
        end = starts[text]
        for _ in range(counts[i]):
            token = numbers[place]
            place += 1
            if last_text[token] != text:
                last_text[token] = text
                frequency[token] += 1
                tokens[end] = token
                end += 1
        starts[text + 1] = end
