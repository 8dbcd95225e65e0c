"""Characters of a PDF page to rows of text: what stands on one line, with blanks where the page shows them. From values to values."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from crawlers.papers.signs.answer_marks import IMAGE
from crawlers.text.fields import lowered, raised

_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")
_NO_GLYPH = re.compile(r"\(cid:\d+\)")
# Many fonts have one glyph for a radical and for the character that looks like it, and many PDFs name the radical.
_RADICALS = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
_LOOKALIKES = "⺎兀⺝月⺟母⺠民⻁虎⻄西⻅见⻆角⻉贝⻋车⻓长⻔门⻘青⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻬齐⻮齿⻰龙⻳龟"
_RADICALS |= dict(zip(map(ord, _LOOKALIKES[::2]), _LOOKALIKES[1::2], strict=True))
_RADICALS |= {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}  # ﬁ and the other ligatures
_SMALL, _HIGH, _LOW = 0.9, 0.15, 0.08
"""Of a raised or lowered character: its size at most, and how far its foot stands above or below those of its line, in sizes of these."""
_BESIDE = 0.25
"""Such a character stands as near as that to one of its line; what is small and apart is other text."""
_MOVED = re.compile(r"[0-9A-Za-z+\-−–()=*/′]+")
_TAB, _WIDE_BLANK, _BLANK = 1.5, 0.7, 0.2
"""Gaps, in heights of a character, from which they are a tab, a blank between Chinese characters, a blank beside others."""
_IMAGE_FOOT = 10.0
"""Points above its foot that an image takes of its line."""
_SAME_ROW = 0.6
"""Share of its height by which a character overlaps the row it belongs to."""


class Sign(NamedTuple):
    """One character where it stands on the page."""

    x0: float
    x1: float
    top: float
    bottom: float
    text: str
    foot: float = 0.0
    """Where the line stands that it is written on; 0 where that is not known."""


class Row(NamedTuple):
    """One line of text where it stands on the page."""

    x0: float
    top: float
    bottom: float
    text: str


def signs_of(chars: Iterable[dict[str, Any]], images: Iterable[dict[str, Any]]) -> list[Sign]:
    """Return the characters of a page, each once, and a sign for every image. What stands askew, such as a watermark, is left out."""
    found: dict[tuple[str, int, int], Sign] = {}
    for char in chars:
        text = _NO_GLYPH.sub("\ufffd", char["text"]).translate(_RADICALS)
        if char["upright"] and text and char["bottom"] > char["top"]:
            foot = char["top"] + char["y1"] - char["matrix"][5] if "matrix" in char else 0.0
            sign = Sign(char["x0"], char["x1"], char["top"], char["bottom"], text, foot)
            # Bold letters are often printed twice, a hair apart.
            places = ((text, round(sign.x0) + dx, round(sign.top) + dy) for dx in (0, 1, -1) for dy in (0, 1, -1))
            if text.isspace() or not any(place in found for place in places):
                found[text, round(sign.x0), round(sign.top)] = sign
    for image in images:
        # An image in a line stands on it like a tall letter, so its foot is where it belongs.
        foot = image["bottom"]
        found[IMAGE, round(image["x0"]), round(foot)] = Sign(image["x0"], image["x1"], foot - _IMAGE_FOOT, foot, IMAGE)
    return list(found.values())


def rows_of(signs: Iterable[Sign]) -> list[Row]:
    """Return the lines of text that signs stand on, from top to bottom; small raised or lowered ones belong to their line."""
    rows: list[tuple[float, float, list[Sign]]] = []
    for sign in sorted(signs, key=lambda sign: (sign.top + sign.bottom, sign.x0)):
        if rows:
            top, bottom, members = rows[-1]
            overlap = min(bottom, sign.bottom) - max(top, sign.top)
            if overlap >= _SAME_ROW * min(bottom - top, sign.bottom - sign.top):
                taller = sign.bottom - sign.top > bottom - top
                rows[-1] = (sign.top if taller else top, sign.bottom if taller else bottom, [*members, sign])
                continue
        rows.append((sign.top, sign.bottom, [sign]))
    built = (_row(top, bottom, members) for top, bottom, members in rows)
    return [row for row in built if row.text.strip()]


def _row(top: float, bottom: float, signs: list[Sign]) -> Row:
    signs.sort(key=lambda sign: (sign.x0, sign.x1))
    text, last = "", None
    for sign in _with_moved(signs):
        if last is not None:
            text += _blank(last, sign, bottom - top)
        text += sign.text
        last = sign if not sign.text.isspace() or last is None else Sign(last.x0, sign.x1, last.top, last.bottom, last.text)
    return Row(signs[0].x0, top, bottom, text.strip())


def _with_moved(signs: list[Sign]) -> list[Sign]:
    """Return the signs of a line, those that are raised or lowered as signs that say so: 10⁹ is another number than 109."""
    size = max(sign.bottom - sign.top for sign in signs)
    feet = Counter(sign.foot for sign in signs if sign.foot and sign.bottom - sign.top > _SMALL * size)
    if not feet or all(sign.bottom - sign.top > _SMALL * size for sign in signs):
        return signs
    foot = feet.most_common(1)[0][0]
    shifts = [_shift(sign, foot, size) for sign in signs]
    found: list[Sign] = []
    start = 0
    for place in range(1, len(signs) + 1):
        if place < len(signs) and shifts[place] == shifts[start]:
            continue
        run = signs[start:place]
        near = [signs[start].x0 - signs[start - 1].x1] if start else []
        near += [signs[place].x0 - run[-1].x1] if place < len(signs) else []
        said = "".join(sign.text for sign in run).strip()
        if shifts[start] and near and min(near) < _BESIDE * size and _MOVED.fullmatch(said):
            found.append(Sign(run[0].x0, run[-1].x1, run[0].top, run[0].bottom, (raised if shifts[start] > 0 else lowered)(said)))
        else:
            found += run
        start = place
    return found


def _shift(sign: Sign, foot: float, size: float) -> int:
    """Return 1 for what stands above its line, -1 for what stands below it."""
    if not sign.foot or sign.bottom - sign.top > _SMALL * size:
        return 0
    return 1 if foot - sign.foot > _HIGH * size else -1 if sign.foot - foot > _LOW * size else 0


def _blank(left: Sign, right: Sign, height: float) -> str:
    gap = (right.x0 - left.x1) / height
    if gap > _TAB:
        return "\t"
    wide = _WIDE.match(left.text) and _WIDE.match(right.text)
    return " " if gap > (_WIDE_BLANK if wide else _BLANK) and not right.text.isspace() else ""
