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
def _needed(size, other_size, threshold):
    """Return the least number of shared tokens that two sets of these sizes need."""
    return _at_least(threshold / (1 + threshold) * (size + other_size))


@njit
def _indexed(kept, size, threshold):
    """Return how many of its rarest tokens a text shows in the index, so that every partner of its size or larger meets it."""
    return max(kept - max(_needed(size, size, threshold), 1) + 1, 0)


@njit
def _index_places(tokens, starts, sizes, kinds, threshold):
    """Return where each token's list begins in the index."""
    places = np.zeros(kinds + 1, np.int64)
    for text in range(len(sizes)):
        for i in range(_indexed(starts[text + 1] - starts[text], sizes[text], threshold)):
            places[tokens[starts[text] + i] + 1] += 1
    for token in range(kinds):
        places[token + 1] += places[token]
    return places


@njit
def _meet(x, tokens, starts, sizes, threshold, begins, ends, index_text, index_place, shared, met):
    """Look a text's rarest tokens up; leave in `met` whom it meets, in `shared` the tokens seen in both, -1 where too few can follow."""
    kept = starts[x + 1] - starts[x]
    smallest = _at_least(threshold * sizes[x])
    meetings = 0
    for i in range(kept - max(smallest, 1) + 1):
        token = tokens[starts[x] + i]
        while begins[token] < ends[token] and sizes[index_text[begins[token]]] < smallest:
            begins[token] += 1  # too short for this text, so for all that follow
        for k in range(begins[token], ends[token]):
            y = index_text[k]
            if shared[y] == 0:
                met[meetings] = y
                meetings += 1
            if shared[y] >= 0:
                rest = min(kept - i, starts[y + 1] - starts[y] - index_place[k])
                reachable = shared[y] + rest >= _needed(sizes[x], sizes[y], threshold)
                shared[y] = shared[y] + 1 if reachable else -1
    return meetings


@njit
def _overlap(tokens, starts, x, y, needed):
    """Return how many tokens two sorted texts share, or 0 once `needed` is out of reach."""
    a, a_end, b, b_end = starts[x], starts[x + 1], starts[y], starts[y + 1]
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
    begins = _index_places(tokens, starts, sizes, kinds, threshold)
    ends = begins[:-1].copy()
    index_text, index_place = np.empty(begins[-1], np.int32), np.empty(begins[-1], np.int32)
    shared, met = np.zeros(len(sizes), np.int32), np.empty(len(sizes), np.int32)
    left, right, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    found = 0
    for x in order:
        meetings = _meet(x, tokens, starts, sizes, threshold, begins, ends, index_text, index_place, shared, met)
        for y in met[:meetings]:
            both = _overlap(tokens, starts, x, y, _needed(sizes[x], sizes[y], threshold)) if shared[y] > 0 else 0
            shared[y] = 0
            value = both / (sizes[x] + sizes[y] - both)
            if both > 0 and value >= threshold:
                if found == len(left):
                    left, right, similarity = _doubled(left), _doubled(right), _doubled(similarity)
                left[found], right[found], similarity[found] = min(x, y), max(x, y), value
                found += 1
        for i in range(_indexed(starts[x + 1] - starts[x], sizes[x], threshold)):
            token = tokens[starts[x] + i]
            index_text[ends[token]], index_place[ends[token]] = x, i
            ends[token] += 1
    return left[:found].copy(), right[:found].copy(), similarity[:found].copy()
