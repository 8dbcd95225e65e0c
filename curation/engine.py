"""Batches through a pure function, in order: in this process, or on a Ray cluster. The results are the same.

What crosses to a cluster is told by the function's annotations, and checked against them: records, named tuples, plain values.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from records.checks import one_of

T = TypeVar("T")


class Engine(NamedTuple):
    """Where batches go."""

    mapped: Callable[..., Iterator[Any]]
    """`mapped(function, batches, *shared)` yields `function(batch, *shared)` of each batch, in order."""
    workers: Callable[[], int]
    """How many batches are worked on at a time."""


def _here(function: Callable[..., Any], batches: Sequence[Any], *shared: Any) -> Iterator[Any]:
    return (function(batch, *shared) for batch in batches)


def _ray() -> Engine:
    from curation.engine_ray import connect, on_ray, workers  # ray takes seconds to import, and need not be installed

    connect()
    return Engine(on_ray, workers)


LOCAL = Engine(_here, lambda: 1)
_ENGINES: dict[str, Callable[[], Engine]] = {"local": lambda: LOCAL, "ray": _ray}


def engine_of(name: str | None) -> Engine:
    """Return an engine by its name; `ray` connects to its cluster. None, of params.yaml without the key, is `local`.

    Raises:
        ValueError: there is no such engine, ray is not installed, or no cluster answers.
    """
    return _ENGINES[one_of(name or "local", _ENGINES, "engine", "params.yaml: engine")]()


def batches_of(rows: Sequence[T], size: int) -> list[Sequence[T]]:
    """Return rows in batches of a size; the last one may be shorter."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]
