"""The readings of the real files next to this checkout equal the pinned ones."""

import os

import pytest

from tests.crawlers.read.readings import REAL, difference, files, pinned, readings


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not beside this checkout")
def test_real_files_are_read_as_pinned() -> None:
    """Files over 400 kB and PDFs take minutes: ALL_REAL=1 reads them too."""
    pins = pinned()
    named = files(most_kilobytes=0 if os.environ.get("ALL_REAL") else 400)
    different = {name: words for name, reading in readings(named) if (words := difference(pins.get(name, set()), reading))}
    assert not different, "look at each with `python -m tests.crawlers.read.readings --only NAME`; if it is better: --pin"
