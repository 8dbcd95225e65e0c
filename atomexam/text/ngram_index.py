"""An inverted index of n-grams: find the texts that share enough n-grams with another text, without comparing all pairs.

It uses the prefix filter of Chaudhuri et al. 2006: a text that contains a share of another's n-grams contains one of its rarest. A hash
table skips the many texts that contain none of them. Neither loses a pair. Joins of millions of texts with each other use the compiled
implementation in `curation/near_duplicates/near_pairs.py`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, KeysView, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

import numpy as np

from atomexam.text.ngrams import least_shared

_BATCH = 5_000
_TABLE_BITS = 24
_SHIFT = np.uint64(64 - _TABLE_BITS)
_SEPARATOR = "\ue0ff"  # a private-use character, which no canonical text contains
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_MIX = np.uint64(0xD6E8FEB86659FD93)


def code_points(text: str) -> np.ndarray:
    """Return the code points of a text; a lone surrogate counts as one."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)


def ngram_hashes(text: str, ngram_chars: int) -> np.ndarray:
    """Return a 64-bit hash of the n-gram at each position of a text; it must be the same on every machine, because split files contain
    it."""
    codes = code_points(text)
    count = max(0, len(codes) - ngram_chars + 1)
    mixed = np.zeros(count, dtype=np.uint64)
    for offset in range(ngram_chars):
        mixed ^= codes[offset : offset + count] * _FACTORS[offset % len(_FACTORS)]
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
    return mixed


class NgramIndex:
    """Texts indexed by their rarest n-grams."""

    def __init__(self, texts: Sequence[frozenset[str]], share: float, is_weak: Callable[[str], bool] | None = None) -> None:
        """Index the n-grams of texts.

        Args:
            share: share of a text's n-grams that another text must contain to be a candidate.
            is_weak: whether an n-gram may count as shared without being contained; if a text has too few strong n-grams, all of
                them are indexed.
        """
        counts = Counter(gram for grams in texts for gram in grams)
        self._indexes_by_gram: dict[str, list[int]] = defaultdict(list)
        for index, grams in enumerate(texts):
            strong = [gram for gram in grams if not is_weak(gram)] if is_weak else list(grams)
            # A text with the share contains one of the rarest n-grams: the others, including all weak ones, are too few.
            most = len(grams) - least_shared(len(grams), share) + 1
            rarest = sorted(strong, key=lambda gram: (counts[gram], gram))[:most] if len(strong) >= most else grams
            for gram in rarest:
                self._indexes_by_gram[gram].append(index)

    @property
    def grams(self) -> KeysView[str]:
        """The indexed n-grams; another text must contain at least one of them."""
        return self._indexes_by_gram.keys()

    def candidates(self, grams: AbstractSet[str]) -> set[int]:
        """Return the indexes of the texts that may share enough n-grams with a text: all that do, and some that do not."""
        return {index for gram in grams & self._indexes_by_gram.keys() for index in self._indexes_by_gram[gram]}


class NgramPrefilter:
    """Finds texts that contain any of the given n-grams of one length, or equal one of the given shorter texts."""

    def __init__(self, grams: Iterable[str], shorter: Iterable[str], ngram_chars: int) -> None:
        self._ngram_chars = ngram_chars
        self._shorter = set(shorter)
        self._wanted = np.unique(ngram_hashes("".join(sorted(grams)), ngram_chars)[::ngram_chars])
        # Nearly all lookups fail; a table of flags makes them fast.
        self._flags = np.zeros(1 << _TABLE_BITS, dtype=bool)
        self._flags[self._wanted >> _SHIFT] = True

    def passing(self, texts: Iterable[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield each (key, parts) in which a part contains one of the n-grams or equals one of the shorter texts."""
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            matches = self._holding([_SEPARATOR.join(parts) + _SEPARATOR for _, parts in batch])
            for index, (key, parts) in enumerate(batch):
                if index in matches or not self._shorter.isdisjoint(parts):
                    yield key, parts

    def _holding(self, texts: Sequence[str]) -> set[int]:
        hashes = ngram_hashes("".join(texts), self._ngram_chars)
        hits = np.flatnonzero(self._flags[hashes >> _SHIFT])
        hits = hits[np.isin(hashes[hits], self._wanted)]
        # An n-gram across the boundary of two texts contains the separator, so it matches nothing.
        return set(np.searchsorted(np.cumsum([len(text) for text in texts]), hits, side="right").tolist())
