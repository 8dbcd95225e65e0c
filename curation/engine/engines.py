"""Map a pure function over batches, in order: in this process, on all cores, or on a Ray cluster. The results are the same in each case.

The function's annotations define and check what is sent to a cluster: records, named tuples, plain values.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from atomexam.records.checks import one_of
from atomexam.runtime.workers import cores, in_order, worker_pool

T = TypeVar("T")


class Engine(NamedTuple):
    """How batches are processed."""

    mapped: Callable[..., Iterator[Any]]
    """`mapped(function, batches, *shared)` yields `function(batch, *shared)` for each batch, in order, reading few batches ahead."""
    workers: Callable[[], int]
    """Number of batches processed at a time."""


def _in_process(function: Callable[..., Any], batches: Iterable[Any], *shared: Any) -> Iterator[Any]:
    return (function(batch, *shared) for batch in batches)


def _ray() -> Engine:
    from curation.engine.ray_engine import connect, on_ray, workers  # ray takes seconds to import, and need not be installed

    connect()
    return Engine(on_ray, workers)


LOCAL = Engine(_in_process, lambda: 1)

_FEWEST_BATCHES = 8
"""Processing fewer batches than this is faster than starting another process."""
_AHEAD = 3
"""Batches submitted per process."""
_MAX_WORKERS = 8
"""More workers would wait for the process that serializes the batches and collects the results."""
_worker_task: tuple[Callable[..., Any], tuple[Any, ...]]
"""In a worker: the function and the shared arguments; set by `_set_worker_task`."""


def _on_cores(function: Callable[..., Any], batches: Iterable[Any], *shared: Any) -> Iterator[Any]:
    coming = iter(batches)
    first = list(islice(coming, _FEWEST_BATCHES))
    every = chain(first, coming)
    number = min(cores(), _MAX_WORKERS) if len(first) == _FEWEST_BATCHES else 1
    if number < 2:
        yield from _in_process(function, every, *shared)
        return
    with worker_pool(number, _set_worker_task, (function, shared)) as pool:
        yield from in_order(every, lambda batch: pool.submit(_do, batch), Future.result, _AHEAD * number)


def _set_worker_task(function: Callable[..., Any], shared: tuple[Any, ...]) -> None:
    global _worker_task
    _worker_task = function, shared
    gc.disable()  # records have no cycles, as in the stage's own process


def _do(batch: Any) -> Any:
    function, shared = _worker_task
    return function(batch, *shared)


CORES = Engine(_on_cores, LOCAL.workers)
"""LOCAL on all available cores, for large inputs."""
_ENGINES: dict[str, Callable[[], Engine]] = {"local": lambda: LOCAL, "ray": _ray}


def engine_of(name: str | None) -> Engine:
    """Return an engine by its name; `ray` connects to its cluster. None, for a params.yaml without this key, means `local`.

    Raises:
        ValueError: unknown engine, ray is not installed, or no cluster answers.
    """
    return _ENGINES[one_of(name or "local", _ENGINES, "engine", "params.yaml: engine")]()


def batches_of(rows: Sequence[T], size: int) -> list[Sequence[T]]:
    """Return rows in batches of a given size; the last one may be shorter."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]
