"""Reading order of a PDF page: one column, or two separated by a gutter. From values to values."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from operator import attrgetter
from typing import NamedTuple

from crawlers.importers.documents.pdf_rows import Glyph, Rule, TextRow, rows_of
from crawlers.papers.signs.answer_marks import flat, opening_mark
from crawlers.papers.signs.entries import is_title, listed_in
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import are_consecutive, number_of, opens_question

_STEP = 1.0
"""Points: the horizontal resolution at which the page is analysed."""
_MIDDLE = (0.3, 0.7)
"""Where a gutter may be, as shares of the page's width."""
_MIN_GUTTER = 8.0
_MAX_CROSSED = 0.2
"""Share of lines, mostly titles, that may run across the gutter."""
_MIN_RIGHT = 0.2
"""Rows that are only on the right, as a share of those on the left."""
_MAX_ACROSS = 0.3
"""Share of the rows on the right that continue the options on the left, as `A.甲    B.乙` does in one column."""
_MIN_NUMBERS = 2
"""Questions in a column that a line separates from another."""
_OPTION = re.compile(r"(?:^|(?<=[\s)]))[(\[]?([A-J])[)\]]?\s?[.、,:)]")


class _Band(NamedTuple):
    """A part of a page between two rows that run across the gutter, and the first of these rows."""

    across: list[TextRow]
    left: list[TextRow]
    right: list[TextRow]


def in_reading_order(
    glyphs: list[Glyph], width: float, expected: float | None = None, rules: Sequence[Rule] = ()
) -> tuple[list[TextRow], float | None]:
    """Return the rows of a page in reading order, and the position of its gutter; None for one column.

    Args:
        expected: the gutter of the previous page: a page that ends early may have too little on the right to decide.
        rules: vertical lines, which separate columns that are too close for a gutter.
    """
    for rule in rules:
        if _MIDDLE[0] * width < rule.x < _MIDDLE[1] * width:
            above, beside, below = _around(glyphs, rule)
            blocks = list(_blocks(beside, rule.x))
            if _are_columns(blocks, surely=False) and _hold_questions(blocks):
                return [*rows_of(above), *_rows(blocks), *rows_of(below)], rule.x
    for gutter in dict.fromkeys([*_gutters(glyphs, width), *([] if expected is None else [expected])]):
        blocks = list(_blocks(glyphs, gutter))
        if cards := list(_cards(blocks, 1 if gutter == expected else _MIN_NUMBERS)):
            return _rows(cards), gutter
        if _are_columns(blocks, surely=gutter == expected or _counts_on(blocks)):
            return _rows(_with_endings(blocks)), gutter
    return rows_of(glyphs), None


def _rows(blocks: Iterable[_Band]) -> list[TextRow]:
    return [row for block in blocks for rows in block for row in rows]


def _around(glyphs: Iterable[Glyph], rule: Rule) -> tuple[list[Glyph], list[Glyph], list[Glyph]]:
    """Return what is above a vertical line, beside it and below it."""
    parts: tuple[list[Glyph], list[Glyph], list[Glyph]] = ([], [], [])
    for glyph in glyphs:
        parts[(_middle(glyph) >= rule.top) + (_middle(glyph) > rule.bottom)].append(glyph)
    return parts


def _hold_questions(blocks: Sequence[_Band]) -> bool:
    """Return whether both columns contain questions: numbers, with options below them. Cells of a table are separated by lines, too."""
    columns = ([flat(row.text) for block in blocks for row in rows(block)] for rows in (attrgetter("left"), attrgetter("right")))
    return all(_numbered(texts) >= _MIN_NUMBERS and sum(letter_of(text) == "A" for text in texts) >= _MIN_NUMBERS for texts in columns)


def _numbered(texts: Iterable[str]) -> int:
    return sum((number := number_of(text)) is not None and number.style in ("point", "ordinal", "titled", "bracket") for text in texts)


def _gutters(glyphs: list[Glyph], width: float) -> Iterator[float]:
    """Yield the middle of the widest empty vertical strip, then of the widest that few lines run across.

    If few lines run across a strip, its part next to the right column counts: only the longest lines reach the edge of the left one.
    """
    ink = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if not ink or width <= 0:
        return
    covered = [0] * (int(width / _STEP) + 2)
    for glyph in ink:
        for step in range(max(0, int(glyph.x0 / _STEP)), min(len(covered) - 1, int(glyph.x1 / _STEP)) + 1):
            covered[step] += 1
    first, last = int(_MIDDLE[0] * width / _STEP), int(_MIDDLE[1] * width / _STEP)
    for share in (0.0, _MAX_CROSSED / 4, _MAX_CROSSED / 2, _MAX_CROSSED):
        best, start = (0, 0), None
        for step in range(first, last + 2):
            if step <= last and covered[step] <= share * max(covered):
                start = step if start is None else start
            elif start is not None:
                best, start = max(best, (step - start, start)), None
        if best[0] * _STEP >= _MIN_GUTTER:
            start, length = _before_right(covered, best[1], best[0])
            yield (start + length / 2) * _STEP


def _before_right(covered: Sequence[int], start: int, length: int) -> tuple[int, int]:
    """Return start and width of the last part of a strip that is covered no more than its end: a right column begins sharply."""
    last = start + length - 1
    steps = list(takewhile(lambda step: covered[step] <= covered[last], range(last, start - 1, -1)))
    return steps[-1], len(steps)


def _blocks(glyphs: list[Glyph], gutter: float) -> Iterator[_Band]:
    """Yield the page from top to bottom: rows that run across the gutter, and the rows left and right below them."""
    bands: list[tuple[float, float]] = []
    for top, bottom in sorted((glyph.top, glyph.bottom) for glyph in glyphs if glyph.x0 < gutter < glyph.x1 and not glyph.text.isspace()):
        if bands and top < bands[-1][1]:
            bands[-1] = (bands[-1][0], max(bottom, bands[-1][1]))
        else:
            bands.append((top, bottom))
    edges = [(float("-inf"), float("-inf")), *bands, (float("inf"), float("inf"))]
    for (band_top, band_bottom), (next_top, _) in pairwise(edges):
        across = rows_of(glyph for glyph in glyphs if band_top <= _middle(glyph) <= band_bottom)
        below = [glyph for glyph in glyphs if band_bottom < _middle(glyph) < next_top]
        left = rows_of(glyph for glyph in below if (glyph.x0 + glyph.x1) / 2 < gutter)
        right = rows_of(glyph for glyph in below if (glyph.x0 + glyph.x1) / 2 >= gutter)
        yield _Band(across, left, right)


def _cards(blocks: Sequence[_Band], fewest: int) -> Iterator[_Band]:
    """Yield each question with what is beside it, if nothing but the answers of those on the left is on the right, each beside its own.

    All answers begin with a word that says so, and at the height of a row of their question.
    """
    starts = [row for block in blocks for row in block.left if opens_question(flat(row.text)) and number_of(flat(row.text))]
    right = [row for block in blocks for row in block.right]
    answers = [row for row in right if opening_mark(flat(row.text)) == "answer"]
    ends = [*(row.top for row in starts[1:]), float("inf")]
    beside = [sum(_reaches(start.top, row, end) for row in answers) for start, end in zip(starts, ends, strict=False)]
    if (
        len(answers) < fewest
        or set(beside) != {1}
        or sum(beside) < len(answers)
        or _numbered(flat(row.text) for row in right)
        or 2 * sum(bool(letter_of(flat(row.text))) for row in right) > len(answers)
    ):
        return
    edges = [float("-inf"), *(row.top for row in starts), float("inf")]
    for block in blocks:
        across = block.across
        for top, bottom in pairwise(edges):
            left, own = ([row for row in rows if _reaches(top, row, bottom)] for rows in (block.left, block.right))
            if across or left or own:
                yield _Band(across, left, own)
            across = []


def _reaches(top: float, row: TextRow, bottom: float) -> bool:
    """Return whether the middle of a row is between the tops of two others."""
    return top <= _middle(row) < bottom


def _are_columns(blocks: list[_Band], surely: bool) -> bool:
    """Distinguish columns from a single one with short lines, and from options side by side.

    Args:
        surely: the previous page had its gutter here.
    """
    across, left, right = (sum(len(block[side]) for block in blocks) for side in range(3))
    if not right or across > _MAX_CROSSED * (across + left + right) or (not surely and right < _MIN_RIGHT * left):
        return False
    if _are_last_options([letter for block in blocks for row in block.right if (letter := letter_of(row.text))]):
        return False
    if all(map(_is_amid, blocks)):
        return False
    return sum(_options_going_on(block) for block in blocks) <= _MAX_ACROSS * right


def _is_amid(block: _Band) -> bool:
    """Return whether nothing begins on the right, and in the file it is amid what is on the left: the rest of a cell."""
    left, right = ([glyph.order for row in rows for glyph in row.glyphs] for rows in (block.left, block.right))
    if any(letter_of(row.text) or number_of(flat(row.text)) for row in block.right):
        return False
    return not right or (bool(left) and min(left) < min(right) and max(right) < max(left))


def _are_last_options(letters: Sequence[str]) -> bool:
    """Return whether letters on the right are those of options that begin on the left: of several questions, none of them A."""
    return "A" not in letters and any(first >= second for first, second in pairwise(letters))


def _counts_on(blocks: Sequence[_Band]) -> bool:
    """Return whether the right column continues the question numbers of the left one: a last page may have little on the right."""
    left, right = ([number for block in blocks for number in _numbers(block[side])] for side in (1, 2))
    return len(left) > 1 and bool(right) and are_consecutive([*left, *right])


def _numbers(rows: Sequence[TextRow]) -> Iterator[int]:
    """Yield the numbers of the questions that begin in rows."""
    for row in rows:
        if opens_question(line := flat(row.text)) and (number := number_of(line)):
            yield number.value


def _with_endings(blocks: Sequence[_Band]) -> Iterator[_Band]:
    """Yield the parts of a page, with answers below both columns, `参考答案`, after the right one: lines that do not cross the gutter."""
    moved: list[TextRow] = []
    for block in blocks:
        ending = _ending_of(block)
        start = ending[0].top if ending else float("inf")
        left, right = ([row for row in rows if row.top < start] for rows in (block.left, block.right))
        yield _Band([*moved, *block.across], left, right)
        moved = ending
    yield _Band(moved, [], [])


def _ending_of(block: _Band) -> list[TextRow]:
    """Return the rows of answers below both columns from their title on; none if there is no such title.

    The right column must continue the left one above that title. What is on the right below it belongs to the same lines, which happen to
    have a blank where the gutter is, if all of them are entries of a list.
    """
    for index, title in enumerate(block.left):
        if not is_title(flat(title.text)):
            continue
        above = [row for row in block.right if row.bottom <= title.top]
        lines = _joined([*block.left[index:], *block.right[len(above) :]])
        is_list = len(above) == len(block.right) or all(listed_in(line.text).entries for line in lines[1:])
        return lines if is_list and lines[0] == title and _goes_on(block.left[:index], above) else []
    return []


def _joined(rows: Iterable[TextRow]) -> list[TextRow]:
    """Return rows with those beside each other as one."""
    lines: list[TextRow] = []
    for row in sorted(rows, key=lambda row: (_middle(row), row.x0)):
        if lines and _middle(row) < lines[-1].bottom:
            lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}\t{row.text}", bottom=max(row.bottom, lines[-1].bottom))
        else:
            lines.append(row)
    return lines


def _goes_on(left: Sequence[TextRow], right: Sequence[TextRow]) -> bool:
    """Return whether the right column continues the left one: with the next question, or with the next option of its last question."""
    numbers = [[*_numbers(rows)] for rows in (left, right)]
    if all(numbers):
        return numbers[1][0] == numbers[0][-1] + 1
    letters = [[letter for row in rows if (letter := letter_of(flat(row.text)))] for rows in (left, right)]
    return all(letters) and not numbers[1] and ord(letters[1][0]) == ord(letters[0][-1]) + 1


def _options_going_on(block: _Band) -> int:
    """Return how many rows on the right continue the options beside them when the left column does not."""
    starts = [_OPTION.match(flat(row.text).upper()) for row in block.left]
    letters = [match[1] if match else "" for match in starts]
    count = 0
    for row in block.right:
        after = _OPTION.match(flat(row.text).upper())
        index = next((index for index, beside in enumerate(block.left) if abs(_middle(beside) - _middle(row)) < _height(row) / 2), None)
        if after is None or index is None or not (before := _OPTION.findall(flat(block.left[index].text).upper())):
            continue
        below = next((letter for letter in letters[index + 1 :] if letter), "")
        count += ord(after[1]) == ord(before[-1]) + 1 and below != after[1]
    return count


def _height(row: TextRow) -> float:
    return row.bottom - row.top


def _middle(shape: TextRow | Glyph) -> float:
    return (shape.top + shape.bottom) / 2
