"""Budgets: what takes too long, too much memory, or crashes ends alone, with its name and what to do; the next finds a reader."""

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

import pytest

from atomexam.runtime import budgets
from atomexam.runtime.budgets import Budget, OverBudget, ProcessFailure, read_guarded, renew_cpu_limit, run_isolated, uncollected, within
from atomexam.text.refusal import Refusal

BUDGET = Budget(seconds=1, bytes=1024**3)


def reader(name: str, body: bytes) -> Iterator[str]:
    """Do what the file says."""
    yield f"{name} begins"
    match body:
        case b"loop":
            while True:
                pass
        case b"deaf":  # as a library that catches whatever it does not know
            while True:
                try:
                    while True:
                        pass
                except OverBudget:
                    continue
        case b"part":
            with within(0.3, "page 7"):
                while True:
                    pass
        case b"swallow" | b"wrap":  # as a library that goes on with what it has, or says that the file is damaged
            with within(0.3, "page 8"):
                try:
                    while True:
                        pass
                except OverBudget:
                    if body == b"wrap":
                        raise KeyError("damaged") from None
            yield "page 8 ends"
        case b"outer":
            with within(0.3, "the file"), within(0.4, "page 9"), suppress(OverBudget):
                while True:
                    pass
            yield "page 9 ends"
        case b"swell":
            yield str(len(bytearray(4 * 1024**3)))
        case b"crash":
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # no words of Python's own
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"stuck":  # in C, where no thread of Python runs
            yield str(os.getpid())
            re.match("(a|a)*b", "a" * 40)
        case b"refuse":
            raise Refusal(f"{name}: no such thing")
        case b"fail":
            raise ValueError(f"{name}: a fault of the reader's own")
        case b"nested":
            yield from read_guarded(reader, "inner", b"", "")


@pytest.fixture(scope="module", autouse=True)
def none_left() -> Iterator[None]:
    yield
    budgets.stop()


def test_a_script_without_a_guard_is_not_run_again_by_its_reader(tmp_path) -> None:
    """`zip` stands for a reader: it is importable anywhere."""
    script = tmp_path / "script.py"
    script.write_text(
        "from atomexam.runtime.budgets import read_guarded\nprint(__file__ is not None, list(read_guarded(zip, 'ab', b'xy', 'split it')))\n"
    )
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert found.stdout == "True [('a', 120), ('b', 121)]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"fail", "a: a fault of the reader's own"),
        (b"loop", "a: it takes more than 1 seconds of computing; cut it"),
        (b"deaf", "a: it takes more than 1 seconds of computing; cut it"),
        (b"part", "a: page 7 takes more than 0.3 seconds of computing; cut it"),
        (b"swallow", "a: page 8 takes more than 0.3 seconds of computing; cut it"),
        (b"wrap", "a: page 8 takes more than 0.3 seconds of computing; cut it"),
        (b"outer", "a: the file takes more than 0.3 seconds of computing; cut it"),
        (b"swell", "a: takes more than 1024 MB of memory; cut it"),
        (b"crash", "a: its reader crashed; cut it"),
        (b"refuse", "a: no such thing"),
    ],
)
def test_crash_of_a_reader_does_not_end_the_parent(body: bytes, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets.stop()
    monkeypatch.setattr(budgets, "_GRACE_SECONDS", 0.2)
    with pytest.raises(ValueError, match=f"^{words}$") as raised:
        list(read_guarded(reader, "a", body, "cut it", BUDGET))
    assert isinstance(raised.value, Refusal) == (body != b"fail")
    assert list(read_guarded(reader, "b", b"nested", "cut it", BUDGET)) == ["b begins", "inner begins"]


@pytest.mark.slow
def test_a_reader_ends_with_the_run_that_started_it() -> None:
    code = """
from atomexam.runtime.budgets import read_guarded
from tests.runtime.test_budgets import reader
if __name__ == "__main__":
    for said in read_guarded(reader, "a", b"stuck", ""):
        print(said, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "a begins\n"
        pid = int(run.stdout.readline())
        time.sleep(0.2)
        run.kill()
    for _ in range(50):
        with suppress(ProcessLookupError):
            os.kill(pid, 0)
            time.sleep(0.1)
            continue
        return
    os.kill(pid, signal.SIGKILL)
    pytest.fail("it runs on")


@pytest.mark.slow
def test_reader_survives_the_thread_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_running", [])
    thread = threading.Thread(target=lambda: [*read_guarded(reader, "a", b"", "")])
    thread.start()
    thread.join()
    time.sleep(0.3)  # the time in which a signal would come
    assert budgets._running[0].process.is_alive() and "b begins" in [*read_guarded(reader, "b", b"", "")]
    budgets._running[0].process.kill()


def test_a_limit_of_the_shell_breaks_no_reader() -> None:
    """Under `ulimit -t`, going back to no limit of one's own was an error, and every file after it unread."""
    code = """
import resource
from atomexam.runtime.budgets import _limit_seconds
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
_limit_seconds(5)
_limit_seconds(0)
assert resource.getrlimit(resource.RLIMIT_CPU) == (100, 100)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_time_of_one_file_is_not_that_of_the_next() -> None:
    for number in range(4):
        assert list(read_guarded(busy, str(number), b"", "", Budget(seconds=1))) == [0.3]


def busy(name: str, body: bytes) -> Iterator[float]:
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    yield 0.3


def crash() -> None:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def loop() -> None:
    renew_cpu_limit(0.2)
    while True:
        pass


def go_on() -> str:
    for _ in range(4):
        renew_cpu_limit(1)
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
    return "done"


@pytest.mark.parametrize("is_enabled", [True, False])
def test_cycles_are_looked_for_again_behind_a_block_that_fails(is_enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        with suppress(ValueError), uncollected():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def fail() -> None:
    raise ValueError("wrong")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "came"),
    [
        (go_on, "done"),
        (loop, ProcessFailure("takes more than 0.2 seconds of computing")),
        (crash, ProcessFailure("broke its reader down (SIGSEGV)")),
        (fail, "wrong"),
        (killed, "ended with SIGKILL"),
    ],
)
def test_parent_survives_crashed_work(work: Callable[[], Any], came: Any) -> None:
    if work in (fail, killed):
        with pytest.raises(ValueError, match=came):
            run_isolated(work, 0.2)
    else:
        assert run_isolated(work, 0.2) == came


@pytest.mark.slow
def test_processes_made_by_a_fork_read_with_readers_of_their_own() -> None:
    files = [f"{number}.txt" for number in range(40)]
    assert _all_read("first.txt") == ["begins"]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        assert [*pool.map(_all_read, files)] == [["begins"]] * 40


def _all_read(name: str) -> list[str]:
    return [said.removeprefix(f"{name} ") for said in read_guarded(reader, name, b"", "advice", BUDGET)]
