"""Limits on CPU time and memory, and process isolation: untrusted bytes are parsed in a separate process, which is replaced if it crashes.

A file or page may unpack to any size, or make its reader crash or loop forever. `read_guarded` reads one file in a separate process;
`run_isolated` runs a complete task in one and reports why it ended. The limits are in CPU time, so they do not depend on how busy the
machine is. A reader can also limit part of its work with `within` and report what took too long.
"""

import atexit
import ctypes
import gc
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from atomexam.text.refusal import Refusal

_SPAWN = multiprocessing.get_context("spawn")  # a fork would inherit the locks of the parent's threads
_ANSWER, _REFUSAL, _ERROR, _END = "answer", "refusal", "error", "end"
_COLLECTED_EVERY = 100_000
_GRACE_SECONDS = 5.0
"""A process is killed this long after its budget ends, since Python stops it only when Python code runs again."""
_WALL = 10
"""Wall-clock limit as a multiple of the budget; it also ends processes that wait instead of computing."""
_LOOK_SECONDS, _AGAIN_SECONDS = 0.5, 0.5
_PR_SET_PDEATHSIG = 1  # prctl(2)
T = TypeVar("T")
Read = Callable[..., Iterator[Any]]


class Budget(Struct, frozen=True):
    """Limits for one file."""

    seconds: float = 60.0
    """CPU time."""
    bytes: int = 3 * 1024**3
    """Memory in addition to what the process already uses; a PDF of 900 pages needs a tenth of it."""


class OverBudget(Exception):
    """The time limit was exceeded; the message names what took too long."""


class _ReaderProcess(NamedTuple):
    process: BaseProcess
    pipe: Connection


class ProcessFailure(NamedTuple):
    """Why a process ended before its work did."""

    words: str


_running: list[_ReaderProcess] = []
_is_guarded, _beats = [False], [False]
os.register_at_fork(after_in_child=_running.clear)  # two processes on one pipe would receive each other's answers


def is_guarded() -> bool:
    """Return whether this process is allowed to crash, so that a reader needs no other process."""
    return _is_guarded[0]


def read_guarded(read: Read, name: str, body: bytes, advice: str, budget: Budget | None = None, *extra: Any) -> Iterator[Any]:
    """Yield the results of a reader for one file, read in a separate process.

    Args:
        read: a function of an importable module, not of the running script.
        advice: what to do about a file that exceeds a limit or crashes the reader.
        extra: arguments of the reader after name and bytes.

    Raises:
        Refusal: the reader's own, or the file exceeds the memory or time limit.
        ValueError: the reader's own.
    """
    if is_guarded():
        yield from read(name, body, *extra)
        return
    budget = budget or Budget()
    if not _running:
        _running.append(_started())
    reader, kind = _running[0], ""
    try:
        hard = budget.seconds + _GRACE_SECONDS
        reader.pipe.send((read, name, body, advice, budget, hard, extra))
        while True:
            if not reader.pipe.poll(_WALL * hard):
                raise Refusal(f"{name}: not read within {_WALL * hard:.0f} seconds; {advice}")
            with uncollected():
                kind, answer = reader.pipe.recv()
            if kind != _ANSWER:
                break
            yield answer
    except (EOFError, BrokenPipeError, ConnectionResetError):
        reader.process.join()
        is_slow = reader.process.exitcode == -signal.SIGXCPU
        words = f"it takes more than {budget.seconds:g} seconds of computing" if is_slow else "its reader crashed"
        raise Refusal(f"{name}: {words}; {advice}") from None
    finally:
        if kind not in (_REFUSAL, _ERROR, _END):  # its remaining output would be mistaken for the next file's
            stop()
    if kind != _END:
        raise (Refusal if kind == _REFUSAL else ValueError)(answer)


@atexit.register
def stop() -> None:
    """End the reader process; the next file starts a new one."""
    while _running:
        reader = _running.pop()
        reader.pipe.close()
        reader.process.kill()
        reader.process.join()


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable the garbage collector in a block that creates many objects without cycles: it would visit each object twice."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Stop the block once it exceeds its CPU time, as soon as Python code runs; only in a guarded process.

    Libraries may swallow the exception, so it is raised repeatedly within the block, and always at the end of the block.

    Raises:
        OverBudget: the limit was exceeded; the message begins with `what`.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0]
    if not is_guarded() or 0 < left < seconds:  # the enclosing block has less time left
        yield
        return
    has_ended = has_run_out = False
    message = f"{what} takes more than {seconds:g} seconds of computing"

    def stopped(*_: Any) -> None:
        nonlocal has_run_out
        if not has_ended:
            has_run_out = True
            raise OverBudget(message)

    before, start = signal.signal(signal.SIGPROF, stopped), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    try:
        yield
    except Exception:
        if not has_run_out:
            raise
    finally:
        has_ended = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if left:  # restore the timer of the enclosing block
            signal.setitimer(signal.ITIMER_PROF, max(left - (time.process_time() - start), 0.001), _AGAIN_SECONDS)
    if has_run_out:
        raise OverBudget(message)


def run_isolated(work: Callable[[], T], seconds: float, most_bytes: int = 0) -> "T | ProcessFailure":
    """Run work in a separate process, and return its result, or a failure if it ran out of CPU time or crashed.

    The process is a fork, so call this before starting threads. It ends when this process ends, and receives the same interrupts.

    Args:
        seconds: CPU time to state in the failure; the work itself sets the limit, with `renew_cpu_limit`.

    Raises:
        ValueError: the work raised it (OSError and KeyboardInterrupt are passed on, too), or the process was killed or ended with an exit
            status.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, theirs, ours, most_bytes))
    sys.stdout.flush()
    sys.stderr.flush()
    with _forwarding_interrupts(process):
        process.start()
        theirs.close()
        try:
            raised, value = ours.recv()
        except EOFError:
            process.join()
            return _ended(process.exitcode or 0, seconds)
        finally:
            ours.close()
            process.join()
    if raised is not None:
        raise raised
    return value


@contextmanager
def _forwarding_interrupts(process: BaseProcess) -> Iterator[None]:
    """Forward each interrupt once: the child has its own process group, so a terminal's interrupts do not reach it directly."""

    def forward(number: int, _: Any) -> None:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def renew_cpu_limit(seconds: float) -> None:
    """Allow the isolated work this much more CPU time (0: no limit), after which its process ends."""
    if _beats[0]:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def limit_memory(most_bytes: int) -> None:
    """Limit the memory that this process may allocate beyond what it has (a fork has its parent's), where the system supports it."""
    try:
        import resource  # not on Windows
    except ImportError:
        return
    statm = Path("/proc/self/statm")  # Linux
    own = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = own + most_bytes if hard == resource.RLIM_INFINITY else min(own + most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


@contextmanager
def within_memory(most_bytes: int) -> Iterator[None]:
    """Limit the memory that the block may allocate beyond what the process already uses; only in a guarded process."""
    if not is_guarded():
        yield
        return
    import resource  # not on Windows

    before = resource.getrlimit(resource.RLIMIT_AS)
    limit_memory(most_bytes)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _ended(status: int, seconds: float) -> ProcessFailure:
    """Return why a process ended before its work was done.

    Raises:
        ValueError: the process was killed, exited with a status, or ran out of memory; these causes do not show a fault in the work.
    """
    if -status in (signal.SIGXCPU, signal.SIGVTALRM):
        return ProcessFailure(f"takes more than {seconds:g} seconds of computing")
    if -status in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT) or status >= 0:
        name = f"status {status}" if status >= 0 else signal.Signals(-status).name
        why = "; the system sends it when memory runs out" if -status == signal.SIGKILL else ""
        raise ValueError(f"a process of this run ended with {name}{why}; run it again")
    return ProcessFailure(f"broke its reader down ({signal.Signals(-status).name})")


def _run(work: Callable[[], Any], pipe: Connection, theirs: Connection, most_bytes: int) -> None:
    theirs.close()
    os.setpgid(0, 0)
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        signal.signal(number, handler)
    _end_with_parent(os.getppid())
    if most_bytes:
        limit_memory(most_bytes)
    _beats[0] = True
    raised, value = None, None
    try:
        value = work()
    except (ValueError, OSError, KeyboardInterrupt) as error:
        raised = error
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    with suppress(BrokenPipeError):
        pipe.send((raised, value))


def _end_with_parent(parent: int, is_of_thread: bool = False) -> None:
    """End this process when its parent process ends, even if the thread that started it ended earlier."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    if sys.platform == "linux" and not is_of_thread:  # immediate, whatever is running; but the signal is sent when the starting thread ends
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=look, daemon=True).start()


def _started() -> _ReaderProcess:
    ours, theirs = _SPAWN.Pipe()
    is_of_thread = threading.current_thread() is not threading.main_thread()
    process = _SPAWN.Process(target=_serve, args=(theirs, is_of_thread), daemon=True)
    with _script_left_out():
        process.start()
    theirs.close()  # so that our end closes when the process ends
    return _ReaderProcess(process, ours)


@contextmanager
def _script_left_out() -> Iterator[None]:
    """Keep a spawned process from running the user's script again, which may have no main guard; `python -m` modules are unaffected."""
    main = vars(sys.modules["__main__"])
    path = main.pop("__file__", None)
    try:
        yield
    finally:
        if path is not None:
            main["__file__"] = path


def _serve(pipe: Connection, is_of_thread: bool) -> None:
    if parent := multiprocessing.parent_process():
        _end_with_parent(parent.pid or 0, is_of_thread)
    _is_guarded[0] = True
    gc.freeze()
    gc.set_threshold(_COLLECTED_EVERY, 10, 100)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    with suppress(EOFError, ConnectionError):  # the run ended, or stopped reading the file
        while True:
            _answer(pipe, *pipe.recv())


def _answer(pipe: Connection, read: Read, name: str, body: bytes, advice: str, budget: Budget, hard: float, extra: tuple[Any, ...]) -> None:
    last: tuple[str, str | None] | None = (_END, None)
    limit_memory(budget.bytes)
    _limit_seconds(hard)
    try:
        with within(budget.seconds, "it"):
            for answer in read(name, body, *extra):
                pipe.send((_ANSWER, answer))
    except ValueError as error:
        last = (_REFUSAL if isinstance(error, Refusal) else _ERROR, str(error))
    except OverBudget as error:
        last = (_REFUSAL, f"{name}: {error}; {advice}")
    except MemoryError:
        last = None  # the memory is released with the exception; only then build a message
    last = last or (_REFUSAL, f"{name}: takes more than {budget.bytes // 1024**2} MB of memory; {advice}")
    _limit_seconds(0)
    pipe.send(last)


def _limit_seconds(seconds: float) -> None:
    """Allow this process this much more CPU time (0: no limit), after which the system ends it, whatever is running."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1 if seconds else hard  # `ulimit -t` may have set the hard limit
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
