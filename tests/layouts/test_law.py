"""The law of readers: each question or fact that was written is read equal, or doubted, rejected or unread with a sign; never silently else.

    LAYOUT_CASES=20000 make test ARGS="tests/layouts/test_law.py"

draws 20,000 files instead of 500. What the law leaves out stands in limits.py.
"""

import os

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.layouts.cases import FORMATS
from tests.layouts.limits import LIMITS, limits_of

CASES = int(os.environ.get("LAYOUT_CASES", "500"))
SHARES = {"text": 25, "noise": 15, "docx": 8, "html": 12, "csv": 10, "xlsx": 5, "json": 12, "records": 13}
"""Of a hundred files, how many are of each format."""


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_that_was_written_is_silently_something_else(name: str) -> None:
    @settings(
        max_examples=max(1, CASES * SHARES[name] // 100),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False))
    def holds(rng) -> None:
        case = FORMATS[name](rng)
        assume(not limits_of(name, case.features))
        faults = [str(one) for one in case.outcomes() if one.what == "silent"]
        assert not faults, "\n".join([str(case.features), case.text, *faults])

    holds()


def test_every_limit_is_of_formats_that_are_drawn_and_says_why() -> None:
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)
    assert all(set(limit.formats) <= set(FORMATS) and limit.why for limit in LIMITS)
    assert sum(SHARES.values()) == 100 and set(SHARES) == set(FORMATS)
