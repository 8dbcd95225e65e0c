"""The budget of one case, in seconds of the processor and bytes of memory; and the cases of one run with what each took."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import nlargest
from multiprocessing import active_children
from pathlib import Path
from typing import Any, NamedTuple

MOST_SECONDS = 12.0  # far above what a case takes, also on a busy machine: what grows without bounds gets there
MOST_BYTES = 512 * 1024 * 1024
"""That a case may add to what its process has."""
HANG_SECONDS, _AGAIN_SECONDS = 40.0, 0.5
SHOWN = 12


class Broken(AssertionError):
    """A law that does not hold."""


def require(holds: bool, law: str) -> None:
    if not holds:
        raise Broken(law)


class Found(NamedTuple):
    case: str
    error: Exception


class Cases:
    """The cases of one test: counts them, and keeps those that break a law, so that one run shows them all."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.found = folder, list[Found]()
        self.seconds: list[tuple[float, str]] = []
        self.bytes: list[tuple[int, str]] = []

    def run(self, case: str, body: bytes, check: Callable[[], None]) -> None:
        """Check one case; what it raises is kept, and so is its body.

        What took too long is measured once more.
        """
        peak = Peak()
        try:
            with not_endless():
                seconds = cpu_seconds(check)
                if seconds > MOST_SECONDS:
                    seconds = min(seconds, cpu_seconds(check))
            self.seconds.append((seconds, case))
            self.bytes.append((added := peak.added(), case))
            require(seconds <= MOST_SECONDS, f"{seconds:.2f} s")
            require(added <= MOST_BYTES, f"{added // 2**20} MB")
        except Exception as error:
            self.found.append(Found(case, error))
            (self.folder / re.sub(r"\W+", "_", case)).write_bytes(body)

    def require_none(self) -> None:
        """Fail where a case broke a law; `pytest -s` shows what took most."""
        print(f"\n{self.summary()}")
        told = [f"{case}: {type(error).__name__}: {str(error)[:900]} at {place_of(error)}" for case, error in self.found[:SHOWN]]
        assert not self.found, f"{len(self.found)} cases, their files in {self.folder}:\n" + "\n".join(told)

    def summary(self) -> str:
        """Return how many cases there were, and the slowest and the largest of them."""
        total = sum(seconds for seconds, _ in self.seconds)
        lines = [f"{len(self.seconds)} cases in {total:.0f} s of the processor, {len(self.found)} broke a law; slowest and largest:"]
        lines += [f"{seconds:6.2f} s   {case}" for seconds, case in nlargest(3, self.seconds)]
        lines += [f"{added // 2**20:5} MB   {case}" for added, case in nlargest(3, self.bytes)]
        return "\n  ".join(lines)


def place_of(error: Exception) -> str:
    trace, place = error.__traceback__, ""
    while trace is not None:
        if "crawlers" in trace.tb_frame.f_code.co_filename or not place:
            place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


@contextmanager
def not_endless() -> Iterator[None]:
    """Stop what runs on and on, so that one case does not keep the others from being seen. Only what Python runs can be stopped."""

    def ring(*_: Any) -> None:
        raise TimeoutError(f"stopped after {HANG_SECONDS:.0f} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS, _AGAIN_SECONDS)  # again: what is raised in a destructor is lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def cpu_seconds(check: Callable[[], None]) -> float:
    """Return what a check takes of the processor, in this process and in that which reads PDFs."""
    start, of_children = time.process_time(), children_seconds()
    check()
    return time.process_time() - start + max(0.0, children_seconds() - of_children)


def children_seconds() -> float:
    ticks = 0
    for child in active_children():
        stat = Path(f"/proc/{child.pid}/stat")
        if stat.exists():  # else the time of this process alone is known
            ticks += sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Peak:
    """The most memory that is taken from now on, beyond what is taken now: by this process or by one that it started, where Linux tells."""

    def __init__(self) -> None:
        self._before = {}
        for process in processes():
            try:
                (process / "clear_refs").write_text("5")  # the peak begins anew
                self._before[process] = memory(process, "VmRSS")
            except OSError:
                continue

    def added(self) -> int:
        """Return the bytes that came on top; of a process that began since, those beyond what one of its kind takes alone."""
        return max((memory(process, "VmHWM") - self._before.get(process, memory(process, "VmRSS")) for process in processes()), default=0)


def processes() -> list[Path]:
    return [path for number in ("self", *(child.pid for child in active_children())) if (path := Path(f"/proc/{number}")).exists()]


def memory(process: Path, field: str) -> int:
    try:
        found = re.search(rf"{field}:\s+(\d+) kB", (process / "status").read_text())
    except OSError:  # it ended
        return 0
    return int(found[1]) * 1024 if found else 0
