"""Set-up says clearly what is wrong, and what to do."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = ("scripts/setup.sh", "requirements.lock", "requirements-dev.lock", "requirements-torch.txt", "pyproject.toml")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git checkout with what set-up reads."""
    folder = tmp_path / "checkout"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def set_up(folder: Path, fakes: Path | None = None, **changes: str) -> subprocess.CompletedProcess:
    """Run set-up; programs in `fakes` come before the real ones."""
    path = os.pathsep.join([*([str(fakes)] if fakes else []), os.environ["PATH"]])
    base = getattr(sys, "_base_executable", sys.executable)
    environment = os.environ | {"PATH": path, "PYTHON": base, "GIT_CEILING_DIRECTORIES": str(folder.parent)} | changes
    return subprocess.run(["bash", folder / "scripts/setup.sh"], env=environment, capture_output=True, text=True)


def fake(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)
    return folder


def refused(done: subprocess.CompletedProcess, told: str) -> None:
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert "Next:" in done.stderr


@pytest.mark.parametrize("told", ["", "0"])
def test_make_leaves_the_hub_alone(told: str) -> None:
    others = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    environment = others | ({"HF_HUB_OFFLINE": told} if told else {})
    command = ["make", "--silent", "--eval", "said: ; @echo $$HF_HUB_OFFLINE", "said"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (told or "1")


def test_no_git_checkout(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    refused(set_up(checkout), "not a git checkout")


def test_no_python(checkout: Path) -> None:
    refused(set_up(checkout, PYTHON="python3.11-that-is-nowhere"), "no python3.11-that-is-nowhere on PATH")


def test_an_unsupported_python(checkout: Path, tmp_path: Path) -> None:
    fakes = fake(tmp_path / "fakes", "python3.9", "echo 3.9.18")
    refused(set_up(checkout, fakes, PYTHON="python3.9"), "is Python 3.9.18; expected 3.11.5 or later")


def test_a_python_whose_patterns_match_otherwise(checkout: Path, tmp_path: Path) -> None:
    fakes = fake(tmp_path / "fakes", "python3.11", "echo 3.11.2")
    refused(set_up(checkout, fakes, PYTHON="python3.11"), "is Python 3.11.2; expected 3.11.5 or later")


def test_no_disk(checkout: Path, tmp_path: Path) -> None:
    fakes = fake(tmp_path / "fakes", "df", "echo header; echo disk 100 80 20 80% /")
    refused(set_up(checkout, fakes), "20 MB free on this disk")


@pytest.mark.slow
def test_no_way_to_a_package_index(checkout: Path) -> None:
    nowhere = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }
    done = set_up(checkout, **nowhere)
    refused(done, "pip could not install")
    assert not list((checkout / ".venv").glob(".ready-*"))  # the next call tries again


def test_finished_setup_is_not_repeated(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    stamp = subprocess.run(
        "cat requirements.lock requirements-dev.lock requirements-torch.txt pyproject.toml | sha256sum | cut -c1-16",
        shell=True,
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    (checkout / f".venv/.ready-{stamp.stdout.strip()}").touch()
    done = set_up(checkout, PYTHON="python-that-is-nowhere")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["Dockerfile", ".devcontainer/devcontainer.json", ".github/workflows/test.yml"])
def test_containers_and_workflow_run_the_commands_of_readme(name: str) -> None:
    commands = r"\bmake (?:repro|test|show)\b"
    wanted = re.findall(rf"^    ({commands})", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.findall(commands, (ROOT / name).read_text(encoding="utf-8")) == wanted != []


def test_every_python_that_set_up_takes_is_declared() -> None:
    declared = set(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    assert set(re.findall(r"python(3\.\d+)", re.search(r"for name in .*", (ROOT / "scripts/setup.sh").read_text())[0])) == declared
