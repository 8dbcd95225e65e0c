"""Two stems of any length are compared in a time that grows with them, not with their square."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from curation.near_duplicates.pairs import compared_question, relation
from curation.near_duplicates.wording import LONG_CHARS, differing

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)
LONG = "".join(chr(0x4E00 + (k * k + 7 * k) % 3000) for k in range(200_000))


def question(stem: str) -> Question:
    seen = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position="q1")
    return Question(
        id=stem[:9], stem=stem, question_type="qa", options=[], answer="甲乙丙丁", category="kg", exam="x", subject="x", provenance=[seen]
    )


@pytest.mark.parametrize("other", [LONG[:99_999] + "㐀" + LONG[100_000:], "㐀" + LONG + "㐁", LONG + LONG[:9]])
def test_stems_of_two_hundred_thousand_characters_are_compared(other: str) -> None:
    """Would not finish, were each character of one looked up in the other."""
    assert relation(compared_question(question(LONG), 3), compared_question(question(other), 3), PARAMS) in ("same", "conflict", None)


def test_one_character_of_a_long_text_is_found() -> None:
    assert differing(LONG, LONG[:99_999] + "㐀" + LONG[100_000:]) == [("replace", 99_999, 100_000, 99_999, 100_000)]
    assert differing(LONG, LONG + "㐀") == [("insert", 200_000, 200_000, 200_000, 200_001)]


@settings(deadline=None, max_examples=40)
@given(st.text("甲乙", max_size=40), st.text("甲乙", max_size=40), st.sampled_from(["", "丙" * LONG_CHARS]))
def test_what_is_not_told_apart_is_equal(text: str, other: str, before: str) -> None:
    text, other = before + text, before + other
    place = other_place = 0
    for kind, i1, i2, j1, j2 in [*differing(text, other), ("end", len(text), 0, len(other), 0)]:
        assert text[place:i1] == other[other_place:j1]
        assert kind != "equal"
        place, other_place = i2, j2
