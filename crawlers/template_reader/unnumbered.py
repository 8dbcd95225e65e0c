"""Questions without numbers: each is one row above its options. Rows in, heads out."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from crawlers.template_reader.answers import TOKEN
from crawlers.template_reader.counters import Head, Row
from crawlers.template_reader.lettered import places_of_all

_FEWEST = 5
_MOST_BETWEEN = 3
"""Rows between the options of two questions: answer, explanation, next stem. With more, the first row of a question is uncertain."""


def unnumbered(rows: Sequence[Row]) -> Iterator[list[Head]]:
    """Yield the rows above the options, if all questions have as few rows between their options."""
    runs = places_of_all(rows)
    if len(runs) < _FEWEST or any(first == 0 for first, _ in runs):
        return
    between = [below - last - 1 for (_, last), (below, _) in pairwise(runs)]
    if (
        max(between) <= _MOST_BETWEEN
        and min(between) > 0
        and all(between[0] == count or _is_answer(rows[last + 1]) for count, (_, last) in zip(between, runs, strict=False))
    ):
        yield [Head(first - 1, number, 0, "") for number, (first, _) in enumerate(runs, 1)]


def _is_answer(row: Row) -> bool:
    return TOKEN.search(row.flat[:20]) is not None
