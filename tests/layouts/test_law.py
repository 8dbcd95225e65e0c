"""The law of readers: each question that was written is read equal, doubted, rejected or unread; never silently something else.

`make test` holds it on 250 files of fixed seeds, `make test-slow` on the next 1,000: of each format those of the seeds from 0 on that are
under the law. A failure names the seeds; `FORMATS[format](Random(seed)).write()` of cases.py shows one. With

    LAYOUT_CASES=20000 make test-slow ARGS="tests/layouts/test_law.py"

Hypothesis draws as many others, finds one that breaks it, and shrinks it. What is left out stands in `LIMITS` of cases.py.
"""

import os
from collections import Counter
from itertools import count, islice
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.layouts.cases import FORMATS, limits_of

CASES = int(os.environ.get("LAYOUT_CASES", "0"))
FILES = {"text": 130, "docx": 40, "xlsx": 20, "json": 60}
"""How many files of each format `make test` reads."""
SLOW_FILES = 250
LEAST_EQUAL = {"text": 50, "docx": 60, "xlsx": 75, "json": 75}
"""Least share read as it was written, in percent: a law that doubts everything holds nothing."""


def held(name: str, first: int, files: int) -> None:
    counts: Counter[str] = Counter()
    silent = []
    drawn = ((seed, FORMATS[name](Random(seed))) for seed in count())
    for seed, case in islice(((seed, case) for seed, case in drawn if not limits_of(case)), first, first + files):
        outcomes = [one.what for one in case.outcomes()]
        counts.update(outcomes)
        silent += [seed] if "silent" in outcomes else []
    assert counts["equal"] * 100 >= LEAST_EQUAL[name] * counts.total() and not silent, (counts, silent)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_250_files_is_silently_something_else(name: str) -> None:
    held(name, 0, FILES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_1000_files_more_is_silently_something_else(name: str) -> None:
    held(name, FILES[name], SLOW_FILES)


@pytest.mark.slow
@pytest.mark.skipif(not CASES, reason="LAYOUT_CASES is not set, so no file that breaks the law was looked for")
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_that_was_written_is_silently_something_else(name: str) -> None:
    @settings(
        max_examples=max(1, CASES // len(FORMATS)), derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.randoms(use_true_random=False))
    def holds(rng: Random) -> None:
        case = FORMATS[name](rng)
        assume(not limits_of(case))
        faults = [str(one) for one in case.outcomes() if one.what == "silent"]
        assert not faults, "\n".join([str(case.features), case.write()[1], *faults])

    holds()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_seed_draws_the_same_file(name: str) -> None:
    first, second = (FORMATS[name](Random(7)) for _ in range(2))
    assert (first.write()[1], first.features) == (second.write()[1], second.features)
