"""Questions without numbers: the rows above each set of options, from what divides them on. Rows in, heads out."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from crawlers.papers.signs.answer_marks import columns_of
from crawlers.papers.signs.headings import heads as is_heading
from crawlers.template_reader.answers import NEARLY_ALL, TOKEN
from crawlers.template_reader.counters import Head, Row, masked
from crawlers.template_reader.lettered import ALPHABETS, BULLETS, places_of_all

_FEWEST = 5
_MOST_BETWEEN = 3
"""Rows between the options of two questions: answer, explanation, next stem. With more, the first row of a question is uncertain."""
_FULL = 0.75
"""Share of the widest row of a stem that its rows fill, the last one aside."""
_RULE = re.compile(r"[^\w\s]{3,}|_{3,}|(?:[^\w\s]\s+){2,}[^\w\s]")
_WITHIN = re.compile(r"(?!A\s?[.、:)])\S.{3,}?[\s)。?_]\(?A\s?[.、:)].{1,200}?[\s,;]\(?B\s?[.、:)]")
"""A stem with its options behind it."""
_LABELLED = re.compile(r"[【\[(<][^\]】)>\s]{1,8}[】\])>]|[^\s:。,、()]{1,8}\s?[:=]")

Run = tuple[int, int]
"""The first and the last row of the options of a question."""


def unnumbered(rows: Sequence[Row]) -> Iterator[list[Head]]:
    """Yield the rows at which questions begin above their options, by what divides them, and by how many rows are between, or before
    their options on the same row.
    """
    within = [at for at, row in enumerate(rows) if _WITHIN.match(row.flat)]
    if len(within) >= _FEWEST and len(within) > NEARLY_ALL * len(rows):
        yield _heads(within)
    runs = max((places_of_all(rows, alphabet) for alphabet in (*ALPHABETS[:-1], BULLETS)), key=len)
    if len(runs) < _FEWEST or any(first == 0 for first, _ in runs):
        return
    if divided := _divided(rows, runs):
        yield _heads(divided)
    between = [below - last - 1 for (_, last), (below, _) in pairwise(runs)]
    if (
        max(between) <= _MOST_BETWEEN
        and min(between) > 0
        and all(between[0] == count or _is_answer(rows[last + 1]) for count, (_, last) in zip(between, runs, strict=False))
    ):
        yield _heads([first - 1 for first, _ in runs])


def _heads(places: Sequence[int]) -> list[Head]:
    return [Head(at, number, 0, "") for number, at in enumerate(places, 1)]


def _is_answer(row: Row) -> bool:
    return TOKEN.search(row.flat[:20]) is not None


def _divided(rows: Sequence[Row], runs: Sequence[Run]) -> list[int]:
    """Return where the questions begin whose options are some rows; nothing if that is uncertain of one."""
    gaps = [range(0, runs[0][0]), *(range(last + 1, below) for (_, last), (below, _) in pairwise(runs))]
    counts = Counter(mask for gap in gaps[1:] for mask in {masked(rows[at].flat) for at in gap})
    recurring = {mask for mask, count in counts.items() if count >= NEARLY_ALL * len(gaps[1:])}
    is_spaced = sum(_is_below_blank(rows, first + 1) for first, last in runs if last > first) > len(runs) / 2  # each row is apart
    starts = [_start(rows, gap, recurring if at else set(), is_spaced) for at, gap in enumerate(gaps)]
    if None in starts[1:]:
        return []
    found = [start for start in starts[1:] if start is not None]
    counts_above = {first - start for (first, _), start in zip(runs[1:], found, strict=True)}
    first = starts[0] if starts[0] is not None else 0
    if len(counts_above) == 1:
        first = runs[0][0] - max(counts_above)
        if first < 0:
            return []
    elif starts[0] is None and runs[0][0] > 1 and not _are_wrapped([rows[: runs[0][0]]], _width(rows, runs, found)):
        return []  # a title may be above the first
    if any(masked(rows[at].flat) in recurring for at in range(max(0, first - 2), first)):  # answers above the stems
        return []
    places = [first, *found]
    stems = [rows[start:below] for start, (below, _) in zip(places, runs, strict=True)]
    stems = [[row for row in stem if masked(row.flat) not in recurring] for stem in stems]
    width = max((columns_of(row.text) for stem in stems for row in stem[:1]), default=0)
    return places if all(stems) and _are_wrapped(stems, width) else []


def _width(rows: Sequence[Row], runs: Sequence[Run], starts: Sequence[int]) -> int:
    return max(columns_of(rows[at].text) for start, (first, _) in zip(starts, runs[1:], strict=True) for at in range(start, first))


def _start(rows: Sequence[Row], gap: range, recurring: set[str], is_spaced: bool) -> int | None:
    """Return the row of a gap between options at which the next question begins; None if nothing shows it."""
    divided = [at for at in gap[1:] if _RULE.fullmatch(rows[at - 1].flat)]
    blank = [] if is_spaced else [at for at in gap if _is_below_blank(rows, at) and not _RULE.fullmatch(rows[at].flat)]
    if gap and (divided or blank):
        start = max([*divided, *blank])
        between = [at for at in blank if at < start]
        return start if all(_belongs(rows[at], recurring) for at in [*between, *gap[:1]] if at < start) else None
    behind = [at + 1 for at in gap[:-1] if masked(rows[at].flat) in recurring]
    if behind:
        return behind[-1]
    return gap[0] if gap and gap[0] and not any(_LABELLED.match(rows[at].flat) for at in gap) else None


def _belongs(row: Row, recurring: set[str]) -> bool:
    """Return whether a row begins what belongs to the form: an answer, a label, a rule, a heading."""
    return bool(masked(row.flat) in recurring or _LABELLED.match(row.flat) or _RULE.fullmatch(row.flat) or is_heading(row.flat))


def _is_below_blank(rows: Sequence[Row], at: int) -> bool:
    return 0 < at < len(rows) and rows[at].index - rows[at - 1].index > 1


def _are_wrapped(stems: Sequence[Sequence[Row]], width: int) -> bool:
    """Return whether the rows of stems fill their width, the last of each aside: what is shorter is no part of a stem."""
    return all(columns_of(row.text) >= _FULL * width for stem in stems for row in stem[:-1])
