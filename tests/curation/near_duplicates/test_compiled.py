"""Machine code cached for an earlier version of the source is not run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from curation.near_duplicates import near_pairs

ROOT = Path(__file__).parents[3]
ASKED = "import numpy; from curation.near_duplicates.near_pairs import least_shared; print(least_shared(numpy.array([4]), 0.5).tolist())"


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
    """Raise the bound by two, in a function that is compiled into the cached one."""
    path = folder / "curation/near_duplicates/near_pairs.py"
    source = path.read_text("utf-8")
    assert source.count("return max(np.int64(np.ceil(bound - _SLACK)), 1)") == 1
    path.write_text(source.replace("bound - _SLACK)), 1)", "bound - _SLACK)), 1) + 2"), "utf-8")


BEFORE, AFTER = "[1, 1, 1, 1, 2, 2, 2, 3, 3]", "[3, 3, 3, 3, 4, 4, 4, 5, 5]"


@pytest.mark.slow
def test_compiles_only_changed_code_in_any_clone(copied: Path, tmp_path: Path) -> None:
    home, clone = tmp_path / "home", tmp_path / "clone"
    home.mkdir()
    shutil.copytree(copied / "curation", clone / "curation")
    shutil.copytree(copied / "atomexam", clone / "atomexam")
    assert asked(copied, XDG_CACHE_HOME=str(home)) == BEFORE
    kept = {path: path.stat().st_mtime_ns for path in home.rglob("*.nbc")}
    assert kept and asked(clone, XDG_CACHE_HOME=str(home)) == BEFORE
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*.nbc")} == kept
    change(copied)
    assert asked(copied, XDG_CACHE_HOME=str(home)) == AFTER


@pytest.mark.slow
@pytest.mark.parametrize("writable", [True, False])
def test_works_with_a_read_only_cache(copied: Path, tmp_path: Path, writable: bool) -> None:
    """With the folder of the sources, or without a cache."""
    (tmp_path / "home").touch()  # no folder can be made there, by anybody
    if not writable:
        (copied / "curation/near_duplicates/__pycache__").touch()
    assert asked(copied, XDG_CACHE_HOME=str(tmp_path / "home")) == BEFORE
    assert bool(list(copied.rglob("*.nbc"))) == writable


def test_does_not_change_where_other_loops_are_cached() -> None:
    assert near_pairs.least_shared._cache._impl.locator.__class__ is near_pairs.ClonesCache
    assert os.environ.get("NUMBA_CACHE_LOCATOR_CLASSES", "") == numba.config.CACHE_LOCATOR_CLASSES  # type: ignore[attr-defined]


def test_all_compiled_loops_are_in_one_file() -> None:
    """Numba knows only the file of a loop: a change in another file compiled into it would go unnoticed."""
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "curation").rglob("*.py")}
    assert [name for name, source in sources.items() if "njit" in source] == ["near_pairs.py"]
