"""Several questions in a row on one line, without a dot after their numbers: `1 … A … D … 2 …`. Numbered lines in, doubted questions out.

Only spaces separate them, so that each is rejected as unreadable, and none is lost.
"""

import re
from collections.abc import Iterator, Sequence

from crawlers.papers.questions.draft import Draft
from crawlers.papers.questions.groups import Above
from crawlers.papers.signs.answer_marks import Numbered, flat, plain, trimmed

_SHORTEST, _LONGEST = 40, 20_000
_NUMBER = re.compile(r"(?:^|(?<=\s))(?P<number>\d{1,4})\s{1,3}(?=[“《(]?[\u4e00-\u9fff])")
_LETTERS = [re.compile(rf"(?<![A-Za-z]){letter}[\s.、]") for letter in "ABC"]


def crowded_in(lines: Sequence[Numbered]) -> tuple[list[Draft], list[Numbered]]:
    """Return the questions of lines that contain several, and the lines with those emptied."""
    drafts: list[Draft] = []
    rest = list(lines)
    for at, (index, text) in enumerate(lines):
        if _SHORTEST < len(text) < _LONGEST and _NUMBER.match(plain(text)) and (questions := list(_questions(trimmed(text)))):
            drafts += [
                Draft(line=index, ordinal=0, number=number, above=Above(), stem=stem, doubts=("stem_unreadable",))
                for number, stem in questions
            ]
            rest[at] = (index, "")
    return drafts, rest


def _questions(text: str) -> Iterator[tuple[int, str]]:
    """Return number and text of each question of a line that begins with one and contains at least two, each with its letters."""
    line = flat(text)
    cuts: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(line):
        index, number = match.start(), int(match["number"])
        due = not index if not cuts else number == cuts[-1][1] + 1 and _has_row(line, cuts[-1][0], index)
        if due:
            cuts.append((index, number))
        elif not cuts:
            return
    if len(cuts) > 2 or (len(cuts) == 2 and _has_row(line, cuts[1][0], len(line))):
        for (index, number), stop in zip(cuts, [*(index for index, _ in cuts[1:]), len(text)], strict=True):
            yield number, text[index:stop].strip()


def _has_row(line: str, start: int, stop: int) -> bool:
    """Return whether A, B and C are in sequence in a part of a line."""
    for letter in _LETTERS:
        match = letter.search(line, start, stop)
        if match is None:
            return False
        start = match.end()
    return True
