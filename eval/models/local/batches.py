"""Batches of fixed shapes, so that a reply does not depend on other requests, their order, or where a run was resumed.

A sum of floating-point numbers depends on the shape of its matrix: a kernel for one row adds in a different order than one for sixteen.
Element-wise kernels use different instructions for the elements after the last multiple of 32, so the last row of a batch can differ from
an equal first row. On the CPU, every batch therefore has 16 rows, regardless of `batch_size`; the last row only repeats the row before it
and is discarded. Threads split the work in a way that does not change any sum. On a GPU, memory is the limit, so a batch has `batch_size`
rows, and a different `batch_size` may change the last bits.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch

from atomexam.runtime.workers import cores

T = TypeVar("T")
_TOO_SMALL = ("ALLOC_FAILED", "out of memory", "can't allocate memory")
"""Out-of-memory messages of the libraries that torch uses: cuBLAS, CUDA, and the CPU allocator."""


class BatchShape(NamedTuple):
    """The number of rows of every batch."""

    rows: int
    spare: int
    """Padding rows at the end, whose results are discarded."""

    def filled(self, values: list[T]) -> list[T]:
        """Pad the values to the number of rows by repeating the last."""
        return values + values[-1:] * (self.rows - len(values))

    def capacity(self) -> int:
        return max(1, self.rows - self.spare)


def shape_on(device: str, batch_size: int) -> BatchShape:
    """Return the shape of batches on a device."""
    return BatchShape(batch_size, 0) if device == "cuda" else BatchShape(16, 1)


def thread_counts() -> list[int]:
    """Return the thread counts to try: powers of two up to this process's share of the available cores."""
    share = max(1, cores() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))  # set by torchrun: processes on this machine
    return [1 << power for power in range(share.bit_length())]


_MAX_CPU_RATIO = 1.3
"""Maximum ratio of the CPU time of several threads to that of one."""
_TRIALS, _SECONDS_BETWEEN = 5, 10.0


class Threads:
    """Chooses the number of threads by measuring speed and CPU time, and repeats this every ten seconds.

    On a busy machine, threads that wait for each other take many times the CPU time of one thread.
    """

    def __init__(self, name: str) -> None:
        """Start with one thread; `name` is the name of the model."""
        self._name, self._next, self._weight = name, 0.0, torch.rand((1024, 1024))
        if torch.backends.mkl.is_available():
            is_intel = "GenuineIntel" in Path("/proc/cpuinfo").read_text(encoding="utf-8")  # on AMD, MKL offers only AVX2
            widest = "AVX512" if is_intel and torch.backends.cpu.get_cpu_capability() == "AVX512" else "AVX2"
            # Makes MKL sum each row the same way, regardless of the number of rows, alignment and thread. MKL reads it once.
            os.environ.setdefault("MKL_CBWR", f"{widest},STRICT")
        torch.set_num_threads(1)

    def adjust(self, *_: Any) -> None:
        """Choose the number of threads, unless the last choice is recent."""
        if time.monotonic() < self._next:
            return
        is_first, timings = not self._next, {number: self._seconds(number) for number in thread_counts()}
        affordable = [number for number, (_, cpu) in timings.items() if cpu <= _MAX_CPU_RATIO * timings[1][1]] or [1]
        best = min(affordable, key=lambda number: timings[number])
        torch.set_num_threads(best)
        if is_first and len(timings) > 1:
            most = max(timings)
            speedup, cpu_ratio = timings[1][0] / timings[most][0], timings[most][1] / timings[1][1]
            print(
                f"{self._name}: torch computes with {best} of {most} threads; {most} are {speedup:.1f} times as fast as one "
                f"for {cpu_ratio:.1f} times the CPU time (measured again during the run)",
                file=sys.stderr,
            )
        self._next = time.monotonic() + _SECONDS_BETWEEN

    def _seconds(self, number: int) -> tuple[float, float]:
        """Return the wall-clock and CPU seconds that some matrix products take."""
        torch.set_num_threads(number)
        rows = self._weight[:256]
        rows @ self._weight  # starts the threads
        clock, cpu = time.perf_counter(), time.process_time()
        for _ in range(_TRIALS):
            rows @ self._weight
        return time.perf_counter() - clock, time.process_time() - cpu


def in_batches(
    lengths: Sequence[tuple[int, int]], shape: BatchShape, work: Callable[[list[int], int], list[T]]
) -> Iterator[tuple[int, T | None]]:
    """Yield each index with the output of `work`, short prompts first; the output is None if memory is too small for that index alone.

    Args:
        lengths: maps indices to the lengths of their prompts.
        work: called with one index per row and the width to which to pad them; spare rows repeat the last index.
    """
    by_width: dict[int, list[int]] = {}
    for index, length in lengths:
        by_width.setdefault(padded(length), []).append(index)
    for width, indices in sorted(by_width.items()):
        while indices:
            batch = indices[: shape.capacity()]
            outputs = within_memory(work, shape.filled(batch), width)
            if outputs is None and shape.rows > 1:
                shape = shape._replace(rows=shape.rows // 2)  # wider prompts would not fit either
                continue
            yield from zip(batch, [None] if outputs is None else outputs, strict=False)
            indices = indices[len(batch) :]


def padded(length: int) -> int:
    """Return the first of 32, 48, 64, 96, 128, … that is at least the length, so that a prompt's width depends only on its own length."""
    width = 32
    while width < length:
        width = width * 3 // 2 if width & (width - 1) == 0 else width * 4 // 3
    return width


def within_memory(work: Callable[..., T], *arguments: Any) -> T | None:
    """Return the result of calling `work` with the arguments, or None if memory is too small."""
    try:
        return work(*arguments)
    except (torch.OutOfMemoryError, MemoryError):
        pass  # memory referenced by the error's frames is only freed after the handler
    except RuntimeError as error:
        if not any(message in str(error) for message in _TOO_SMALL):
            raise
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def in_float64(model: Any) -> Any:
    """Return a Qwen2 or similar model with weights, norms and rotary positions in float64."""
    model = model.double()
    for holder in list(model.modules()):
        for name, part in list(holder.named_children()):
            if type(part).__name__.endswith("RMSNorm") and hasattr(part, "variance_epsilon"):
                norm = torch.nn.RMSNorm(part.weight.shape, eps=part.variance_epsilon, dtype=torch.float64)
                norm.weight = part.weight
                setattr(holder, name, norm)
            elif hasattr(part, "inv_freq") and getattr(part, "rope_type", None) == "default":
                setattr(holder, name, _Rotary(part.config))
    return model


class _Rotary(torch.nn.Module):
    """Cosines and sines of positions, each of shape (batch, tokens, head_dim)."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        shares = torch.arange(0, size, 2, dtype=torch.float64) / size
        self.register_buffer("inv_freq", config.rope_parameters["rope_theta"] ** -shares, persistent=False)

    @torch.no_grad()
    def forward(self, x: torch.Tensor, position_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        angles = position_ids[..., None].double() * self.inv_freq
        angles = torch.cat([angles, angles], dim=-1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)
