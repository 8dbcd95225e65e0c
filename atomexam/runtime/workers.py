"""Work in several processes, none of which outlives the one that asked."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from signal import SIG_BLOCK, SIG_IGN, SIG_SETMASK, SIGINT, pthread_sigmask, signal
from threading import Thread, current_thread, main_thread
from typing import Any


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def worker_pool(number: int, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()) -> Iterator[Executor]:
    """Yield an executor of so many processes; with fewer than two, this process does the work itself when it is handed in.

    Args:
        initializer: what each process calls first, with `initargs`.
    """
    if number < 2:
        if initializer:
            initializer(*initargs)
        yield _InlineExecutor()
        return
    # A fork would take along the locks of the parent's threads, and its hold of a folder.
    pool = ProcessPoolExecutor(number, _Context(), _initialize, (initializer, initargs))
    try:
        yield pool
    except BrokenProcessPool:
        raise ValueError(
            "a worker process was killed, most often because memory ran out; run the stage again with more memory, or on one core, "
            "which needs the least: `taskset -c 0 dvc repro`"
        ) from None
    except BaseException:
        with _undisturbed():
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown()


def in_order(batches: Iterable[Any], submit: Callable[[Any], Any], result: Callable[[Any], Any], ahead: int) -> Iterator[Any]:
    """Yield the result of each batch, so many of them submitted ahead: more would wait in memory."""
    waiting: deque[Any] = deque()
    for batch in batches:
        waiting.append(submit(batch))
        if len(waiting) > ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Take no further interrupt: whoever is impatient interrupts twice, and would leave workers to nobody."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, before)


class _InlineExecutor(Executor):
    """Runs a submitted call at once, and a mapped one when its result is asked for."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        future.set_result(work(*args, **kwargs))
        return future

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1) -> Iterator[Any]:
        return map(fn, *iterables)


class _Process(SpawnProcess):
    """A process that no interrupt reaches from its first moment on: Ctrl-C goes to all of a terminal's, and the parent ends this one."""

    def start(self) -> None:
        before = pthread_sigmask(SIG_BLOCK, [SIGINT])  # what is blocked is inherited; the parent hears of an interrupt when it no longer is
        try:
            super().start()
        finally:
            pthread_sigmask(SIG_SETMASK, before)


class _Context(SpawnContext):
    Process = _Process


def _initialize(initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
    # A worker that waits for work does not notice that its parent was killed: the queue stays open.
    Thread(target=_end_with_parent, daemon=True).start()
    if initializer:
        initializer(*initargs)


def _end_with_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
