"""A list of contents, whose entries are the headings below it -> empty lines. Numbered lines in, as many lines out.

Its entries have numbers, and may name the answers: they would begin a list of answers, or be questions.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.entries import is_title
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of

_MOST_CHARS = 80
_FEWEST = 2  # entries
_ANNOUNCED = re.compile(r"(?:本页)?目\s{0,4}[录次]|(?:table of )?contents|(?:on|in) this page|toc|大纲|导航", re.IGNORECASE)
_LINK = re.compile(r"\[(?P<words>[^\[\]]{1,80})\]\([^()\s]{0,300}\)")
_BULLETS = " \t\u3000#*+>·•-"
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}(?:[.、)]\s{0,4}|\s{1,4})")
_LEADER = re.compile(r"(?:\s?[.…·_]{2,80}\s?|\s{1,40})\d{1,4}$")
"""What leads to the page number of an entry, and that number."""
_BUTTON = re.compile(r"\[(?:编辑|編輯|edit)[^\[\]]{0,20}\]$", re.IGNORECASE)
"""What a wiki prints behind each heading."""


def without_contents(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, those of a list of contents emptied, and the headings that it names in a form that is known."""
    filled = [at for at, (_, text) in enumerate(lines) if text.strip()]
    stop = next((place for place, at in enumerate(filled) if letter_of(flat(lines[at][1]).strip())), len(filled))  # the questions begin
    if not _recur([lines[at][1] for at in filled], stop):
        return list(lines)
    words = [_words(lines[at][1]) for at in filled]
    counted = [_NUMBER.match(flat(lines[at][1]).lstrip(_BULLETS)) is not None for at in filled]
    places: dict[str, list[int]] = {}
    for place, text in enumerate(words):
        places.setdefault(text, []).append(place)
    for first, text in enumerate(words[:stop]):
        if len(places[text]) > 1 and text and (headings := _headings(words, counted, places, first)):
            changed = dict.fromkeys(filled[_announced_at(words, first) : first + len(headings)], "")
            changed |= {filled[at]: words[at] if _is_heading(words[at]) else f"【{words[at]}】" for at in headings}
            return [(index, changed.get(at, text)) for at, (index, text) in enumerate(lines)]
    return list(lines)


def _recur(texts: Sequence[str], stop: int) -> bool:
    """Return whether one of the first lines recurs in the words of another."""
    opening = [words for text in texts[:stop] if (words := _words(text))]
    named = set(opening)
    firsts = {*(words[0] for words in named), *_BULLETS, *"[:"}
    return len(named) < len(opening) or any(
        ((first := flat(text).lstrip()[:1]) in firsts or first.isdecimal()) and _words(text) in named for text in texts[stop:]
    )


def _headings(words: Sequence[str], counted: Sequence[bool], places: dict[str, list[int]], first: int) -> list[int]:
    """Return the places of the headings named by the list of contents that begins at a place; none if none begins there."""
    start = _next(places, words[first], first)
    headings = [start]
    while (at := first + len(headings)) < start and words[at] and (below := _next(places, words[at], headings[-1])):
        headings.append(below)
    are_apart = headings[-1] - start > 2 * len(headings)
    are_known = _announced_at(words, first) < first or all(_is_heading(words[at]) for at in headings)
    are_counted = all(counted[first : first + len(headings)]) and not any(counted[at] for at in headings)
    return headings if len(headings) >= _FEWEST and are_apart and (are_known or are_counted) else []


def _announced_at(words: Sequence[str], first: int) -> int:
    """Return the place of the line that announces the list of contents below it; that of the list itself if there is none."""
    return next((at for at in range(first - 1, max(first - 3, -1), -1) if _ANNOUNCED.fullmatch(words[at])), first)


def _next(places: dict[str, list[int]], words: str, after: int) -> int:
    """Return the next place of a line after another; 0 if there is none."""
    own = places[words]
    at = bisect_right(own, after)
    return own[at] if at < len(own) else 0


def _is_heading(words: str) -> bool:
    """Return whether the words of a line show that it is a heading."""
    return heads(words) or is_title(words)


def _words(text: str) -> str:
    """Return the words of a heading, or of its entry in a list of contents; nothing if a line is too long for one."""
    line = flat(text).strip()
    if len(line) > _MOST_CHARS + 300:
        return ""
    line = _LINK.sub(r"\g<words>", line) if "](" in line else line
    line = line.lstrip(_BULLETS)
    line = line[match.end() :] if (match := _NUMBER.match(line)) else line
    line = _LEADER.sub("", line) if line[-1:].isdecimal() else line
    line = (_BUTTON.sub("", line) if line[-1:] == "]" else line).strip("*: ")
    return line if len(line) <= _MOST_CHARS else ""
