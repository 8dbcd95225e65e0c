"""Connected components of texts by similar pairs, without comparing every pair: texts known to be connected are not compared again.

Almost all pairs of cases with one template are similar, so their number grows with the square of the cases.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from curation.near_duplicates.join.hashes import bit_count, cached_njit, differing_bits, differing_bits_wide, folded, hash_all, table_size
from curation.near_duplicates.join.join import fill, index_of, indexed, largest_totals, overlap, prepare


def components(texts: Sequence[str], ngram_chars: int, threshold: float) -> np.ndarray:
    """Return for each text the smallest index in its connected component, by pairs at or above the threshold."""
    *ready, order, lists, threshold, _, longest = prepare(texts, ngram_chars, threshold, 0)
    needed, bounds, index, last_compared = index_of(ready, lists, threshold, 0, 0, 1)
    roots = np.arange(len(texts), dtype=np.int32)
    _connect(*ready, order, threshold, longest, needed, bounds, index, last_compared, np.arange(1, len(index) + 1, dtype=np.int32), roots)
    return roots


@njit(forceinline=True)
def _root(roots, one):
    while roots[one] != one:
        roots[one] = roots[roots[one]]
        one = roots[one]
    return one


@cached_njit
def _connect(
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
    longest,
    needed,
    bounds,
    index,
    last_compared,
    behind,
    roots,
):
    """Write into `roots` the smallest text of each text's set. The loops are those of `_join`.

    `behind` links each posting to the next one not known to be of the same set: a text is similar to all or none of those in between,
    unless it has yet to be compared with them.
    """
    totals = largest_totals(needed)
    slots, base = np.full(table_size(longest), -1, np.int64), 0
    stamps, stamp, (every, others) = np.zeros(table_size(longest), np.int64), 0, np.empty((2, longest), np.uint64)
    for x in order:
        size, shared_count, mask, signature = sizes[x], shared[x], 0, folded(signatures, x)
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
                    if index[k].size > largest:
                        k = end = last  # too long for the rest of this text, as are all that follow
                    elif index[k].largest >= size and last_compared[y] != x:
                        both_needed = needed[size + index[k].size]
                        apart = size + index[k].size - 2 * both_needed
                        if bit_count(signature ^ index[k].signature) <= apart:
                            last_compared[y] = x
                            if differing_bits(signatures, x, y) <= apart and differing_bits_wide(wide, wides, x, y) <= apart:
                                if mask == 0:
                                    mask = table_size(starts[x + 1] - starts[x]) - 1
                                    base += longest
                                    fill(
                                        codes,
                                        starts[x],
                                        how,
                                        every,
                                        hash_all(codes, starts[x], starts[x + 1], how, every),
                                        slots,
                                        base,
                                        mask,
                                    )
                                stamp += 1
                                count = hash_all(codes, starts[y], starts[y + 1], how, others)
                                both = overlap(
                                    codes, starts[x], how, every, slots, base, mask, starts[y], others, count, stamps, stamp, both_needed
                                )
                                if both > 0 and both / (size + sizes[y] - both) >= threshold:
                                    roots[max(own, root)] = min(own, root)
                                    own = root
                    k += 1
                k = max(k, end)
        for i in range(indexed(shared_count, size, needed)):
            one = buckets[begins[x] + i]
            tail = bounds[one, 1]
            posting = index[tail]
            posting.text, posting.size, posting.largest, posting.signature = x, size, totals[shared_count - i] - size, signature
            bounds[one, 1] = tail + 1
    for x in range(len(roots)):
        roots[x] = _root(roots, x)
