"""Draw numbers hang on nothing but seed, purpose and key."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.provenance import content_id
from splits.ledger.units import draw_number, draw_numbers

IDS = st.integers(0, 999).map(lambda number: content_id("q", str(number)))
NAMES = st.text("0af Ag甲-", max_size=20)


@given(st.lists(IDS | NAMES, max_size=8))
def test_a_draw_number_is_the_same_in_any_company(keys: list[str]) -> None:
    assert draw_numbers(1, "draw", keys).tolist() == [draw_number(1, "draw", key) for key in keys]


def test_seeds_and_purposes_draw_apart_and_evenly() -> None:
    keys = [content_id("q", str(number)) for number in range(10_000)]
    draws = [draw_numbers(seed, what, keys) for seed, what in ((1, "draw"), (2, "draw"), (1, "dev"))]
    for numbers in draws:
        assert np.corrcoef(np.arange(10_000), numbers)[0, 1] < 0.04
        sixteenths = np.bincount((numbers >> np.uint64(60)).astype(int), minlength=16)
        assert abs(sixteenths - 625).max() < 130 and abs(int((numbers % 2).sum()) - 5_000) < 250
    for one, two in ((0, 1), (0, 2), (1, 2)):
        assert abs(np.corrcoef(draws[one].astype(float), draws[two].astype(float))[0, 1]) < 0.04
