"""Format rows of text and numbers as tables for a terminal. Text from pages is sanitized."""

import re
import unicodedata
from collections.abc import Sequence

_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")  # terminal controls and hidden text


def aligned(rows: Sequence[Sequence[str]], numbers: frozenset[int] = frozenset()) -> list[str]:
    """Return rows as aligned columns; the columns in `numbers` are right-aligned."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(cell, widths[index], index in numbers) for index, cell in enumerate(row)).rstrip() for row in rows]


def width(text: str) -> int:
    """Return the width of a text in terminal columns: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def cut(text: str, columns: int) -> str:
    """Return a text from a page on one line, sanitized and cut to a number of terminal columns."""
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
    """Return a text on one line, without terminal controls and hidden text."""
    return _UNSHOWN.sub(" ", text).strip()


def harmless_lines(text: str) -> str:
    """Return a text with sanitized lines that keep their indentation."""
    return "\n".join(f"{' ' * (len(line) - len(line.lstrip(' ')))}{harmless(line)}" for line in text.split("\n"))


def counted(number: int, noun: str) -> str:
    """Return `1 page`, `2 pages`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """Return `12.3 %`, or a dash for None."""
    return "–" if share is None else f"{100 * share:.1f} %"


def points(share: float | None) -> str:
    """Return a difference of shares in percentage points, `+1.2`."""
    return "–" if share is None else f"{100 * share:+.1f}"


def _padded(cell: str, columns: int, is_number: bool) -> str:
    blanks = " " * (columns - width(cell))
    return blanks + cell if is_number else cell + blanks
