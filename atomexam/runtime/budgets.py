"""Budgets of computing and memory, and processes that may break: what reads foreign bytes works in one, and is replaced when it breaks.

A file or page may unpack to any size, have its reader run in circles, or crash it. `read_guarded` reads one file in a process of its
own; `run_isolated` runs a whole piece of work in one, and says what ended it. Time is that of the processor, so that a busy machine changes
nothing. What a reader can watch itself, it watches `within` a budget, and says what took too much.
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
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from atomexam.text.refusal import Refusal

_SPAWN = multiprocessing.get_context("spawn")  # a fork would take the locks of the parent's threads with it
_ANSWER, _REFUSAL, _ERROR, _END = "answer", "refusal", "error", "end"
_COLLECTED_EVERY = 100_000
_GRACE_SECONDS = 5.0
"""Between the end of a budget, which Python sees once it runs again, and the end of the process."""
_WALL = 10
"""Times its budget: what waits instead of computing ends, too."""
_LOOK_SECONDS, _AGAIN_SECONDS = 0.5, 0.5
_PR_SET_PDEATHSIG = 1  # prctl(2)
T = TypeVar("T")
Read = Callable[..., Iterator[Any]]


class Budget(Struct, frozen=True):
    """What one file may take."""

    seconds: float = 60.0
    """Of the processor."""
    bytes: int = 3 * 1024**3
    """Of memory, with those of the process itself, some 200 MB; a PDF of 900 pages takes a tenth of it."""


class OverBudget(Exception):
    """More time was taken than there is; the message says what took it."""


class _ReaderProcess(NamedTuple):
    process: BaseProcess
    pipe: Connection


class ProcessFailure(NamedTuple):
    """Why a process ended before its work."""

    words: str


_running: list[_ReaderProcess] = []
_is_guarded, _beats = [False], [False]


def is_guarded() -> bool:
    """Tell whether this process is one that may break; a reader in it needs no other one around it."""
    return _is_guarded[0]


def read_guarded(read: Read, name: str, body: bytes, advice: str, budget: Budget | None = None, *extra: Any) -> Iterator[Any]:
    """Yield what a reader, a function of a module, yields of one file.

    Args:
        advice: what to do about a file that takes too much, or on which the reader breaks down.
        extra: what the reader takes besides name and bytes.

    Raises:
        Refusal: the reader's own, or the file takes too much memory or time.
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
            kind, answer = reader.pipe.recv()
            if kind != _ANSWER:
                break
            yield answer
    except (EOFError, BrokenPipeError, ConnectionResetError):
        reader.process.join()
        is_slow = reader.process.exitcode == -signal.SIGXCPU
        words = f"it takes more than {budget.seconds:g} seconds of computing" if is_slow else "its reader broke down on it"
        raise Refusal(f"{name}: {words}; {advice}") from None
    finally:
        if kind not in (_REFUSAL, _ERROR, _END):  # what it still has to say would be taken for the next file's
            stop()
    if kind != _END:
        raise (Refusal if kind == _REFUSAL else ValueError)(answer)


@atexit.register
def stop() -> None:
    """End the process that reads files; the next file starts a new one."""
    while _running:
        reader = _running.pop()
        reader.pipe.close()
        reader.process.kill()
        reader.process.join()


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Stop the block when it takes more of the processor than it may, as soon as Python runs; in a guarded process alone.

    Libraries catch what they do not know: an error within the block comes again later, and at its end, whatever became of it.

    Raises:
        OverBudget: it did; the message begins with `what`.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0]
    if not is_guarded() or 0 < left < seconds:  # then the block around this one ends first
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
        if left:  # of the block around this one
            signal.setitimer(signal.ITIMER_PROF, max(left - (time.process_time() - start), 0.001), _AGAIN_SECONDS)
    if has_run_out:
        raise OverBudget(message)


def run_isolated(work: Callable[[], T], seconds: float, most_bytes: int = 0) -> "T | ProcessFailure":
    """Run work in a process of its own, and return what it returns, or how it broke: by more time than it gave itself, or by a crash.

    The process is a fork, so begin before there are threads. It ends with this one; an interrupt of this one is handed on to it.

    Args:
        seconds: of computing, as the work gives them to itself: see `renew_cpu_limit`.

    Raises:
        ValueError: the work's own, as an OSError or an interrupt; or the process was killed, or ended with a status of its own.
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
    """Hand interrupts on, once each: the process is in a group of its own, so a terminal reaches it by this one alone."""

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
    """Give isolated work so many seconds of computing from now on, 0 for as long as it likes; then its process ends."""
    if _beats[0]:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def limit_memory(most_bytes: int) -> None:
    """Let this process have no more memory, where the system can hold it to that."""
    try:
        import resource  # not on Windows
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _ended(status: int, seconds: float) -> ProcessFailure:
    """Return how a process ended that neither came to its end nor was ended on purpose.

    Raises:
        ValueError: it was, or memory ran out: whoever kills a process gives no reason.
    """
    if -status in (signal.SIGXCPU, signal.SIGVTALRM):
        return ProcessFailure(f"takes more than {seconds:g} seconds of computing")
    if -status in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT) or status >= 0:
        name = f"status {status}" if status >= 0 else signal.Signals(-status).name
        raise ValueError(f"a process of this run ended with {name}; SIGKILL is how the system ends one when memory runs out; run it again")
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


def _end_with_parent(parent: int) -> None:
    """Have this process end when its parent is gone."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    if sys.platform == "linux":  # at once, whatever runs
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=look, daemon=True).start()


def _started() -> _ReaderProcess:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process closes ours
    return _ReaderProcess(process, ours)


def _serve(pipe: Connection) -> None:
    _is_guarded[0] = True
    gc.freeze()
    gc.set_threshold(_COLLECTED_EVERY, 10, 100)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    with suppress(EOFError, ConnectionError):  # the run has ended, or needs no more of the file
        while True:
            _answer(pipe, *pipe.recv())


def _answer(pipe: Connection, read: Read, name: str, body: bytes, advice: str, budget: Budget, hard: float, extra: tuple[Any, ...]) -> None:
    last: tuple[str, str | None] = (_END, None)
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
        last = (_REFUSAL, f"{name}: takes more than {budget.bytes // 1024**2} MB of memory; {advice}")
    _limit_seconds(0)
    pipe.send(last)


def _limit_seconds(seconds: float) -> None:
    """Let this process compute for so many seconds more, 0 for as long as it likes; then the system ends it, whatever runs."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1 if seconds else hard  # as `ulimit -t` may have it
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
