"""Which lines say answers behind their numbers. From lines to whether one does."""

from collections.abc import Sequence

from crawlers.papers.pages.page import Line
from crawlers.papers.signs.answer_marks import flat, parts_of
from crawlers.papers.signs.entries import is_table, listed_in
from crawlers.papers.signs.numbers import number_of


def is_list(text: str) -> bool:
    """Tell whether a text opens with answers, each behind its number."""
    listed = listed_in(text)
    return bool(listed.entries) and (len(listed.entries) > 1 or not listed.rest.strip() or not _is_text(listed.rest))


def _is_text(rest: str) -> bool:
    """Tell whether what follows an answer opens with words instead of a mark."""
    return [kind for kind, _ in parts_of(rest)[:1]] == ["text"]


def is_entry(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line is one or several answers, each behind its number."""
    if place >= len(lines):
        return False
    if place + 1 < len(lines) and is_table(lines[place].flat, lines[place + 1].flat):
        return True
    if place and is_table(lines[place - 1].flat, lines[place].flat):
        return True
    if is_list(lines[place].text):
        return True
    number = number_of(lines[place].flat)
    if number is None or number.style == "tight":
        return False
    parts = parts_of(lines[place].text[number.end :])
    return bool(parts) and parts[0][0] in ("answer", "explanation")


def is_entries(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a list opens without a title."""
    if not is_entry(lines, place):
        return False
    listed = listed_in(lines[place].text)
    if len(listed.entries) > 1:
        return not listed.rest.strip(" 。.;；,，、") or not _is_text(listed.rest)
    if not listed.entries:
        return True  # a table, or `1. 【答案】B`
    return (
        is_entry(lines, place + 1)
        or "答案" in lines[place].flat
        or flat(lines[place].text).endswith(("解析", "】"))
        or bool(listed.rest.strip())
    )
