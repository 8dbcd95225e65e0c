"""Tables that are drawn with lines on a PDF page: lines in, grids of cells out. From values to values."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

_THIN = 3.5
"""Points: a filled rectangle that is no thicker is a line; a thicker one is a background."""
_SNAP = 3.0
"""Points by which the pieces of one line may be apart, or off it; twice that is the distance of two lines."""
_MOST_PIECES, _MOST_EDGES, _MOST_SLOTS = 50_000, 1000, 20_000
"""Pieces of lines, lines and cells from which on it is a drawing."""
_SHORTEST = 6.0
"""Points: a shorter line is part of a sign; one that is not joined to others is a dot of a line in the other direction."""
_DRAWN = 0.6
"""Share of the side of a cell that is drawn as a line."""


_HIGHEST_HEADING = 80.0
"""Points between the lines above a heading and those below it."""


class Edge(NamedTuple):
    """A line, upright or level: its position across, and its ends along it."""

    at: float
    start: float
    end: float


Lines = tuple[list[Edge], list[Edge]]
"""Upright and level lines."""


class Cell(NamedTuple):
    """A cell of a grid, by the rows and columns that it covers."""

    row: int
    column: int
    last_row: int
    last_column: int


class Grid(NamedTuple):
    """A table: the positions of its lines, its cells, and whether its first row is open above, or its last one below."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[Cell, ...]
    open_above: bool = False
    open_below: bool = False
    is_aligned: bool = False
    """Its columns are between blank strips, not between lines."""

    @property
    def top(self) -> float:
        """Return where it begins."""
        return self.ys[0]

    @property
    def bottom(self) -> float:
        """Return where it ends."""
        return self.ys[-1]


def lines_of(drawn: Iterable[dict[str, Any]]) -> Lines:
    """Return the upright and the level lines of a page; none if it is a drawing.

    Args:
        drawn: its lines, rectangles and curves.
    """
    pieces = _edges(drawn)
    if sum(map(len, pieces)) > _MOST_PIECES:
        return [], []
    upright, level = map(_joined, pieces)
    return (upright, level) if len(upright) + len(level) <= _MOST_EDGES else ([], [])


def grids_of(upright: Sequence[Edge], level: Sequence[Edge]) -> list[Grid]:
    """Return the tables of a page, from top to bottom: at least two columns of rectangular cells.

    One with a single row may be the rest of a table on the page before.
    """
    grids = [grid for parts in _together(_connected(upright, level)) if (grid := _grid(*parts))]
    outer = [grid for grid in grids if not any(_is_within(grid, other) for other in grids if other is not grid)]
    return sorted(outer, key=lambda grid: (grid.top, grid.xs))


def _is_within(grid: Grid, other: Grid) -> bool:
    return (
        other.xs[0] - _SNAP <= grid.xs[0]
        and grid.xs[-1] <= other.xs[-1] + _SNAP
        and other.top - _SNAP <= grid.top
        and grid.bottom <= other.bottom + _SNAP
    )


def _edges(drawn: Iterable[dict[str, Any]]) -> Lines:
    """Return the upright and the level lines: drawn ones, thin rectangles, the sides of a rectangle that is not only filled, and frames.

    A frame is two filled rectangles, drawn one after the other, that are a line's width apart on all sides.
    """
    upright, level = list[Edge](), list[Edge]()
    before: tuple[float, ...] = ()
    for box in drawn:
        x0, x1, top, bottom = sides = tuple(float(box[key]) for key in ("x0", "x1", "top", "bottom"))
        is_framed = box["object_type"] == "rect" and bool(before) and _are_frame(before, sides)
        if x1 - x0 <= _THIN or bottom - top <= _THIN:  # a dot may be part of a line in either direction
            upright += [Edge((x0 + x1) / 2, top, bottom)] * (x1 - x0 <= _THIN)
            level += [Edge((top + bottom) / 2, x0, x1)] * (bottom - top <= _THIN)
        elif is_framed or (box.get("stroke") and box["object_type"] == "rect"):
            x0, x1, top, bottom = max(before, sides, key=lambda each: each[1] - each[0]) if is_framed else sides
            upright += [Edge(x0, top, bottom), Edge(x1, top, bottom)]
            level += [Edge(top, x0, x1), Edge(bottom, x0, x1)]
        before = sides
    return upright, level


def _are_frame(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether one of two rectangles is within the other, a line's width from each of its sides."""
    widths = [one[0] - other[0], other[1] - one[1], one[2] - other[2], other[3] - one[3]]
    return all(0 < width <= _THIN for width in widths) or all(-_THIN <= width < 0 for width in widths)


def _joined(edges: Iterable[Edge]) -> list[Edge]:
    """Return lines put together from their pieces."""
    joined: list[Edge] = []
    for group in _clusters(edges):
        at = sum(edge.at for edge in group) / len(group)
        first, *others = sorted(group, key=lambda edge: edge.start)
        start, end = first.start, first.end
        for edge in others:
            if edge.start > end + _SNAP:
                joined.append(Edge(at, start, end))
                start = edge.start
            end = max(end, edge.end)
        joined.append(Edge(at, start, end))
    return [edge for edge in joined if edge.end - edge.start >= _SHORTEST]


def _clusters(edges: Iterable[Edge]) -> Iterator[list[Edge]]:
    """Yield the lines that are at the same position, in order."""
    group: list[Edge] = []
    for edge in sorted(edges):
        if group and edge.at - group[0].at > _SNAP:
            yield group
            group = []
        group.append(edge)
    if group:
        yield group


def _connected(upright: Sequence[Edge], level: Sequence[Edge]) -> Iterator[Lines]:
    """Yield the lines that touch each other, directly or by others."""
    left, over = set(range(len(upright))), set(range(len(level)))
    while left:
        ups, levels = {left.pop()}, set[int]()
        todo = [("up", index) for index in ups]
        while todo:
            kind, index = todo.pop()
            if kind == "up":
                found = {other for other in over if _touch(upright[index], level[other])}
                over -= found
                levels |= found
                todo += [("level", other) for other in found]
            else:
                found = {other for other in left if _touch(upright[other], level[index])}
                left -= found
                ups |= found
                todo += [("up", other) for other in found]
        yield [upright[index] for index in sorted(ups)], [level[index] for index in sorted(levels)]


def _together(parts: Iterable[Lines]) -> list[Lines]:
    """Return lines that touch each other, with those of the same columns below them: between is a heading, whose cell has no sides."""
    whole: list[Lines] = []
    for upright, level in sorted((part for part in parts if part[1]), key=lambda part: min(edge.at for edge in part[1])):
        last = next((other for other in reversed(whole) if _same_columns(other, (upright, level))), None)
        if last and min(edge.start for edge in upright) - max(edge.end for edge in last[0]) < _HIGHEST_HEADING:
            whole[whole.index(last)] = ([*last[0], *upright], [*last[1], *level])
        else:
            whole.append((upright, level))
    return whole


def _same_columns(one: Lines, other: Lines) -> bool:
    xs, others = (_positions([*(edge.at for edge in ups), *(x for edge in level for x in edge[1:])]) for ups, level in (one, other))
    return len(xs) == len(others) and all(abs(x - y) <= _SNAP for x, y in zip(xs, others, strict=True))


def _touch(upright: Edge, level: Edge) -> bool:
    return upright.start - _SNAP <= level.at <= upright.end + _SNAP and level.start - _SNAP <= upright.at <= level.end + _SNAP


def _grid(upright: Sequence[Edge], level: Sequence[Edge]) -> Grid | None:
    """Return the grid that lines form; None if it has cells of another shape than a rectangle, or too few."""
    if not level:
        return None
    xs = _positions([*(edge.at for edge in upright), min(edge.start for edge in level), max(edge.end for edge in level)])
    ys = _positions([*(edge.at for edge in level), min(edge.start for edge in upright), max(edge.end for edge in upright)])
    if len(xs) < 3 or len(ys) < 2 or len(xs) * len(ys) > _MOST_SLOTS:
        return None
    cells = _cells(_Walls(upright, xs), _Walls(level, ys), xs, ys)
    if cells is None or len({cell.column for cell in cells}) < 2:
        return None
    width = xs[-1] - xs[0]
    above, below = (sum(edge.end - edge.start for edge in level if abs(edge.at - y) <= _SNAP) < _DRAWN * width for y in (ys[0], ys[-1]))
    return Grid(xs, ys, cells, above, below)


def _positions(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(sum(edge.at for edge in group) / len(group) for group in _clusters(Edge(value, 0.0, 0.0) for value in values))


class _Walls:
    """Lines of one direction, by the position that they are at."""

    def __init__(self, edges: Sequence[Edge], positions: Sequence[float]) -> None:
        self._at = [[edge for edge in edges if abs(edge.at - position) <= _SNAP] for position in positions]

    def part(self, index: int, start: float, end: float) -> bool:
        """Return whether a line separates what is before the position from what is behind it, between two ends."""
        drawn = sum(max(0.0, min(edge.end, end) - max(edge.start, start)) for edge in self._at[index])
        return drawn > _DRAWN * (end - start)


def _cells(upright: _Walls, level: _Walls, xs: Sequence[float], ys: Sequence[float]) -> tuple[Cell, ...] | None:
    """Return the cells between lines; None if one is not a rectangle."""
    columns, rows = len(xs) - 1, len(ys) - 1
    owner: dict[tuple[int, int], Cell] = {}
    cells: list[Cell] = []
    for row in range(rows):
        for column in range(columns):
            if (row, column) in owner:
                continue
            last_row, last_column = row, column
            while last_column + 1 < columns and not upright.part(last_column + 1, ys[row], ys[row + 1]):
                last_column += 1
            while last_row + 1 < rows and not level.part(last_row + 1, xs[column], xs[column + 1]):
                last_row += 1
            cell = Cell(row, column, last_row, last_column)
            slots = [(at, across) for at in range(row, last_row + 1) for across in range(column, last_column + 1)]
            if any(slot in owner for slot in slots) or not _is_whole(cell, upright, level, xs, ys):
                return None
            owner.update(dict.fromkeys(slots, cell))
            cells.append(cell)
    return tuple(cells)


def _is_whole(cell: Cell, upright: _Walls, level: _Walls, xs: Sequence[float], ys: Sequence[float]) -> bool:
    """Return whether no line is within a cell, and lines are around it unless it is at the edge of the grid."""
    rows, columns = range(cell.row, cell.last_row + 1), range(cell.column, cell.last_column + 1)
    for row in rows:
        inner = [upright.part(at, ys[row], ys[row + 1]) for at in range(cell.column + 1, cell.last_column + 1)]
        ends = [at for at in (cell.column, cell.last_column + 1) if 0 < at < len(xs) - 1]
        if any(inner) or not all(upright.part(at, ys[row], ys[row + 1]) for at in ends):
            return False
    for column in columns:
        inner = [level.part(at, xs[column], xs[column + 1]) for at in range(cell.row + 1, cell.last_row + 1)]
        ends = [at for at in (cell.row, cell.last_row + 1) if 0 < at < len(ys) - 1]
        if any(inner) or not all(level.part(at, xs[column], xs[column + 1]) for at in ends):
            return False
    return True


def is_part(grid: Grid) -> bool:
    """Return whether a grid is a single row, which alone is no table."""
    return len(grid.ys) == 2 or all(cell.row == 0 for cell in grid.cells)


def slot_of(grid: Grid, x: float, y: float) -> tuple[int, int] | None:
    """Return row and column of a point; None if it is outside."""
    if not (grid.xs[0] <= x <= grid.xs[-1] and grid.top <= y <= grid.bottom):
        return None
    return (min(bisect_right(grid.ys, y), len(grid.ys) - 1) - 1, min(bisect_right(grid.xs, x), len(grid.xs) - 1) - 1)
