"""Exchanges of TCM questions between test and reserved: what one side gains is weighed against what the other loses."""

import pytest

from splits.ledger.units import QuestionSummary, Stratum, Unit, unit_of
from splits.split.answer_balance import even_letters

CELL = Stratum("kg", "TCM", "mcqa", "方剂学", "a1")


def asked(name: str, letters: str) -> list[Unit]:
    return [unit_of([QuestionSummary(f"q-{name}-{number}", CELL, letter, None, None)]) for number, letter in enumerate(letters)]


@pytest.mark.parametrize(
    ("test_stands", "reserved_stands", "exchanged"),
    [
        ("A", "AAA", False),  # test would gain 2, reserved lose 6
        ("B", "BBB", True),  # test loses 2, reserved gains 6
        ("A", "B", True),  # both gain
        ("", "", False),  # nobody does
    ],
)
def test_an_exchange_is_made_if_both_sides_together_gain(test_stands: str, reserved_stands: str, exchanged: bool) -> None:
    (one,), (two,) = asked("one", "A"), asked("two", "B")
    standing = asked("test", test_stands), asked("reserved", reserved_stands)
    found = even_letters([(one, two)], [(one, 1), (two, 2)], standing)
    assert found == [(two, one) if exchanged else (one, two)]
