"""Letters of options, their places and their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.option_letters import (
    CIRCLED_AS_LETTERS,
    CIRCLED_LETTERS,
    LETTERS,
    WIDE,
    are_in_turn,
    letters_at,
    letters_in,
    names_no_option,
    next_letter,
)


@given(st.lists(st.integers(0, 9), max_size=12))
def test_letters_and_positions_round_trip(places: list[int]) -> None:
    assert [LETTERS.index(letter) for letter in letters_at(places)] == places


@pytest.mark.parametrize(("text", "found"), [("a、C", "AC"), ("答案：BD", "BD"), ("K", ""), ("", ""), ("ß", ""), ("Ａ", "")])
def test_letters_of_a_text(text: str, found: str) -> None:
    assert "".join(letters_in(text)) == found


@given(st.text("ABCDEFGHIJ", max_size=12))
def test_detects_letters_in_order(letters: str) -> None:
    assert are_in_turn(letters) == (letters == LETTERS[: len(letters)])


@given(st.text("ABCDEFGHIJ", max_size=4), st.integers(0, 12))
def test_a_key_names_options_or_not(key: str, options: int) -> None:
    assert names_no_option(key, options) == any(ord(letter) - ord("A") >= options for letter in key)


def test_signs_that_stand_for_letters() -> None:
    assert "ＡＢＪ".translate(WIDE) == "ABJ" and "①③⑩".translate(CIRCLED_AS_LETTERS) == "ACJ"
    assert [CIRCLED_LETTERS[sign] for sign in "ⒶⒿⓐⓙ⒜⒥"] == list("AJAJAJ")
    assert next_letter("A") == "B" and next_letter("J") == "" and letters_at([10]) == ""
