"""The tables of words for encyclopedia entries: a name in, its values out, read once; patterns over several lines as compiled ones."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from curation.vocab.reader import read_vocabulary

Pairs = tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
"""Patterns of tails and of heads, row by row."""


@cache
def table_of(name: str) -> Any:
    """Return a table of `curation/vocab`; nobody may change it."""
    return read_vocabulary(name)


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern without the blanks and line ends that it is written with."""
    return re.compile("".join(pattern.split()))


def pairs(rows: Iterable[tuple[str, str]]) -> Pairs:
    return tuple((compiled(tail), compiled(head)) for tail, head in rows)
