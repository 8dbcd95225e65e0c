"""All pairs of texts whose n-gram sets have a Jaccard similarity of at least a threshold: prefix, length and positional filter, count.

After Chaudhuri et al. 2006 (prefix filter) and Xiao et al. 2008 (PPJoin). Compiled by numba and kept in its cache.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from curation.engine import LOCAL, Engine
from curation.joining.hashes import find, hash_all, hashing, table_size
from curation.joining.tokens import MARK_WORDS, SLACK, at_least, encode, rarest

_PART_TEXTS = 20_000  # joining fewer takes less time than sending them to a cluster


class Part(NamedTuple):
    """A part of the index, and the pairs that meet in it: bytes of left, right and similarity."""

    left: bytes
    right: bytes
    similarity: bytes


_KINDS = (np.int32, np.int32, np.float64)
Joined = tuple[np.ndarray, np.ndarray, np.ndarray]


def join(texts: Sequence[str], ngram_chars: int, threshold: float, border: int = 0, engine: Engine = LOCAL) -> Joined:
    """Return left and right of each pair, left < right, and its similarity, in no order.

    A border above 0 parts the texts into those before it and the others; then only pairs across it are sought.
    """
    coded = encode(texts)
    found = rarest(coded, ngram_chars, threshold, border)
    order = np.flatnonzero(found.shared).astype(np.int32)
    order = order[np.argsort(found.sizes[order], kind="stable")]
    lists = 1 << max(int(found.starts[-1]) >> 2, 1).bit_length()
    np.bitwise_and(found.buckets, lists - 1, out=found.buckets)
    longest = int(np.diff(coded.starts).max(initial=0))
    prepared = (*coded, hashing(coded.codes, ngram_chars), *found, order, lists, threshold, border, longest)
    parts = min(engine.workers(), len(texts) // _PART_TEXTS)
    return _join(*prepared, 0, 1) if parts < 2 else _gathered(engine.mapped(join_part, range(parts), parts, prepared))


def join_part(part: int, parts: int, prepared: tuple[Any, ...]) -> Part:
    """Return the pairs that meet in one of several parts of the index. A pair may meet in several parts, and is in one at least."""
    return Part(*(column.tobytes() for column in _join(*prepared, part, parts)))


def _gathered(parts: Iterable[Part]) -> Joined:
    """Return the pairs of all parts, each once."""
    columns = zip(*parts, strict=True)
    left, right, similarity = (np.frombuffer(b"".join(column), kind) for column, kind in zip(columns, _KINDS, strict=True))
    _, once = np.unique(left.astype(np.int64) << 32 | right, return_index=True)
    return left[once], right[once], similarity[once]


@njit
def _needed(sizes, threshold):
    """Return the least number of shared n-grams that two texts need, by the sum of their sizes."""
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    needed = np.empty(2 * largest + 1, np.int32)
    for total in range(len(needed)):
        needed[total] = at_least(threshold / (1 + threshold) * total)
    return needed


@njit
def _indexed(shared, size, needed):
    """Return how many of its rarest n-grams a text shows in the index, so that every partner of its size or larger meets it."""
    return max(shared - needed[2 * size] + 1, 0)


@njit
def _places(buckets, begins, sizes, shared, lists, needed, border, part, parts):
    """Return where each list of the index begins, twice; with a border, one for the texts after it, then one for those before."""
    sides = 1 if border == 0 else 2
    places = np.zeros((sides * lists + 1, 2), np.int64)
    for text in range(len(sizes)):
        if shared[text]:
            for i in range(_indexed(shared[text], sizes[text], needed)):
                if parts == 1 or buckets[begins[text] + i] % parts == part:
                    places[sides * buckets[begins[text] + i] + (text < border) + 1, 0] += 1
    for one in range(sides * lists):
        places[one + 1, 0] += places[one, 0]
        places[one + 1, 1] = places[one + 1, 0]
    return places


@njit
def _doubled(values):
    wider = np.empty(2 * len(values), values.dtype)
    wider[: len(values)] = values
    return wider


@njit
def _bits(word):
    """Return how many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit
def _unlike(marks, x, y):
    """Return how many bits the marks of two texts differ in; each n-gram that only one of them has turns at most one over."""
    bits = 0
    for i in range(MARK_WORDS):
        bits += _bits(marks[x, i] ^ marks[y, i])
    return bits


@njit
def _fill(codes, start, how, every, grams, hashes, places, mask):
    """Put the n-grams of a text into an empty hash table."""
    for i in range(grams):
        slot = find(codes, every[i], start + i, how, hashes, places, mask)
        hashes[slot], places[slot] = every[i], start + i


@njit
def _overlap(codes, start, how, every, grams, hashes, places, mask, met, stamp, needed):
    """Return how many distinct n-grams of a text are in a hash table, or 0 once `needed` is out of reach."""
    both = 0
    for i in range(grams):
        slot = find(codes, every[i], start + i, how, hashes, places, mask)
        if places[slot] >= 0 and met[slot] != stamp:
            met[slot] = stamp
            both += 1
        elif both + grams - i <= needed:
            return 0
    return both


@njit(cache=True)
def _join(codes, starts, how, sizes, shared, buckets, begins, marks, order, lists, threshold, border, longest, part, parts):
    """Return all pairs at or above the threshold. `order` goes by size, so that each text meets only partners of at most its own size.

    With several parts only those that share an n-gram whose list is of this part.
    """
    needed = _needed(sizes, threshold)
    places = _places(buckets, begins, sizes, shared, lists, needed, border, part, parts)  # from where to where each list goes
    sides = 1 if border == 0 else 2
    index = np.empty((places[-1, 0], 3), np.int32)  # text, its size, how many of its n-grams are left from this one on
    first_marks = np.empty(places[-1, 0], np.uint64)  # beside the index, since what lies elsewhere takes long to fetch
    met = np.full(len(sizes), -1, np.int32)
    hashes, grams = np.empty(table_size(longest), np.uint64), np.full(table_size(longest), -1, np.int64)
    stamps, stamp, every = np.zeros(table_size(longest), np.int64), 0, np.empty(longest, np.uint64)
    left, right, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    found = 0
    for x in order:
        size, kept, mask = sizes[x], shared[x], 0
        for i in range(begins[x + 1] - begins[x]):
            one = sides * buckets[begins[x] + i] + (sides - 1 if x >= border else 0)
            first, last = places[one, 0], places[one, 1]
            if first == last:  # nothing there, or the list is of another part
                continue
            while first < last and index[first, 1] < threshold * size - SLACK:
                first += 1  # too short for this text, so for all that follow
            places[one, 0] = first
            for k in range(first, last):
                y, rest, both_needed = index[k, 0], index[k, 2], needed[size + index[k, 1]]
                if both_needed > kept - i:
                    break  # too long for what is left of this text, and so are all that follow
                apart = size + index[k, 1] - 2 * both_needed  # no more n-grams than these may be in one of the two alone
                if rest < both_needed or _bits(marks[x, 0] ^ first_marks[k]) > apart or met[y] == x:
                    continue
                met[y] = x
                if _unlike(marks, x, y) > apart:
                    continue
                if mask == 0:
                    mask = table_size(starts[x + 1] - starts[x]) - 1
                    grams[: mask + 1] = -1
                    _fill(codes, starts[x], how, every, hash_all(codes, starts[x], starts[x + 1], how, every), hashes, grams, mask)
                stamp += 1
                count = hash_all(codes, starts[y], starts[y + 1], how, every)
                both = _overlap(codes, starts[y], how, every, count, hashes, grams, mask, stamps, stamp, both_needed)
                value = both / (size + sizes[y] - both)
                if both > 0 and value >= threshold:
                    if found == len(left):
                        left, right, similarity = _doubled(left), _doubled(right), _doubled(similarity)
                    left[found], right[found], similarity[found] = min(x, y), max(x, y), value
                    found += 1
        for i in range(_indexed(kept, size, needed)):
            if parts > 1 and buckets[begins[x] + i] % parts != part:
                continue
            one = sides * buckets[begins[x] + i] + (x < border)
            place = places[one, 1]
            index[place, 0], index[place, 1], index[place, 2] = x, size, kept - i
            first_marks[place] = marks[x, 0]
            places[one, 1] = place + 1
    return left[:found].copy(), right[:found].copy(), similarity[:found].copy()
