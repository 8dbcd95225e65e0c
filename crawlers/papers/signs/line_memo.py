"""Results kept by line: the passes over a paper ask the same of each of its lines, one after the other."""

from collections.abc import Callable
from types import BuiltinMethodType
from typing import Any, TypeVar, cast

_MOST = 1 << 20
"""Lines of which a result is kept: all of a paper of 100,000 questions."""
_MOST_RETAINED = 1 << 16
T = TypeVar("T")


class _LineMemo(dict[str, T]):
    """Results of a function by line; begun anew where there are too many."""

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, line: str) -> T:
        if len(self) >= _MOST:
            self.clear()
        result = self[line] = self._function(line)
        return result


def per_line(function: Callable[[str], T]) -> Callable[[str], T]:
    """Keep what a function returns of each line.

    It becomes the look-up of a dict, as a line is asked for seventy times: `functools.lru_cache` takes 1.6 times as long, and more memory.
    """
    return _LineMemo(function).__getitem__


def forget_lines(*functions: Callable[[str], Any]) -> None:
    """Let go of what is kept: while a paper is read that saves most of the time, behind a large one it is memory alone."""
    for function in functions:
        memo = cast(BuiltinMethodType, function).__self__
        if isinstance(memo, _LineMemo) and len(memo) > _MOST_RETAINED:
            memo.clear()
