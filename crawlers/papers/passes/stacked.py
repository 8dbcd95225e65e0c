"""Questions whose numbers, letters and words are on separate lines in a copy: `1` / stem / `A` / words / … / `答案` / `B`.

Numbered lines in, numbered lines out.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.answer_marks import Numbered, flat, plain, trimmed

_LETTER = re.compile(r"[A-J]")
_NUMBER = re.compile(r"(?:第\s?)?(?P<value>\d{1,4})\s?(?:/\s?(?P<all>\d{1,4})\s?)?题?")
"""A number alone, or the index of a question among all: `3/20`."""
_LABEL = re.compile(
    r"[【\[]?(?:题目|本题)?(?P<words>(?:正确|参考|标准)?答案|(?:我|你|您)的(?:答案|作答|选择)|(?:答案|试题)?解析|详解)[】\]]?\s?:?"
)
_SIGNED = re.compile(r"[(\[]?[A-J]\s?[.、:)\]]\s{0,4}\S")
STANDS_ALONE = re.compile(r"\n[A.、:)]$", re.MULTILINE)
"""The letter of a first option, or the sign behind it, without which nothing is joined."""
_SHORT = 4
_SIGN = re.compile(r"[.、:)]")
_FEWEST = 3


def stacked_joined(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with each separate letter, number and label joined to the words below it."""
    if sum(len(text) < _SHORT and _SIGN.fullmatch(flat(text.strip())) is not None for _, text in lines) >= 2 * _FEWEST:
        lines = _with_signs(lines)
    filled = [(index, line) for index, (_, text) in enumerate(lines) if (line := plain(text))]
    words = [line for _, line in filled]
    letters = _lettered(words)
    if sum(words[at] == "A" for at in letters) < _FEWEST or any(map(_SIGNED.match, words)):
        return list(lines)
    alone = letters | _numbers(words) | {at for at, line in enumerate(words[:-1]) if _LABEL.fullmatch(line)}
    done = list(lines)
    for at in sorted(alone):
        (index, line), below = filled[at], filled[at + 1][0]
        if at + 1 in alone:  # a label without words
            continue
        label = _LABEL.fullmatch(line)
        number = _NUMBER.fullmatch(line)
        sign = f"{label['words']}：" if label else f"{number['value']}. " if number else f"{line}. "
        done[index] = (lines[index][0], f"{sign}{trimmed(lines[below][1])}")
        done[below] = (lines[below][0], "")
    return done


def _with_signs(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without the signs of numbers, letters and labels, which are on separate lines below them."""
    alone: list[int] = []
    above = ""
    for index, (_, text) in enumerate(lines):
        line = plain(text)
        if _SIGN.fullmatch(line) and (_LETTER.fullmatch(above) or _NUMBER.fullmatch(above) or _LABEL.fullmatch(above)):
            alone.append(index)
        above = line or above
    done = list(lines)
    for index in alone if len(alone) >= 2 * _FEWEST else ():
        done[index] = (lines[index][0], "")
    return done


def _lettered(words: Sequence[str]) -> set[int]:
    """Return where separate letters are A, B, … in sequence, each above words; that of an answer is below its label."""
    letters: set[int] = set()
    run: list[int] = []
    for at, line in enumerate(words[:-1]):
        if len(line) > 1 or not _LETTER.fullmatch(line) or (at and _LABEL.fullmatch(words[at - 1])):
            continue
        if len(run) == len(LETTERS) or line != LETTERS[len(run)] or (run and at - run[-1] < 2):
            run = []
        run = [*run, at] if line == LETTERS[len(run)] else []
        if len(run) > 1:
            letters |= set(run)
    return letters


def _numbers(words: Sequence[str]) -> set[int]:
    """Return where separate numbers increase through the paper."""
    numbers = [(at, int(number["value"])) for at, line in enumerate(words[:-1]) if (number := _NUMBER.fullmatch(line))]
    steps = [after == before + 1 for (_, before), (_, after) in pairwise(numbers)]
    totals = {total for at, _ in numbers if (match := _NUMBER.fullmatch(words[at])) and (total := match["all"])}
    return {at for at, _ in numbers} if len(numbers) >= _FEWEST and all(steps) and len(totals) <= 1 else set()
