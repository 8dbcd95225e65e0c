"""Tables drawn with lines on the pages of a PDF: the cells that pdfplumber finds and their characters in, rows of cells out."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from msgspec import Struct, structs

from crawlers.read.containers.documents.pdf_rows import Glyph, TextRow, joined_lines, rows_of, token_width
from crawlers.read.containers.files.reading import CoveredCell
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import IMAGE, flat
from crawlers.read.vocabulary.letters import letter_of
from crawlers.read.vocabulary.numbers import number_of

_OVER = 0.35
"""Share of a character's width beyond the line beside it from which on its cell is not known."""
_ABUTS = 0.6
"""Points between two characters on both sides of a line, below which their text runs across it."""
_SAME_COLUMN = 4.0
"""Points by which the lines of a table may move from page to page."""
_NARROW = 8.0
"""Points: an empty column that is no wider is the gap between two lines."""
_MOSTLY = 0.8
"""Share of the rows that fill a column from which on a row without it is a part of one."""


class PageTable(Struct):
    """The table of one page, or of several."""

    page: int
    top: float
    bottom: float
    xs: tuple[float, ...]
    """Where its columns begin, and where the last one ends."""
    rows: list[list[list[str]]]
    """The lines of each cell."""
    covered: dict[tuple[int, int], list[str]]
    """By row and column of a cell that one above it extends to, the lines of the latter."""
    positions: list[str]
    unclear: list[tuple[str, str]] = []
    """Positions and texts of rows whose cells cannot be told apart."""
    dropped: list[str] = []
    """The header where it is repeated."""

    def texts(self) -> list[list[str]]:
        """Return the text of each cell; one that covers several rows is in all of them."""
        return [
            [
                CoveredCell("\n".join(above)) if (above := self.covered.get((at, column))) else "\n".join(cell)
                for column, cell in enumerate(row)
            ]
            for at, row in enumerate(self.rows)
        ]


def table_of(found: Any, glyphs: Sequence[Glyph], page: int) -> PageTable | None:
    """Return the table that lines make of the characters of a page; None if it has not two columns, or text is beside it.

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
    """Return whether text runs across the right side of a cell, or right up to both of its sides as if no line were there."""
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
    """Return a table that goes on on the next page, without its repeated header; None if the lower one is another table."""
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
    """Return whether the first row of a page is the rest of the last one of the page before: each has a cell that all others fill and it
    lacks, or the first one does.
    """
    full = [column for column in range(len(first)) if sum(bool(row[column]) for row in others) >= _MOSTLY * len(others)]
    headed = any(sum(map(bool, row)) == 1 and is_heading(flat("".join(map("".join, row)))) for row in (last, first))
    return bool(others) and not headed and any(bool(last[column]) != bool(first[column]) for column in full)


def _is_wrapped(upper: TextRow, lower: TextRow, right: float) -> bool:
    """Return whether a line had no room for how the next one begins."""
    if letter_of(lower.text) and flat(lower.text)[1:2].strip(" ") in (".", "、", ":", ")", ","):
        return False
    if (number := number_of(flat(lower.text))) and number.style != "tight":
        return False
    return upper.x1 + token_width(lower.glyphs) > right
