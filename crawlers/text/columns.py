"""Rows of words and numbers in, lines of a table for a terminal out. What came from a page is made harmless."""

import re
import unicodedata
from collections.abc import Sequence

_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")  # signs that a terminal obeys, or that hide


def aligned(rows: Sequence[Sequence[str]], numbers: frozenset[int] = frozenset()) -> list[str]:
    """Return rows with their columns under each other, those in `numbers` to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(cell, widths[index], index in numbers) for index, cell in enumerate(row)).rstrip() for row in rows]


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def cut(text: str, columns: int) -> str:
    """Return a text of a page on one line, harmless and not wider than so many columns."""
    text = harmless(text[: columns * 4])
    if width(text) <= columns:
        return text
    prefix, columns_used = "", 1
    for sign in text:
        columns_used += width(sign)
        if columns_used > columns:
            break
        prefix += sign
    return f"{prefix}…"


def harmless(text: str) -> str:
    """Return a text on one line, without the signs that a terminal obeys or that hide others."""
    return _UNSHOWN.sub(" ", text).strip()


def counted(number: int, noun: str) -> str:
    """Return `1 page`, `2 pages`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _padded(cell: str, columns: int, is_number: bool) -> str:
    blanks = " " * (columns - width(cell))
    return blanks + cell if is_number else cell + blanks
