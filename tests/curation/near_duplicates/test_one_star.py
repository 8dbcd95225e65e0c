"""Every question is in exactly one star, whatever its texts come to in canonical form."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.question import Question
from atomexam.runtime.jsonl import to_line
from atomexam.text.option_letters import LETTERS
from curation.near_duplicates.__main__ import measure, unique_facts, unique_questions
from curation.near_duplicates.clusters import find_twins, stars
from curation.near_duplicates.merging import rows_by_id
from curation.near_duplicates.pairs import compared_question, relation
from tests.curation.near_duplicates.test_near_duplicates import PARAMS, ask

TESTS = ("Z检验", "Z’检验", "t检验", "方差分析")
SAME = ("Z检验", "Z-检验", "z 检验", "Ｚ检验", "", "（ ）", "。", "Z检验法", "方差分析", "t检验", "-β", "β", "1、2", "12")


def rows_of(stems: tuple[str, ...]) -> st.SearchStrategy[list[Question]]:
    options = st.lists(st.sampled_from(SAME), max_size=6)
    row = st.tuples(st.sampled_from(stems), options, st.sampled_from([None, "A", "B", "AB", "C", "J"]), st.sampled_from(["mcqa", "mrqa"]))

    def build(drawn: list) -> list[Question]:
        return [ask(stem, tuple(texts), answer, f"q{n}", question_type=kind) for n, (stem, texts, answer, kind) in enumerate(drawn)]

    return st.lists(row, max_size=7).map(build)


STEMS = (
    "总体方差已知时，检验两个平均数之差应当使用的方法是（ ）", "总体方差已知时，检验两个平均数之差应当使用的方法为",
    "方差已知，检验平均数用（ ）", "（ ）", "。",
)  # fmt: skip


def test_two_options_of_one_form_are_no_pair_of_one_question() -> None:
    found = unique_questions([ask(STEMS[0], ("Z检验", "Z-检验", *TESTS[2:]), "C")], PARAMS)
    assert (len(found.kept), found.rejected, found.clusters) == (1, [], [])
    assert len(unique_questions([ask(STEMS[0], TESTS, "A")], PARAMS).kept) == 1


def test_two_questions_with_two_options_of_one_form_are_twins() -> None:
    a, b = (ask(stem, ("Z检验", "Z-检验", *TESTS[2:]), "C") for stem in STEMS[:2])
    assert relation(compared_question(a, 3), compared_question(b, 3), PARAMS) == "same"


@pytest.mark.slow
@given(rows_of(STEMS), st.randoms())
@settings(max_examples=60, deadline=None)
def test_each_question_is_in_one_star(rows: list[Question], random: Random) -> None:
    every = rows_by_id(rows, PARAMS.ngram_chars)
    twins = find_twins(every, PARAMS)
    assert all(a < b for a, b in twins)
    members = Counter(one.id for star in stars(every, twins) for one in (star.centre, *(member for member, _ in star.members)))
    assert members == Counter({one.id: 1 for one in every})
    found, again = unique_questions(rows, PARAMS), unique_questions(random.sample(rows, len(rows)), PARAMS)
    counts = measure(len(rows), 0, found, unique_facts([]))["questions"]
    assert counts["in"] == counts["out"] + counts["rejected"]
    assert [sorted(map(to_line, part)) for part in found] == [sorted(map(to_line, part)) for part in again]
    assert all(row.options[place].letter == LETTERS[place] for row in found.kept for place in range(len(row.options)))
