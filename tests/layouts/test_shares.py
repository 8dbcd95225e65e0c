"""What becomes of drawn files, by format: how much is read, and how much is silently something else."""

from collections import Counter
from random import Random

import pytest

from tests.layouts.cases import FORMATS

CASES = 25
BOUNDS = {
    "text": (50, 20),
    "noise": (40, 20),
    "docx": (60, 15),
    "html": (35, 15),
    "csv": (80, 10),
    "xlsx": (80, 10),
    "json": (75, 15),
    "records": (45, 30),
}
"""Least share read as it was written, and most that is silently something else, in percent: a law that doubts everything holds nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_most_is_read_as_it_was_written(name: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(CASES):
        counts.update(one.what for one in FORMATS[name](Random(seed)).outcomes())
    least, most = BOUNDS[name]
    assert counts["equal"] * 100 >= least * counts.total()
    assert counts["silent"] * 100 <= most * counts.total()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_seed_draws_the_same_file(name: str) -> None:
    first, second = (FORMATS[name](Random(7)) for _ in range(2))
    assert (first.text, first.features) == (second.text, second.features)
