"""Ids come from content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.fact import RELATIONS, fact_id
from atomexam.records.provenance import content_id, draw_order, page_id
from atomexam.records.question import question_id
from atomexam.text.canonical import canonical


@given(st.text())
def test_canonical_twice_is_once(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


def test_width_case_blanks_and_punctuation_do_not_change_an_id() -> None:
    assert canonical("Ａ型，行为 （ ）。") == canonical("a型行为()")


def test_draw_depends_on_seed_and_id() -> None:
    """By it all is drawn that was ever drawn: another way to reckon it would draw anew."""
    assert draw_order(1, "fact-1").hex() == "bf7e312e818249364a1da4acf5d1af2e1d095aebb6cc1919938630e9e56dd13e"
    assert len({draw_order(seed, key) for seed in (1, 2, 11) for key in ("a", "1/a")}) == 6


def test_meaningful_symbols_change_the_canonical_form() -> None:
    assert canonical("<5") != canonical(">5")
    assert canonical("2周") != canonical("6周")


@given(st.text(), st.text(), st.lists(st.text(), max_size=5), st.randoms())
def test_the_order_of_options_does_not_change_an_id(case, stem, options, random) -> None:
    shuffled = random.sample(options, len(options))
    assert question_id(case, stem, options) == question_id(case, stem, shuffled)


def test_sort_key_separates_texts() -> None:
    assert question_id(None, "ab", ["c"]) != question_id(None, "a", ["b", "c"])
    assert fact_id("disease_symptom", "甲", "乙") != fact_id("disease_cause", "甲", "乙")


def test_there_are_seventeen_relations() -> None:
    assert len(set(RELATIONS)) == 17


@pytest.mark.parametrize("size", [0, 5, 1 << 20, (1 << 20) + 7])
def test_the_id_of_a_page_hashes_its_address_and_all_its_bytes(size: int) -> None:
    body = bytes(at % 251 for at in range(size))
    assert page_id("http://a/", body) == content_id("page", "http://a/", body.hex())
