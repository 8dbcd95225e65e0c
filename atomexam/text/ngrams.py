"""Sets of character n-grams and their similarity."""

from collections.abc import Set as AbstractSet


def ngrams(text: str, ngram_chars: int) -> frozenset[str]:
    """Return the distinct character n-grams of a text; none if it is shorter than n."""
    return frozenset([text[at : at + ngram_chars] for at in range(len(text) - ngram_chars + 1)])


def bigrams(text: str) -> frozenset[str]:
    """Return the distinct character bigrams of a text; a single character counts as one."""
    return ngrams(text, 2) if len(text) != 1 else frozenset([text])


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return the Jaccard similarity of two sets; 0 if both are empty."""
    both = len(a & b)
    return both / (len(a) + len(b) - both) if both else 0.0


def least_shared(ngrams: int, share: float) -> int:
    """Return the smallest number of n-grams, at least one, that is a given share of all."""
    wanted = round(share * ngrams, 6)  # a product of floats may be slightly above the exact integer
    return max(1, int(wanted) + (wanted > int(wanted)))
