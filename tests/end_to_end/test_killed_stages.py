"""Killed stages: the same bytes in the end."""

import os
import signal
import subprocess
import time

import psutil
import pytest

from tests.end_to_end.conftest import Clone

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pipeline")]

KILLS = int(os.environ.get("KILLS", "4"))
KILLED = [  # later stages first: what a killed one reads is still there
    ("predict@tiny", "dvc"),
    ("near_duplicates", "group"),
    ("extract@ask120", "group"),
    ("crawl@ask120", "dvc"),
    ("score", "group"),
    ("finetune@tiny", "group"),
    ("release", "dvc"),
    ("validate", "group"),
    ("evidence", "dvc"),
    ("clean", "dvc"),
    ("crawl@examcoo", "group"),
]


def test_killed_stages_end_with_the_same_bytes(clean_clone: Clone) -> None:
    """Kill the whole process group, or dvc alone, whose stage then lives on as an orphan beside the next run; `KILLS=40` for all."""
    before = clean_clone.hashes()
    for stages in (KILLED[:4], KILLED[4:] if KILLS > 4 else []):
        for stage, victim in stages:
            kill(clean_clone, stage, victim)
        clean_clone.repro()
        assert clean_clone.hashes() == before
    assert clean_clone.run("dvc", "status", "--quiet", check=False).returncode == 0


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
