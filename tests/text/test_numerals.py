"""Numerals read and written, and positions in reading order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.natural_order import natural_bytes, natural_key
from atomexam.text.numerals import HANZI, NUMERALS, to_chinese, to_digits, to_roman, value_of


@given(st.integers(1, 99))
def test_a_numeral_that_is_written_is_read(number: int) -> None:
    assert value_of(to_chinese(number)) == value_of(str(number)) == number
    assert to_digits(to_chinese(number)) == str(number)


@given(st.integers(100, 999).filter(lambda number: number % 100 == 0 or number % 100 >= 10))
def test_a_longer_numeral_is_read_in_figures(number: int) -> None:
    assert to_digits(to_chinese(number)) == str(number)


@pytest.mark.parametrize(("numeral", "value"), [
    ("一", 1), ("十", 10), ("十二", 12), ("一十", 10), ("二十一", 21), ("两", 2), ("零", 0), ("〇", 0), ("百", 100),
    ("一百", 100), ("12", 12),
    ("", None), ("一二", None), ("十十", None), ("十一十", None), ("二百", None), ("题", None), ("-1", None),
])  # fmt: skip
def test_values(numeral: str, value: int | None) -> None:
    assert value_of(numeral) == value


@pytest.mark.parametrize(("numeral", "figures"), [
    ("二十五", "25"), ("一九九八", "1998"), ("两万", "20000"), ("一亿零三", "100000003"), ("三千二百", "3200"), ("十" * 40, "十" * 40),
])  # fmt: skip
def test_figures(numeral: str, figures: str) -> None:
    assert to_digits(numeral) == figures


@given(st.text(sorted(NUMERALS - {"半"}), min_size=1, max_size=32))
def test_any_run_of_numerals_has_figures(numeral: str) -> None:
    assert to_digits(numeral).isdecimal()


@pytest.mark.parametrize(("number", "sign"), [(1, "I"), (4, "IV"), (9, "IX"), (14, "XIV"), (1999, "MCMXCIX"), (0, "0"), (4000, "4000")])
def test_roman_numerals(number: int, sign: str) -> None:
    assert to_roman(number) == sign


def test_numbers_that_are_not_counted_in_chinese_stay_figures() -> None:
    assert [to_chinese(number) for number in (0, 100, 105, 110, 1000, 1001)] == ["〇", "一百", "一百零五", "一百一十", "1000", "1001"]
    assert "".join(map(to_chinese, range(1, 11))) == HANZI


@pytest.mark.parametrize(
    "positions",
    [["q1", "q2", "q10"], ["line:9", "line:10"], ["record:1:2", "record:1:10", "record:2"], ["", "q1"], ["q1", "q²"]],
)
def test_positions_are_in_reading_order(positions: list[str]) -> None:
    assert sorted(reversed(positions), key=natural_key) == positions
    assert sorted(reversed(positions), key=natural_bytes) == positions
