"""Machine code kept from an earlier version of the sources is not run, whichever of the modules changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
ASKED = "import numpy; from curation.near_duplicates.join.join import least_shared; print(least_shared(numpy.array([4]), 0.5).tolist())"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for package in ("atomexam", "curation"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def asked(folder: Path, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def change(folder: Path) -> None:
    """Let the bound be two higher, in a function of another module than the one that it is compiled into."""
    path = folder / "curation/near_duplicates/join/tokens.py"
    source = path.read_text("utf-8")
    assert source.count("return max(np.int64(np.ceil(bound - SLACK)), 1)") == 1
    path.write_text(source.replace("bound - SLACK)), 1)", "bound - SLACK)), 1) + 2"), "utf-8")


BEFORE, AFTER = "[1, 1, 1, 1, 2, 2, 2, 3, 3]", "[3, 3, 3, 3, 4, 4, 4, 5, 5]"


@pytest.mark.slow
def test_a_change_in_another_module_is_compiled(copied: Path) -> None:
    assert asked(copied) == BEFORE
    change(copied)
    assert asked(copied) == AFTER


@pytest.mark.slow
def test_what_did_not_change_is_not_compiled_again(copied: Path) -> None:
    asked(copied)
    kept = {path: path.stat().st_mtime_ns for path in copied.rglob("*.nb?")}
    assert kept
    (copied / "curation/near_duplicates/join/similarity.py").write_text("# another subject\n", "utf-8")
    asked(copied)
    assert {path: path.stat().st_mtime_ns for path in copied.rglob("*.nb?")} == kept


@pytest.mark.slow
def test_a_cache_elsewhere_is_as_fresh(copied: Path, tmp_path: Path) -> None:
    """Where the user named a place."""
    elsewhere = tmp_path / "elsewhere"
    assert asked(copied, NUMBA_CACHE_DIR=str(elsewhere)) == BEFORE
    assert list(elsewhere.rglob("*.nbc"))
    assert not list(copied.glob("curation/**/*.nbc"))
    change(copied)
    assert asked(copied, NUMBA_CACHE_DIR=str(elsewhere)) == AFTER


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_gone_around(copied: Path, tmp_path: Path) -> None:
    (copied / "curation/near_duplicates/join/__pycache__").touch()  # no folder can be made there, by nobody
    home = tmp_path / "home"
    assert asked(copied, XDG_CACHE_HOME=str(home)) == BEFORE
    assert list(home.rglob("*.nbc"))
    change(copied)
    assert asked(copied, XDG_CACHE_HOME=str(home)) == AFTER


@pytest.mark.slow
def test_without_any_folder_nothing_is_kept(copied: Path, tmp_path: Path) -> None:
    (copied / "curation/near_duplicates/join/__pycache__").touch()
    (tmp_path / "home").touch()
    assert asked(copied, XDG_CACHE_HOME=str(tmp_path / "home")) == BEFORE


def test_every_cached_loop_knows_its_sources() -> None:
    """A loop cached by numba's own rule would know its own file alone."""
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "curation").rglob("*.py")}
    assert [name for name, source in sources.items() if "njit(cache=True)" in source] == ["hashes.py"]
