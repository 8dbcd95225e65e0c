"""All pairs of texts whose character n-gram sets have at least a given Jaccard similarity, and no others.

The result is exact: hashes only filter, and every remaining pair is counted.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curation.engine.engines import LOCAL, Engine


class SimilarPairs(NamedTuple):
    """Pairs of indexes, sorted by (left, right): of one list of texts, left < right, or left of one list and right of another."""

    left: np.ndarray
    right: np.ndarray
    similarity: np.ndarray


def near_pairs(texts: Sequence[str], ngram_chars: int, threshold: float, engine: Engine = LOCAL) -> SimilarPairs:
    """Return every pair of texts with `jaccard(ngrams(a), ngrams(b)) >= threshold`. A text without n-grams has no pair.

    Equal texts are pairs too: k copies of one text give k * (k - 1) / 2 pairs, so pass each text once.

    Raises:
        ValueError: the threshold is not above 0 and at most 1, or n is less than 1.
    """
    return _joined(texts, ngram_chars, threshold, 0, engine)


def near_pairs_between(left_texts: Sequence[str], right_texts: Sequence[str], ngram_chars: int, threshold: float) -> SimilarPairs:
    """Return every pair of a left and a right text with `jaccard(ngrams(a), ngrams(b)) >= threshold`; pairs within a side are not returned.

    `left` has indexes in `left_texts` and `right` indexes in `right_texts`. Equal texts are pairs too.

    Raises:
        ValueError: as `near_pairs`.
    """
    if not left_texts:
        return _joined([], ngram_chars, threshold, 0)
    left, right, similarity = _joined([*left_texts, *right_texts], ngram_chars, threshold, len(left_texts))
    return SimilarPairs(left, right - np.int32(len(left_texts)), similarity)


def _joined(texts: Sequence[str], ngram_chars: int, threshold: float, border: int, engine: Engine = LOCAL) -> SimilarPairs:
    from curation.near_duplicates.join.join import join  # compiles at the first import, so only if there is something to join

    if not 0 < threshold <= 1 or ngram_chars < 1:
        raise ValueError(f"threshold {threshold} and {ngram_chars} characters: expected above 0 and at most 1, and at least 1")
    left, right, similarity = join(texts, ngram_chars, float(threshold), border, engine)
    rows = np.lexsort((right, left))
    return SimilarPairs(left[rows], right[rows], similarity[rows])
