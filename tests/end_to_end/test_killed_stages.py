"""Killed stages, and a second build beside the first one: the same bytes in the end."""

import os
import signal
import subprocess
import time

import psutil
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("killed")]  # beside the group of the pipeline, with a build of its own

KILLED = [  # later stages first: what a killed one reads is still there
    [("extract@ask120", "group"), ("crawl@ask120", "dvc"), ("crawl@examcoo", "group")],
    [("release", "dvc"), ("validate", "group"), ("evidence", "dvc"), ("near_duplicates", "group"), ("clean", "dvc")],
    [("score", "group"), ("predict@tiny", "dvc"), ("finetune@tiny", "group")],
]


@pytest.mark.parametrize("stages", KILLED, ids=["sources", "data", "models"])
def test_killed_stages_end_with_the_same_bytes(built, stages: list[tuple[str, str]]) -> None:
    """Kill the whole process group, or dvc alone, whose stage then lives on as an orphan beside the next run."""
    before = built.hashes()
    for stage, victim in stages:
        kill(built, stage, victim)
    built.repro()
    assert built.hashes() == before
    assert built.run("dvc", "status", "--quiet", check=False).returncode == 0


def kill(built, stage: str, victim: str) -> None:
    """Start a stage, kill it, and have what it left recovered."""
    started = subprocess.Popen(
        ["dvc", "repro", "--single-item", "--force", stage],
        cwd=built.folder, env=built.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    _wait_for_stage(started)
    time.sleep(0.3)
    if victim == "group":
        os.killpg(started.pid, signal.SIGKILL)
    else:
        started.kill()
    started.wait()
    built.run("python", "-m", "scripts.recover")


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


def test_another_clone_gives_the_same_hashes(built, hashes_elsewhere) -> None:
    assert hashes_elsewhere() == built.hashes()
