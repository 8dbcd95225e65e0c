"""Sketches recognise texts after an edit: hashes of old texts -> the old texts that a new text mostly contains. Pure.

A sketch consists of the smallest hashes of a text's n-grams. The share of them in another text estimates how much of the first
text it contains, and reveals no word.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from atomexam.text.ngram_index import ngram_hashes

_NGRAM_CHARS = 3
_HASHES = 24  # an edited text that keeps 0.8 of its n-grams is missed once in a thousand cases
_SHARED = 0.5
_HEX_CHARS = 8
_BATCH = 20_000


def sketch(text: str) -> str:
    """Return the smallest hashes of a text's n-grams as hex digits; a text without n-grams has none."""
    return _digits(_hashes(text))


def sketched(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the name and the sketch of each text; many texts are hashed at once."""
    coming = iter(texts)
    while batch := [*islice(coming, _BATCH)]:
        hashes = _hashes("".join(text for _, text in batch))
        start = 0
        for name, text in batch:
            yield name, _digits(hashes[start : max(start, start + len(text) - _NGRAM_CHARS + 1)])
            start += len(text)


def _digits(hashes: np.ndarray) -> str:
    smallest = np.sort(hashes)
    smallest = smallest[np.flatnonzero(np.diff(smallest, prepend=~smallest[:1]))][:_HASHES]
    return smallest.astype(">u4").tobytes().hex()


def known_again(texts: Sequence[tuple[str, str]], sketches: Mapping[str, str]) -> dict[str, list[str]]:
    """Return, for each (id, text) that contains at least half of a sketch, the names of such sketches, sorted."""
    owners: dict[int, list[str]] = defaultdict(list)
    sizes = {}
    for name, digits in sorted(sketches.items()):
        numbers = [int(digits[i : i + _HEX_CHARS], 16) for i in range(0, len(digits), _HEX_CHARS)]
        sizes[name] = len(numbers)
        for number in numbers:
            owners[number].append(name)
    if not owners:
        return {}
    wanted = np.array(sorted(owners), dtype=np.uint32)
    near_sketches = {}
    for start in range(0, len(texts), _BATCH):
        for key, hashes in _hits(texts[start : start + _BATCH], wanted):
            shared = Counter(name for number in set(hashes) for name in owners[number])
            if near := sorted(name for name, number in shared.items() if number >= _SHARED * sizes[name]):
                near_sketches[key] = near
    return near_sketches


def _hits(texts: Sequence[tuple[str, str]], wanted: np.ndarray) -> Iterable[tuple[str, list[int]]]:
    """Yield each text with any wanted hash, and the wanted hashes in it; all texts are hashed at once."""
    # N-grams across the end of a text and the start of the next are excluded by the end positions.
    hashes = _hashes("".join(text for _, text in texts))
    ends = np.cumsum([len(text) for _, text in texts])
    positions = np.flatnonzero(np.isin(hashes, wanted))
    text_indices = np.searchsorted(ends, positions, side="right")
    inside = positions + _NGRAM_CHARS <= ends[text_indices]
    hits: dict[int, list[int]] = defaultdict(list)
    for text_index, number in zip(text_indices[inside].tolist(), hashes[positions[inside]].tolist(), strict=True):
        hits[text_index].append(number)
    for text_index, numbers in hits.items():
        yield texts[text_index][0], numbers


def _hashes(text: str) -> np.ndarray:
    """Return a 32-bit hash of the n-gram at each position, the same on every machine."""
    return (ngram_hashes(text, _NGRAM_CHARS) >> np.uint64(32)).astype(np.uint32)
