"""The law of readers: each question or fact that was written is read equal, doubted, rejected or unread; never silently else.

`make test` holds it on 500 files of fixed seeds, `make test-slow` on 4,000: of each format those of the seeds from 0 on that are under the
law. A failure names the seeds; `python -m tests.layouts.survey FORMAT 1 FAULT SEED` shows one. With

    LAYOUT_CASES=20000 make test-slow ARGS="tests/layouts/test_law.py"

Hypothesis draws as many others, finds one that breaks it, and shrinks it. What is left out stands in limits.py.
"""

import os
from collections import Counter
from itertools import count, islice
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.layouts.cases import FORMATS
from tests.layouts.limits import LIMITS, limits_of

CASES = int(os.environ.get("LAYOUT_CASES", "0"))
FILES = {"text": 130, "noise": 70, "docx": 40, "html": 60, "csv": 60, "xlsx": 20, "json": 60, "records": 60}
"""How many files of each format `make test` reads: 500."""
SLOW_FILES = 500
"""How many files of each format `make test-slow` reads: 4,000."""


def silent_seeds(name: str, files: int) -> tuple[Counter[str], list[int]]:
    """Return what became of the first files of a format that are under the law, and the seeds of those that break it."""
    counts: Counter[str] = Counter()
    silent = []
    drawn = ((seed, FORMATS[name](Random(seed))) for seed in count())
    for seed, case in islice(((seed, case) for seed, case in drawn if not limits_of(name, case.features)), files):
        outcomes = [one.what for one in case.outcomes()]
        counts.update(outcomes)
        silent += [seed] if "silent" in outcomes else []
    return counts, silent


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_500_files_is_silently_something_else(name: str) -> None:
    counts, silent = silent_seeds(name, FILES[name])
    assert counts["equal"] and not silent, counts


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_4000_files_is_silently_something_else(name: str) -> None:
    counts, silent = silent_seeds(name, SLOW_FILES)
    assert counts["equal"] and not silent, counts


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
        assume(not limits_of(name, case.features))
        faults = [str(one) for one in case.outcomes() if one.what == "silent"]
        assert not faults, "\n".join([str(case.features), case.text, *faults])

    holds()


def test_every_limit_is_of_formats_that_are_drawn_and_says_why() -> None:
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)
    assert all(set(limit.formats) <= set(FORMATS) and limit.why for limit in LIMITS)
    assert sum(FILES.values()) == 500 and SLOW_FILES * len(FORMATS) == 4_000
