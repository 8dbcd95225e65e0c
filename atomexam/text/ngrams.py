"""Character n-grams of texts as sets: what two texts share, and how much of one must stand in another."""

from collections.abc import Set as AbstractSet


def ngrams(text: str, ngram_chars: int) -> frozenset[str]:
    """Return the distinct character n-grams of a text; none where it is shorter than one."""
    return frozenset([text[at : at + ngram_chars] for at in range(len(text) - ngram_chars + 1)])


def bigrams(text: str) -> frozenset[str]:
    """Return the distinct pairs of characters of a text; one of a single character is its own pair."""
    return ngrams(text, 2) if len(text) != 1 else frozenset([text])


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return the share of the union of two sets that is in both; 0 where both are empty."""
    both = len(a & b)
    return both / (len(a) + len(b) - both) if both else 0.0


def least_shared(ngrams: int, share: float) -> int:
    """Return how many of so many n-grams make at least such a share, one at least."""
    wanted = round(share * ngrams, 6)  # a product of floats may be a hair above the whole number that it is
    return max(1, int(wanted) + (wanted > int(wanted)))
