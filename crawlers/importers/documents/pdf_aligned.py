"""Tables of a PDF page without upright lines: characters in; the grid between blank strips, if it is certain, out."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.importers.documents.pdf_grids import Cell, Edge, Grid
from crawlers.importers.documents.pdf_rows import Glyph, rows_of
from crawlers.importers.layouts.columns import is_known_name, layout_of_keys, named, names_of
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import is_heading

_STRIP = 1.2
"""Points: the least width of a blank strip between columns."""
_LEAST_COLUMNS, _LEAST_ROWS = 3, 3
_HEADER_ROWS = 3
_STARTS = 8
"""Stretches of a page of which each may be the header."""
_CLEAR = 0.7
"""Points by which the least gap between rows is higher than the largest one between the lines of a row."""
_NEAR = 0.5
"""Share of its height by which a line of the header is apart from the next, at most."""
_OFF, _LEAST_CENTRED = 0.25, 2
"""Share of its height by which a line is beside no other; rows from which on it is no chance."""
_LONG = 0.8
"""Share of the table's width from which on a level line separates rows."""
_NUMBER, _ANSWER = re.compile(r"[(（]?\d{1,5}[)）.、．]?"), re.compile(rf"[A-Ja-j、,，]{{1,10}}|{SURE_VERDICT}")
_NAME = re.compile(r"(?![A-J][.、])[^，。、：；？]{1,9}")
"""The name of a column, not what is below it."""
Span = tuple[float, float]


def aligned_grid(glyphs: Sequence[Glyph], level: Sequence[Edge], expected: Sequence[float] = (), header: Sequence[str] = ()) -> Grid | None:
    """Return the table of a page: below a header of known names, in the columns of the page before, or with numbers beside its cells.

    None if it is not certain.

    All that is below its first row must be in its columns, and each row must have exactly one number or answer in the same column.

    Args:
        level: level lines, of which long ones separate rows.
        expected: positions of the columns of the page before.
        header: the names of these columns.
    """
    bands = _bands(glyph for glyph in glyphs if not glyph.text.isspace())
    if expected and not any(glyph.x0 < x < glyph.x1 for band in bands if not _heads(band) for glyph in band for x in expected[1:-1]):
        count = next((count for count in range(1, len(bands)) if _names(bands[:count], expected) == list(header)), 0)
        if grid := _grid(bands, expected, level, count, least=1):
            return grid
    for start, band in enumerate(bands[:_STARTS]):
        if len(_spans(band)) < _LEAST_COLUMNS:
            continue
        first = start
        while first and _gap(bands[first - 1], bands[first]) < _NEAR * _height(band) and not _heads(bands[first - 1]):
            first -= 1
        spans = _spans([glyph for other in bands[first:] if not _heads(other) for glyph in other])
        if len(spans) < _LEAST_COLUMNS:
            continue  # all are headings
        xs = [spans[0][0] - _STRIP, *(left - _STRIP / 2 for left, _ in spans[1:]), spans[-1][1] + _STRIP]
        if grid := _grid(bands[first:], xs, level) or (_grid(bands[first:], xs, level, 0) if _is_centred(bands[first:], xs) else None):
            return grid
    return None


def _is_centred(bands: Iterable[Sequence[Glyph]], xs: Sequence[float]) -> bool:
    """Return whether the numbers of several rows are beside the middle of two lines, as only the cells of a table are."""
    found = 0
    for band in bands:
        marks, *cells = (rows_of(_within(band, column)) for column in pairwise(xs))
        off = _OFF * _height(band)
        if len(marks) == 1 and any(len(rows) == 2 and all(abs(row.top - marks[0].top) > off for row in rows) for rows in cells):
            found += 1
    return found >= _LEAST_CENTRED


def top_of_header(glyphs: Iterable[Glyph]) -> float | None:
    """Return where the first header of a table of questions begins on a page, on one row or several; None if there is none."""
    bands = _bands(glyph for glyph in glyphs if not glyph.text.isspace())
    for start in range(len(bands)):
        rows: list[list[Glyph]] = []
        for band in bands[start : start + _HEADER_ROWS]:
            if rows and _gap(rows[-1], band) >= _NEAR * _height(band):
                break
            rows.append(band)
            spans = _spans(glyph for row in rows for glyph in row)
            names = _names(rows, [*(left for left, _ in spans), spans[-1][1]]) if len(spans) > 1 else []
            if _is_header(names) or _names_columns(names):
                return min(glyph.top for glyph in bands[start])
    return None


def bottom_of_columns(glyphs: Iterable[Glyph]) -> float:
    """Return where the columns end with which a page begins that goes on with a table."""
    columns: list[Glyph] = []
    for band in _bands(glyph for glyph in glyphs if not glyph.text.isspace()):
        if not _heads(band):
            columns += band
            if len(_spans(columns)) < _LEAST_COLUMNS:
                return min(glyph.top for glyph in band)
    return float("inf")


def _is_header(names: Sequence[str]) -> bool:
    """Return whether texts are the names of the columns of a table of questions."""
    return len(names) >= _LEAST_COLUMNS and all(map(_NAME.fullmatch, names)) and layout_of_keys(named(names)) is not None


def _names_columns(names: Sequence[str]) -> bool:
    """Return whether texts are only known names of columns, that of the questions among them."""
    return len(names) > 1 and all(map(is_known_name, names)) and not names_of("stem_raw").isdisjoint(names)


def _gap(above: Iterable[Glyph], below: Iterable[Glyph]) -> float:
    return min(glyph.top for glyph in below) - max(glyph.bottom for glyph in above)


def _height(band: Iterable[Glyph]) -> float:
    return max(glyph.bottom - glyph.top for glyph in band)


def _bands(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Return characters by the stretches of the page's height that have any, from top to bottom."""
    bands: list[list[Glyph]] = []
    bottom = float("-inf")
    for glyph in sorted(glyphs, key=lambda glyph: glyph.top):
        if glyph.top >= bottom:
            bands.append([])
        bands[-1].append(glyph)
        bottom = max(bottom, glyph.bottom)
    return bands


def _spans(glyphs: Iterable[Glyph]) -> list[Span]:
    """Return the stretches that characters cover, between blank strips."""
    spans: list[Span] = []
    for start, end in sorted((glyph.x0, glyph.x1) for glyph in glyphs):
        if spans and start - spans[-1][1] < _STRIP:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def _names(bands: Iterable[Sequence[Glyph]], xs: Sequence[float]) -> list[str]:
    """Return the texts of bands in columns."""
    glyphs = [glyph for band in bands for glyph in band]
    return ["".join(row.text for row in rows_of(_within(glyphs, column))) for column in pairwise(xs)]


def _within(group: Iterable[Glyph], column: Span) -> list[Glyph]:
    return [glyph for glyph in group if column[0] <= (glyph.x0 + glyph.x1) / 2 < column[1]]


def _heads(band: Sequence[Glyph]) -> bool:
    """Return whether a band is a heading across the columns."""
    rows = rows_of(band)
    return len(rows) == 1 and is_heading(flat(rows[0].text))


def _grid(
    bands: Sequence[list[Glyph]], xs: Sequence[float], level: Sequence[Edge], header: int | None = None, least: int = _LEAST_ROWS
) -> Grid | None:
    """Return the grid of bands in columns; None if it is not certain where its rows begin, or there are too few.

    Args:
        header: how many bands are the header; None if they are those above the first row, and must have known names.
    """
    columns = list(pairwise(xs))
    for pattern, column in ((_NUMBER, columns[0]), (_ANSWER, columns[-1])):
        marks = [_is_mark(band, column, pattern) for band in bands]
        first = header if header is not None else marks.index(True) if True in marks else 0
        if marks.count(True) < least or None in marks[first:]:
            continue
        begin = [(mark is True and index >= first) or (header is None and index == 0) for index, mark in enumerate(marks)]
        cuts = _by_lines(bands, xs, level) or _by_gaps(bands, begin, header or 0)
        groups = _groups(bands, cuts) if cuts else []
        if not groups or not _are_rows(groups, column, pattern, header != 0):
            continue
        if header is not None or _is_header(_names([groups[0]], xs)):
            return _with_cells(groups, xs)
    return None


def _is_mark(band: Sequence[Glyph], column: Span, pattern: re.Pattern[str]) -> bool | None:
    """Return whether a band has a number or answer in a column; None if it has another text there, or several."""
    texts = [row.text for row in rows_of(_within(band, column))]
    if not texts or _heads(band):
        return False
    return True if all(pattern.fullmatch(text) for text in texts) else None


def _by_lines(bands: Sequence[list[Glyph]], xs: Sequence[float], level: Sequence[Edge]) -> list[float]:
    """Return the positions of the long lines between the first band and the last; nothing if there are too few."""
    top, bottom = min(glyph.top for glyph in bands[0]), max(glyph.bottom for glyph in bands[-1])
    long = sorted(line.at for line in level if line.end - line.start > _LONG * (xs[-1] - xs[0]) and top < line.at < bottom)
    return long if len(long) + 1 >= _LEAST_ROWS else []


def _by_gaps(bands: Sequence[list[Glyph]], marked: Sequence[bool], header: int) -> list[float]:
    """Return positions between rows: as many of the highest gaps as separate all marks; nothing if lower gaps are nearly as high.

    A heading is a row, and so is the header.
    """
    gaps: list[tuple[float, float]] = []
    for index, (above, below) in enumerate(pairwise(bands), 1):
        end, start = max(glyph.bottom for glyph in above), min(glyph.top for glyph in below)
        gaps.append((float("inf") if index == header or _heads(above) or _heads(below) else start - end, (start + end) / 2))
    places = [index for index, has_mark in enumerate(marked) if has_mark]
    least = min((max(gaps[first:second])[0] for first, second in pairwise(places)), default=0.0)
    chosen = [position for height, position in gaps if height >= least]
    others = [height for height, _ in gaps if height < least]
    return chosen if least - max(others, default=0.0) >= _CLEAR else []


def _groups(bands: Sequence[list[Glyph]], cuts: Sequence[float]) -> list[list[Glyph]]:
    """Return the characters between cuts."""
    groups: list[list[Glyph]] = []
    edges = [float("-inf"), *cuts, float("inf")]
    glyphs = [glyph for band in bands for glyph in band]
    for start, end in pairwise(edges):
        group = [glyph for glyph in glyphs if start <= (glyph.top + glyph.bottom) / 2 < end]
        groups += [group] if group else []
    return groups


def _are_rows(groups: Sequence[list[Glyph]], column: Span, pattern: re.Pattern[str], has_header: bool) -> bool:
    """Return whether each group has exactly one mark; the first and the last may be parts of rows, and a heading has none."""
    for index, group in enumerate(groups):
        texts = [row.text for row in rows_of(_within(group, column))]
        if (has_header and index == 0) or _heads(group):
            continue
        if len(texts) > 1 or (texts and not pattern.fullmatch(texts[0])):
            return False
        if not texts and index not in (has_header, len(groups) - 1):
            return False
    return True


def _with_cells(groups: Sequence[list[Glyph]], xs: Sequence[float]) -> Grid:
    """Return the grid of rows; a heading is one cell across the columns."""
    ends = [(min(glyph.top for glyph in group), max(glyph.bottom for glyph in group)) for group in groups]
    ys = [ends[0][0] - _CLEAR, *((above[1] + below[0]) / 2 for above, below in pairwise(ends)), ends[-1][1] + _CLEAR]
    last = len(xs) - 2
    cells: list[Cell] = []
    for row, group in enumerate(groups):
        if _heads(group):
            cells.append(Cell(row, 0, row, last))
        else:
            cells += [Cell(row, column, row, column) for column in range(last + 1)]
    return Grid(tuple(xs), tuple(ys), tuple(cells), is_aligned=True)
