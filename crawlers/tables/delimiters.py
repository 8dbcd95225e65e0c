"""Which delimiter divides a text into cells: it occurs equally often in nearly all rows, and not only within the cells of another.

Text in, delimiter out.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from atomexam.text.option_letters import LETTERS

USUAL = (",", "\t", ";", "|", "，", "；")
SHARE = 0.95
"""Share of the rows in which a delimiter must occur equally often."""
_LEAST_USUAL_SHARE = 0.6
"""The same for a usual delimiter in a file named as a table: rows of one cell are titles and headings."""
_KNOWN = ("\t", "#", "|", ",", ";", "，", "；", "$", "^", "~")
_OF_SENTENCES = frozenset(".．。?？%‰'\"＂＇…·-_")
"""Characters of sentences, numbers and blanks; brackets, quotes and dashes are excluded by their category."""
_OF_CELLS = frozenset(",\t;|，；、/\\:：!！\n")
"""Characters that divide a cell whatever the other cells contain, or that occur in texts, dates and addresses."""
_OF_PROSE = frozenset("，；、：！")
_KINDS = frozenset({"Po", "Sm", "Sc", "Sk", "So", "Cc"})
_LETTERED = re.compile(r"\s{0,9}[(（\[【]?[A-Ja-jＡ-Ｊ]\s?[^\w\s]")
_LINES, _STRAY_QUOTES, _LEAST_PARTS = 2000, 4, 3


class _Parted(NamedTuple):
    sign: str
    rows: list[list[str]]
    """Those with the usual number of cells."""
    share: float
    score: float
    has_title: bool
    """The first line is not divided: a title, or the header of a table that another character divides."""


def signs_in(text: str) -> list[str]:
    """Return the characters that may divide a text's lines: common delimiters, and any other that its second line has more than once."""
    lines = list(islice((line for line in text.lstrip("\ufeff").split("\n") if line.strip()), 2))
    further = {sign for sign in (lines[-1] if lines else "") if unicodedata.category(sign) in _KINDS} - _OF_SENTENCES - {"\r"}
    return [*_KNOWN, *sorted(sign for sign in further - {*_KNOWN} if lines[-1].count(sign) > 1)]


def delimiter_of(text: str, is_table: bool = False) -> str:
    """Return the delimiter that divides nearly all rows of a text into the same number of cells; nothing if there is none.

    Of several, the outer one is returned, as the comma in `题,甲|乙|丙,A`: the others occur in fewer of its columns than it does in theirs.

    Args:
        is_table: the file is named as a table, so that two columns are enough, and a usual delimiter needs fewer rows.
    """
    parted = [one for sign in signs_in(text) if (one := _parted(text, sign, _least_cells(sign, is_table)))]
    sound = [one for one in parted if one.share >= (_LEAST_USUAL_SHARE if is_table and one.sign in USUAL else SHARE)]
    if not sound:
        rest = [one for one in parted if is_table and one.sign in USUAL]
        return max(rest, key=lambda one: one.score).sign if rest else ""
    if all(one.sign in _OF_PROSE or one.sign == "\t" for one in sound):
        sound = [one for one in sound if one.sign == "\t"] or sound  # no text has tabs, and sentences may have as many commas
    return min(sound, key=lambda one: (one.has_title, sum(_share_with(other.sign, one.rows) for other in sound), -one.score)).sign


def parts_of_cells(cells: Sequence[str]) -> list[list[str]]:
    """Return the texts in each cell of a column if one delimiter divides all cells, a known one into any number; nothing if there is none.

    Only characters that are rare in texts count, `甲#乙#丙`. Cells with option letters are left alone: these divide them already.
    """
    if any(map(_LETTERED.match, cells)):
        return []
    ways = [parts for sign in signs_in("\n".join(cells[:2])) if sign not in _OF_CELLS and (parts := _parts(cells, sign))]
    return ways[0] if len(ways) == 1 else []


def _parts(cells: Sequence[str], sign: str) -> list[list[str]]:
    counts = {cell.count(sign) for cell in cells}
    if (len(counts) > 1 and sign not in _KNOWN) or min(counts) + 1 < _LEAST_PARTS:
        return []
    parts = [[part.strip() for part in cell.split(sign)] for cell in cells]
    return parts if all(all(each) and len(set(each)) == len(each) <= len(LETTERS) for each in parts) else []


def _least_cells(sign: str, is_table: bool) -> int:
    return 2 if sign == "\t" or (is_table and sign in USUAL) else 3


def _parted(text: str, sign: str, least: int) -> _Parted | None:
    """Return the rows of a text divided by a delimiter; None if they have too few cells."""
    try:
        rows, fits_quotes = _rows_of(text, sign)
    except csv.Error:
        return None
    rows = [row for row in rows if any(row)]
    has_title = len(rows) > 1 and len(rows[0]) == 1
    rows = rows[1:] if has_title else rows
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
    if usual < least:
        return None
    share = widths.count(usual) / len(widths)
    score = share * (usual - 1) ** 0.5 / (1 if fits_quotes else _STRAY_QUOTES)
    return _Parted(sign, [row for row in rows if len(row) == usual], share, score, has_title)


def _share_with(sign: str, rows: Sequence[Sequence[str]]) -> float:
    """Return the share of columns with a character in most cells; empty columns, as in `甲||乙`, do not count."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    return sum(2 * sum(sign in cell for cell in column) > len(rows) for column in columns) / max(1, len(columns))


def _rows_of(text: str, sign: str) -> tuple[list[list[str]], bool]:
    """Return the first rows of a text, and whether each of their cells that begins with a quote ends with one before the delimiter."""
    try:
        return _parsed(text, sign, strict=True), True
    except csv.Error as error:
        return _parsed(text, sign, strict=False), "unexpected end of data" in str(error)  # the text ends within a cell


def _parsed(text: str, sign: str, strict: bool) -> list[list[str]]:
    return list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=strict), _LINES))
