"""The engine `ray`: sends batches as bytes to the tasks of a cluster, a few at a time, and keeps the results in batch order.

Ray repeats a task whose worker dies. Since the function is pure and the order is kept, this does not affect the results.
"""

import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

import atomexam
from atomexam.runtime.workers import in_order

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before importing ray: no usage reports

try:
    import ray
except ModuleNotFoundError as error:
    raise ValueError(f"engine ray: {error}; install it with `pip install -e '.[cluster]'`, or use `engine: local`") from None

_SAME = ("jieba", "msgspec", "numba", "numpy", "opencc")
"""Packages whose version may affect a result; Ray itself requires the same versions of Python and ray everywhere."""
_PATIENCE_S = 10
_AHEAD = 3
"""Tasks submitted per worker of the cluster."""
_MAX_DEATHS = 10
"""Worker deaths allowed per batch; a worker dies when memory runs out."""


def connect() -> None:
    """Connect this process to the cluster at RAY_ADDRESS, or to a local one with all available CPUs.

    A cluster receives this code, so every worker runs the same version.

    Raises:
        ValueError: no cluster answers.
    """
    if ray.is_initialized():
        return
    address = os.environ.get("RAY_ADDRESS")
    code = {"py_modules": [str(Path(atomexam.__file__ or "").parent), str(Path(__file__).parents[1])]} if address else None
    try:
        if address and ":" in address:
            host, port = address.rsplit("/", 1)[-1].rsplit(":", 1)
            socket.create_connection((host, port), timeout=_PATIENCE_S).close()  # ray itself tries for minutes
        ray.init(address or "local", runtime_env=code, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError) as error:
        raise ValueError(
            f"engine ray: no cluster answers at RAY_ADDRESS={address!r} ({error}); start one with `ray start --head`, or unset RAY_ADDRESS"
        ) from None
    logging.getLogger("ray").setLevel(logging.ERROR)


def workers() -> int:
    """Return the number of tasks that the cluster runs at a time."""
    return max(int(ray.cluster_resources().get("CPU", 1)), 1)


def on_ray(function: Callable[..., Any], batches: Iterable[Any], *shared: Any) -> Iterator[Any]:
    """Yield the results of a module-level function for each batch, in order. Shared arguments are put into the cluster's object store once.

    Raises:
        ValueError: the function raised it, or a node has different package versions.
    """
    stored, versions, decode = ray.put(shared), _versions(), _decoder(function, "return").decode
    task = ray.remote(max_retries=_MAX_DEATHS)(_each)

    def submit(batch: Any) -> Any:
        return task.remote(msgspec.msgpack.encode(batch), function, [stored], versions)

    for result, error in in_order(batches, submit, ray.get, _AHEAD * workers()):
        if error is not None:
            raise ValueError(error)
        yield decode(result)


def _each(batch: bytes, function: Callable[..., Any], stored: list[Any], versions: dict[str, str]) -> tuple[bytes | None, str | None]:
    """Run in a worker: decode, call, encode. The function's errors are returned as text, since Ray would wrap them in a traceback."""
    try:
        if versions != _versions():
            raise ValueError(
                f"engine ray: a node has {_versions()}; expected {versions}, as on this machine; install requirements.lock there"
            )
        result = function(_decoder(function, None).decode(batch), *_fetched(stored[0]))
        return msgspec.msgpack.encode(result), None
    except ValueError as error:
        return None, str(error)


@lru_cache(maxsize=1)
def _fetched(stored: Any) -> tuple[Any, ...]:
    """Return the shared arguments, cached because a worker gets many batches of one run."""
    return ray.get(stored)


@cache
def _decoder(function: Callable[..., Any], name: str | None) -> msgspec.msgpack.Decoder:
    """Return a decoder for the function annotation with this name or, without a name, for its first argument."""
    hints = get_type_hints(function)
    return msgspec.msgpack.Decoder(hints[name or next(iter(hints))])


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in _SAME}
