"""All pairs of texts whose n-gram sets have at least a given Jaccard similarity: prefix, length and positional filters, then counting.

The index and the loops are compiled by numba.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from curation.engine.engines import LOCAL, Engine
from curation.near_duplicates.join.hashes import (
    bit_count,
    cached_njit,
    differing_bits,
    differing_bits_wide,
    find,
    folded,
    hash_all,
    hashing,
    table_size,
)
from curation.near_duplicates.join.tokens import at_least, encode, rarest

POSTING = np.dtype([("text", np.int32), ("size", np.int32), ("largest", np.int32), ("signature", np.uint64)], align=True)
"""A text in a list: its number, size, the largest size of its partners in the list, and its folded signature."""


@cached_njit
def least_shared(sizes, threshold):
    """Return the smallest number of shared n-grams that two texts need, by the sum of their sizes."""
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    needed = np.empty(2 * largest + 1, np.int32)
    for total in range(len(needed)):
        needed[total] = at_least(threshold / (1 + threshold) * total)
    return needed


@njit(forceinline=True)
def largest_totals(needed):
    """Return the largest sum of the sizes of two texts that need at most this many shared n-grams, by that number."""
    totals = np.zeros(max(needed[-1], len(needed) // 2) + 1, np.int32)  # all n-grams of a text may be indexed
    for total in range(len(needed)):
        totals[needed[total]] = total
    for most in range(1, len(totals)):
        totals[most] = max(totals[most], totals[most - 1])
    return totals


@njit(forceinline=True)
def indexed(shared, size, needed):
    """Return how many of the rarest n-grams of a text are indexed, so that every partner of at least its size shares one."""
    return max(shared - needed[2 * size] + 1, 0)


@cached_njit
def lay_out(buckets, begins, sizes, shared, needed, border, shard, shards, bounds):
    """Write where each list of the index begins, twice; with a border, one for the texts after it, then one for those before."""
    sides = 1 if border == 0 else 2
    for text in range(len(sizes)):
        if shared[text]:
            for i in range(indexed(shared[text], sizes[text], needed)):
                if shards == 1 or buckets[begins[text] + i] % shards == shard:
                    bounds[sides * buckets[begins[text] + i] + (text < border) + 1, 0] += 1
    for one in range(len(bounds) - 1):
        bounds[one + 1, 0] += bounds[one, 0]
        bounds[one + 1, 1] = bounds[one + 1, 0]


_SHARD_TEXTS = 20_000  # joining fewer takes less time than sending them to a cluster


class IndexShard(NamedTuple):
    """The pairs of one shard of the index: left, right and similarity as bytes."""

    left: bytes
    right: bytes
    similarity: bytes


_KINDS = (np.int32, np.int32, np.float64)
Joined = tuple[np.ndarray, np.ndarray, np.ndarray]


def join(texts: Sequence[str], ngram_chars: int, threshold: float, border: int = 0, engine: Engine = LOCAL) -> Joined:
    """Return left and right of each pair, left < right, and its similarity, unordered.

    A border above 0 divides the texts; then only pairs across it are returned.
    """
    ready = prepare(texts, ngram_chars, threshold, border)
    shards = min(engine.workers(), len(texts) // _SHARD_TEXTS)
    return _in_shard(0, 1, ready) if shards < 2 else _gathered(engine.mapped(join_shard, range(shards), shards, ready))


def prepare(texts: Sequence[str], ngram_chars: int, threshold: float, border: int) -> tuple[Any, ...]:
    """Return the inputs of a join: the texts, their rarest n-grams, their order by size, the number of lists in the index."""
    coded = encode(texts)
    rarest_ngrams = rarest(coded, ngram_chars, threshold, border)
    order = np.flatnonzero(rarest_ngrams.shared).astype(np.int32)
    order = order[np.argsort(rarest_ngrams.sizes[order], kind="stable")]
    lists = 1 << max(int(rarest_ngrams.starts[-1]) >> 2, 1).bit_length()
    np.bitwise_and(rarest_ngrams.buckets, lists - 1, out=rarest_ngrams.buckets)
    longest = int(np.diff(coded.starts).max(initial=0))
    return (*coded, hashing(coded.codes, ngram_chars), *rarest_ngrams, order, lists, threshold, border, longest)


def join_shard(shard: int, shards: int, ready: tuple[Any, ...]) -> IndexShard:
    """Return the pairs of one of several shards of the index. Each pair is in at least one shard, and may be in several."""
    return IndexShard(*(column.tobytes() for column in _in_shard(shard, shards, ready)))


def _in_shard(shard: int, shards: int, ready: tuple[Any, ...]) -> Joined:
    *texts, order, lists, threshold, border, longest = ready
    needed, bounds, index, last_compared = index_of(texts, lists, threshold, border, shard, shards)
    *columns, pair_count = _join(*texts, order, threshold, border, longest, needed, bounds, index, last_compared, shard, shards)
    left, right, similarity = (column[:pair_count].copy() for column in columns)
    return left, right, similarity


def index_of(texts: Sequence[Any], lists: int, threshold: float, border: int, shard: int, shards: int) -> tuple[np.ndarray, ...]:
    """Allocate the index. numpy, unlike numba, requests large pages from the system, which make scattered reads faster."""
    _, _, _, sizes, shared, buckets, begins, *_ = texts
    needed = least_shared(sizes, threshold)
    bounds = np.zeros(((1 if border == 0 else 2) * lists + 1, 2), np.int64)
    lay_out(buckets, begins, sizes, shared, needed, border, shard, shards, bounds)
    return needed, bounds, np.empty(bounds[-1, 0], POSTING), np.full(len(sizes), -1, np.int32)


def _gathered(shards: Iterable[IndexShard]) -> Joined:
    """Return the pairs of all shards, each once."""
    columns = zip(*shards, strict=True)
    left, right, similarity = (np.frombuffer(b"".join(column), kind) for column, kind in zip(columns, _KINDS, strict=True))
    _, once = np.unique(left.astype(np.int64) << 32 | right, return_index=True)
    return left[once], right[once], similarity[once]


@njit(forceinline=True)
def _doubled(values):
    """Return an array of twice the size. In a loop: for a slice assignment numba compiles four seconds of checks and messages."""
    wider = np.empty(2 * len(values), values.dtype)
    for i in range(len(values)):
        wider[i] = values[i]
    return wider


@njit(forceinline=True)
def fill(codes, start, how, every, grams, slots, base, mask):
    """Insert the n-grams of a text into a hash table."""
    for i in range(grams):
        slots[find(codes, start, how, every, slots, base, mask, start + i, every[i])] = base + i


@njit(forceinline=True)
def overlap(codes, start, how, every, slots, base, mask, other, others, grams, stamps, stamp, needed):
    """Return how many distinct n-grams of another text are in a text's hash table, or 0 once `needed` is out of reach."""
    both, spare = 0, grams - needed
    for i in range(grams):
        slot = find(codes, start, how, every, slots, base, mask, other + i, others[i])
        if slots[slot] >= base and stamps[slot] != stamp:
            stamps[slot] = stamp
            both += 1
        else:
            spare -= 1
            if spare < 0:
                return 0
    return both


@cached_njit
def _join(
    codes,
    starts,
    how,
    sizes,
    shared,
    buckets,
    begins,
    signatures,
    wide,
    wides,
    order,
    threshold,
    border,
    longest,
    needed,
    bounds,
    index,
    last_compared,
    shard,
    shards,
):
    """Return all pairs at or above the threshold. `order` is by size, so each text is compared only with texts of at most its own size.

    With several shards, only pairs that share an n-gram whose list is in this shard.
    """
    totals = largest_totals(needed)
    sides = 1 if border == 0 else 2
    slots, base = np.full(table_size(longest), -1, np.int64), 0
    stamps, stamp, (every, others) = np.zeros(table_size(longest), np.int64), 0, np.empty((2, longest), np.uint64)
    left, right, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    heads = np.empty((longest + 1, 4), np.int64)
    pair_count = 0
    for x in order:
        size, shared_count, mask, signature, live = sizes[x], shared[x], 0, folded(signatures, x), 0
        for i in range(begins[x + 1] - begins[x]):  # in three loops, so that the processor waits for many lists at a time
            one = sides * buckets[begins[x] + i] + (sides - 1 if x >= border else 0)
            heads[live, 0], heads[live, 1], heads[live, 2], heads[live, 3] = (
                one,
                bounds[one, 0],
                bounds[one, 1],
                totals[shared_count - i] - size,
            )
            live += bounds[one, 0] < bounds[one, 1]
        for i in range(live):
            first, last = heads[i, 1], heads[i, 2]
            while first < last and index[first].largest < size:
                first += 1  # no partner of a text of this size or larger, so of none that follow
            heads[i, 1] = first
        for i in range(live):
            one, first, last, largest = heads[i, 0], heads[i, 1], heads[i, 2], heads[i, 3]
            bounds[one, 0] = first
            for k in range(first, last):
                if index[k].largest < size:
                    continue
                if index[k].size > largest:
                    break  # too long for the rest of this text, as are all that follow
                both_needed = needed[size + index[k].size]
                apart = size + index[k].size - 2 * both_needed  # maximum number of n-grams in only one of the two
                if bit_count(signature ^ index[k].signature) > apart:
                    continue
                y = index[k].text
                if last_compared[y] == x:
                    continue
                last_compared[y] = x
                if differing_bits(signatures, x, y) > apart or differing_bits_wide(wide, wides, x, y) > apart:
                    continue
                if mask == 0:
                    mask = table_size(starts[x + 1] - starts[x]) - 1
                    base += longest
                    fill(codes, starts[x], how, every, hash_all(codes, starts[x], starts[x + 1], how, every), slots, base, mask)
                stamp += 1
                count = hash_all(codes, starts[y], starts[y + 1], how, others)
                both = overlap(codes, starts[x], how, every, slots, base, mask, starts[y], others, count, stamps, stamp, both_needed)
                value = both / (size + sizes[y] - both)
                if both > 0 and value >= threshold:
                    if pair_count == len(left):
                        left, right, similarity = _doubled(left), _doubled(right), _doubled(similarity)
                    left[pair_count], right[pair_count], similarity[pair_count] = min(x, y), max(x, y), value
                    pair_count += 1
        for i in range(indexed(shared_count, size, needed)):
            if shards > 1 and buckets[begins[x] + i] % shards != shard:
                continue
            one = sides * buckets[begins[x] + i] + (x < border)
            tail = bounds[one, 1]
            posting = index[tail]
            posting.text, posting.size, posting.largest, posting.signature = x, size, totals[shared_count - i] - size, signature
            bounds[one, 1] = tail + 1
    return left, right, similarity, pair_count
