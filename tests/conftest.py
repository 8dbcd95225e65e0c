"""Fixtures that all tests share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Published data beside the checkout; it may not be shipped, so tests on it skip where it is absent."""
    folder = ROOT.parent / "shared" / "real"
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder.name} is not beside the checkout, so nothing was tested on published sets")
    return folder
