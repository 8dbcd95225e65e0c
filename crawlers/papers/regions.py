"""Which lines of a paper are lists of answers. From lines to regions."""

import re
from collections.abc import Sequence, Set

from msgspec import Struct

from crawlers.papers.entries import BARE_RUN, is_table, is_title, listed_in
from crawlers.papers.headings import heading_key, heads, is_note, may_head
from crawlers.papers.lines import WHOLE_ANSWER, flat, parts_of
from crawlers.papers.numbers import number_of
from crawlers.papers.page import Line
from crawlers.papers.signals import looks_asked

_LED = re.compile(
    r"[【\[(]?(?:参考|标准|正确|本[题章节页课组]|本单元|试题)?答案(?:及解析|与解析|揭晓|公布|如下)?[】\])]?\s?[:：]?\s{1,4}(?=第?\d)"
    r"|[【\[(]?(?:参考|标准|正确)?答案(?:揭晓|公布|如下)?[】\])]?:?(?=\d)|(?:KEY|Key|key|ANSWERS?|Answers?)(?:\s[Kk]eys?|\sKEYS?)?\s?:?\s{0,4}(?=\d)"
)


class Region(Struct):
    """A run of lines that are answers."""

    start: int
    stop: int
    lines: list[str]
    """Their texts; of the first without the words that announce the list."""


def find_regions(lines: Sequence[Line], titles: Set[str] = frozenset()) -> list[Region]:
    """Return the answer lists of a paper, in their order.

    Args:
        titles: flat lines that are headings by what stands around them.
    """
    regions: list[Region] = []
    headings = {*titles, *map(heading_key, titles)}
    place = 0
    while place < len(lines):
        found = _opened(lines, place, headings)
        if found is None:
            if _is_heading(lines[place].flat, headings):
                headings.add(heading_key(lines[place].flat))
            place += 1
            continue
        first, titled = found
        stop = _end(lines, place + 1, headings, titled)
        regions.append(Region(place, stop, ([first] if first else []) + [line.text for line in lines[place + 1 : stop]]))
        place = stop
    return regions


def _opened(lines: Sequence[Line], place: int, headings: set[str]) -> tuple[str, bool] | None:
    """Return what of a line already is the list where one opens, and whether a title announces it."""
    text, line = lines[place].text, lines[place].flat
    if is_title(line):
        return ("", True) if _follows_title(lines, place + 1, headings) else None
    if led := _LED.match(line):
        rest = text[led.end() :]
        return (rest, True) if _is_list(rest) else None
    (kind, words), *more = parts_of(text) or [("text", "")]
    if kind == "answer" and words and not more and _is_list(words):
        return words, True
    if _is_entries(lines, place):
        return text, False
    return None


def is_bare_run(line: str) -> bool:
    """Tell whether a flat line is the answers of a section, without numbers."""
    run = BARE_RUN.match(line) if len(line) < 800 else None
    return bool(run and (run["label"].strip() or len(run["answers"]) > 4))


def _follows_title(lines: Sequence[Line], place: int, headings: set[str]) -> bool:
    """Tell whether what follows the word 答案 is a list, and not the answer of one question."""
    for at in range(place, min(place + 4, len(lines))):
        line = lines[at].flat
        if WHOLE_ANSWER.fullmatch(line):
            return False
        if _is_entry(lines, at) or is_bare_run(line):
            return True
        if number := number_of(line):
            return number.style != "tight" and not looks_asked(lines, at)
        if _is_heading(line, headings):
            return heading_key(line) in headings or _is_entry(lines, at + 1)
    return False


def _end(lines: Sequence[Line], place: int, headings: set[str], titled: bool) -> int:
    """Return where the list ends that is open at a place."""
    explained = _is_entry(lines, place - 1)
    while place < len(lines):
        line = lines[place].flat
        if _is_entry(lines, place) or (titled and is_bare_run(line)):
            explained = True
        elif _is_heading(line, headings):
            if not _heading_goes_on(lines, place, headings, titled):
                return place
        elif is_note(line):
            if not (titled and _next_number(lines, place + 1) is not None and not looks_asked(lines, _next_number(lines, place + 1) or 0)):
                return place
        elif (number := number_of(line)) and number.style != "tight":
            if not titled or looks_asked(lines, place):
                return place
        elif _parts_list(lines, place):
            return place
        elif not titled and not is_table(lines[place - 1].flat, line):
            kinds = [kind for kind, _ in parts_of(lines[place].text)]
            if is_title(line) or not explained or (kinds[:1] == ["text"] and not _goes_on(lines, place)):
                return place
        place += 1
    return place


def _parts_list(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a plain line stands between letters that nothing explains and a question: it goes on with none of them."""
    if place + 1 >= len(lines) or number_of(lines[place + 1].flat) is None or not looks_asked(lines, place + 1):
        return False
    _, words = (parts_of(lines[place - 1].text) or (("text", ""),))[-1]  # behind a mark, where there is one
    before = listed_in(words)
    plain = [kind for kind, _ in parts_of(lines[place].text)] == ["text"] and not is_bare_run(lines[place].flat)
    return plain and bool(before.entries) and not before.rest.strip(" 。.;；,，、")


def _is_heading(line: str, headings: set[str]) -> bool:
    """Tell whether a flat line is a heading by its words, or one of those that were read as such above."""
    return heads(line) or may_head(line) or (len(line) > 1 and line in headings)


def _goes_on(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a plain line goes on with the explanation of the line before."""
    kinds = [kind for kind, _ in parts_of(lines[place - 1].text)]
    return kinds[-1:] == ["explanation"] and not lines[place].gap


def _heading_goes_on(lines: Sequence[Line], place: int, headings: set[str], titled: bool) -> bool:
    number = _next_number(lines, place + 1)
    if number is None:
        return titled and heading_key(lines[place].flat) in headings
    if _is_entry(lines, number):
        return True
    return titled and heading_key(lines[place].flat) in headings and not looks_asked(lines, number)


def _next_number(lines: Sequence[Line], place: int) -> int | None:
    return next((at for at in range(place, min(place + 4, len(lines))) if number_of(lines[at].flat)), None)


def _is_list(text: str) -> bool:
    listed = listed_in(text)
    return bool(listed.entries) and (len(listed.entries) > 1 or not listed.rest.strip() or not _is_text(listed.rest))


def _is_text(rest: str) -> bool:
    """Tell whether what follows an answer opens with words instead of a mark."""
    return [kind for kind, _ in parts_of(rest)[:1]] == ["text"]


def _is_entry(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a line is one or several answers, each behind its number."""
    if place >= len(lines):
        return False
    if place + 1 < len(lines) and is_table(lines[place].flat, lines[place + 1].flat):
        return True
    if place and is_table(lines[place - 1].flat, lines[place].flat):
        return True
    if _is_list(lines[place].text):
        return True
    number = number_of(lines[place].flat)
    if number is None or number.style == "tight":
        return False
    parts = parts_of(lines[place].text[number.end :])
    return bool(parts) and parts[0][0] in ("answer", "explanation")


def _is_entries(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a list opens without a title."""
    if not _is_entry(lines, place):
        return False
    listed = listed_in(lines[place].text)
    if len(listed.entries) > 1:
        return not listed.rest.strip(" 。.;；,，、") or not _is_text(listed.rest)
    if not listed.entries:
        return True  # a table, or `1. 【答案】B`
    return (
        _is_entry(lines, place + 1)
        or "答案" in lines[place].flat
        or flat(lines[place].text).endswith(("解析", "】"))
        or bool(listed.rest.strip())
    )
