"""N-grams, and the index over them: it loses no text that holds the share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.ngram_index import NgramIndex, NgramPrefilter, ngram_hashes
from atomexam.text.ngrams import bigrams, jaccard, least_shared, ngrams

texts = st.text("甲乙丙丁", max_size=14)
shares = st.floats(0.1, 1.0)


@given(st.lists(texts, max_size=8), texts, shares)
def test_index_finds_every_text_with_the_share(known: list[str], other: str, share: float) -> None:
    grams = [ngrams(text, 2) for text in known]
    index, wanted = NgramIndex(grams, share), ngrams(other, 2)
    holding = {place for place, own in enumerate(grams) if own and len(own & wanted) >= least_shared(len(own), share)}
    assert holding <= index.candidates(wanted)
    assert bool(wanted & index.grams) or not holding


@given(st.lists(texts, max_size=8), texts, shares)
def test_weak_ngrams_may_count_without_a_match(known: list[str], other: str, share: float) -> None:
    def is_weak(gram: str) -> bool:
        return "甲" in gram

    grams = [ngrams(text, 2) for text in known]
    index, wanted = NgramIndex(grams, share, is_weak), ngrams(other, 2)
    for place, own in enumerate(grams):
        strong = own & wanted
        counted = len(strong) + sum(is_weak(gram) for gram in own - wanted)
        if strong and counted >= least_shared(len(own), share):
            assert place in index.candidates(wanted) or all(is_weak(gram) for gram in strong)


@given(
    st.sets(st.text("甲乙丙", min_size=3, max_size=3), max_size=5),
    st.sets(st.text("甲乙", max_size=2)),
    st.lists(st.lists(texts), max_size=6),
)
def test_prefilter_passes_exactly_texts_with_an_ngram(grams: set[str], shorter: set[str], found: list[list[str]]) -> None:
    given_texts = [(str(place), parts) for place, parts in enumerate(found)]
    passed = {key for key, _ in NgramPrefilter(grams, shorter, 3).passing(given_texts)}
    assert passed == {key for key, parts in given_texts if any(ngrams(part, 3) & grams or part in shorter for part in parts)}


def test_hashes_do_not_depend_on_the_machine() -> None:
    assert [f"{number:016x}" for number in ngram_hashes("四君子汤", 3).tolist()] == ["ca0259d0e48254ed", "b27aae503ec8a7a9"]
    assert ngram_hashes("四君子汤", 4).size == 1 and ngram_hashes("四", 3).size == 0 and ngram_hashes("\ud800甲", 2).size == 1


@given(st.text(max_size=8), st.integers(1, 7))
def test_equal_ngrams_have_equal_hashes_wherever_they_stand(text: str, ngram_chars: int) -> None:
    hashes = ngram_hashes(text + text, ngram_chars)
    assert len(set(hashes.tolist())) == len(ngrams(text + text, ngram_chars))


def test_sets_of_ngrams() -> None:
    assert ngrams("甲乙甲乙", 2) == {"甲乙", "乙甲"} and ngrams("甲", 2) == frozenset()
    assert bigrams("甲") == {"甲"} and bigrams("") == frozenset() and bigrams("甲乙丙") == {"甲乙", "乙丙"}
    assert jaccard(ngrams("甲乙丙", 2), ngrams("乙丙丁", 2)) == 1 / 3 and jaccard(frozenset(), frozenset()) == 0.0


@pytest.mark.parametrize(("size", "share", "least"), [(10, 0.7, 7), (10, 0.71, 8), (0, 0.7, 1), (3, 0.1, 1), (10, 0.1 + 0.2, 3)])
def test_smallest_number_for_a_share(size: int, share: float, least: int) -> None:
    assert least_shared(size, share) == least
