"""What fuzzing found stays mended, and each target reads what it begins with."""

import time
from pathlib import Path

import pytest

from crawlers.read.containers.files.programs import literals_of
from tests.fuzz.__main__ import replay
from tests.fuzz.budget import Broken
from tests.fuzz.targets import TARGETS, Target

FINDS = sorted(path for path in (Path(__file__).parent / "found").iterdir() if path.suffix != ".md")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("path", FINDS, ids=lambda path: path.name)
def test_finds_are_read_or_refused(path: Path) -> None:
    target, _, _ = path.name.partition("-")
    TARGETS[target].read(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str) -> None:
    seeds = list(TARGETS[name].seeds().values())
    assert seeds
    for body in seeds[:: max(1, len(seeds) // 5)]:
        TARGETS[name].read(body)
        TARGETS[name].read(body[: len(body) // 2] if name != "pages" else body)


def test_a_find_is_replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read(body: bytes) -> None:
        if body == b"bad":
            raise Broken("in is not out")

    monkeypatch.setattr("tests.fuzz.__main__.quiet", lambda: None)  # what it turns off would stay off for other tests
    monkeypatch.setitem(TARGETS, "json", Target(dict, read))
    monkeypatch.setattr("tests.fuzz.__main__.FOUND", tmp_path)
    (tmp_path / "json-good").write_bytes(b"good")
    (tmp_path / "json-bad").write_bytes(b"bad")
    assert replay(tmp_path / "json-good") == 0
    with pytest.raises(Broken):
        replay(tmp_path / "json-bad")
    with pytest.raises(SystemExit, match="begins with no target"):
        replay(tmp_path / "other")


@pytest.mark.slow
def test_escaped_quotes_outside_a_text_are_read_in_linear_time() -> None:
    """Each had the rest of its line searched for its end: 20 s for 200 kB."""
    text = "(" + '\\"' * 100_000
    start = time.process_time()
    assert literals_of("bank.json", text) == {}
    assert time.process_time() - start < 5
