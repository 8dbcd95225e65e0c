"""A word that counts the questions, `例1 …`, `[Ex 2] …`, `考题03、…` -> a number of a known form. Numbered lines in and out.

What the word is does not matter: rows that begin with the same one, and with numbers from 1 on without a gap, each above one answer.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from crawlers.papers.signs.answer_marks import Numbered, flat, has_part, is_marked, plain
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import TYPE, number_of

COUNTS = re.compile(
    r"\n(?P<word>[(\[【<]?(?:[\u4e00-\u9fff]{1,4}|[A-Za-z]{2,10}|[^\w\s()\[\]【】,.;:、。*_#~+=>-]{1,2})[(\[]?)\s{0,2}0{0,3}1[\s)\]】>、.:|]"
)
"""How the first of such rows begins."""
_HEAD = re.compile(
    r"\s{0,9}(?!第)(?P<word>[(\[【<]?(?:[\u4e00-\u9fff]{1,4}|[A-Za-z]{2,10}|[^\w\s()\[\]【】,.;:、。*_#~+=>-]{1,2})[(\[]?)\s{0,2}0{0,3}(?P<number>[1-9]\d{0,3})(?!\d)"
    r"(?P<sign>\s?[)\]】>、.:|]{1,2}|(?=\s))\s{0,4}"
)
_KIND = re.compile(TYPE)
"""A word that says the kind of a question is no word that counts all of them."""
_FEWEST, _SHARE = 4, 0.8


def counting_words_known(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with a known form of number for a word that counts the questions."""
    flats = [plain(text) for _, text in lines]
    heads: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for at, line in enumerate(flats):
        if (
            (head := _HEAD.match(line))
            and not _KIND.search(head["word"])
            and number_of(line) is None
            and not letter_of(line)
            and not is_marked(line)
        ):
            heads[head["word"], head["sign"].strip()].append((at, int(head["number"])))
    for found in heads.values():
        if _count(found) and _have_answers(flats, [at for at, _ in found]):
            return _numbered(lines, dict(found))
    return list(lines)


def _count(found: Sequence[tuple[int, int]]) -> bool:
    """Return whether numbers count on by one, from 1, or begin at 1 again as those of parts do."""
    numbers = [number for _, number in found]
    counts_on = all(below in (above + 1, 1) for above, below in pairwise(numbers))
    return len(numbers) >= _FEWEST and numbers[0] == 1 and counts_on and numbers.count(1) * _FEWEST <= len(numbers)


def _have_answers(flats: Sequence[str], starts: Sequence[int]) -> bool:
    """Return whether nearly all rows have one answer below them, up to the next such row, and none is above the first."""
    given = [sum(has_part(line, "answer") for line in flats[start:end]) for start, end in pairwise([0, *starts, len(flats)])]
    return not given[0] and given[-1] == 1 and given[1:].count(1) >= _SHARE * len(starts)


def _numbered(lines: Sequence[Numbered], numbers: dict[int, int]) -> list[Numbered]:
    done: list[Numbered] = []
    for at, (index, text) in enumerate(lines):
        words = text[head.end() :] if at in numbers and (head := _HEAD.match(flat(text))) else text
        done.append((index, f"题{numbers[at]}：{words}" if at in numbers else text))
    return done
