"""Words and signs that are verdicts, wherever they stand or only where one is expected."""

import re

import pytest

from atomexam.text.verdicts import CODES, FALSE, SURE_VERDICT, SURE_VERDICTS, TRUE, VERDICT, VERDICTS, verdict_of


@pytest.mark.parametrize("text", ["正确", " 对 ", "√", "✔\ufe0f", "True", "T", "正確", "是", "Yes"])
def test_words_and_signs_mean_true(text: str) -> None:
    assert verdict_of(text) == TRUE


@pytest.mark.parametrize("text", ["错误", "不正确", "不对", "×", "❌", "FALSE", "f", "否", "X"])
def test_words_and_signs_mean_false(text: str) -> None:
    assert verdict_of(text) == FALSE


@pytest.mark.parametrize("text", ["是", "否", "yes", "x", "真"])
def test_words_that_answer_other_questions_are_verdicts_only_where_one_is_expected(text: str) -> None:
    assert not verdict_of(text, SURE_VERDICTS)
    assert verdict_of(text)


def test_codes_are_verdicts_only_where_nothing_else_is_answered() -> None:
    assert verdict_of("y") == ""
    assert [verdict_of(code, VERDICTS | CODES) for code in "YN"] == [TRUE, FALSE]


@pytest.mark.parametrize(("pattern", "words"), [(SURE_VERDICT, SURE_VERDICTS), (VERDICT, VERDICTS)])
def test_a_pattern_matches_each_word_as_a_whole(pattern: str, words: dict[str, str]) -> None:
    assert all(re.fullmatch(pattern, word.upper()) for word in words)
    assert not re.fullmatch(pattern, "正")
