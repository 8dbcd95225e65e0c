"""Results cached by line: the passes over a paper compute the same for each of its lines, one after the other."""

from collections.abc import Callable, Iterable
from types import BuiltinMethodType
from typing import Any, TypeVar, cast

_MOST = 1 << 20
"""Number of lines whose results are cached: all of a paper of 100,000 questions."""
_MOST_RETAINED = 1 << 16
T = TypeVar("T")


class _LineMemo(dict[str, T]):
    """Results of a function by line; emptied when there are too many."""

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, line: str) -> T:
        if len(self) >= _MOST:
            self.clear()
        result = self[line] = self._function(line)
        return result


def per_line(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the results of a function by line.

    The cached function is a dict's lookup, since each line is looked up some seventy times: `functools.lru_cache` takes 1.6 times as long,
    and more memory.
    """
    return _LineMemo(function).__getitem__


def remember_lines(function: Callable[[str], T], lines: Iterable[str], results: Iterable[T]) -> None:
    """Cache the results of a function that were computed for all lines at once."""
    memo = cast(BuiltinMethodType, function).__self__
    if isinstance(memo, _LineMemo):
        memo.update(zip(lines, results, strict=True))


def forget_lines(*functions: Callable[[str], Any]) -> None:
    """Clear large caches: while a paper is read they save most of the time; after a large one they only take memory."""
    for function in functions:
        memo = cast(BuiltinMethodType, function).__self__
        if isinstance(memo, _LineMemo) and len(memo) > _MOST_RETAINED:
            memo.clear()
