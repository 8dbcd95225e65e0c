"""Worker processes that never outlive their parent."""

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
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def worker_pool(number: int, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()) -> Iterator[Executor]:
    """Yield an executor with this many processes; with fewer than two, tasks run in this process as soon as they are submitted.

    Args:
        initializer: called with `initargs` at the start of each process.
    """
    if number < 2:
        if initializer:
            initializer(*initargs)
        yield _InlineExecutor()
        return
    # A fork would inherit the locks of the parent's threads, and its folder lock.
    pool = ProcessPoolExecutor(number, _Context(), _initialize, (initializer, initargs))
    try:
        yield pool
    except BrokenProcessPool:
        raise ValueError(
            "a worker process was killed, most often because memory ran out; run the stage again with more memory, or on one core, "
            "which needs the least memory: `taskset -c 0 dvc repro`"
        ) from None
    except BaseException:
        with _undisturbed():
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown()


def in_order(batches: Iterable[Any], submit: Callable[[Any], Any], result: Callable[[Any], Any], ahead: int) -> Iterator[Any]:
    """Yield the results of batches in order, with at most `ahead` batches submitted in advance to limit memory."""
    waiting: deque[Any] = deque()
    for batch in batches:
        waiting.append(submit(batch))
        if len(waiting) > ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore further interrupts: a second Ctrl-C would orphan the workers."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, before)


class _InlineExecutor(Executor):
    """Runs a submitted call immediately, and a mapped call when its result is consumed."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        future.set_result(work(*args, **kwargs))
        return future

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1) -> Iterator[Any]:
        return map(fn, *iterables)


class _Process(SpawnProcess):
    """A process that blocks interrupts from the start: a terminal sends Ctrl-C to all processes, but the parent must end this one."""

    def start(self) -> None:
        before = pthread_sigmask(SIG_BLOCK, [SIGINT])  # children inherit the mask; the parent receives the interrupt once it unblocks
        try:
            super().start()
        finally:
            pthread_sigmask(SIG_SETMASK, before)


class _Context(SpawnContext):
    Process = _Process


def _initialize(initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
    # A worker waiting for work does not notice that its parent was killed, because the queue stays open.
    Thread(target=_end_with_parent, daemon=True).start()
    if initializer:
        initializer(*initargs)


def _end_with_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
