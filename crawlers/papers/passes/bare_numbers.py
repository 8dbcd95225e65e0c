"""Numbers of questions without a sign, `3 1882年…`, that count from 1 -> numbers with their sign. Numbered lines in and out."""

import re
from collections.abc import Iterator, Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of, trimmed
from crawlers.papers.signs.letters import letter_of

BARE_NUMBER = re.compile(r"(?:\s{0,9}|(?P<bold>\*\*|__))(?P<number>\d{1,4})\s{1,4}(?=[^\s.、:)\]】,/|*+×=<>%~-])")
_FEWEST = 3


def bare_counts(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return lines that begin with a number without a sign with its sign, if these count from 1 and each has options below, from A on, or
    an answer.

    A number before one that begins the stem, `3 1882年…`, looks like no number of a question on its own.
    """
    flats = [flat(text) for _, text in lines]
    matches: dict[int, re.Match[str]] = {}
    optioned = 0  # questions with options
    has_options = is_closed = True
    for at, line in enumerate(flats):
        if letter_of(line.strip()) == "A":
            if has_options:
                yield from lines
                return
            has_options = is_closed = True
            optioned += 1
        elif is_closed and line.lstrip("*_ ")[:1].isdigit():
            match = BARE_NUMBER.match(line)
            if match and int(match["number"]) == len(matches) + 1 and "\t" not in lines[at][1][: match.end()]:  # a tab is sign enough
                matches[at] = match
                has_options = is_closed = False
        elif not is_closed:
            is_closed = any(kind == "answer" for kind, _ in parts_of(trimmed(lines[at][1]))[:1])
    is_counter = is_closed and len(matches) >= _FEWEST and optioned * 2 >= len(matches)
    for at, (index, text) in enumerate(lines):
        if is_counter and (match := matches.get(at)):
            text = f"{match['number']}. {text[match.end() :].rstrip().removesuffix(match['bold'] or '')}"
        yield index, text
