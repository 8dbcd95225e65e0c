"""Questions without numbers whose answer is in the blank of the stem, `属于……的是（D）`, or after it, `…… —— 错` -> numbered ones.

Numbered lines in, numbered lines out. The complete text decides: nearly all of its lines must be such stems, options, headings or empty.
"""

import re
from collections.abc import Sequence

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.answers_first import LETTERS_BEFORE_NUMBER
from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_FEWEST, _SHARE, _NUMBERED = 5, 0.95, 0.2
"""Minimum of such stems in a text; minimum share of its lines that are one of these kinds; maximum share of stems that begin with a number
by chance.
"""
_NUMBERED_LINES = 0.1
"""Share of the lines that begin with a digit, above which questions certainly have numbers."""
_LEAST_CHARS, _LEAST_LINE, _GOES_ON = 6, 15, ",;:。、"
"""Lengths of a stem, and of a line above that is part of it although no sign at its end shows it: a shorter line may be a title."""
_FILLED = re.compile(rf"[(\[【]\s{{0,9}}(?:[A-J](?:[\s,、]{{0,2}}[A-J]){{0,7}}|{SURE_VERDICT})\s{{0,9}}[)\]】]")
_BEHIND = re.compile(
    rf"(?P<stem>\S.{{6,1000}}?)(?:\s{{0,3}}(?:-{{1,4}}>?|=>?|→|>{{1,2}}|:|\|)\s{{0,3}}|\s{{2,20}}|\t)(?P<said>{SURE_VERDICT})[。.]?$"
)


def filled_stems_numbered(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with a number above each such stem; other texts unchanged."""
    if sum(text.lstrip()[:1].isdigit() for _, text in lines) > _NUMBERED_LINES * len(lines):
        return list(lines)
    flats = [flat(text).strip() for _, text in lines]
    kinds = list(map(_kind_of, flats))
    stems = [position for position, kind in enumerate(kinds) if kind == "stem"]
    starts = [_start(kinds, flats, position) for position in stems]
    known = len(stems) + sum(kind in ("option", "heading") for kind in kinds)
    known += sum(position - start for position, start in zip(stems, starts, strict=True))
    numbered = sum(number_of(flats[start]) is not None or LETTERS_BEFORE_NUMBER.match(flats[start], 1) is not None for start in starts)
    if len(stems) < _FEWEST or numbered > _NUMBERED * len(stems) or known < _SHARE * sum(map(bool, flats)) or not _are_parted(kinds, flats):
        return list(lines)
    bracketed = [(index, _bracketed(text) if kind == "stem" else text) for (index, text), kind in zip(lines, kinds, strict=True)]
    numbers = {start: number for number, start in enumerate(starts, 1)}
    above = {position: [(bracketed[position][0], f"第{number}题")] for position, number in numbers.items()}
    return [line for position, own in enumerate(bracketed) for line in (*above.get(position, ()), own)]


def _kind_of(line: str) -> str:
    """Return what a flat line is: a stem, an option, a heading, other text, or empty."""
    if not line or letter_of(line):
        return "option" if line else ""
    if len(line) > _LEAST_CHARS and (_FILLED.search(line) or _BEHIND.match(line)):
        return "stem"
    return "heading" if heads(line) else "text"


def _start(kinds: Sequence[str], flats: Sequence[str], index: int) -> int:
    """Return where the words of a stem begin: at the top of a paragraph, below its title, else at the line with the answer."""
    start = index
    while start and kinds[start - 1] == "text" and (len(flats[start - 1]) >= _LEAST_LINE or flats[start - 1][-1:] in _GOES_ON):
        start -= 1
    return start if not start or kinds[start - 1] != "option" else index


def _are_parted(kinds: Sequence[str], flats: Sequence[str]) -> bool:
    """Return whether each run of options begins with A, directly below a stem."""
    above = ""
    for kind, line in zip(kinds, flats, strict=True):
        if kind == "option" and above != "option" and (above != "stem" or letter_of(line) != "A"):
            return False
        above = kind or above
    return True


def _bracketed(text: str) -> str:
    """Return a stem with the verdict after it put in brackets."""
    if _FILLED.search(flat(text)) or not (behind := _BEHIND.match(flat(text).strip())):
        return text
    return f"{text.strip()[: behind.end('stem')]}（{behind['said']}）"
