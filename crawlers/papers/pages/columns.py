"""Lines with two questions side by side -> one column after the other. Only if numbers show it beyond doubt."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.headings import is_heading

_HEAD = re.compile(
    r"\s{0,20}(?P<first>\d{1,5})\s?[、.](?!\d)\s{0,3}\S[^\n]{3,80}?(?:\s{2,}|\t)(?P<right>(?P<second>\d{1,5})\s?[、.](?!\d)\s{0,3}\S.{2,})$"
)
_HEADED = re.compile(
    r"\s{0,20}(?P<heading>[^\s\d][^\n]{2,40}?)(?:\s{4,60}|\t\s{0,60})(?P<right>(?P<second>\d{1,5})\s?[、.](?!\d)\s{0,3}\S.{2,})$"
)
"""A heading above the left column beside a question of the right one."""
_OPTION = re.compile(r"(?:(?<=\s)|^)[(]?(?P<letter>[A-J])\s?[.、:)]")
_WORDS = re.compile("[\u4e00-\u9fff]{2}")
_GAP = re.compile(r"\t\s*|\s{2,}")
_OFF = 8  # columns by which a typed column may be off
_LONGEST = 400  # characters: a longer line is running text
_TAB = 8


def one_column(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with side by side questions below each other."""
    done: list[Numbered] = []
    index = 0
    while index < len(lines):
        head = _head(lines[index][1])
        region = _region(lines, index, head) if head else []
        if head and len(region) > 1:
            done += _parted(region, by_rows=head[1] == head[0] + 1)
            index += len(region)
        else:
            done.append(lines[index])
            index += 1
    return done


def _head(text: str) -> tuple[int, int, int] | None:
    """Return both numbers of a line on which two questions begin, and the column of the second."""
    if len(text) > _LONGEST:
        return None
    if "  " not in text and "\t" not in text and "\u3000" not in text:
        return None
    line = flat(text).replace("\x0b", " ")
    if headed := _HEADED.match(line):
        beside = is_heading(headed["heading"].strip()) and int(headed["second"]) > 1 and _WORDS.search(headed["right"])
        return (0, int(headed["second"]), _width(text[: headed.start("right")])) if beside else None
    match = _HEAD.match(line)
    if match is None or not _WORDS.search(text[: match.start("right")]) or not _WORDS.search(match["right"]):
        return None
    first, second = int(match["first"]), int(match["second"])
    if second <= first:
        return None
    return first, second, _width(text[: match.start("right")])


def _region(lines: Sequence[Numbered], start: int, head: tuple[int, int, int]) -> list[tuple[int, str, str]]:
    """Return the lines from a heading on, split into two columns: place, left, right."""
    column = head[2]
    region: list[tuple[int, str, str]] = []
    for index, text in lines[start:]:
        if len(text) > _LONGEST:
            break
        again = _head(text)
        column = again[2] if again else column
        cut = _cut(text, column)
        if cut is None:
            break
        region.append((index, text[:cut], text[cut:]))
    while region and not (region[-1][1].strip() or region[-1][2].strip()):
        region.pop()
    return region if sum(bool(right.strip()) for _, _, right in region) > 1 else []


def _cut(text: str, column: int) -> int | None:
    """Return where a line is split: where options begin again, else at a column; None if words run across it."""
    letters = list(_OPTION.finditer(flat(text))) if not _head(text) else []
    anew = [later.start() for option, later in pairwise(letters) if later["letter"] <= option["letter"]]
    if anew:
        return anew[0] if len(anew) == 1 else None
    near = [
        (abs(_width(text[: gap.end()]) - column), gap.end())
        for gap in _GAP.finditer(text)
        if abs(_width(text[: gap.end()]) - column) <= _OFF
    ]
    if near:
        return min(near)[1]
    return len(text) if _width(text.rstrip()) <= column else None


def _parted(region: Sequence[tuple[int, str, str]], by_rows: bool) -> list[Numbered]:
    blocks: list[list[tuple[int, str, str]]] = []
    last = 0
    for row in region:
        head = _head(row[1] + row[2])
        if not blocks or (head and (by_rows or head[0] > last)):  # a further row of questions, or a further page
            blocks.append([])
        last = max(last, head[1]) if head else last
        blocks[-1].append(row)
    return [(row[0], (row[1], row[2])[side].strip()) for block in blocks for side in (0, 1) for row in block]


def _width(text: str) -> int:
    width = 0
    for sign in text:
        width += _TAB - width % _TAB if sign == "\t" else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
    return width
