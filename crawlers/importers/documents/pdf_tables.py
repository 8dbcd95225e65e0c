"""Rows of the tables of a PDF: the grid of a page and its characters in, cells out; a row that a page divides is put together."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.importers.documents.pdf_grids import Cell, Grid, slot_of
from crawlers.importers.documents.pdf_rows import Glyph, TextRow, joined_lines, rows_of, token_width
from crawlers.importers.files.sheet_marks import CoveredCell
from crawlers.papers.signs.answer_marks import IMAGE, flat
from crawlers.papers.signs.headings import is_heading
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_OVER = 0.35
"""Share of a character's width beyond the line beside it from which on its cell is not known."""
_ABUTS = 0.6
"""Points between a character and a line on both of whose sides text is: it runs across the line."""
_SAME_COLUMN = 4.0
"""Points by which the lines of a table may move from page to page."""
_NARROW = 8.0
"""Points: an empty column that is no wider is the gap between two lines."""
_MARK = re.compile(rf"[(（【\[]?\d{{1,5}}[)）】\].、．]?|[A-Ja-j、,， ]{{1,10}}|{SURE_VERDICT}")
"""What is in one line in any cell: a number, an answer."""
_MOSTLY = 0.8


class TableCell(NamedTuple):
    """The text of one cell, and the bounds between which it is set."""

    lines: tuple[TextRow, ...]
    left: float
    right: float
    covered: "TableCell | None" = None
    """The cell in a row above that extends to this one."""


class PageTable(NamedTuple):
    """The table of one page, or of several."""

    page: int
    xs: tuple[float, ...]
    """Where its columns begin, and where the last one ends."""
    rows: list[list[TableCell]]
    positions: list[str]
    unclear: list[tuple[str, str]]
    """Positions and texts of rows whose cells cannot be told apart."""
    open_above: bool
    open_below: bool
    dropped: list[str]
    """The header where it is repeated."""
    is_aligned: bool = False


def table_of(grid: Grid, glyphs: Sequence[Glyph], page: int) -> PageTable:
    """Return the table that a grid makes of the characters of a page."""
    owner = {
        (row, column): cell
        for cell in grid.cells
        for row in range(cell.row, cell.last_row + 1)
        for column in range(cell.column, cell.last_column + 1)
    }
    inside: dict[Cell, list[Glyph]] = {cell: [] for cell in grid.cells}
    unclear: set[Cell] = set()
    for glyph in glyphs:
        slot = slot_of(grid, (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2)
        if slot is None:
            continue
        cell = owner[slot]
        inside[cell].append(glyph)
        over = max(grid.xs[cell.column] - glyph.x0, glyph.x1 - grid.xs[cell.last_column + 1])
        if over > _OVER * (glyph.x1 - glyph.x0) and not glyph.text.isspace() and glyph.text != IMAGE:
            unclear.add(cell)
    unclear |= _abutting(grid, owner, inside)
    texts = {cell: tuple(rows_of(members)) for cell, members in inside.items()}
    cells = {cell: TableCell(texts[cell], grid.xs[cell.column], grid.xs[cell.last_column + 1]) for cell in grid.cells}
    filled = {cell.column for cell in grid.cells if texts[cell]}
    columns = [column for column in range(len(grid.xs) - 1) if column in filled or grid.xs[column + 1] - grid.xs[column] > _NARROW]
    xs = (*(grid.xs[column] for column in columns), grid.xs[-1])
    table = PageTable(page, xs, [], [], [], grid.open_above, grid.open_below, [], grid.is_aligned)
    for row in range(len(grid.ys) - 1):
        own = [owner[row, column] for column in columns]
        if not any(texts[cell] for cell in own):
            continue
        position = f"page:{page}:row:{len(table.rows) + len(table.unclear) + 1}"
        if any(cell in unclear for cell in own):
            table.unclear.append((position, " ".join(line.text for cell in dict.fromkeys(own) for line in texts[cell])))
            continue
        table.rows.append([_in_row(cell, row, column, cells) for cell, column in zip(own, columns, strict=True)])
        table.positions.append(position)
    return table


def _in_row(cell: Cell, row: int, column: int, cells: dict[Cell, TableCell]) -> TableCell:
    """Return what a row has in a column of a cell that may cover several."""
    whole = cells[cell]
    if column != cell.column:
        return whole._replace(lines=())
    return whole if row == cell.row else TableCell((), whole.left, whole.right, whole)


def _abutting(grid: Grid, owner: dict[tuple[int, int], Cell], inside: dict[Cell, list[Glyph]]) -> set[Cell]:
    """Return the cells whose text is continued on the other side of a line without a gap, as if the line were not there."""
    found: set[Cell] = set()
    for cell in grid.cells:
        beside = owner.get((cell.row, cell.last_column + 1))
        if beside is None or beside in found:
            continue
        wall = grid.xs[cell.last_column + 1]
        ends = [glyph for glyph in inside[cell] if wall - glyph.x1 < _ABUTS and not glyph.text.isspace()]
        starts = [glyph for glyph in inside[beside] if glyph.x0 - wall < _ABUTS and not glyph.text.isspace()]
        if any(abs(left.bottom - right.bottom) < 1 for left in ends for right in starts):
            found |= {cell, beside}
    return found


def joined_tables(upper: PageTable, lower: PageTable) -> PageTable | None:
    """Return a table that goes on on the next page, without its repeated header; None if the lower one is another table."""
    rows, positions = list(lower.rows), list(lower.positions)
    repeated = bool(rows and upper.rows) and texts_of(rows[0]) == texts_of(upper.rows[0])
    moved = max((abs(one - other) for one, other in zip(upper.xs, lower.xs, strict=False)), default=0.0) > _SAME_COLUMN
    if len(upper.xs) != len(lower.xs) or (moved and not (repeated and lower.is_aligned)):
        return None
    is_open = upper.open_below and (lower.open_above or repeated)
    dropped = [*upper.dropped, *lower.dropped]
    if repeated:
        dropped.append(" ".join(texts_of(rows[0])))
        rows, positions = rows[1:], positions[1:]
    whole = list(upper.rows)
    if rows and whole and _goes_on([*whole[1:-1], *rows[1:]], whole[-1], rows[0], is_open):
        whole[-1] = [_both(one, other) for one, other in zip(whole[-1], rows[0], strict=True)]
        rows, positions = rows[1:], positions[1:]
    return upper._replace(
        page=lower.page,
        rows=[*whole, *rows],
        positions=[*upper.positions, *positions],
        unclear=[*upper.unclear, *lower.unclear],
        open_below=lower.open_below,
        dropped=dropped,
    )


def without_open_row(table: PageTable) -> PageTable:
    """Return a table without its last row if that may go on on the next page, where nothing continues it: no line is below it."""
    if not (table.open_below or table.is_aligned) or not table.rows:
        return table
    lost = (table.positions[-1], " ".join(texts_of(table.rows[-1])))
    return table._replace(rows=table.rows[:-1], positions=table.positions[:-1], unclear=[*table.unclear, lost], open_below=False)


def _goes_on(others: Sequence[Sequence[TableCell]], last: Sequence[TableCell], first: Sequence[TableCell], is_open: bool) -> bool:
    """Return whether the first row of a page is the rest of the last one of the page before.

    A number and an answer are in one line each, so a row that is divided has them on one of the pages only.
    """
    if any(_is_heading(row) for row in (last, first)):
        return False
    needed = False
    for column in range(len(first)):
        values = [text_of(row[column]) for row in others if row[column].lines]
        if not values or len(values) < _MOSTLY * len(others):
            continue
        parts = bool(last[column].lines), bool(first[column].lines)
        if sum(_MARK.fullmatch(value) is not None for value in values) >= _MOSTLY * len(values):
            if all(parts):
                return False
            needed |= any(parts)
    return needed or is_open


def _is_heading(row: Sequence[TableCell]) -> bool:
    texts = [text for text in texts_of(row) if text]
    return len(texts) == 1 and is_heading(flat(texts[0]))


def _both(upper: TableCell, lower: TableCell) -> TableCell:
    return upper._replace(lines=(*upper.lines, *lower.lines), covered=upper.covered)


def texts_of(row: Sequence[TableCell]) -> list[str]:
    """Return the texts of the cells of a row."""
    return [text_of(cell) for cell in row]


def text_of(cell: TableCell) -> str:
    """Return the text of a cell without its lines."""
    return "".join(line.text for line in cell.lines)


def cells_of(table: PageTable) -> list[list[list[str]]]:
    """Return the rows of a table, each cell as its paragraphs."""
    return [[paragraphs(cell) for cell in row] for row in _limited(table)]


def rows_with_positions(table: PageTable) -> list[tuple[str, list[str]]]:
    """Return the rows of a table as those of a workbook, with the text of a cell in all rows that it covers."""
    texts = [
        [CoveredCell("\n".join(paragraphs(cell.covered))) if cell.covered else "\n".join(paragraphs(cell)) for cell in row]
        for row in _limited(table)
    ]
    return list(zip(table.positions, texts, strict=True))


def _limited(table: PageTable) -> list[list[TableCell]]:
    """Return the rows of a table whose cells end where their text must: as far from the line behind it as text begins behind a line.

    Columns without lines are as wide as their longest lines.
    """
    if table.is_aligned:
        ends = [max((line.x1 for row in table.rows for line in row[column].lines), default=0.0) for column in range(len(table.xs) - 1)]
        return [[cell._replace(right=end) for cell, end in zip(row, ends, strict=True)] for row in table.rows]
    padding = min((line.x0 - cell.left for row in table.rows for cell in row for line in cell.lines if line.x0 > cell.left), default=0.0)
    return [[_narrowed(cell, padding) for cell in row] for row in table.rows]


def _narrowed(cell: TableCell, padding: float) -> TableCell:
    covered = _narrowed(cell.covered, padding) if cell.covered else None
    return cell._replace(right=cell.right - padding, covered=covered)


def paragraphs(cell: TableCell) -> list[str]:
    """Return the lines of a cell, those put together that its width has broken."""
    return joined_lines(cell.lines, lambda upper, lower: _is_wrapped(upper, lower, cell.right))


def _is_wrapped(upper: TextRow, lower: TextRow, right: float) -> bool:
    """Return whether a line had no room for how the next one begins."""
    if letter_of(lower.text) and flat(lower.text)[1:2].strip(" ") in (".", "、", ":", ")", ","):
        return False
    if (number := number_of(flat(lower.text))) and number.style != "tight":
        return False
    return upper.x1 + token_width(lower.glyphs) > right
