"""Fixtures that all tests share."""

import gc
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# What a property says holds on a busy machine, too: time is measured in bench/.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")

# A job in the background ignores interrupts, and so would every process that a test starts in order to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # while modules are imported and tests collected: nothing of it goes, and each search would walk all of it
ROOT = Path(__file__).parent.parent


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Return no bytes as a test's name: files that are made as tests are collected hold the time, and each worker collects by itself."""
    return argname if isinstance(val, bytes) else None


_ALL_SLOW = re.compile(r"^pytestmark = .*pytest\.mark\.slow", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules whose tests are all slow, or all quick, where the others run: what they alone import takes seconds a worker."""
    if not collection_path.name.startswith("test_") or config.option.markexpr not in ("slow", "not slow"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    is_left_out = "mark.slow" not in text if config.option.markexpr == "slow" else _ALL_SLOW.search(text)
    return True if is_left_out else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole pipelines first: each is the work of one worker for minutes, and others' tests fill what the workers have left."""
    items.sort(key=lambda item: "end_to_end" not in item.path.parts)


def pytest_collection_finish() -> None:
    """Set aside what was imported and collected, which lives as long as the process: each search for cycles would walk all of it again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Hold that no test leaves Python's search for cycles off: what later tests read would pile up, gigabytes of it."""
    yield
    searched = gc.isenabled()
    gc.enable()
    assert searched, "the search for cycles was left off"


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


@pytest.fixture(scope="module")
def browser():
    """A real browser without a screen. While it is open asyncio takes the thread for one that runs a loop: closed for other modules."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not executable:
        pytest.skip("no chromium on this machine, so no page was opened in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        running = playwright.chromium.launch(executable_path=executable, args=flags)
        yield running
        running.close()
