"""Sizes and rarest n-grams of texts -> how many n-grams a pair must share, and the room of each list of the index. Compiled by numba."""

import numpy as np
from numba import njit

from curation.near_duplicates.join.compiled import kept
from curation.near_duplicates.join.tokens import at_least

POSTING = np.dtype([("text", np.int32), ("size", np.int32), ("largest", np.int32), ("mark", np.uint64)], align=True)
"""A text in a list: its number and size, the size of the largest text that it can be a partner of there, its mark, folded."""


@kept
def least_shared(sizes, threshold):
    """Return the least number of shared n-grams that two texts need, by the sum of their sizes."""
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    needed = np.empty(2 * largest + 1, np.int32)
    for total in range(len(needed)):
        needed[total] = at_least(threshold / (1 + threshold) * total)
    return needed


@njit(forceinline=True)
def largest_totals(needed):
    """Return the largest sum of the sizes of two texts that need so many shared n-grams at most, by that number."""
    totals = np.zeros(max(needed[-1], len(needed) // 2) + 1, np.int32)  # a text may show all its n-grams
    for total in range(len(needed)):
        totals[needed[total]] = total
    for most in range(1, len(totals)):
        totals[most] = max(totals[most], totals[most - 1])
    return totals


@njit(forceinline=True)
def indexed(shared, size, needed):
    """Return how many of its rarest n-grams a text shows in the index, so that every partner of its size or larger meets it."""
    return max(shared - needed[2 * size] + 1, 0)


@kept
def lay_out(buckets, begins, sizes, shared, needed, border, part, parts, places):
    """Write where each list of the index begins, twice; with a border, one for the texts after it, then one for those before."""
    sides = 1 if border == 0 else 2
    for text in range(len(sizes)):
        if shared[text]:
            for i in range(indexed(shared[text], sizes[text], needed)):
                if parts == 1 or buckets[begins[text] + i] % parts == part:
                    places[sides * buckets[begins[text] + i] + (text < border) + 1, 0] += 1
    for one in range(len(places) - 1):
        places[one + 1, 0] += places[one, 0]
        places[one + 1, 1] = places[one + 1, 0]
