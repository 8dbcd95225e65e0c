"""Whether 无 as the last of four options is one shows in all questions of its file together."""

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from curation.clean.questions.layout import unused_options, without_unused


def _item(options: list[str], answer: str) -> QuestionItem:
    provenance = Provenance(source="toy", url="file:x", snapshot="x", page_id="p", position="1")
    return QuestionItem(url="file:x", provenance=provenance, stem_raw="以下正确的是", options_raw=options, answer_raw=answer)


def _file(rows: list[tuple[list[str], str]]) -> tuple[set[str], set[str]]:
    words = unused_options([_item(options, answer) for options, answer in rows])
    return set(words.sure), set(words.unsure)


FULL = (["甲", "乙", "丙", "丁"], "C")


@pytest.mark.parametrize("word", ["无", "空", "×", "没有", "（无）"])
def test_a_word_that_fills_several_options_is_none(word: str) -> None:
    assert _file([FULL, (["甲", "乙", word, word], "A"), (["甲", "乙", "丙", word], "B")]) == ({word}, set())
    lettered = [(["A.甲", "B.乙", f"C.{word}", f"D.{word}"], "甲"), (["A.甲", "B.乙", "C.丙", f"D.{word}"], "丙")]
    assert _file([FULL, *lettered]) == ({word}, set())


def test_a_word_that_is_last_so_often_that_it_would_have_been_right_is_none() -> None:
    row = ["甲", "乙", "丙", "无"]
    assert _file([FULL, *[(row, "ABC"[n % 3]) for n in range(11)]]) == ({"无"}, set())
    assert _file([FULL, *[(row, "ABC"[n % 3]) for n in range(4)]]) == (set(), {"无"})
    assert _file([FULL, (row, "A"), (row, "B")]) == (set(), set())


@pytest.mark.parametrize(
    "real",
    [
        (["甲", "乙", "丙", "无"], "D"),
        (["甲", "乙", "丙", "无"], "无"),
        (["甲", "无", "丙", "丁"], "A"),
        (["√", "×", "无", "无"], "A"),
        (["甲", "乙", "无"], "B"),
        (["甲", "乙", "丙", "丁", "戊"], "A"),
    ],
)
def test_a_word_that_is_an_option_anywhere_is_one_everywhere(real: tuple[list[str], str]) -> None:
    assert _file([FULL, (["甲", "乙", "无", "无"], "A"), (["甲", "乙", "丙", "无"], "B"), real]) == (set(), set())


def test_crosses_of_true_or_false_are_options() -> None:
    assert _file([(["√", "×"], "B"), (["√", "×"], "A"), (["对", "错", "×"], "A"), (["√", "×", ""], "×")]) == (set(), set())


def test_unused_options_are_cut_and_two_stay() -> None:
    assert without_unused(["A.甲", "B.乙", "C.无", "D.无"], frozenset("无")) == ["A.甲", "B.乙"]
    assert without_unused(["甲", "无", "乙"], frozenset("无")) == ["甲", "无", "乙"]
    assert without_unused(["无", "无", "无"], frozenset("无")) == ["无", "无"]
