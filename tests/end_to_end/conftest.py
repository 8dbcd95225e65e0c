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
SMALL_MODEL = {
    "layers": 2, "hidden": 64, "heads": 2, "vocab_size": 2000, "prompt_epochs": 3, "per_task": 200, "max_text_tokens": 4000, "seed": 1,
}  # fmt: skip


class Clone:
    """A clone and the commands run in it."""

    def __init__(self, root: Path, folder: Path, is_as_committed: bool = False) -> None:
        self.folder = folder
        self.network_log = folder.parent / f"{folder.name}.network"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", root, folder], check=True)
        self.run("dvc", "config", "--local", "core.site_cache_dir", str(folder.parent / f"{folder.name}.dvc"))
        if is_as_committed:
            return
        _bring_uncommitted(root, folder)
        # The figures of the committed version belong to its own model; this clone builds anew, from nothing.
        for stale in ["dvc.lock", *map(str, (folder / "metrics").rglob("*.json"))]:
            (folder / stale).unlink(missing_ok=True)
        self.edit_params(lambda params: params["finetune"].update(tiny=SMALL_MODEL))
        self.commit("small model")

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
        return self.run("dvc", "--wait-for-lock", "repro", *arguments, check=check)

    def commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--allow-empty", "-m", message)

    def ran(self, *arguments: str) -> set[str]:
        """Return the stages that `dvc repro` ran."""
        return set(re.findall(r"^Running stage '([^']+)'", self.repro(*arguments).stdout, re.MULTILINE))

    def changed(self) -> str:
        """Return what git sees beside the last commit."""
        return self.run("git", "status", "--porcelain").stdout

    def hashes(self) -> dict[str, dict]:
        """Return what dvc.lock says of each stage."""
        return YAML(typ="safe").load(self.folder / "dvc.lock")["stages"]


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


@pytest.fixture
def clean_clone(built: Clone, tmp_path: Path) -> Clone:
    """A clone of the built one with DVC's cache shared, as `make repro` leaves it."""
    clone = Clone(built.folder, tmp_path / "clean", is_as_committed=True)
    clone.run("dvc", "cache", "dir", "--local", str(built.folder / ".dvc/cache"))
    clone.run("dvc", "checkout", "--quiet")
    (clone.folder / ".venv").symlink_to(sys.prefix)
    return clone


@pytest.fixture(scope="session")
def make_clone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Clone]:
    """Return a function that makes another clone, not built."""
    return lambda name: Clone(Path(__file__).parents[2], tmp_path_factory.mktemp(name) / name)
