"""Krippendorff's alpha, held against the worked example of its author."""

import numpy as np
import pytest

from atomexam.runtime.agreement import alpha

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: twelve things, four observers, some values missing.
ANSWERS = ("111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3")
COUNTS = np.array([[answers.count(value) for value in "12345"] for answers in ANSWERS])


def test_nominal_data_of_the_published_example() -> None:
    assert alpha(COUNTS) == pytest.approx(0.743, abs=5e-4)


def test_what_one_observer_alone_says_changes_nothing() -> None:
    assert alpha(COUNTS[:-1]) == alpha(COUNTS)


def test_chance_agreement_gives_zero_alpha() -> None:
    pairs = np.random.default_rng(1).multinomial(1, [0.7, 0.2, 0.1], (20_000, 2)).sum(1)
    assert abs(alpha(pairs) or 1) < 0.02


@pytest.mark.parametrize("counts", [np.zeros((0, 3)), np.array([[1, 0, 0]]), np.array([[2, 0, 0], [3, 0, 0]])])
def test_agreement_is_undefined_for_one_value(counts: np.ndarray) -> None:
    assert alpha(counts) is None
