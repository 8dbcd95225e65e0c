"""All pairs of texts whose character n-gram sets have at least a given Jaccard similarity, and the components that they connect.

Prefix, length and positional filters (Chaudhuri et al. 2006, Xiao et al. 2008) come first, then counting: hashes only filter, so the
result is exact. numba compiles the loops and recompiles only changed files, so all of them are in this file. Import it late.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit
from numba.core.caching import UserWideCacheLocator

from curation.engine.engines import LOCAL, Engine


class SimilarPairs(NamedTuple):
    """Pairs of indexes, sorted by (left, right): within one list of texts, where left < right, or between two lists."""

    left: np.ndarray
    right: np.ndarray
    similarity: np.ndarray


def near_pairs(texts: Sequence[str], ngram_chars: int, threshold: float, engine: Engine = LOCAL, border: int = 0) -> SimilarPairs:
    """Return every pair of texts with `jaccard(ngrams(a), ngrams(b)) >= threshold`. A text without n-grams has no pair.

    Equal texts are also pairs: k copies of a text give k * (k - 1) / 2 pairs, so pass each text once. A border above 0 divides the texts;
    then only pairs across it are returned.

    Raises:
        ValueError: the threshold is not above 0 and at most 1, or n is less than 1.
    """
    if not 0 < threshold <= 1 or ngram_chars < 1:
        raise ValueError(
            f"found threshold {threshold} and {ngram_chars} n-gram characters; expected a threshold above 0 and at most 1, and "
            "at least 1 character"
        )
    left, right, similarity = _joined(texts, ngram_chars, float(threshold), border, engine)
    rows = np.lexsort((right, left))
    return SimilarPairs(left[rows], right[rows], similarity[rows])


def near_pairs_between(left_texts: Sequence[str], right_texts: Sequence[str], ngram_chars: int, threshold: float) -> SimilarPairs:
    """Return every pair of a left and a right text, by the rule of `near_pairs`; `right` contains indexes into `right_texts`."""
    texts = [*left_texts, *right_texts] if left_texts else []
    left, right, similarity = near_pairs(texts, ngram_chars, threshold, border=len(left_texts))
    return SimilarPairs(left, right - np.int32(len(left_texts)), similarity)


def components(texts: Sequence[str], ngram_chars: int, threshold: float) -> np.ndarray:
    """Return for each text the smallest index in its connected component; texts are connected by pairs at or above the threshold.

    Almost all pairs of cases with the same template are similar, so their number grows quadratically: texts already known to be connected
    are not compared again.
    """
    ready = _prepared(texts, ngram_chars, threshold, 0)
    needed, bounds, index, last_compared = _index_of(ready, 0, 1)
    roots = np.arange(len(texts), dtype=np.int32)
    _connect(ready, needed, bounds, index, last_compared, np.arange(1, len(index) + 1, dtype=np.int32), roots)
    return roots


class ClonesCache(UserWideCacheLocator):
    """Cache folder shared by all clones with the same source: compiling takes seven seconds, and numba alone would cache per clone."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the name of the cache folder."""
        return f"atomexam_{sha256(Path(py_file).read_bytes()).hexdigest()}"


_LOCATORS = f"UserProvidedCacheLocator,{__name__}.ClonesCache,InTreeCacheLocator"


def _cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled on its first call and, if the folder is writable, never again for the same source."""
    config: Any = numba.config
    own = config.CACHE_LOCATOR_CLASSES  # set by the process, which may also compile loops of other packages
    config.CACHE_LOCATOR_CLASSES = own or _LOCATORS
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # neither the user's cache nor the sources' folder can be written
        return njit(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = own


_BASE = np.uint64(0xD1342543DE82EF95)  # an odd multiplier with good spectral properties, from Steele and Vigna 2021
_BITS = {2: 16, 4: 21}  # bits of a code point, by its size in bytes
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Knuth, The Art of Computer Programming 3, section 6.4


class Hashing(NamedTuple):
    """How n-grams are hashed: as numbers in a positional numeral system."""

    ngram_chars: int
    base: np.uint64
    exact: bool
    """The number consists of the code points themselves, so equal numbers are equal n-grams."""


class PreparedTexts(NamedTuple):
    """The input of a join."""

    codes: np.ndarray
    """Code points of all texts, in two bytes each if all fit."""
    starts: np.ndarray
    """Start of each text in `codes`, followed by the end of the last text."""
    how: Hashing
    sizes: np.ndarray
    """Number of distinct n-grams of each text."""
    shared: np.ndarray
    """How many of these n-grams may occur in another text; 0 if they are too few for any pair."""
    buckets: np.ndarray
    """Buckets of the rarest of these n-grams, text by text, rarest first; the end of the array may be unused. A hash collision costs a
    needless comparison
    but never loses a pair."""
    begins: np.ndarray
    """Start of each text in `buckets`, followed by the end of the last text."""
    signatures: np.ndarray
    """Signatures as machine words: each n-gram of a text flips one of 256 bits, or of a larger power of 2 if the text has more n-grams."""
    marks: np.ndarray
    """Start of each text in `signatures`, followed by the end of the last text."""
    order: np.ndarray
    """The texts that may be in a pair, sorted by size."""
    lists: int
    """Number of lists in the index."""
    threshold: float
    border: int
    longest: int
    """Number of characters of the longest text."""


_BATCH = 4096
_MIN_BUCKETS, _MAX_BUCKETS = 1 << 12, 1 << 26
_FULL = 65_535  # buckets with a higher count are all treated as equally common
_SLACK = 1e-6  # bounds are lowered by more than the floating-point error
_BUCKET_BITS = 32
_BUCKET = (1 << _BUCKET_BITS) - 1
_ONE, _LAST_BIT, _QUARTER, _HALF, _LEAST_WORDS = np.uint64(1), np.uint64(63), np.uint64(16), np.uint64(32), 4


def _encoded(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the code points of texts and the start of each text; lone surrogates count as code points."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))])
    codes = np.empty(starts[-1], np.uint16)
    for first in range(0, len(texts), _BATCH):
        part = np.frombuffer("".join(texts[first : first + _BATCH]).encode("utf-32-le", "surrogatepass"), np.uint32)
        if codes.dtype == np.uint16 and len(part) and part.max() > np.iinfo(np.uint16).max:
            codes = codes.astype(np.uint32)
        codes[starts[first] : starts[first] + len(part)] = part
    return codes, starts


def _prepared(texts: Sequence[str], ngram_chars: int, threshold: float, border: int) -> PreparedTexts:
    """Return the rarest n-grams of each text, one of which any partner must share: the prefix filter."""
    codes, starts = _encoded(texts)
    bits = _BITS[codes.dtype.itemsize]
    exact = bits * ngram_chars <= 64
    how = Hashing(ngram_chars, np.uint64(1 << bits) if exact else _BASE, exact)
    lengths = np.maximum(np.diff(starts) - (ngram_chars - 1), 0)
    bucket_bits = int(min(max(lengths.sum() // 8, _MIN_BUCKETS), _MAX_BUCKETS)).bit_length()
    parts = [(0, len(lengths))] if border == 0 else [(0, border), (border, len(lengths))]
    counts = np.zeros((len(parts), 1 << bucket_bits), np.uint16)
    shift, most = np.uint64(64 - bucket_bits), int(lengths.max(initial=0))
    for side, (first, last) in enumerate(parts):
        _count(codes, starts, first, last, how, counts[side], shift, most)
    room = int((lengths - np.ceil(threshold * lengths - _SLACK).astype(np.int64) + 1).sum())
    words = np.int64(1) << np.ceil(np.log2((lengths / 64).clip(_LEAST_WORDS))).astype(np.int64)
    marks = np.concatenate([np.zeros(1, np.int64), np.cumsum(words)])
    signatures = np.zeros(marks[-1], np.uint64)
    sizes, shared, buckets, begins = _rarest(codes, starts, how, threshold, border, counts, shift, most, room, signatures, marks)
    order = np.flatnonzero(shared).astype(np.int32)
    order = order[np.argsort(sizes[order], kind="stable")]
    lists = 1 << max(int(begins[-1]) >> 2, 1).bit_length()
    np.bitwise_and(buckets, lists - 1, out=buckets)
    longest = int(np.diff(starts).max(initial=0))
    return PreparedTexts(codes, starts, how, sizes, shared, buckets, begins, signatures, marks, order, lists, threshold, border, longest)


@njit(forceinline=True)
def _hash_all(codes, start, end, how, hashes):
    """Write the hash of each n-gram of a text; return the number of n-grams."""
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
def _same_gram(codes, a, b, ngram_chars):
    i = 0
    while i < ngram_chars and codes[a + i] == codes[b + i]:
        i += 1
    return i == ngram_chars


@njit(forceinline=True)
def _find(codes, start, how, hashes, slots, base, mask, at, hashed):
    """Return the slot for the n-gram at a position in a text's hash table.

    An occupied slot contains `base` plus the n-gram's number in the text; smaller values are left over from other texts, so nothing has to
    be cleared.
    """
    slot = np.int64((hashed * _MULTIPLIER) >> np.uint64(32)) & mask
    while slots[slot] >= base and (
        hashes[slots[slot] - base] != hashed or not (how.exact or _same_gram(codes, start + slots[slot] - base, at, how.ngram_chars))
    ):
        slot = (slot + 1) & mask
    return slot


@njit(forceinline=True)
def _table_size(grams):
    size = 16
    while size < 4 * grams:
        size *= 2
    return size


@njit(forceinline=True)
def _bit_count(word):
    """Return the number of bits set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(forceinline=True)
def _folded(signatures, first, last, step):
    """Return the exclusive or of every n-th word of a signature."""
    word = signatures[first]
    for i in range(first + step, last, step):
        word ^= signatures[i]
    return word


@njit(forceinline=True)
def _differing_bits(signatures, marks, x, y):
    """Return the number of bits in which two signatures differ, after folding the wider one to the width of the other."""
    if marks[x + 1] - marks[x] > marks[y + 1] - marks[y]:
        x, y = y, x
    words, differing, first = marks[x + 1] - marks[x], 0, marks[y]
    if marks[y + 1] - first == words:
        for i in range(words):
            differing += _bit_count(signatures[marks[x] + i] ^ signatures[first + i])
        return differing
    for i in range(words):
        differing += _bit_count(signatures[marks[x] + i] ^ _folded(signatures, marks[y] + i, marks[y + 1], words))
    return differing


@njit(forceinline=True)
def _at_least(bound):
    return max(np.int64(np.ceil(bound - _SLACK)), 1)


@_cached
def _count(codes, starts, first, last, how, bucket_counts, shift, longest):
    """Count the n-grams of texts in buckets."""
    hashes = np.empty(longest, np.uint64)
    for text in range(first, last):
        for i in range(_hash_all(codes, starts[text], starts[text + 1], how, hashes)):
            bucket = (hashes[i] * _MULTIPLIER) >> shift
            count = bucket_counts[bucket]
            bucket_counts[bucket] = count + np.uint16(count < _FULL)


_FEW = 48


@njit(forceinline=True)
def _least(keys, count, wanted):
    """Move the smallest keys to the front in sorted order: for a short prefix, insertion is faster than sorting everything."""
    if wanted > _FEW:
        keys[:count].sort()
        return
    for i in range(1, count):
        key, j = keys[i], min(i, wanted)
        if j == wanted:
            if key >= keys[wanted - 1]:
                continue
            j -= 1
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@_cached
def _rarest(codes, starts, how, threshold, border, bucket_counts, shift, longest, room, signatures, marks):
    texts = len(starts) - 1
    sizes, shared = np.zeros(texts, np.int32), np.zeros(texts, np.int32)
    buckets, begins = np.empty(room, np.int32), np.zeros(texts + 1, np.int64)
    slots, base = np.full(_table_size(longest), -1, np.int64), 0
    every, (keys, sort_keys) = np.empty(longest, np.uint64), np.empty((2, longest), np.int64)
    for text in range(texts):
        start = starts[text]
        grams = _hash_all(codes, start, starts[text + 1], how, every)
        own, other, least = (0, 0, 2) if border == 0 else (0, 1, 1) if text < border else (1, 0, 1)
        for i in range(grams):  # a separate loop, so that memory reads overlap
            bucket = (every[i] * _MULTIPLIER) >> shift
            count = bucket_counts[other, bucket]
            both = np.int64(count) + np.int64(bucket_counts[own, bucket])
            sort_keys[i] = -1 if count < least else both << _BUCKET_BITS | np.int64(bucket)
        mask = _table_size(grams) - 1
        distinct = key_count = 0
        for i in range(grams):
            slot = _find(codes, start, how, every, slots, base, mask, start + i, every[i])
            if slots[slot] < base:
                slots[slot] = base + i
                distinct += 1
                mixed = every[i] * _MULTIPLIER
                word = marks[text] + (np.int64(mixed >> _HALF) & (marks[text + 1] - marks[text] - 1))
                signatures[word] ^= _ONE << ((mixed >> _QUARTER) & _LAST_BIT)
                keys[key_count] = sort_keys[i]
                key_count += sort_keys[i] >= 0
        base += grams
        sizes[text] = distinct
        look = key_count - _at_least(threshold * distinct) + 1
        if look > 0 and grams > 0:
            shared[text] = key_count
            _least(keys, key_count, look)
            for i in range(look):
                buckets[begins[text] + i] = keys[i] & _BUCKET
        begins[text + 1] = begins[text] + (look if shared[text] else 0)
    return sizes, shared, buckets, begins


POSTING = np.dtype([("text", np.int32), ("size", np.int32), ("largest", np.int32), ("signature", np.uint64)], align=True)
"""A text in a list: its number, size, the largest size of its partners in the list, and its signature as one word."""


@_cached
def least_shared(sizes, threshold):
    """Return the smallest number of n-grams that two texts must share, indexed by the sum of their sizes."""
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    needed = np.empty(2 * largest + 1, np.int32)
    for total in range(len(needed)):
        needed[total] = _at_least(threshold / (1 + threshold) * total)
    return needed


@njit(forceinline=True)
def _largest_totals(needed):
    """Return, indexed by the number of shared n-grams, the largest sum of sizes for which two texts need no more than that."""
    totals = np.zeros(max(needed[-1], len(needed) // 2) + 1, np.int32)  # all n-grams of a text may be indexed
    for total in range(len(needed)):
        totals[needed[total]] = total
    for most in range(1, len(totals)):
        totals[most] = max(totals[most], totals[most - 1])
    return totals


@njit(forceinline=True)
def _indexed(shared, size, needed):
    """Return how many of a text's rarest n-grams to index so that every partner at least as large shares one of them."""
    return max(shared - needed[2 * size] + 1, 0)


@_cached
def _lay_out(buckets, begins, sizes, shared, needed, border, shard, shards, bounds):
    """Write twice where each list of the index begins; with a border, the list of texts after it precedes the list of texts before it."""
    sides = 1 if border == 0 else 2
    for text in range(len(sizes)):
        if shared[text]:
            for i in range(_indexed(shared[text], sizes[text], needed)):
                if shards == 1 or buckets[begins[text] + i] % shards == shard:
                    bounds[sides * buckets[begins[text] + i] + (text < border) + 1, 0] += 1
    for one in range(len(bounds) - 1):
        bounds[one + 1, 0] += bounds[one, 0]
        bounds[one + 1, 1] = bounds[one + 1, 0]


_SHARD_TEXTS = 20_000  # joining fewer texts takes less time than sending them to a cluster


class IndexShard(NamedTuple):
    """The pairs of one shard of the index: left, right and similarity as bytes."""

    left: bytes
    right: bytes
    similarity: bytes


_KINDS = (np.int32, np.int32, np.float64)
Joined = tuple[np.ndarray, np.ndarray, np.ndarray]


def _joined(texts: Sequence[str], ngram_chars: int, threshold: float, border: int, engine: Engine) -> Joined:
    ready = _prepared(texts, ngram_chars, threshold, border)
    shards = min(engine.workers(), len(texts) // _SHARD_TEXTS)
    return _in_shard(0, 1, ready) if shards < 2 else _gathered(engine.mapped(join_shard, range(shards), shards, ready))


def join_shard(shard: int, shards: int, ready: PreparedTexts) -> IndexShard:
    """Return the pairs of one of several shards of the index. Each pair is in at least one shard, and may be in several."""
    return IndexShard(*(column.tobytes() for column in _in_shard(shard, shards, ready)))


def _in_shard(shard: int, shards: int, ready: PreparedTexts) -> Joined:
    *columns, pair_count = _join(ready, *_index_of(ready, shard, shards), shard, shards)
    left, right, similarity = (column[:pair_count].copy() for column in columns)
    return left, right, similarity


def _index_of(ready: PreparedTexts, shard: int, shards: int) -> tuple[np.ndarray, ...]:
    """Allocate the index. numpy, unlike numba, requests large pages from the system, which make scattered reads faster."""
    needed = least_shared(ready.sizes, ready.threshold)
    bounds = np.zeros(((1 if ready.border == 0 else 2) * ready.lists + 1, 2), np.int64)
    _lay_out(ready.buckets, ready.begins, ready.sizes, ready.shared, needed, ready.border, shard, shards, bounds)
    return needed, bounds, np.empty(bounds[-1, 0], POSTING), np.full(len(ready.sizes), -1, np.int32)


def _gathered(shards: Iterable[IndexShard]) -> Joined:
    """Return the pairs of all shards, each once."""
    columns = zip(*shards, strict=True)
    left, right, similarity = (np.frombuffer(b"".join(column), kind) for column, kind in zip(columns, _KINDS, strict=True))
    _, once = np.unique(left.astype(np.int64) << 32 | right, return_index=True)
    return left[once], right[once], similarity[once]


@njit(forceinline=True)
def _doubled(values):
    """Return an array of twice the size. It copies in a loop, because numba takes four seconds to compile a slice assignment."""
    wider = np.empty(2 * len(values), values.dtype)
    for i in range(len(values)):
        wider[i] = values[i]
    return wider


@njit(forceinline=True)
def _fill(codes, start, how, every, grams, slots, base, mask):
    """Insert the n-grams of a text into a hash table."""
    for i in range(grams):
        slots[_find(codes, start, how, every, slots, base, mask, start + i, every[i])] = base + i


@njit(forceinline=True)
def _overlap(codes, start, how, every, slots, base, mask, other, others, grams, stamps, stamp, needed):
    """Return how many distinct n-grams of another text are in a text's hash table, or 0 once `needed` is out of reach."""
    both, spare = 0, grams - needed
    for i in range(grams):
        slot = _find(codes, start, how, every, slots, base, mask, other + i, others[i])
        if slots[slot] >= base and stamps[slot] != stamp:
            stamps[slot] = stamp
            both += 1
        else:
            spare -= 1
            if spare < 0:
                return 0
    return both


@_cached
def _join(texts, needed, bounds, index, last_compared, shard, shards):
    """Return all pairs at or above the threshold. `order` is by size, so each text is compared only with texts no larger than itself.

    If there are several shards, return only pairs that share an n-gram whose list is in this shard.
    """
    codes, starts, how, sizes, shared, buckets, begins, signatures, marks, order, _, threshold, border, longest = texts
    totals = _largest_totals(needed)
    sides = 1 if border == 0 else 2
    slots, base = np.full(_table_size(longest), -1, np.int64), 0
    stamps, stamp, (every, others) = np.zeros(_table_size(longest), np.int64), 0, np.empty((2, longest), np.uint64)
    left, right, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    heads = np.empty((longest + 1, 4), np.int64)
    pair_count = 0
    for x in order:
        size, shared_count, mask, live, signature = sizes[x], shared[x], 0, 0, _folded(signatures, marks[x], marks[x + 1], 1)
        for i in range(begins[x + 1] - begins[x]):  # in three loops, so that the reads of many lists overlap
            one = sides * buckets[begins[x] + i] + (sides - 1 if x >= border else 0)
            heads[live, 0], heads[live, 1], heads[live, 2] = one, bounds[one, 0], bounds[one, 1]
            heads[live, 3] = totals[shared_count - i] - size
            live += bounds[one, 0] < bounds[one, 1]
        for i in range(live):
            first, last = heads[i, 1], heads[i, 2]
            while first < last and index[first].largest < size:
                first += 1  # too small for a text of this size or larger, so for all that follow
            heads[i, 1] = first
        for i in range(live):
            one, first, last, largest = heads[i, 0], heads[i, 1], heads[i, 2], heads[i, 3]
            bounds[one, 0] = first
            for k in range(first, last):
                if index[k].largest < size:
                    continue
                if index[k].size > largest:
                    break  # too long for the rest of this text, like all that follow
                both_needed = needed[size + index[k].size]
                apart = size + index[k].size - 2 * both_needed  # maximum number of n-grams in only one of the two
                y = index[k].text
                if _bit_count(signature ^ index[k].signature) > apart or last_compared[y] == x:
                    continue
                last_compared[y] = x
                if _differing_bits(signatures, marks, x, y) > apart:
                    continue
                if mask == 0:
                    mask = _table_size(starts[x + 1] - starts[x]) - 1
                    base += longest
                    _fill(codes, starts[x], how, every, _hash_all(codes, starts[x], starts[x + 1], how, every), slots, base, mask)
                stamp += 1
                count = _hash_all(codes, starts[y], starts[y + 1], how, others)
                both = _overlap(codes, starts[x], how, every, slots, base, mask, starts[y], others, count, stamps, stamp, both_needed)
                value = both / (size + sizes[y] - both)
                if both > 0 and value >= threshold:
                    if pair_count == len(left):
                        left, right, similarity = _doubled(left), _doubled(right), _doubled(similarity)
                    left[pair_count], right[pair_count], similarity[pair_count] = min(x, y), max(x, y), value
                    pair_count += 1
        for i in range(_indexed(shared_count, size, needed)):
            if shards > 1 and buckets[begins[x] + i] % shards != shard:
                continue
            one = sides * buckets[begins[x] + i] + (x < border)
            _post(index, bounds, one, x, size, totals[shared_count - i] - size, signature)
    return left, right, similarity, pair_count


@njit(forceinline=True)
def _post(index, bounds, one, text, size, largest, signature):
    """Add a text to a list of the index."""
    posting = index[bounds[one, 1]]
    posting.text, posting.size, posting.largest, posting.signature = text, size, largest, signature
    bounds[one, 1] += 1


@njit(forceinline=True)
def _root(roots, one):
    while roots[one] != one:
        roots[one] = roots[roots[one]]
        one = roots[one]
    return one


@_cached
def _connect(texts, needed, bounds, index, last_compared, behind, roots):
    """Write the smallest text in each text's set into `roots`. The loops are the same as in `_join`.

    `behind` links each posting to the next one not known to be in the same set: a text is similar to either all or none of those in
    between, unless it has not yet been compared with them.
    """
    codes, starts, how, sizes, shared, buckets, begins, signatures, marks, order, _, threshold, _, longest = texts
    totals = _largest_totals(needed)
    slots, base = np.full(_table_size(longest), -1, np.int64), 0
    stamps, stamp, (every, others) = np.zeros(_table_size(longest), np.int64), 0, np.empty((2, longest), np.uint64)
    for x in order:
        size, shared_count, mask, signature = sizes[x], shared[x], 0, _folded(signatures, marks[x], marks[x + 1], 1)
        for i in range(begins[x + 1] - begins[x]):
            one, largest = buckets[begins[x] + i], totals[shared_count - i] - size
            first, last = bounds[one, 0], bounds[one, 1]
            while first < last and index[first].largest < size and behind[first] == first + 1:
                first += 1
            bounds[one, 0] = first
            k = first
            while k < last:
                own = _root(roots, x)
                root = _root(roots, index[k].text)
                while behind[k] < last and _root(roots, index[behind[k]].text) == root:
                    behind[k] = behind[behind[k]]
                end = min(behind[k], last)
                while k < end and root != own:
                    y = index[k].text
                    both_needed = needed[size + index[k].size]
                    apart = size + index[k].size - 2 * both_needed
                    if index[k].size > largest:
                        k = end = last  # too long for the rest of this text, like all that follow
                    elif index[k].largest >= size and last_compared[y] != x and _bit_count(signature ^ index[k].signature) <= apart:
                        last_compared[y] = x
                        if _differing_bits(signatures, marks, x, y) <= apart:
                            if mask == 0:
                                mask = _table_size(starts[x + 1] - starts[x]) - 1
                                base += longest
                                grams = _hash_all(codes, starts[x], starts[x + 1], how, every)
                                _fill(codes, starts[x], how, every, grams, slots, base, mask)
                            stamp += 1
                            count = _hash_all(codes, starts[y], starts[y + 1], how, others)
                            at, of = starts[x], starts[y]
                            both = _overlap(codes, at, how, every, slots, base, mask, of, others, count, stamps, stamp, both_needed)
                            if both > 0 and both / (size + sizes[y] - both) >= threshold:
                                roots[max(own, root)] = min(own, root)
                                own = root
                    k += 1
                k = max(k, end)
        for i in range(_indexed(shared_count, size, needed)):
            _post(index, bounds, buckets[begins[x] + i], x, size, totals[shared_count - i] - size, signature)
    for x in range(len(roots)):
        roots[x] = _root(roots, x)
