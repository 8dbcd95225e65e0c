"""Find ruled tables on PDF pages, and the reading order of a page: one column, or two separated by a gutter."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct, structs

from crawlers.read.containers.documents.pdf_rows import Glyph, TextRow, joined_lines, rows_of, token_width
from crawlers.read.containers.files.reading import CoveredCell
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import IMAGE, flat, opening_mark
from crawlers.read.vocabulary.numbers import number_of, opens_question
from crawlers.read.vocabulary.options import letter_of

_OVER = 0.35
"""Share of a character's width beyond a cell border above which its cell is unknown."""
_ABUTS = 0.6
"""Maximum distance in points between characters on both sides of a line for their text to run across it."""
_SAME_COLUMN = 4.0
"""Number of points by which a table's lines may shift from page to page."""
_NARROW = 8.0
"""Width in points up to which an empty column is the gap in a double line."""
_MOSTLY = 0.8
"""Share of rows that fill a column above which a row that does not fill it continues another row."""


class PageTable(Struct):
    """The table on one or more pages."""

    page: int
    top: float
    bottom: float
    xs: tuple[float, ...]
    """Left edges of the columns, and the right edge of the last column."""
    rows: list[list[list[str]]]
    """The lines of each cell."""
    covered: dict[tuple[int, int], list[str]]
    """Row and column of a cell covered by one above it -> the lines of the covering cell."""
    positions: list[str]
    unclear: list[tuple[str, str]] = []
    """Positions and texts of rows whose cells cannot be separated."""
    dropped: list[str] = []
    """The repetitions of the header."""

    def texts(self) -> list[list[str]]:
        """Return the text of each cell; the text of a cell that spans several rows is repeated in each of them."""
        return [
            [
                CoveredCell("\n".join(above)) if (above := self.covered.get((at, column))) else "\n".join(cell)
                for column, cell in enumerate(row)
            ]
            for at, row in enumerate(self.rows)
        ]


def table_of(found: Any, glyphs: Sequence[Glyph], page: int) -> PageTable | None:
    """Return a ruled table with the characters in it; None if it has fewer than two columns or if there is text next to it.

    Args:
        found: a table as pdfplumber returns it.
    """
    left, top, right, bottom = found.bbox
    level = [glyph for glyph in glyphs if top <= (glyph.top + glyph.bottom) / 2 <= bottom]
    inside = [glyph for glyph in level if left <= (glyph.x0 + glyph.x1) / 2 <= right]
    xs = sorted({round(cell[0], 1) for cell in found.cells})
    if len(xs) < 2 or not inside or len(inside) < len(level):
        return None
    edges = (*xs, right)
    own: dict[tuple[float, ...], list[Glyph]] = {cell: [] for cell in found.cells}
    bad = {cell for cell in own if _is_beyond(cell, inside)}
    for glyph in inside:
        x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
        if cell := next((cell for cell in own if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None):
            own[cell].append(glyph)
    lines = {cell: rows_of(members) for cell, members in own.items()}
    padding = min((line.x0 - cell[0] for cell, each in lines.items() for line in each if line.x0 > cell[0]), default=0.0)
    texts = {cell: joined_lines(each, partial(_is_wrapped, right=cell[2] - padding)) for cell, each in lines.items()}
    filled = {round(cell[0], 1) for cell, text in texts.items() if text}
    columns = [x for x, end in pairwise(edges) if x in filled or end - x > _NARROW]
    table = PageTable(page, top, bottom, (*columns, right), [], {}, [])
    for row in found.rows:
        middle = (row.bbox[1] + row.bbox[3]) / 2
        cells = [_cell_at(own, x + 1, middle) for x in columns]
        if not any(texts[cell] for cell in cells if cell):
            continue
        position = f"page:{page}:row:{len(table.rows) + len(table.unclear) + 1}"
        if not bad.isdisjoint(filter(None, cells)):
            table.unclear.append((position, " ".join(line for cell in dict.fromkeys(cells) if cell for line in texts[cell])))
            continue
        begins = [
            cell is not None and row.bbox[1] - 1 <= cell[1] and round(cell[0], 1) == x for cell, x in zip(cells, columns, strict=True)
        ]
        for column, (cell, is_own) in enumerate(zip(cells, begins, strict=True)):
            if cell and not is_own and cell[1] < row.bbox[1] - 1 and round(cell[0], 1) == columns[column] and texts[cell]:
                table.covered[len(table.rows), column] = texts[cell]
        table.rows.append([texts[cell] if cell and is_own else [] for cell, is_own in zip(cells, begins, strict=True)])
        table.positions.append(position)
    return table if table.rows or table.unclear else None


def _cell_at(cells: Sequence[tuple[float, ...]] | Any, x: float, y: float) -> tuple[float, ...] | None:
    return next((cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None)


def _is_beyond(cell: tuple[float, ...], glyphs: Sequence[Glyph]) -> bool:
    """Return whether text crosses a cell's right border, or is close to both sides of it as if there were no border."""
    near = [
        glyph
        for glyph in glyphs
        if cell[1] <= (glyph.top + glyph.bottom) / 2 <= cell[3] and glyph.text != IMAGE and not glyph.text.isspace()
    ]
    if any(glyph.x0 < cell[2] < glyph.x1 and min(cell[2] - glyph.x0, glyph.x1 - cell[2]) > _OVER * (glyph.x1 - glyph.x0) for glyph in near):
        return True
    ends = [glyph for glyph in near if (glyph.x0 + glyph.x1) / 2 < cell[2] < glyph.x1 + _NARROW]
    starts = [glyph for glyph in near if glyph.x0 - _NARROW < cell[2] < (glyph.x0 + glyph.x1) / 2]
    return any(abs(end.bottom - start.bottom) < 1 and start.x0 - end.x1 < _ABUTS for end in ends for start in starts)


def joined_tables(upper: PageTable, lower: PageTable) -> PageTable | None:
    """Return a table joined with its continuation on the next page, without the repeated header; None if the second one is a different
    table."""
    if len(upper.xs) != len(lower.xs) or any(abs(one - other) > _SAME_COLUMN for one, other in zip(upper.xs, lower.xs, strict=True)):
        return None
    start = int(bool(lower.rows and upper.rows) and lower.rows[0] == upper.rows[0])
    dropped = [" ".join(line for cell in lower.rows[0] for line in cell)] if start else []
    rows, more = [*upper.rows], lower.rows[start:]
    merged = 0
    if rows and more and _goes_on([*rows[1:-1], *more[1:]], rows[-1], more[0]):
        rows[-1] = [[*one, *other] for one, other in zip(rows[-1], more[0], strict=True)]
        merged = 1
    shift = len(rows) - start - merged
    covered = upper.covered | {(at + shift, column): lines for (at, column), lines in lower.covered.items() if at >= start + merged}
    return structs.replace(
        upper,
        page=lower.page,
        rows=[*rows, *more[merged:]],
        covered=covered,
        positions=[*upper.positions, *lower.positions[start + merged :]],
        unclear=[*upper.unclear, *lower.unclear],
        dropped=[*upper.dropped, *lower.dropped, *dropped],
    )


def _goes_on(others: Sequence[Sequence[list[str]]], last: Sequence[list[str]], first: Sequence[list[str]]) -> bool:
    """Return whether a page's first row continues the last row of the page before: one of the two lacks a cell that nearly all other rows
    fill, and the other row has that cell.
    """
    full = [column for column in range(len(first)) if sum(bool(row[column]) for row in others) >= _MOSTLY * len(others)]
    headed = any(sum(map(bool, row)) == 1 and is_heading(flat("".join(map("".join, row)))) for row in (last, first))
    return bool(others) and not headed and any(bool(last[column]) != bool(first[column]) for column in full)


def _is_wrapped(upper: TextRow, lower: TextRow, right: float) -> bool:
    """Return whether a line had no room for the start of the next one."""
    if letter_of(lower.text) and flat(lower.text)[1:2].strip(" ") in (".", "、", ":", ")", ","):
        return False
    if (number := number_of(flat(lower.text))) and number.style != "tight":
        return False
    return upper.x1 + token_width(lower.glyphs) > right


_MIDDLE = (0.3, 0.7)
"""Position of a gutter as shares of the page's width."""
_MIN_GUTTER, _MAX_CROSSED = 8, 0.2
"""Minimum width of a gutter in points; maximum share of lines that cross it, which are mostly titles."""
_MAX_ACROSS = 0.3
"""Maximum share of rows on the right that continue the options on the left, as `A.甲 B.乙` does on a page with one column."""
_OPTION = re.compile(r"(?:^|(?<=[\s)]))[(\[]?([A-J])[)\]]?\s?[.、,:)]")
_KEY = re.compile(r"[\s\dA-Ja-j.、．,，:：~—–√×-]{1,14}")
"""Part of an answer list, in which columns do not matter."""
_LEAST_TABLE, _TABLE_SHARE = 3, 0.3
"""Minimum number of rows, and share of the page's rows, with three or more cells but no options that indicate an unruled table."""
_INDENT = 2.5


class _Band(NamedTuple):
    """Part of a page from one row that crosses the gutter to just before the next."""

    across: list[TextRow]
    left: list[TextRow]
    right: list[TextRow]


def in_reading_order(glyphs: list[Glyph], width: float, expected: float | None = None) -> tuple[list[TextRow], float | None]:
    """Return the rows of a page in reading order, and the position of the page's gutter; None for a single column.

    Args:
        expected: gutter of the previous page, needed because a page that ends early may have too little text on the right.
    """
    for gutter in dict.fromkeys([*_gutters(glyphs, width), *([] if expected is None else [expected])]):
        bands = list(_bands(glyphs, gutter))
        if _are_columns(bands, gutter == expected):
            return [row for band in bands for rows in band for row in rows], gutter
    return rows_of(glyphs), None


def _gutters(glyphs: Sequence[Glyph], width: float) -> Iterator[float]:
    """Yield the centre of the widest central strip that is empty, or that few lines cross."""
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
    """Yield the bands of a page from top to bottom: the rows that cross the gutter, and below them the rows on the left and right."""
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
    """Return whether questions begin in both columns and the rows on the right do not continue the options on their left."""
    across, left, right = (sum(len(band[side]) for band in bands) for side in range(3))
    if not right or not left or across > _MAX_CROSSED * (across + left + right):
        return False
    begun = [sum(_begins_question(row) for band in bands for row in band[side]) for side in (1, 2)]
    return (surely or all(begun)) and sum(map(_options_going_on, bands)) <= _MAX_ACROSS * right


def _begins_question(row: TextRow) -> bool:
    line = flat(row.text)
    return opens_question(line) and (number := number_of(line)) is not None and number.style != "tight"


def _options_going_on(band: _Band) -> int:
    """Count the rows on the right that continue the options next to them, if the left column itself does not."""
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
    """Return whether a page has an unruled table, so that it is unknown which rows form a cell."""
    wide = [cells for row in rows if len(cells := row.text.split("\t")) > 2 and not any(map(_OPTION.match, cells[1:]))]
    wide = [cells for cells in wide if not all(map(_KEY.fullmatch, cells))]
    return len(wide) >= max(_LEAST_TABLE, _TABLE_SHARE * len(rows))


def without_unclear_options(rows: Sequence[TextRow]) -> tuple[list[TextRow], list[str]]:
    """Return the rows without the options of questions whose options are side by side and continue below, and the texts of these options.
    It is unknown which option a continuation belongs to, unless the row above is full or the continuation is below the last option.
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
    """Return the letters that begin options in a row: at its start, or after a gap."""
    ink = [glyph for glyph in row.glyphs if not glyph.text.isspace()]
    return [
        glyph
        for at, glyph in enumerate(ink[:-1])
        if "A" <= flat(glyph.text) <= "J" and flat(ink[at + 1].text) in (".", "、", ":", ")") and (at == 0 or glyph.x0 > ink[at - 1].x1 + 1)
    ]


def _whole_options(rows: Sequence[TextRow], at: int) -> tuple[int, int]:
    """Return the start and end of the question's options that include a row."""
    start, end = at, at + 1
    while start and letter_of(rows[start].text) != "A" and (letter_of(rows[start - 1].text) or not _begins(rows[start - 1])):
        start -= 1
    while end < len(rows) and letter_of(rows[end].text) != "A" and (letter_of(rows[end].text) or not _begins(rows[end])):
        end += 1
    return start, end


def _begins(row: TextRow) -> bool:
    """Return whether a row begins something other than the rest of an option."""
    line = flat(row.text)
    number = number_of(line)
    return bool(letter_of(row.text) or is_heading(line) or opening_mark(line) != "text" or (number and number.style != "tight"))


def has_wrapped_options(rows: Sequence[TextRow]) -> bool:
    """Return whether an option continues in the next row; if so, the emphasis in a row does not belong to a single option."""
    return any(letter_of(row.text) and not _begins(rest) for row, rest in pairwise(rows))


def _middle(shape: TextRow | Glyph) -> float:
    return (shape.top + shape.bottom) / 2
