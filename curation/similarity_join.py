"""All pairs of number sets with a Jaccard similarity of at least a threshold: prefix filter, length filter, positional filter, count.

After Chaudhuri et al. 2006 (prefix filter) and Xiao et al. 2008 (PPJoin). Compiled by numba and kept in its cache.
"""

import numpy as np
from numba import njit

from curation.similarity_tokens import Tokens

_SLACK = 1e-6  # bounds are lowered by more than a float can err; the division at the end is exact


def join(tokens: Tokens, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return left and right of each pair, left < right, and its similarity, in no order. Renumbers `tokens` in place."""
    sizes = np.diff(tokens.starts).astype(np.int32)
    starts, kinds = _rarest_first(*tokens)
    order = np.argsort(sizes, kind="stable").astype(np.int32)
    return _join(tokens.numbers, starts, sizes, order, kinds, threshold)


@njit
def _sorted_by_rank(tokens, starts, ranks, place):
    """Sort by distribution: texts under each rank, then, rank by rank, ranks under each text."""
    holders = np.empty(place[-1], np.int32)
    fill = place.copy()
    kept_starts = np.zeros(len(starts), np.int64)
    for text in range(len(starts) - 1):
        kept = 0
        for i in range(starts[text], starts[text + 1]):
            rank = ranks[tokens[i]]
            if rank >= 0:
                holders[fill[rank]] = text
                fill[rank] += 1
                kept += 1
        kept_starts[text + 1] = kept_starts[text] + kept
    ends = kept_starts.copy()
    for rank in range(len(place) - 1):
        for i in range(place[rank], place[rank + 1]):
            tokens[ends[holders[i]]] = rank
            ends[holders[i]] += 1
    return kept_starts


@njit("Tuple((int64[::1], int64))(int32[::1], int64[::1], int32[::1])", cache=True)
def _rarest_first(tokens, starts, frequency):
    """Renumber the tokens by rarity and sort each text by it, in place. Tokens of one text alone match nothing and go.

    Returns where each text now begins, and how many kinds of token are left.
    """
    by_frequency = np.zeros(len(starts) + 2, np.int64)
    for count in frequency:
        by_frequency[count + 1] += 1
    kinds = len(frequency) - by_frequency[2]
    by_frequency[2] = 0  # tokens of two texts are ranked from 0
    for count in range(3, len(by_frequency)):
        by_frequency[count] += by_frequency[count - 1]
    ranks = np.full(len(frequency), -1, np.int32)
    place = np.zeros(kinds + 1, np.int64)
    for token in range(len(frequency)):
        if frequency[token] > 1:
            rank = by_frequency[frequency[token]]
            by_frequency[frequency[token]] += 1
            ranks[token] = rank
            place[rank + 1] = frequency[token]
    for rank in range(kinds):
        place[rank + 1] += place[rank]
    return _sorted_by_rank(tokens, starts, ranks, place), kinds


@njit
def _at_least(bound):
    return np.int64(np.ceil(bound - _SLACK))


@njit
def _needed(sizes, threshold):
    """Return the least number of shared tokens that two sets need, by the sum of their sizes."""
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    needed = np.empty(2 * largest + 1, np.int32)
    for total in range(len(needed)):
        needed[total] = max(_at_least(threshold / (1 + threshold) * total), 1)
    return needed


@njit
def _indexed(kept, size, needed):
    """Return how many of its rarest tokens a text shows in the index, so that every partner of its size or larger meets it."""
    return max(kept - needed[2 * size] + 1, 0)


@njit
def _index_places(tokens, starts, sizes, kinds, needed):
    """Return where each token's list begins in the index."""
    places = np.zeros(kinds + 1, np.int64)
    for text in range(len(sizes)):
        for i in range(_indexed(starts[text + 1] - starts[text], sizes[text], needed)):
            places[tokens[starts[text] + i] + 1] += 1
    for token in range(kinds):
        places[token + 1] += places[token]
    return places


@njit
def _overlap(tokens, a, a_end, b, b_end, needed):
    """Return how many tokens two sorted runs share, or 0 once `needed` is out of reach."""
    both = 0
    while a < a_end and b < b_end:
        if both + min(a_end - a, b_end - b) < needed:
            return 0
        if tokens[a] == tokens[b]:
            both += 1
            a += 1
            b += 1
        elif tokens[a] < tokens[b]:
            a += 1
        else:
            b += 1
    return both


@njit
def _doubled(values):
    wider = np.empty(2 * len(values), values.dtype)
    wider[: len(values)] = values
    return wider


@njit("Tuple((int32[::1], int32[::1], float64[::1]))(int32[::1], int64[::1], int32[::1], int32[::1], int64, float64)", cache=True)
def _join(tokens, starts, sizes, order, kinds, threshold):
    """Return all pairs at or above the threshold. `order` goes by size, so that each text meets only partners of at most its own size."""
    needed = _needed(sizes, threshold)
    begins = _index_places(tokens, starts, sizes, kinds, needed)
    ends = begins[:-1].copy()
    index = np.empty((begins[-1], 3), np.int32)  # text, its size, how many of its tokens are left from this one on
    met = np.full(len(sizes), -1, np.int32)
    left, right, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    found = 0
    for x in order:
        size, start, end = sizes[x], starts[x], starts[x + 1]
        for i in range(start, end - max(_at_least(threshold * size), 1) + 1):
            token = tokens[i]
            while begins[token] < ends[token] and index[begins[token], 1] < threshold * size - _SLACK:
                begins[token] += 1  # too short for this text, so for all that follow
            for k in range(begins[token], ends[token]):
                y, rest, both_needed = index[k, 0], index[k, 2], needed[size + index[k, 1]]
                if both_needed > end - i:
                    break  # too long for what is left of this text, and so are all that follow
                if rest < both_needed or met[y] == x:
                    continue
                met[y] = x  # nothing before these places is shared, or they would have met there
                both = _overlap(tokens, i, end, starts[y + 1] - rest, starts[y + 1], both_needed)
                value = both / (size + sizes[y] - both)
                if both > 0 and value >= threshold:
                    if found == len(left):
                        left, right, similarity = _doubled(left), _doubled(right), _doubled(similarity)
                    left[found], right[found], similarity[found] = min(x, y), max(x, y), value
                    found += 1
        for i in range(start, start + _indexed(end - start, size, needed)):
            place = ends[tokens[i]]
            index[place, 0], index[place, 1], index[place, 2] = x, size, end - i
            ends[tokens[i]] += 1
    return left[:found].copy(), right[:found].copy(), similarity[:found].copy()
