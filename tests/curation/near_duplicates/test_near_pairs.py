"""The join finds exactly the pairs, and the components, that brute force finds."""

import json
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.runtime.disjoint_sets import DisjointSets
from atomexam.text.canonical import canonical
from atomexam.text.ngrams import jaccard, ngrams
from curation.near_duplicates import clusters
from curation.near_duplicates.near_pairs import _differing_bits, _prepared, components, near_pairs, near_pairs_between

THRESHOLDS = [0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0]
ALPHABET = "abc甲乙\U0010ffff\U00020000\ud800\n"  # few, so that texts meet; the highest code points fill the bits of a key
texts = st.lists(st.text(ALPHABET, max_size=14), max_size=14)


def compared(given_texts: list[str], ngram_chars: int, threshold: float) -> list[tuple[int, int, float]]:
    sets = [ngrams(text, ngram_chars) for text in given_texts]
    values = ((i, j, jaccard(sets[i], sets[j])) for i, j in combinations(range(len(sets)), 2))
    return [(i, j, value) for i, j, value in values if value >= threshold]


def joined(given_texts: list[str], ngram_chars: int, threshold: float) -> list[tuple[int, int, float]]:
    pairs = near_pairs(given_texts, ngram_chars, threshold)
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(texts, st.integers(1, 9), st.sampled_from(THRESHOLDS))
def test_join_equals_brute_force(given_texts: list[str], ngram_chars: int, threshold: float) -> None:
    assert joined(given_texts, ngram_chars, threshold) == compared(given_texts, ngram_chars, threshold)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(texts, texts, st.integers(1, 5), st.sampled_from(THRESHOLDS))
def test_join_of_two_lists_equals_brute_force(left_texts: list[str], right_texts: list[str], ngram_chars: int, threshold: float) -> None:
    pairs = near_pairs_between(left_texts, right_texts, ngram_chars, threshold)
    found = list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True))
    both = compared([*left_texts, *right_texts], ngram_chars, threshold)
    border = len(left_texts)
    assert found == [(i, j - border, value) for i, j, value in both if i < border <= j]


@settings(max_examples=100, deadline=None)
@given(texts, texts, st.sampled_from(THRESHOLDS))
def test_incremental_join_equals_the_full_join(old: list[str], new: list[str], threshold: float) -> None:
    across = near_pairs_between(old, new, 3, threshold)
    added = zip(across.left.tolist(), (across.right + len(old)).tolist(), across.similarity.tolist(), strict=True)
    among_new = [(i + len(old), j + len(old), value) for i, j, value in joined(new, 3, threshold)]
    assert sorted([*joined(old, 3, threshold), *among_new, *added]) == joined([*old, *new], 3, threshold)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(ALPHABET, min_size=3, max_size=9), min_size=1, max_size=4), st.data(), st.sampled_from(THRESHOLDS))
def test_join_finds_edited_copies(bases: list[str], data: st.DataObject, threshold: float) -> None:
    copies = []
    for base in bases * 4:
        place = data.draw(st.integers(0, len(base) - 1))
        copies.append(base[:place] + data.draw(st.sampled_from(ALPHABET)) + base[place + 1 :])
    assert joined(bases + copies, 2, threshold) == compared(bases + copies, 2, threshold)


@settings(max_examples=50, deadline=None)
@given(texts, st.randoms(), st.sampled_from(THRESHOLDS))
def test_order_of_texts_does_not_matter(given_texts: list[str], random, threshold: float) -> None:
    order = random.sample(range(len(given_texts)), len(given_texts))
    moved = joined([given_texts[i] for i in order], 3, threshold)
    assert sorted((*sorted([order[i], order[j]]), value) for i, j, value in moved) == joined(given_texts, 3, threshold)


@pytest.mark.parametrize(
    ("given_texts", "pairs"),
    [
        ([], []),
        (["", "", "ab", "ab"], []),  # shorter than an n-gram: similar to nothing, not even each other
        (["abc", "abc", "xyz"], [(0, 1, 1.0)]),
        (["abcdef", "abcdefg"], [(0, 1, 0.8)]),  # 4 of 5, exactly the threshold
        (["abcdefab", "abcdefabc"], [(0, 1, 1.0)]),  # sets: a second abc makes no difference
    ],
)
def test_edges(given_texts: list[str], pairs: list[tuple[int, int, float]]) -> None:
    assert joined(given_texts, 3, 0.8) == pairs


def test_vocabulary_and_results_grow() -> None:
    """More n-grams than the first table holds, more pairs than the first list, and a batch boundary inside the texts."""
    many = ["".join(chr(0x4E00 + (i * 37 + k * 101) % 20000) for k in range(60)) for i in range(6000)]
    pairs = near_pairs([*many, *many], 3, 0.9)
    assert {(i, i + 6000) for i in range(6000)} <= set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    assert len(pairs.left) == len(set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)))


def test_long_text_takes_no_quadratic_time() -> None:
    long = "".join(chr(0x4E00 + (k * k + 7 * k) % 20000) for k in range(400_000))
    assert joined([long, long + "甲乙丙", "甲乙丙"], 3, 0.9)[0][:2] == (0, 1)


@pytest.mark.parametrize(("ngram_chars", "threshold"), [(3, 0.0), (3, 1.1), (0, 0.5)])
def test_reports_invalid_settings(ngram_chars: int, threshold: float) -> None:
    with pytest.raises(ValueError, match=f"threshold {threshold} and {ngram_chars} n-gram characters"):
        near_pairs(["abc"], ngram_chars, threshold)


CHARACTERS = [chr(0x4E00 + i) for i in range(60)]


def long_texts(seed: int, count: int = 40) -> list[str]:
    """Texts of 200 to 5,000 characters, half of them copies edited in up to half of their positions, with signatures of all widths."""
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
def test_join_of_long_texts_equals_brute_force(seed: int) -> None:
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
def test_signatures_differ_in_no_more_bits_than_texts_in_ngrams(seed: int, ngram_chars: int) -> None:
    texts = long_texts(seed, 12)
    sets, known = [ngrams(text, ngram_chars) for text in texts], _prepared(texts, ngram_chars, 0.8, 0)
    for i, j in combinations(range(len(texts)), 2):
        assert _differing_bits(known.signatures, known.marks, i, j) <= len(sets[i] ^ sets[j])


def test_signatures_distinguish_different_long_texts() -> None:
    """256 bits would not suffice: at most half of them differ, fewer than the n-grams in which partners of this size may differ."""
    draw = Random(1)
    known = _prepared(["".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(5000)) for _ in range(4)], 3, 0.8, 0)
    apart = 2 * 5000 * 0.2 / 1.8
    assert all(_differing_bits(known.signatures, known.marks, i, j) > apart for i, j in combinations(range(4), 2))


WORDS = ["感觉", "知觉", "记忆", "思维", "想象", "情绪", "意志", "动机", "注意", "气质"]


def by_all_pairs(texts: list[str], threshold: float) -> list[int]:
    sets, pairs = DisjointSets(), near_pairs(texts, 3, threshold)
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        sets.join(left, right)
    return [sets.least(place) for place in range(len(texts))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_components_equal_those_of_all_pairs(seed: int) -> None:
    draw = Random(seed)
    for _ in range(5):
        words = WORDS[: draw.randrange(2, 10)]
        texts = ["".join(draw.choices(words, k=draw.randrange(1, 60))) for _ in range(draw.randrange(1, 120))]
        texts = sorted({text[cut:] for text in texts for cut in (0, 1, 3)})
        for threshold in (0.3, 0.55, 0.8, 1.0):
            assert components(texts, 3, threshold).tolist() == by_all_pairs(texts, threshold)


def test_cases_are_kin_with_either_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(1)
    cases = ["求助者" + "".join(draw.choices(WORDS, k=30)) for _ in range(40)]
    cases += [case[draw.randrange(20) :] + draw.choice(WORDS) for case in cases]
    plain = clusters._case_sets([*cases, None], 0.55, 3, [(cases[0], cases[1])])
    monkeypatch.setattr(clusters, "_MANY_CASES", 0)
    assert clusters._case_sets([*cases, None], 0.55, 3, [(cases[0], cases[1])]) == plain
    assert 2 < len(set(plain.values())) < len(plain)


@pytest.fixture(scope="module")
def many_questions(real_data: Path) -> list[str]:
    """15,000 questions: those of a published set, and copies of some with words replaced by those of others."""
    found = []
    for path in sorted((real_data / "cpsyexam").glob("*.jsonl")):
        with open(path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found += [canonical(row["question"] + "".join((row.get("options") or {}).values())) for row in rows]
    draw = Random(1)
    while len(found) < 15_000:
        text, other = draw.choice(found), draw.choice(found)
        at, of = draw.randrange(len(text) + 1), draw.randrange(len(other) + 1)
        found.append(text[:at] + other[of : of + draw.randrange(12)] + text[at + draw.randrange(12) :])
    return draw.sample(found, 15_000)


@pytest.fixture(scope="module")
def compared_pairs(many_questions: list[str]) -> list[tuple[int, int, float]]:
    """All pairs with a similarity of at least 0.5, from products of incidence matrices, which share no code with the join."""
    columns: dict[str, int] = {}
    rows = [[columns.setdefault(gram, len(columns)) for gram in sorted(ngrams(text, 3))] for text in many_questions]
    starts = np.cumsum([0, *map(len, rows)])
    held = scipy.sparse.csr_matrix((np.ones(starts[-1], np.int32), np.concatenate([np.array(row, np.int64) for row in rows]), starts))
    sizes, found, across = np.diff(starts), [], held.T.tocsr()
    for first in range(0, len(rows), 500):
        both = (held[first : first + 500] @ across).tocoo()
        left, right = both.row + first, both.col
        values = both.data / (sizes[left] + sizes[right] - both.data)
        chosen = (left < right) & (values >= 0.5)
        found += zip(left[chosen].tolist(), right[chosen].tolist(), values[chosen].tolist(), strict=True)
    return sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.9])
def test_fifteen_thousand_questions(many_questions: list[str], compared_pairs: list[tuple[int, int, float]], threshold: float) -> None:
    expected = [pair for pair in compared_pairs if pair[2] >= threshold]
    assert joined(many_questions, 3, threshold) == expected
    assert len(expected) > 1000
