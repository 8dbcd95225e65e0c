"""Work in several processes, none of which outlives the one that asked."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any

_NOTHING: tuple[Any, ...] = ()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def at_work(number: int, begin: Callable[..., None] | None = None, given: tuple[Any, ...] = _NOTHING) -> Iterator[Executor]:
    """Yield an executor of so many processes; with fewer than two, this process does the work itself when it is handed in.

    Args:
        begin: what each process does first, with what is `given`.
    """
    if number < 2:
        if begin:
            begin(*given)
        yield _Here()
        return
    # A fork would take along the locks of the parent's threads, and its hold of a folder.
    with ProcessPoolExecutor(number, get_context("spawn"), _begin, (begin, given)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise ValueError(
                "a worker process was killed, most often because memory ran out; run the stage again with more memory, or on one core, "
                "which needs the least: `taskset -c 0 dvc repro`"
            ) from None
        except BaseException:
            # Waited for: leaving `with` shuts down once more, and takes back what is cancelled if it has not happened by then.
            pool.shutdown(cancel_futures=True)
            raise


class _Here(Executor):
    """Does what it is asked at once, and what is mapped when it is taken."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        future.set_result(work(*args, **kwargs))
        return future

    def map(self, work: Callable[..., Any], /, *parts: Iterable[Any], **_: Any) -> Iterator[Any]:
        return map(work, *parts)


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal(SIGINT, SIG_IGN)  # Ctrl-C reaches all of a terminal's processes; the parent ends these
    # Who waits for work is not told that nobody is left to give it: a killed parent closes no queue.
    Thread(target=_end_with_parent, daemon=True).start()
    if begin:
        begin(*given)


def _end_with_parent() -> None:
    if parent := parent_process():
        wait([parent.sentinel])
        os._exit(1)
