"""Limit memory for the parts `memory` and `full` of `bench/gpu.py`, and record the resulting errors."""

import re
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.gpu_table import free
from bench.random_model import device


def noted_errors() -> list[str]:
    """Return a list that records the out-of-memory errors caught by the code under test."""
    from eval.models.local import batches, prefix_cache

    usual, errors = batches.within_memory, list[str]()

    def within_memory(work: Callable[..., Any], *given: Any) -> Any:
        def noting(*given: Any) -> Any:
            try:
                return work(*given)
            except Exception as error:
                errors.append(f"{type(error).__name__} {re.sub(r'[0-9.]+', '#', ' '.join(str(error).split()))[:60]}")
                raise

        return usual(noting, *given)

    batches.within_memory = prefix_cache.within_memory = within_memory
    return errors


@contextmanager
def ballast(left: int) -> Iterator[None]:
    """Occupy all GPU memory except this many bytes."""
    import torch

    free()
    held, size = [], 2**34
    while size >= 2**24:
        if torch.cuda.mem_get_info()[0] - size < left:
            size //= 2
            continue
        try:
            held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            size //= 2
    try:
        yield
    finally:
        held.clear()
        free()


@contextmanager
def at_most(room: int) -> Iterator[None]:
    """Limit this process to this many bytes more than it has allocated."""
    import torch

    free()
    if device() == "cuda":
        whole = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, (torch.cuda.memory_reserved() + room) / whole))
        try:
            yield
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)
    else:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        usual = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, usual[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, usual)
