"""Worker processes: same results as none, no orphans, clear errors."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from atomexam.runtime.workers import cores, worker_pool

WITH_ROOT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
_ORPHANS = """
import os, time
from atomexam.runtime.workers import worker_pool

def told(number):
    return os.getpid()

if __name__ == "__main__":
    with worker_pool(2) as workers:
        print(*{*workers.map(told, range(50))}, flush=True)
        time.sleep(60)
"""

_INTERRUPTED = """
import os, signal, sys, time
from atomexam.runtime.workers import worker_pool

if __name__ == "__main__":
    try:
        with worker_pool(2) as workers:
            work = workers.map(abs, range(50))
            time.sleep(1)
            os.killpg(0, signal.SIGINT)  # as Ctrl-C does
            list(work)
    except KeyboardInterrupt:
        sys.exit(7)
else:
    time.sleep(2)  # a worker still reads its modules when the interrupt comes
"""

_INTERRUPTED_TWICE = """
import os, signal, sys, time
from threading import Timer
from atomexam.runtime.workers import worker_pool

if __name__ == "__main__":
    try:
        with worker_pool(2) as workers:
            work = [workers.submit(time.sleep, 1.5) for _ in range(5)]
            for seconds in (0.5, 0.8):  # the second comes while the work that has begun is awaited
                Timer(seconds, os.killpg, (0, signal.SIGINT)).start()
            work[-1].result()
    except KeyboardInterrupt:
        sys.exit(7)
"""


def square(number: int) -> int:
    return number * number


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def given() -> str:
    return os.environ["GIVEN_TO_WORKERS"]


def begin(text: str) -> None:
    os.environ["GIVEN_TO_WORKERS"] = text


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_the_number_of_workers_changes_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIVEN_TO_WORKERS", "")
    with worker_pool(number, begin, ("甲",)) as workers:
        assert list(workers.map(square, range(100))) == [number * number for number in range(100)]
        assert workers.submit(square, 3).result() == 9
        assert workers.submit(given).result() == "甲"


@pytest.mark.parametrize("number", [1, 2])
def test_errors_of_workers_are_raised(number: int) -> None:
    with pytest.raises(ValueError, match="invalid literal"), worker_pool(number) as workers:
        list(workers.map(int, ["1", "x"]))


def test_killed_worker_error_has_a_remedy() -> None:
    with pytest.raises(ValueError, match=r"a worker process was killed.*taskset"), worker_pool(2) as workers:
        workers.submit(die, 1).result()


def test_no_worker_outlives_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_ORPHANS)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=WITH_ROOT)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert pids and parent.pid not in pids
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not any(is_running(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError(f"workers {pids} run on")


@pytest.mark.parametrize("script", [_INTERRUPTED, _INTERRUPTED_TWICE], ids=["while workers begin", "twice"])
def test_an_interrupt_is_told_by_the_parent_alone_and_shortly(tmp_path: Path, script: str) -> None:
    (tmp_path / "parent.py").write_text(script)
    command = [sys.executable, str(tmp_path / "parent.py")]
    ended = subprocess.run(command, capture_output=True, text=True, start_new_session=True, timeout=30, env=WITH_ROOT)
    assert (ended.returncode, ended.stderr) == (7, "")


@pytest.mark.slow
def test_what_was_asked_and_not_begun_is_not_done_after_an_error(tmp_path: Path) -> None:
    others = set(active_children())  # such as the reader of PDFs, which serves file after file
    with pytest.raises(KeyError, match="enough"), worker_pool(2) as workers:
        done = [workers.submit(leave, tmp_path / str(number)) for number in range(500)]
        done[0].result()
        raise KeyError("enough")
    assert set(active_children()) <= others
    assert 1 <= len(list(tmp_path.iterdir())) < 500


def leave(path: Path) -> None:
    time.sleep(0.02)
    path.touch()


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_cores_are_those_that_this_process_may_use() -> None:
    assert cores() == len(os.sched_getaffinity(0))


def test_a_process_that_was_given_one_core_has_one() -> None:
    """As `taskset -c 0` does, which is what a person is told to do where memory runs out."""
    one = min(os.sched_getaffinity(0))
    program = f"import os; os.sched_setaffinity(0, {{{one}}}); from atomexam.runtime.workers import cores; print(cores())"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=WITH_ROOT, check=True)
    assert told.stdout == "1\n"


def test_no_worker_holds_what_the_parent_has_open(tmp_path: Path) -> None:
    with open(tmp_path / "held", "w"), worker_pool(2) as workers:
        assert str(tmp_path / "held") in opened() and str(tmp_path / "held") not in workers.submit(opened).result()


def opened() -> list[str]:
    return [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
