"""What is installed is what was locked, every file by its hash; and uv and pip take the same files."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from splits.release.materials import Package, locked, read_licences

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def uv() -> dict[str, dict]:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    return {package["name"]: package for package in packages}


def hashes(package: dict) -> set[str]:
    files = package.get("wheels", []) + ([package["sdist"]] if "sdist" in package else [])
    return {file["hash"].removeprefix("sha256:") for file in files}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock", "requirements-torch.txt"])
def test_pip_takes_the_files_of_uv(name: str, uv: dict[str, dict]) -> None:
    packages: list[Package] = locked((ROOT / name).read_text(encoding="utf-8"))
    assert {package.name for package in packages if uv[package.name]["version"] != package.version} == set()
    extra = {package.name for package in packages if not hashes(uv[package.name]) >= set(package.sha256)}
    assert extra <= {"torch"}  # its CPU build is in no index that uv knows


def test_every_requirement_is_locked(uv: dict[str, dict]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]:
        wanted = Requirement(line)
        assert wanted.specifier.contains(uv[wanted.name.replace(".", "-").replace("_", "-")]["version"]), line


def test_locks_use_only_pypi() -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("uv.lock", "requirements.lock", "requirements-dev.lock"))
    assert set(re.findall(r"https?://([^/\"]+)", text)) == {"pypi.org", "files.pythonhosted.org"}


def test_this_python_is_one_of_those_locked_for(uv: dict[str, dict]) -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    wanted = lock["requires-python"].replace(" ", "")
    assert wanted == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert Requirement(f"python{wanted}").specifier.contains(".".join(map(str, sys.version_info[:3])))


def test_licences_are_listed_for_what_the_pipeline_needs() -> None:
    listed = read_licences((ROOT / "licences.csv").read_text(encoding="utf-8")).keys()
    needed = {package.name for package in locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))} | {"torch"}
    assert needed ^ listed <= {"grandalf", "backports-zstd"}  # ignored by pyproject.toml; not installed by Python 3.14
