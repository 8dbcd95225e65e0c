"""Texts whose n-grams outnumber the bits of a first mark: the join still finds exactly what a comparison of all finds."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.text.ngrams import jaccard, ngrams
from curation.near_duplicates.join.hashes import SIGNATURE_WORDS, differing_bits_wide, wide_starts
from curation.near_duplicates.join.similarity import near_pairs, near_pairs_between
from curation.near_duplicates.join.tokens import encode, rarest

CHARACTERS = [chr(0x4E00 + i) for i in range(60)]


def long_texts(seed: int, count: int = 40) -> list[str]:
    """Texts of 200 to 5,000 characters, half of them copies edited in up to half of their places, so that marks of all widths meet."""
    draw = Random(seed)
    made: list[str] = []
    for _ in range(count):
        if made and draw.random() < 0.5:
            text = list(draw.choice(made))
            for _ in range(int(len(text) * draw.choice([0, 0.005, 0.02, 0.05, 0.1, 0.5]))):
                text[draw.randrange(len(text))] = draw.choice(CHARACTERS)
            made.append("".join(text)[: int(len(text) * draw.choice([0.5, 0.8, 0.9, 1]))])
        else:
            made.append("".join(draw.choices(CHARACTERS, k=draw.choice([200, 257, 258, 259, 514, 515, 1200, 2100, 5000]))))
    return made


@pytest.mark.parametrize("seed", range(6))
def test_long_texts_join_as_a_comparison_of_all(seed: int) -> None:
    texts = long_texts(seed)
    sets = [ngrams(text, 3) for text in texts]
    values = [(i, j, jaccard(sets[i], sets[j])) for i, j in combinations(range(len(texts)), 2)]
    for threshold in (0.3, 0.5, 0.65, 0.8, 0.95):
        expected = [pair for pair in values if pair[2] >= threshold]
        pairs = near_pairs(texts, 3, threshold)
        assert list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True)) == expected
        across = near_pairs_between(texts[:20], texts[20:], 3, threshold)
        found = list(zip(across.left.tolist(), (across.right + 20).tolist(), across.similarity.tolist(), strict=True))
        assert found == [pair for pair in expected if pair[0] < 20 <= pair[1]]
    assert any(0.8 <= value < 1 for *_, value in values)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_marks_differ_in_no_more_bits_than_texts_in_ngrams(seed: int, ngram_chars: int) -> None:
    texts = long_texts(seed, 12)
    sets = [ngrams(text, ngram_chars) for text in texts]
    known = rarest(encode(texts), ngram_chars, 0.8, 0)
    for i, j in combinations(range(len(texts)), 2):
        assert differing_bits_wide(known.wide, known.wide_starts, i, j) <= len(sets[i] ^ sets[j])


def test_unlike_long_texts_are_told_apart_by_their_marks() -> None:
    """In 256 bits they cannot be: half of those at most differ, fewer than the n-grams that partners of this size may differ in."""
    draw = Random(1)
    texts = ["".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(5000)) for _ in range(4)]
    known = rarest(encode(texts), 3, 0.8, 0)
    apart = 2 * 5000 * 0.2 / 1.8
    assert all(differing_bits_wide(known.wide, known.wide_starts, i, j) > apart for i, j in combinations(range(4), 2))


def test_a_wide_mark_has_a_bit_for_each_ngram_and_short_texts_have_none() -> None:
    grams = np.array([0, 1, 255, 256, 257, 512, 513, 5000])
    assert (np.diff(wide_starts(grams)) * 64).tolist() == [0, 0, 0, 0, 512, 512, 1024, 8192]
    assert SIGNATURE_WORDS * 64 == 256
