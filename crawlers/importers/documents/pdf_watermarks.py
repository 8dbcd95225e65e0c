"""Watermarks of a PDF that are printed as level text: its pages in, the pages without them and what was removed out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from crawlers.importers.documents.pdf_margins import PageGlyphs
from crawlers.importers.documents.pdf_rows import Glyph, Style

_OVER = 0.2
"""Share of its width and of its height by which a character lies over another."""
_GAP = 2.0
"""Widths of a character between two that are printed in one go, at most."""
_ALIGNED = 1.0
"""Points by which they may be off their line."""
_RISE = 0.2
"""Heights of a character by which the next one is higher or lower, at most, or begins before its end: their line may be askew."""
_LETTER = 1
"""Length of a text that may be an answer, even over another text."""
_MOSTLY = 0.2
"""Lines over others, as a share of all that are printed alike, from which on all of these are watermarks."""
_DIGITS = re.compile(r"\d+")
_Key = tuple[str, Style]


class _Run(NamedTuple):
    """Characters that are printed one after the other, in one line or below each other."""

    key: _Key
    """Their text without its numbers, and how they are printed."""
    glyphs: list[Glyph]
    x0: float
    x1: float
    top: float
    bottom: float


def without_watermarks(sheets: list[PageGlyphs]) -> tuple[list[PageGlyphs], list[str]]:
    """Return the pages without texts that lie over others, wherever they are printed, and these texts."""
    runs = [[_run(glyphs) for glyphs in _printed_in_one_go(sheet.glyphs)] for sheet in sheets]
    marks, styles = _marks_and_their_styles(runs)
    pages, dropped = [], []
    for sheet, page in zip(sheets, runs, strict=True):
        right = max((run.x1 for run in page), default=0.0)
        out = [run for run in page if len(run.key[0]) != _LETTER and (run.key[1] in styles or _is_mark(run, marks, right))]
        gone = {id(glyph) for run in out for glyph in run.glyphs}
        pages.append(sheet._replace(glyphs=[glyph for glyph in sheet.glyphs if id(glyph) not in gone]) if gone else sheet)
        dropped += ["".join(glyph.text for glyph in run.glyphs).strip() for run in out]
    return pages, dropped


def _marks_and_their_styles(runs: Sequence[Sequence[_Run]]) -> tuple[set[_Key], set[Style]]:
    """Return the watermarks that lie over texts, and the styles in which many do: what else is printed like them is one, too."""
    printed = Counter(run.key for page in runs for run in page if run.key[0])
    texts_of_style = Counter(style for _, style in printed)
    pairs = [(one.key, other.key) for page in runs for one, other in _overlapping(page)]
    over = Counter(key for pair in pairs for key in pair)
    marks = {key for pair in pairs for key, other in (pair, pair[::-1]) if _is_over(key, other, over, printed, texts_of_style)}
    over_of_style = Counter(key[1] for pair in pairs if pair[0][1] != pair[1][1] for key in pair if key in marks)
    lines_of_style = Counter(run.key[1] for page in runs for run in page if run.key[0])
    return marks, {style for style, count in over_of_style.items() if count >= _MOSTLY * lines_of_style[style]}


def _is_over(key: _Key, other: _Key, over: Counter[_Key], printed: Counter[_Key], texts_of_style: Counter[Style]) -> bool:
    """Return whether, of two texts that lie over each other, one is surely the watermark.

    Printed like it are fewer texts, and it lies over as many others. If both are printed alike, it is the one that is repeated.
    """
    if key[1] == other[1]:
        return over[key] > over[other] and printed[key] > printed[other]
    return over[key] >= over[other] and texts_of_style[key[1]] < texts_of_style[other[1]]


def _is_mark(run: _Run, marks: Set[_Key], right: float) -> bool:
    """Return whether a text is a watermark, or as much of one as there is room for on the page."""
    text, style = run.key
    is_cut = run.x1 + (run.glyphs[-1].x1 - run.glyphs[-1].x0) > right
    return run.key in marks or (is_cut and text != "" and any(key[1] == style and key[0].startswith(text) for key in marks))


def _printed_in_one_go(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Yield characters in the order of the file, by lines that are printed alike."""
    run: list[Glyph] = []
    for glyph in glyphs:
        if not glyph.style:
            continue
        if run and not ((glyph.style == run[0].style or glyph.text.isspace()) and (_is_beside(run, glyph) or _is_below(run, glyph))):
            yield run
            run = []
        run.append(glyph)
    if run:
        yield run


def _is_beside(run: list[Glyph], glyph: Glyph) -> bool:
    last = run[-1]
    height = last.bottom - last.top
    near = max(_ALIGNED, _RISE * height)
    return abs(glyph.bottom - last.bottom) < near and -near < glyph.x0 - last.x1 < _GAP * height


def _is_below(run: list[Glyph], glyph: Glyph) -> bool:
    """Return whether a character goes on with a text that is printed from top to bottom."""
    last = run[-1]
    is_upright = len(run) == 1 or run[-2].bottom < last.bottom - _ALIGNED
    return is_upright and abs(glyph.x0 - last.x0) < _ALIGNED and -_ALIGNED < glyph.top - last.bottom < last.bottom - last.top


def _run(glyphs: list[Glyph]) -> _Run:
    key = _DIGITS.sub("#", "".join("".join(glyph.text for glyph in glyphs).split())), glyphs[0].style
    x0, x1 = min(glyph.x0 for glyph in glyphs), max(glyph.x1 for glyph in glyphs)
    return _Run(key, glyphs, x0, x1, min(glyph.top for glyph in glyphs), max(glyph.bottom for glyph in glyphs))


def _overlapping(runs: Iterable[_Run]) -> Iterator[tuple[_Run, _Run]]:
    """Yield the pairs of different texts of which characters lie over each other."""
    open_runs: list[_Run] = []
    for run in sorted(runs, key=lambda run: run.top):
        open_runs = [other for other in open_runs if other.bottom > run.top]
        for other in open_runs:
            if other.x0 < run.x1 and run.x0 < other.x1 and other.key[0] != run.key[0] and _lie_over(other.glyphs, run.glyphs):
                yield other, run
        open_runs.append(run)


def _lie_over(ones: Iterable[Glyph], others: Iterable[Glyph]) -> bool:
    return any(_lies_over(one, other) for one in ones if one.text.isalnum() for other in others if other.text.isalnum())


def _lies_over(one: Glyph, other: Glyph) -> bool:
    width, height = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.bottom, other.bottom) - max(one.top, other.top)
    return width > _OVER * min(one.x1 - one.x0, other.x1 - other.x0) and height > _OVER * min(
        one.bottom - one.top, other.bottom - other.top
    )
