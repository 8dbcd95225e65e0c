"""Reading order of a PDF page: one column, or two separated by a gutter; what is side by side in no such columns. From values to values."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from crawlers.read.containers.documents.pdf_rows import Glyph, TextRow, rows_of
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import flat, opening_mark
from crawlers.read.vocabulary.letters import letter_of
from crawlers.read.vocabulary.numbers import number_of, opens_question

_MIDDLE = (0.3, 0.7)
"""Where a gutter may be, as shares of the page's width."""
_MIN_GUTTER, _MAX_CROSSED = 8, 0.2
"""Points of its width, and share of the lines, mostly titles, that may run across it."""
_MAX_ACROSS = 0.3
"""Share of the rows on the right that continue the options on the left, as `A.甲    B.乙` does in one column."""
_OPTION = re.compile(r"(?:^|(?<=[\s)]))[(\[]?([A-J])[)\]]?\s?[.、,:)]")
_KEY = re.compile(r"[\s\dA-Ja-j.、．,，:：~—–√×-]{1,14}")
"""A part of a list of answers, whose columns need not be known."""
_LEAST_TABLE, _TABLE_SHARE = 3, 0.3
"""Rows of three cells or more without options, and their share of a page, from which on it has a table without lines."""
_INDENT = 2.5


class _Band(NamedTuple):
    """A part of a page between two rows that run across the gutter, and the first of these rows."""

    across: list[TextRow]
    left: list[TextRow]
    right: list[TextRow]


def in_reading_order(glyphs: list[Glyph], width: float, expected: float | None = None) -> tuple[list[TextRow], float | None]:
    """Return the rows of a page in reading order, and the position of its gutter; None for one column.

    Args:
        expected: the gutter of the previous page: a page that ends early may have too little on the right to decide.
    """
    for gutter in dict.fromkeys([*_gutters(glyphs, width), *([] if expected is None else [expected])]):
        bands = list(_bands(glyphs, gutter))
        if _are_columns(bands, gutter == expected):
            return [row for band in bands for rows in band for row in rows], gutter
    return rows_of(glyphs), None


def _gutters(glyphs: Sequence[Glyph], width: float) -> Iterator[float]:
    """Yield the middle of the widest strip in the middle of the page that is empty, or that few lines run across."""
    covered = [0] * (int(width) + 2)
    for glyph in glyphs:
        if not glyph.text.isspace():
            for step in range(max(0, int(glyph.x0)), min(len(covered) - 1, int(glyph.x1)) + 1):
                covered[step] += 1
    first, last = (int(share * width) for share in _MIDDLE)
    for share in (0.0, _MAX_CROSSED / 2, _MAX_CROSSED):
        best, start = (0, 0), None
        for step in range(first, last + 2):
            if step <= last and covered[step] <= share * max(covered):
                start = step if start is None else start
            elif start is not None:
                best, start = max(best, (step - start, start)), None
        if best[0] >= _MIN_GUTTER:
            yield best[1] + best[0] / 2


def _bands(glyphs: list[Glyph], gutter: float) -> Iterator[_Band]:
    """Yield the page from top to bottom: rows that run across the gutter, and the rows left and right below them."""
    crossing: list[tuple[float, float]] = []
    for top, bottom in sorted((glyph.top, glyph.bottom) for glyph in glyphs if glyph.x0 < gutter < glyph.x1 and not glyph.text.isspace()):
        if crossing and top < crossing[-1][1]:
            crossing[-1] = (crossing[-1][0], max(bottom, crossing[-1][1]))
        else:
            crossing.append((top, bottom))
    edges = [(float("-inf"), float("-inf")), *crossing, (float("inf"), float("inf"))]
    for (top, bottom), (next_top, _) in pairwise(edges):
        below = [glyph for glyph in glyphs if bottom < _middle(glyph) < next_top]
        left = [glyph for glyph in below if (glyph.x0 + glyph.x1) / 2 < gutter]
        right = [glyph for glyph in below if (glyph.x0 + glyph.x1) / 2 >= gutter]
        yield _Band(rows_of(glyph for glyph in glyphs if top <= _middle(glyph) <= bottom), rows_of(left), rows_of(right))


def _are_columns(bands: Sequence[_Band], surely: bool) -> bool:
    """Return whether questions begin in both parts, and what is on the right does not go on with the options beside it."""
    across, left, right = (sum(len(band[side]) for band in bands) for side in range(3))
    if not right or not left or across > _MAX_CROSSED * (across + left + right):
        return False
    begun = [sum(_begins_question(row) for band in bands for row in band[side]) for side in (1, 2)]
    return (surely or all(begun)) and sum(map(_options_going_on, bands)) <= _MAX_ACROSS * right


def _begins_question(row: TextRow) -> bool:
    line = flat(row.text)
    return opens_question(line) and (number := number_of(line)) is not None and number.style != "tight"


def _options_going_on(band: _Band) -> int:
    """Return how many rows on the right continue the options beside them when the left column does not."""
    letters = [letter_of(flat(row.text)) for row in band.left]
    count = 0
    for row in band.right:
        after = letter_of(flat(row.text))
        index = next((at for at, beside in enumerate(band.left) if abs(_middle(beside) - _middle(row)) < (row.bottom - row.top) / 2), None)
        if not after or index is None or not (before := _OPTION.findall(flat(band.left[index].text))):
            continue
        below = next(filter(None, letters[index + 1 :]), "")
        count += ord(after) == ord(before[-1]) + 1 and below != after
    return count


def has_bare_table(rows: Sequence[TextRow]) -> bool:
    """Return whether a page has a table without lines: which words of several rows are one cell is not known."""
    wide = [cells for row in rows if len(cells := row.text.split("\t")) > 2 and not any(map(_OPTION.match, cells[1:]))]
    wide = [cells for cells in wide if not all(map(_KEY.fullmatch, cells))]
    return len(wide) >= max(_LEAST_TABLE, _TABLE_SHARE * len(rows))


def without_unclear_options(rows: Sequence[TextRow]) -> tuple[list[TextRow], list[str]]:
    """Return rows without the options of a question that are side by side and go on below, and the texts of these: which option a rest
    belongs to is not known, unless the row above it is full, or the rest is below the last one.
    """
    right = max((row.x1 for row in rows), default=0.0)
    unclear = set[int]()
    for at, (row, rest) in enumerate(pairwise(rows)):
        starts = [glyph.x0 for glyph in _option_starts(row)]
        if len(starts) < 2 or _begins(rest) or len(_option_starts(rest)) > 0:
            continue
        height = row.bottom - row.top
        if "\t" in rest.text or (row.x1 < right - _INDENT * height and rest.x0 < starts[-1] - height):
            unclear |= set(range(*_whole_options(rows, at)))
    texts = [" ".join(rows[at].text for at in sorted(unclear))] if unclear else []
    return [row for at, row in enumerate(rows) if at not in unclear], texts


def _option_starts(row: TextRow) -> list[Glyph]:
    """Return the letters with which options begin in a row: at its start, or after a gap."""
    ink = [glyph for glyph in row.glyphs if not glyph.text.isspace()]
    return [
        glyph
        for at, glyph in enumerate(ink[:-1])
        if "A" <= flat(glyph.text) <= "J" and flat(ink[at + 1].text) in (".", "、", ":", ")") and (at == 0 or glyph.x0 > ink[at - 1].x1 + 1)
    ]


def _whole_options(rows: Sequence[TextRow], at: int) -> tuple[int, int]:
    """Return the start and end of the options of a question of which a row is a part."""
    start, end = at, at + 1
    while start and letter_of(rows[start].text) != "A" and (letter_of(rows[start - 1].text) or not _begins(rows[start - 1])):
        start -= 1
    while end < len(rows) and letter_of(rows[end].text) != "A" and (letter_of(rows[end].text) or not _begins(rows[end])):
        end += 1
    return start, end


def _begins(row: TextRow) -> bool:
    """Return whether a row begins something else than the rest of an option."""
    line = flat(row.text)
    number = number_of(line)
    return bool(letter_of(row.text) or is_heading(line) or opening_mark(line) != "text" or (number and number.style != "tight"))


def has_wrapped_options(rows: Sequence[TextRow]) -> bool:
    """Return whether an option goes on on the row below it: then marks of rows are not those of options."""
    return any(letter_of(row.text) and not _begins(rest) for row, rest in pairwise(rows))


def _middle(shape: TextRow | Glyph) -> float:
    return (shape.top + shape.bottom) / 2
