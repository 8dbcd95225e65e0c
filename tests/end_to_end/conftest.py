"""A temporary clone of the repository in which the whole pipeline is built, with the network taken away."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.params import read_params

BIN = Path(sys.executable).parent  # not resolved: the environment's own folder
SMALL_MODEL = dict(layers=1, hidden=32, heads=2, vocab_size=2000, prompt_epochs=1, per_task=100, max_text_tokens=400, seed=1)
FEW = {
    "models": ("random", "sycophant", "tiny", "echo", "overlap"),
    "runs": ("random-claims", "random-choice", "random-fourfold", "sycophant-claims", "sycophant-tcm-orders", "tiny-claims", "echo-essay"),
    "judges": ("echo-essay",),
}
"""All data, and of what is asked one of each kind: tests/eval asks in every way."""


class Clone:
    """A clone and the commands run in it."""

    def __init__(self, root: Path, folder: Path, is_as_committed: bool = False) -> None:
        self.folder = folder
        self.network_log = folder.parent / f"{folder.name}.network"
        self._config: dict[str, dict[str, object]] = {}
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", root, folder], check=True)
        self.configure("core", site_cache_dir=folder.parent / f"{folder.name}.dvc")
        if is_as_committed:
            return
        _bring_uncommitted(root, folder)
        # The figures of the committed version belong to its own model; this clone builds anew, from nothing.
        for stale in ["dvc.lock", *map(str, (folder / "metrics").rglob("*.json"))]:
            (folder / stale).unlink(missing_ok=True)
        self.edit_params(_few)
        self.commit("few models")

    def configure(self, section: str, **settings: object) -> None:
        """Do what `dvc config --local` and `dvc remote add --local` would, without the seconds that DVC takes to start."""
        self._config.setdefault(section, {}).update(settings)
        blocks = [f"['{name}']\n" + "".join(f"{key} = {value}\n" for key, value in block.items()) for name, block in self._config.items()]
        (self.folder / ".dvc/config.local").write_text("".join(blocks), encoding="utf-8")

    def edit_params(self, change: Callable[[dict], None]) -> None:
        params = read_params(self.folder / "params.yaml")
        change(params)
        with open(self.folder / "params.yaml", "w", encoding="utf-8") as file:
            YAML().dump(params, file)

    @contextmanager
    def changed_params(self, change: Callable[[dict], None]) -> Iterator[None]:
        """Change params.yaml inside the block, and put it back as it was whatever happens there."""
        path = self.folder / "params.yaml"
        before = path.read_text(encoding="utf-8")
        self.edit_params(change)
        try:
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def environment(self) -> dict[str, str]:
        guard = Path(__file__).parent / "guard"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DVC_", "COV_", "PYTEST_"))}
        paths = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(guard), "NETWORK_LOG": str(self.network_log)}
        return kept | paths | {"HF_HUB_OFFLINE": "1"}

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        return done

    def repro(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run `dvc repro` as `make repro` does, which writes dvc.lock faster than DVC itself."""
        return self.run("python", "-m", "scripts.dvc_progress", "--wait-for-lock", "repro", *arguments, check=check)

    def commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--allow-empty", "-m", message)

    def ran(self, *arguments: str, check: bool = True) -> set[str]:
        """Return the stages that `dvc repro` ran, or with `--dry` would run; where one's input is yet to be made, those up to it."""
        shown = self.repro(*arguments, check=check).stdout
        return set(re.findall(r"^\[\d+/\d+\] ([^:]+): (?!as in an earlier run)", shown, re.MULTILINE))

    def changed(self) -> str:
        """Return what git sees beside the last commit."""
        return self.run("git", "status", "--porcelain").stdout

    def hashes(self) -> dict[str, dict]:
        """Return what dvc.lock says of each stage."""
        return YAML(typ="safe").load(self.folder / "dvc.lock")["stages"]


def _few(params: dict) -> None:
    for block, names in FEW.items():
        params[block] = {name: params[block][name] for name in names}
    params["finetune"]["tiny"] = SMALL_MODEL
    params["runs"]["tiny-claims"]["repeats"] = 1


def _bring_uncommitted(root: Path, folder: Path) -> None:
    """Copy what the working tree has beside the last commit, so that the tests try the code as it stands."""
    listed = subprocess.run(["git", "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"], cwd=root, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (root / name).exists():
            shutil.copy2(root / name, folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which `dvc repro` has run once; tests leave it as they found it."""
    clone = Clone(Path(__file__).parents[2], tmp_path_factory.mktemp("clone") / "first")
    clone.repro()
    clone.commit("built")
    return clone


def copy_of(built: Clone, folder: Path) -> Clone:
    """Clone the built one, with DVC's cache shared, as `make repro` leaves it."""
    clone = Clone(built.folder, folder, is_as_committed=True)
    clone.configure("cache", dir=built.folder / ".dvc/cache")
    clone.run("dvc", "checkout", "--quiet")
    (clone.folder / ".venv").symlink_to(sys.prefix)
    return clone


@pytest.fixture
def clean_clone(built: Clone, tmp_path: Path) -> Clone:
    """A copy for one test."""
    return copy_of(built, tmp_path / "clean")
