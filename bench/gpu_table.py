"""Build the table of `bench/gpu.py`, and measure time and memory of its lines."""

import gc
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.random_model import device

COLUMNS = ("part", "what", "batch", "items", "seconds", "items/s", "tokens/s", "GiB", "theirs", "ratio", "equal", "remark")
MAX_REMARK_CHARS = 160


class Table:
    """Lines of the table, each written to a file as soon as it is measured."""

    def __init__(self, path: Path, part: str) -> None:
        self._path, self._part = path, part

    def add(self, what: str, **figures: Any) -> None:
        row = {"part": self._part, "what": what} | figures
        with open(self._path, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")

    @contextmanager
    def line(self, what: str, **figures: Any) -> Iterator[dict[str, Any]]:
        """Add a line with the figures set in the block, or with the error that ended it."""
        try:
            yield figures
        except Exception as error:  # no error may lose the other lines
            figures["remark"] = f"failed: {shown(error)}"
        self.add(what, **figures)
        free()


def shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:MAX_REMARK_CHARS]


def free() -> None:
    """Free the memory of errors and earlier measurements."""
    import torch

    gc.collect()
    if device() == "cuda":
        torch.cuda.empty_cache()


def measured(work: Callable[..., Any], *given: Any) -> tuple[dict[str, float], Any]:
    """Return the seconds and peak memory of the work, and its result."""
    import torch

    if device() == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    made = work(*given)
    if device() == "cuda":
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    peak = torch.cuda.max_memory_allocated() if device() == "cuda" else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": round(seconds, 3), "GiB": round(peak / 2**30, 2)}, made


def times(number: int, work: Callable[..., Any], *given: Any) -> None:
    for _ in range(number):
        work(*given)


def rates(seconds: float, items: int, tokens: int) -> dict[str, float]:
    return {"items": items, "items/s": round(items / seconds, 1), "tokens/s": round(tokens / seconds)}


def as_markdown(rows: Sequence[dict[str, Any]]) -> str:
    lines = [f"| {' | '.join(COLUMNS)} |", "|---|---|" + "---:|" * (len(COLUMNS) - 3) + "---|"]
    lines += [f"| {' | '.join(str(row.get(name, '')).replace('|', '/') for name in COLUMNS)} |" for row in rows]
    return "\n".join(lines)
