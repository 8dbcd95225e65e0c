"""Texts as code points, and the rarest character n-grams of each: the input of a join.

An n-gram is identified by a bucket of its hash. If two share a bucket, it costs a needless comparison but never a pair: the join
compares code points. The loops are compiled by numba and stored in its cache.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from curation.near_duplicates.join.hashes import (
    MULTIPLIER,
    SIGNATURE_WORDS,
    cached_njit,
    find,
    flip_bit,
    hash_all,
    hashing,
    table_size,
    wide_starts,
)

_BATCH = 4096
_MIN_BUCKETS, _MAX_BUCKETS = 1 << 12, 1 << 26
_FULL = 65_535  # buckets with a higher count are all treated as equally common
SLACK = 1e-6  # bounds are lowered by more than the floating-point error
_FEW = 48
_BUCKET_BITS = 32
_BUCKET = (1 << _BUCKET_BITS) - 1


class TextCodes(NamedTuple):
    """Many texts as one array."""

    codes: np.ndarray
    """Code points, in two bytes each if all fit."""
    starts: np.ndarray
    """Start of each text, and the end of the last."""


class RarestNgrams(NamedTuple):
    """The rarest n-grams of many texts."""

    sizes: np.ndarray
    """Number of distinct n-grams of each text."""
    shared: np.ndarray
    """How many of them may be in another text; 0 if too few for any pair."""
    buckets: np.ndarray
    """Buckets of the rarest of those, text by text, the rarest first; the end may be unused."""
    starts: np.ndarray
    """Start of each text in `buckets`, and the end of the last."""
    signatures: np.ndarray
    """A signature of each text."""
    wide: np.ndarray
    """Wide signatures of the longer texts."""
    wide_starts: np.ndarray
    """Start of each text's wide signature in `wide`, and the end of the last."""


def encode(texts: Sequence[str]) -> TextCodes:
    """Return texts as code points; lone surrogates count as code points."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    codes = np.empty(starts[-1], np.uint16)
    for first in range(0, len(texts), _BATCH):
        part = np.frombuffer("".join(texts[first : first + _BATCH]).encode("utf-32-le", "surrogatepass"), np.uint32)
        if codes.dtype == np.uint16 and len(part) and part.max() > np.iinfo(np.uint16).max:
            codes = codes.astype(np.uint32)
        codes[starts[first] : starts[first] + len(part)] = part
    return TextCodes(codes, starts)


def rarest(texts: TextCodes, ngram_chars: int, threshold: float, border: int) -> RarestNgrams:
    """Return the rarest n-grams of each text, one of which any partner must share: the prefix filter of Chaudhuri et al. 2006.

    With a border above 0, only texts across it are partners.
    """
    lengths = np.maximum(np.diff(texts.starts) - (ngram_chars - 1), 0)
    wanted = int(min(max(lengths.sum() // 8, _MIN_BUCKETS), _MAX_BUCKETS))
    bits = wanted.bit_length()
    sides = 1 if border == 0 else 2
    bucket_counts = np.zeros((sides, 1 << bits), np.uint16)
    how, shift, longest = hashing(texts.codes, ngram_chars), np.uint64(64 - bits), int(lengths.max(initial=0))
    for side, (first, last) in enumerate([(0, len(lengths))] if sides == 1 else [(0, border), (border, len(lengths))]):
        _count(*texts, first, last, how, bucket_counts[side], shift, longest)
    room = int((lengths - np.ceil(threshold * lengths - SLACK).astype(np.int64) + 1).sum())
    starts = wide_starts(lengths)
    wide = np.zeros(starts[-1], np.uint64)
    of_texts = _rarest(*texts, how, threshold, border, bucket_counts, shift, longest, room, wide, starts)
    return RarestNgrams._make([*of_texts, wide, starts])


@njit(forceinline=True)
def at_least(bound):
    return max(np.int64(np.ceil(bound - SLACK)), 1)


@cached_njit
def _count(codes, starts, first, last, how, bucket_counts, shift, longest):
    """Count the n-grams of texts in buckets."""
    hashes = np.empty(longest, np.uint64)
    for text in range(first, last):
        for i in range(hash_all(codes, starts[text], starts[text + 1], how, hashes)):
            bucket = (hashes[i] * MULTIPLIER) >> shift
            count = bucket_counts[bucket]
            bucket_counts[bucket] = count + np.uint16(count < _FULL)


@cached_njit
def _rarest(codes, starts, how, threshold, border, bucket_counts, shift, longest, room, wide, wides):
    texts = len(starts) - 1
    sizes, shared = np.zeros(texts, np.int32), np.zeros(texts, np.int32)
    buckets, begins = np.empty(room, np.int32), np.zeros(texts + 1, np.int64)
    signatures = np.zeros((texts, SIGNATURE_WORDS), np.uint64)
    slots, base = np.full(table_size(longest), -1, np.int64), 0
    every, (keys, sort_keys) = np.empty(longest, np.uint64), np.empty((2, longest), np.int64)
    for text in range(texts):
        start = starts[text]
        grams = hash_all(codes, start, starts[text + 1], how, every)
        own, other, least = (0, 0, 2) if border == 0 else (0, 1, 1) if text < border else (1, 0, 1)
        for i in range(grams):  # a separate loop, so that the processor waits for many at a time
            bucket = (every[i] * MULTIPLIER) >> shift
            count = bucket_counts[other, bucket]
            sort_keys[i] = (
                -1 if count < least else (np.int64(count) + np.int64(bucket_counts[own, bucket])) << _BUCKET_BITS | np.int64(bucket)
            )
        mask = table_size(grams) - 1
        distinct = key_count = 0
        words = wides[text + 1] - wides[text]
        for i in range(grams):
            slot = find(codes, start, how, every, slots, base, mask, start + i, every[i])
            if slots[slot] < base:
                slots[slot] = base + i
                distinct += 1
                mixed = every[i] * MULTIPLIER
                flip_bit(signatures[text], 0, SIGNATURE_WORDS, mixed)
                if words > 0:
                    flip_bit(wide, wides[text], words, mixed)
                keys[key_count] = sort_keys[i]
                key_count += sort_keys[i] >= 0
        base += grams
        sizes[text] = distinct
        look = key_count - at_least(threshold * distinct) + 1
        if look > 0 and grams > 0:
            shared[text] = key_count
            _least(keys, key_count, look)
            for i in range(look):
                buckets[begins[text] + i] = keys[i] & _BUCKET
        begins[text + 1] = begins[text] + (look if shared[text] else 0)
    return sizes, shared, buckets, begins, signatures


@njit(forceinline=True)
def _least(keys, count, wanted):
    """Move the smallest keys to the front, sorted."""
    if wanted > _FEW:
        gap = 1
        while gap < count // 3:
            gap = 3 * gap + 1
        while gap > 0:  # Shell sort: numba takes two seconds to compile its quicksort for arrays
            for i in range(gap, count):
                key, j = keys[i], i
                while j >= gap and keys[j - gap] > key:
                    keys[j] = keys[j - gap]
                    j -= gap
                keys[j] = key
            gap //= 3
        return
    for i in range(1, count):
        key = keys[i]
        j = min(i, wanted)
        if j == wanted:
            if key >= keys[wanted - 1]:
                continue
            j = wanted - 1
            keys[i] = keys[j]  # what leaves the front is kept, though never needed
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
