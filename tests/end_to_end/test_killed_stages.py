"""Killed stages: the same bytes in the end."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

import psutil
import pytest

from tests.end_to_end.conftest import Clone

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("killed")]

KILLED = [  # later stages first: what a killed one reads is still there
    [("extract@ask120", "group"), ("crawl@ask120", "dvc"), ("crawl@examcoo", "group")],
    [("release", "dvc"), ("validate", "group"), ("evidence", "dvc"), ("near_duplicates", "group"), ("clean", "dvc")],
    [("score", "group"), ("predict@tiny", "dvc"), ("finetune@tiny", "group")],
]


@pytest.fixture(scope="module")
def few(make_clone: Callable[[str], Clone]) -> Clone:
    """A clone in which the pipeline has run over two sources and two models."""
    clone = make_clone("killed")

    def few_of_each(params: dict) -> None:
        kept = {"sources": ("ask120", "examcoo"), "models": ("random", "tiny"), "runs": ("random-choice", "tiny-claims")}
        for block, names in kept.items():
            params[block] = {name: params[block][name] for name in names}
        params["judges"] = {}

    clone.edit_params(few_of_each)
    clone.repro()
    return clone


@pytest.mark.parametrize("stages", KILLED, ids=["sources", "data", "models"])
def test_killed_stages_end_with_the_same_bytes(few: Clone, stages: list[tuple[str, str]]) -> None:
    """Kill the whole process group, or dvc alone, whose stage then lives on as an orphan beside the next run."""
    before = few.hashes()
    for stage, victim in stages:
        kill(few, stage, victim)
    few.repro()
    assert few.hashes() == before
    assert few.run("dvc", "status", "--quiet", check=False).returncode == 0


def kill(clone: Clone, stage: str, victim: str) -> None:
    """Start a stage, kill it, and have what it left recovered."""
    started = subprocess.Popen(
        ["dvc", "repro", "--single-item", "--force", stage],
        cwd=clone.folder, env=clone.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    _wait_for_stage(started)
    time.sleep(0.3)
    if victim == "group":
        os.killpg(started.pid, signal.SIGKILL)
    else:
        started.kill()
    started.wait()
    clone.run("python", "-m", "scripts.recover")


def _wait_for_stage(dvc: subprocess.Popen) -> None:
    """Return when the stage's own process runs."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and dvc.poll() is None:
        for child in psutil.Process(dvc.pid).children(recursive=True):
            try:
                if "-m" in child.cmdline():
                    return
            except psutil.Error:  # it ended between the two calls
                continue
        time.sleep(0.02)
    pytest.fail(f"no stage was started; dvc ended with {dvc.returncode}")
