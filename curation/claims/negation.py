"""A tail -> whether it denies already, so that its denial would be a double negation. Words in `curation/vocab/negation.yaml`."""

import re
from functools import cache, lru_cache

from curation.vocab.reader import read_vocabulary


@lru_cache(maxsize=1 << 16)
def denies(tail: str) -> bool:
    """Tell whether a tail denies: 无症状, 原因不明; not where the word is but a name's first, 不孕症, 非甾体抗炎药."""
    openings, words, inside = _patterns()
    return bool(inside.search(tail) or (openings.match(tail) and not words.match(tail)))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    vocab = read_vocabulary("negation")
    openings, words, inside = (re.compile(re.sub(r"\s+", "", vocab[name])) for name in ("openings", "words", "inside"))
    return openings, words, inside
