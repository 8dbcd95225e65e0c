"""Page headers, footers and page numbers of a PDF: its pages in, the pages without them and what was removed out."""

import re
from collections import Counter
from collections.abc import Iterable, Set
from typing import NamedTuple

from crawlers.importers.documents.pdf_grids import Edge, Grid
from crawlers.importers.documents.pdf_rows import Glyph, Rule, TextRow, rows_of
from crawlers.importers.layouts.columns import is_known_name
from crawlers.papers.signs.answer_marks import IMAGE, flat
from crawlers.papers.signs.numbers import number_of

_MARGIN = 0.12
"""Share of the page's height at its top and bottom where headers and footers are."""
_OUTERMOST = 3
_MIN_PAGES, _MIN_SHARE = 3, 0.3
"""Number of pages on which a row must be at the same height to be a header; with left and right pages, each is on every other page."""
_MIN_COUNTED = 2
"""Rows within pages that differ from a row in a margin only by their numbers, so that the row continues their count."""
_LEAST_TITLE = 4
"""Characters of a title that a later page repeats, which needs no further pages to be a header."""
_TOLERANCE = 4.0
"""Points by which the height of the same header may vary."""
_PAGE = re.compile(
    r"[-—–─·•\s]*+第?\s*\d{1,4}\s*+页?[-—–─·•\s]*|第\s*\d{1,4}\s*页.{0,4}共\s*\d{1,4}\s*页.{0,8}|\d{1,4}\s*[/／]\s*\d{1,4}"
    r"|(?:page|p\.?)\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?",
    re.I,
)
_ADDRESS = r"(?:https?|file)://\S+|www\.\S+"
_TIME = r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},?\s+(?:[上下]午\s?)?\d{1,2}:\d{2}(?:\s?[AP]M)?"
_PRINTED = re.compile(rf"(?:{_ADDRESS})(?:\s+\d{{1,4}}\s*[/／]\s*\d{{1,4}})?|{_TIME}(?:\t.{{1,200}})?", re.I)
"""What browsers print above and below a page: the time with the title, the address with the page's number."""
_CONTENT = re.compile(r"[(（\[]?[A-JＡ-Ｊ][)）\]]?\s?[.．、:：)）]|\d{1,3}\s?[.．、]|.{0,4}(?:答案|解析)")
"""What may be at the same height on several pages without being a header."""
_SHIFTS = (0.0, 0.5)
_LEAST_NAMES = 2
"""Names of columns in one row that are the header of a table."""
_DIGITS = re.compile(r"\d+")


class PageGlyphs(NamedTuple):
    """The content of one page, and its size."""

    glyphs: list[Glyph]
    width: float
    height: float
    rules: tuple[Rule, ...] = ()
    grids: tuple[Grid, ...] = ()
    level: tuple[Edge, ...] = ()
    """Level lines."""


def without_margins(sheets: list[PageGlyphs]) -> tuple[list[PageGlyphs], list[str]]:
    """Return the pages without their headers, footers, page numbers and backgrounds, and the texts that were removed."""
    sheets = _without_backgrounds(sheets)
    rows = [rows_of(sheet.glyphs) for sheet in sheets]
    margins = [_outside(_in_margins(page, sheet.height), page, sheet.grids) for page, sheet in zip(rows, sheets, strict=True)]
    within = {row.text for page, margin in zip(rows, margins, strict=True) for row in page if row not in margin}
    counted = Counter(_bare(text) for text in within if _DIGITS.search(text))
    often = Counter(key for page in margins for key in {_key(row, shift) for row in page for shift in _SHIFTS})
    least = max(_MIN_PAGES, _MIN_SHARE * len(sheets))
    titles = {_bare(row.text) for row in rows[0][:_OUTERMOST] if len(row.text) >= _LEAST_TITLE} if rows else set()
    titles -= {_bare(row.text) for page, margin in zip(rows[1:], margins[1:], strict=True) for row in page if row not in margin}
    pages, dropped = [], []
    for number, (sheet, margin) in enumerate(zip(sheets, margins, strict=True)):
        out = [
            row
            for row in margin
            if _is_frame(row.text)
            or ((_is_often(row, often, least) or (number and _bare(row.text) in titles)) and not _is_content(row.text, within, counted))
        ]
        glyphs = [glyph for glyph in sheet.glyphs if not any(row.top <= (glyph.top + glyph.bottom) / 2 <= row.bottom for row in out)]
        pages.append(sheet._replace(glyphs=glyphs))
        dropped += [row.text for row in out]
    return pages, dropped


def _without_backgrounds(sheets: list[PageGlyphs]) -> list[PageGlyphs]:
    """Return the pages without the images that are at the same position on many: a watermark, or its strips."""
    boxes = [{_rounded_box(glyph) for glyph in sheet.glyphs if glyph.text == IMAGE} for sheet in sheets]
    often = Counter(box for page_boxes in boxes for box in page_boxes)
    least = max(_MIN_PAGES, _MIN_SHARE * len(sheets))
    return [
        sheet._replace(glyphs=[glyph for glyph in sheet.glyphs if glyph.text != IMAGE or often[_rounded_box(glyph)] < least])
        for sheet in sheets
    ]


def _rounded_box(glyph: Glyph) -> tuple[int, int, int]:
    return round(glyph.x0), round(glyph.x1), round(glyph.bottom)


def _is_frame(text: str) -> bool:
    return bool(_PAGE.fullmatch(text) or _PRINTED.fullmatch(text))


def _is_content(text: str, within: Set[str], counted: Counter[str]) -> bool:
    """Return whether a row reads like part of a question, or continues the count of rows within pages: a card's `NO.04` at the top of a
    page.
    """
    number = number_of(flat(text))
    if _CONTENT.match(text) or (number and number.style in ("ordinal", "titled")):
        return True
    return text not in within and counted[_bare(text)] >= _MIN_COUNTED


def _is_often(row: TextRow, often: Counter[tuple[str, float, int]], least: float) -> bool:
    return any(often[_key(row, shift)] >= least for shift in _SHIFTS)


def _in_margins(rows: list[TextRow], height: float) -> list[TextRow]:
    down = sorted(rows, key=lambda row: row.top)
    above = [row for row in down[:_OUTERMOST] if row.bottom < _MARGIN * height]
    return above + [row for row in down[-_OUTERMOST:] if row.top > (1 - _MARGIN) * height and row not in above]


def _outside(rows: list[TextRow], page: Iterable[TextRow], grids: Iterable[Grid]) -> list[TextRow]:
    """Return the rows that are not in a table, nor beside names of its columns: its header, which is repeated, is no page header."""
    spans = [(grid.top, grid.bottom) for grid in grids]
    spans += [(2 * row.top - row.bottom, 2 * row.bottom - row.top) for row in page if _names_columns(row.text)]
    return [row for row in rows if not any(top <= (row.top + row.bottom) / 2 <= bottom for top, bottom in spans)]


def _names_columns(text: str) -> bool:
    names = text.split()
    return len(names) > 1 and sum(map(is_known_name, names)) >= _LEAST_NAMES


def _key(row: TextRow, shift: float) -> tuple[str, float, int]:
    """Return what headers have in common; with two shifts, nearly equal heights share a key at least once."""
    return _bare(row.text), shift, int(row.top / _TOLERANCE + shift)


def _bare(text: str) -> str:
    return _DIGITS.sub("#", text.replace(" ", ""))
