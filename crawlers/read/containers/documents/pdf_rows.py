"""Turn the characters of a PDF page into rows of text with blanks where the page shows them. Pure functions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from crawlers.read.vocabulary.emphasis import LESS
from crawlers.read.vocabulary.labels import IMAGE
from crawlers.text.fields import lowered, raised

_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_NO_GLYPH = re.compile(r"\(cid:\d+\)")
# Many fonts share one glyph between a radical and the character that looks like it, and many PDFs store the radical.
_RADICALS = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
_LOOKALIKES = "⺎兀⺝月⺟母⺠民⻁虎⻄西⻅见⻆角⻉贝⻋车⻓长⻔门⻘青⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻬齐⻮齿⻰龙⻳龟"
_RADICALS |= dict(zip(map(ord, _LOOKALIKES[::2]), _LOOKALIKES[1::2], strict=True))
_RADICALS |= {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}  # ﬁ and other ligatures
_RADICALS |= {ord("㬵"): "胶"}  # one glyph in Noto CJK, the usual fonts of Linux
_RADICALS |= {0x2E3A: "——", 0x2E3B: "———"}  # one glyph for a Chinese dash
_SMALL, _HIGH, _LOW = 0.9, 0.15, 0.08
"""Limits for a superscript or subscript, relative to the line's size: its maximum size, and the minimum distance between its baseline and
the line's.
"""
_BESIDE = 0.25
"""Maximum distance from a character of its line; small text farther away is separate text."""
_MOVED = re.compile(r"[0-9A-Za-z+\-−–()=*/′]+")
_TAB, _WIDE_BLANK, _BLANK = 1.5, 0.7, 0.2
"""Minimum gaps, in character heights, for a tab, for a space between Chinese characters, and for a space between other characters."""
_IMAGE_FOOT = 10.0
"""Height in points, from the bottom edge of an image, that counts as its part of a line."""
_NO_START = frozenset("，。、；：？！）》」』”’％…,.;:?!)]}%")
_NO_END = frozenset("（《「『“‘([{")
"""Characters that cannot begin a line, and those that cannot end one."""
_WORD = re.compile(r"[0-9A-Za-z]")
_ASCENT = 0.88
"""Share of a character's height above the baseline in the usual Chinese fonts."""
_SAME_ROW = 0.6
"""Minimum overlap of a character with its row, as a share of the smaller of the two heights."""
_BOLD = re.compile(r"bold|black|heavy", re.IGNORECASE)
_COLOURED = 0.25
"""Difference between a colour's strongest and weakest component above which it is not grey or black."""
_RGB, _CMYK = 3, 4
_PLACE, _OVER, _MOSTLY_OVER = 40.0, 0.2, 0.2
"""Size in points of a grid cell on the page; minimum share by which two characters must overlap; minimum share of a style's characters
that must overlap others.
"""


Style = tuple[float, ...]
"""How a character is printed: its size, the slope of its line, and its colour."""


class Glyph(NamedTuple):
    """One character at its position on the page."""

    x0: float
    x1: float
    top: float
    bottom: float
    text: str
    foot: float = 0.0
    """Position of its baseline; 0 if unknown."""
    style: Style = ()
    marks: frozenset[str] = frozenset()
    """Its emphasis: colour, bold."""


_STEEPEST = 0.15
"""Slope above which a line is a watermark rather than a line in a skewed scan."""


class TextRow(NamedTuple):
    """One line of text at its position on the page."""

    x0: float
    top: float
    bottom: float
    text: str
    glyphs: tuple[Glyph, ...] = ()
    """The line's characters from left to right; empty for a row made from a text."""

    @property
    def x1(self) -> float:
        """Return the right edge of the row's last visible character."""
        return max((glyph.x1 for glyph in self.glyphs if not glyph.text.isspace()), default=self.x0)


def glyphs_of(chars: Iterable[dict[str, Any]], images: Iterable[dict[str, Any]]) -> list[Glyph]:
    """Return the characters of a page, each once, and IMAGE for every image. Omit slanted text such as watermarks."""
    by_position: dict[tuple[str, int, int], Glyph] = {}
    for char in chars:
        text = _NO_GLYPH.sub("\ufffd", char["text"]).translate(_RADICALS)
        if char["upright"] and abs(_rise(char)) <= _STEEPEST and text and char["bottom"] > char["top"]:
            foot = char["top"] + char["y1"] - char["matrix"][5] if "matrix" in char else 0.0
            style = (round(char["bottom"] - char["top"], 1), round(_rise(char), 1), *(char.get("non_stroking_color") or ()))
            glyph = Glyph(char["x0"], char["x1"], char["top"], char["bottom"], text, foot, style, _marks_of(char))
            # Bold type is often printed as two slightly offset characters.
            positions = ((text, round(glyph.x0) + dx, round(glyph.top) + dy) for dx in (0, 1, -1) for dy in (0, 1, -1))
            if text.isspace() or not any(position in by_position for position in positions):
                by_position[text, round(glyph.x0), round(glyph.top)] = glyph
    for image in images:
        # An image within a line is aligned like a tall character, so its bottom edge gives its line.
        foot = image["bottom"]
        by_position[IMAGE, round(image["x0"]), round(foot)] = Glyph(image["x0"], image["x1"], foot - _IMAGE_FOOT, foot, IMAGE)
    return list(by_position.values())


def _marks_of(char: dict[str, Any]) -> frozenset[str]:
    """Return the emphasis of a character: colour, bold."""
    colour = _colour_of(char.get("non_stroking_color"))
    bold = {"bold"} if _BOLD.search(str(char.get("fontname", "")).rpartition("+")[2]) else set()
    return frozenset({f"colour {colour}", *bold} if colour else bold)


def _colour_of(parts: Any) -> str:
    """Return a colour in HTML notation; empty for a shade of grey or a pattern."""
    if not isinstance(parts, tuple | list) or not all(isinstance(part, int | float) for part in parts):
        return ""
    if len(parts) == _CMYK:
        *inks, black = parts
        parts = [(1 - ink) * (1 - black) for ink in inks]
    if len(parts) != _RGB or max(parts) - min(parts) < _COLOURED:
        return ""
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in parts)


def _rise(char: dict[str, Any]) -> float:
    """Return the slope of a character's line; an italic letter has none."""
    along, up = char["matrix"][:2] if "matrix" in char else (1.0, 0.0)
    return float(up / along) if along > 0 else float("inf")


def rows_of(glyphs: Iterable[Glyph]) -> list[TextRow]:
    """Return the lines of text formed by glyphs, from top to bottom, with superscripts and subscripts in their line.

    Character boxes of different fonts extend differently from the same baseline, so overlap is measured from the baseline.
    """
    rows: list[tuple[float, float, list[Glyph]]] = []
    for box_top, box_bottom, glyph in sorted(((*_box(glyph), glyph) for glyph in glyphs), key=lambda box: (box[0] + box[1], box[2].x0)):
        if rows:
            top, bottom, members = rows[-1]
            overlap = min(bottom, box_bottom) - max(top, box_top)
            if overlap >= _SAME_ROW * min(bottom - top, box_bottom - box_top):
                taller = box_bottom - box_top > bottom - top
                rows[-1] = (box_top if taller else top, box_bottom if taller else bottom, [*members, glyph])
                continue
        rows.append((box_top, box_bottom, [glyph]))
    built = (_row(members) for _, _, members in rows)
    return [row for row in built if row.text.strip()]


def _box(glyph: Glyph) -> tuple[float, float]:
    """Return the top and bottom of a character, computed as in a common font if its baseline is known."""
    size = glyph.bottom - glyph.top
    return (glyph.foot - _ASCENT * size, glyph.foot + (1 - _ASCENT) * size) if glyph.foot else (glyph.top, glyph.bottom)


def _row(glyphs: list[Glyph]) -> TextRow:
    glyphs.sort(key=lambda glyph: (glyph.x0, glyph.x1))
    tallest = max(glyphs, key=lambda glyph: glyph.bottom - glyph.top)
    top, bottom = tallest.top, tallest.bottom
    text, last = "", None
    for glyph in _with_moved(glyphs):
        if last is not None:
            text += _blank(last, glyph, bottom - top)
        text += glyph.text
        last = glyph if not glyph.text.isspace() or last is None else Glyph(last.x0, glyph.x1, last.top, last.bottom, last.text)
    return TextRow(glyphs[0].x0, top, bottom, text.strip(), tuple(glyphs))


def _with_moved(glyphs: list[Glyph]) -> list[Glyph]:
    """Return the glyphs of a line, with superscript or subscript characters for those raised or lowered, since 10⁹ is not 109."""
    size = max(glyph.bottom - glyph.top for glyph in glyphs)
    feet = Counter(glyph.foot for glyph in glyphs if glyph.foot and glyph.bottom - glyph.top > _SMALL * size)
    if not feet or all(glyph.bottom - glyph.top > _SMALL * size for glyph in glyphs):
        return glyphs
    foot = feet.most_common(1)[0][0]
    shifts = [_shift(glyph, foot, size) for glyph in glyphs]
    merged: list[Glyph] = []
    start = 0
    for end in range(1, len(glyphs) + 1):
        if end < len(glyphs) and shifts[end] == shifts[start]:
            continue
        run = glyphs[start:end]
        near = [glyphs[start].x0 - glyphs[start - 1].x1] if start else []
        near += [glyphs[end].x0 - run[-1].x1] if end < len(glyphs) else []
        run_text = "".join(glyph.text for glyph in run).strip()
        if shifts[start] and near and min(near) < _BESIDE * size and _MOVED.fullmatch(run_text):
            merged.append(Glyph(run[0].x0, run[-1].x1, run[0].top, run[0].bottom, (raised if shifts[start] > 0 else lowered)(run_text)))
        else:
            merged += run
        start = end
    return merged


def _shift(glyph: Glyph, foot: float, size: float) -> int:
    """Return 1 for a superscript, -1 for a subscript, 0 for neither."""
    if not glyph.foot or glyph.bottom - glyph.top > _SMALL * size:
        return 0
    return 1 if foot - glyph.foot > _HIGH * size else -1 if glyph.foot - foot > _LOW * size else 0


def _blank(left: Glyph, right: Glyph, height: float) -> str:
    gap = (right.x0 - left.x1) / height
    if gap > _TAB:
        return "\t"
    wide = _WIDE.match(left.text) and _WIDE.match(right.text)
    return " " if gap > (_WIDE_BLANK if wide else _BLANK) and not right.text.isspace() else ""


def joined_lines(lines: Sequence[TextRow], is_wrapped: Callable[[TextRow, TextRow], bool] = lambda upper, lower: True) -> list[str]:
    """Return the texts of lines, wrapped lines joined."""
    texts: list[str] = []
    for number, line in enumerate(lines):
        if number and is_wrapped(lines[number - 1], line):
            before = lines[number - 1].text
            is_word = _WORD.match(before[-1:]) and _WORD.match(line.text) and not (before.isalnum() and before.isascii())
            texts[-1] += (" " if is_word else "") + line.text
        else:
            texts.append(line.text)
    return texts


def token_width(glyphs: Sequence[Glyph]) -> float:
    """Return the width of the first characters of a line that a line break cannot separate."""
    end = 0
    while end + 1 < len(glyphs) and _stay_together(glyphs[end].text, glyphs[end + 1].text):
        end += 1
    return glyphs[end].x1 - glyphs[0].x0 if glyphs else 0.0


def _stay_together(left: str, right: str) -> bool:
    if left[-1:] in _NO_END or right[:1] in _NO_START:
        return True
    return not (left.isspace() or right.isspace()) and not (_is_wide(left) or _is_wide(right))


def _is_wide(text: str) -> bool:
    return unicodedata.east_asian_width(text[-1]) in ("W", "F", "A")


def without_watermark(glyphs: list[Glyph]) -> tuple[list[Glyph], str]:
    """Return a page without its watermark, and the watermark's text, which is all text in a style that often overlaps other text."""
    places: dict[tuple[int, int], list[Glyph]] = {}
    for glyph in glyphs:
        if glyph.text.isalnum() and glyph.style:
            places.setdefault((int(glyph.x0 // _PLACE), int(glyph.top // _PLACE)), []).append(glyph)
    over, count = Counter[Style](), Counter(glyph.style for each in places.values() for glyph in each)
    for (column, row), each in places.items():
        near = [other for dx in (-1, 0, 1) for dy in (-1, 0, 1) for other in places.get((column + dx, row + dy), ())]
        over.update(one.style for one in each if any(other.style != one.style and _lies_over(one, other) for other in near))
    marks = {style for style, times in over.items() if times >= _MOSTLY_OVER * count[style] and 2 * count[style] < count.total()}
    gone = [glyph for glyph in glyphs if glyph.style in marks]
    return [glyph for glyph in glyphs if glyph.style not in marks] if gone else glyphs, "".join(glyph.text for glyph in gone).strip()


def _lies_over(one: Glyph, other: Glyph) -> bool:
    width, height = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.bottom, other.bottom) - max(one.top, other.top)
    return width > _OVER * min(one.x1 - one.x0, other.x1 - other.x0) and height > _OVER * min(
        one.bottom - one.top, other.bottom - other.top
    )


def signed_text(row: TextRow) -> str:
    """Return the text of a row with tags around emphasised characters."""
    marks = [glyph.marks for glyph in row.glyphs for sign in glyph.text if not sign.isspace()]
    if not any(marks) or len(marks) != sum(not sign.isspace() for sign in row.text):
        return row.text.replace("<", LESS)
    own, done, active = iter(marks), list[str](), frozenset[str]()
    for sign in row.text:
        kinds = active if sign.isspace() else next(own)
        if kinds != active:
            done += ["</>" * len(active), *(f"<{kind}>" for kind in sorted(kinds))]
            active = kinds
        done.append(LESS if sign == "<" else sign)
    return "".join([*done, "</>" * len(active)])
