"""Texts -> their words as numbers, in several processes where there are many."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from atomexam.runtime.workers import at_work, cores
from curation.text.words import segmenter

_BATCH = 1_000
_MANY_CHARS = 3_000_000
"""Fewer are cut up in less time than another process takes to start and to read its dictionary."""
_MAX_WORKERS = 8
_segment: Callable[[str], list[str]]
"""Of a worker, set by `_begin`."""


class Tokens(NamedTuple):
    """The words of some texts."""

    ids: list[list[int]]
    """A list a text."""
    vocab: dict[str, int]


def tokens_of(texts: Sequence[str], terms: Iterable[str]) -> Tokens:
    """Return the words of texts; the terms given are words of their own. The number of processes changes nothing."""
    ids: list[list[int]] = []
    vocab: dict[str, int] = {}
    for batch in _cut(texts, sorted(set(terms))):
        for words in batch:
            ids.append([vocab.setdefault(word, len(vocab)) for word in words])
    return Tokens(ids, vocab)


def words_of(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of heads and tails; where it knows no shorter ones, a name is a word itself."""
    segment = segmenter(())
    return {name: segment(name) for name in sorted(set(names))}


def _cut(texts: Sequence[str], terms: list[str]) -> Iterator[list[list[str]]]:
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    many = sum(map(len, texts)) >= _MANY_CHARS
    with at_work(min(cores(), _MAX_WORKERS, len(batches)) if many else 1, _begin, (terms,)) as pool:
        yield from pool.map(_words, batches)


def _begin(terms: list[str]) -> None:
    global _segment
    _segment = segmenter(terms)


def _words(texts: Sequence[str]) -> list[list[str]]:
    return [_segment(text) for text in texts]
