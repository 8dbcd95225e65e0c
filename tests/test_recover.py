"""What a killed run leaves behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.recover import main, owners


@pytest.fixture
def lock(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    return tmp_path / ".dvc/tmp/rwlock"


def dead_pid() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.mark.parametrize("text", ["", '{"a": {"wri', "[]", '{"a": 3}', "{}"])
def test_a_lock_that_was_cut_is_removed(lock: Path, text: str) -> None:
    lock.write_text(text)
    main()
    assert not lock.exists()


def test_a_lock_of_a_dead_process_is_removed(lock: Path) -> None:
    lock.write_text(json.dumps({"/a": {"write": {"pid": dead_pid(), "cmd": "dvc repro"}}}))
    main()
    assert not lock.exists()


def test_a_lock_of_a_zombie_is_removed(lock: Path) -> None:
    zombie = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked for its status
    lock.write_text(json.dumps({"/a": {"read": [{"pid": zombie.pid, "cmd": "dvc repro"}]}}))
    main()
    zombie.wait()
    assert not lock.exists()


def test_a_lock_of_a_live_process_stays(lock: Path) -> None:
    lock.write_text(json.dumps({"/a": {"write": {"pid": os.getpid(), "cmd": "dvc repro"}}}))
    main()
    assert lock.exists()


def test_owners_are_readers_and_writers() -> None:
    assert owners({"/a": {"write": {"pid": 1, "cmd": ""}}, "/b": {"read": [{"pid": 2, "cmd": ""}, {"pid": 3, "cmd": ""}]}}) == {1, 2, 3}


def test_no_lock_is_fine(lock: Path) -> None:
    main()
