"""Which options stand out as the right ones: the marks of each option of each question in, the right options out.

The one home of this law, for lines, pages and sheets. A mark is any way to make an option stand out: a colour, a fill, bold type, a class.
It counts if it is on some but not all options of nearly every question, and if no other mark, such as a reader's own choice, is on other
options of many questions. Otherwise nothing follows from it.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence, Set

from msgspec import Struct

STRUCK = "struck"
"""A line through the words, which marks wrong options."""
OF_TYPE = ("bold", "underlined", "slanted", "left")
_LEFT = "left"
"""What is on the options that are not struck."""
_FEWEST, _SHARE = 2, 0.6
_FEWEST_OF_TYPE, _SHARE_OF_TYPE = 4, 0.8
"""Bold, underline and italics, which are used for other things more often than colour is."""
_FEWEST_LAST = 8
"""Questions whose last options alone have a mark: it is on what stands below the options, such as the answer in words."""
_WRONG = 0.9
"""Share of the questions in which a mark is on all options but one, from which on it may mark the wrong ones."""
_OTHERS = 0.2
"""Share of the questions in which another mark may be on other options."""
_RIGHT = re.compile(r"class|green|#0[0-9a-f]?[8-f]", re.I)
"""Marks that say themselves that they are on right options."""


class StandingOut(Struct):
    """The mark of the right options, and which options of each question have it."""

    kind: str
    marked: list[list[bool]]


def standing_out(questions: Sequence[Sequence[Set[str]]], unfit: Collection[str] = (), least: float = 0.0) -> StandingOut | None:
    """Return which options are marked as right; None if that is uncertain.

    Args:
        questions: for each question, the marks of each of its options.
        unfit: marks that are known to be no marks of options.
        least: share of the questions in which a mark must be on some options, if more than usual.
    """
    known = _with_left(questions)
    some: Counter[str] = Counter()
    last: Counter[str] = Counter()
    but_one: Counter[str] = Counter()
    for options in known:
        counts = Counter(kind for kinds in options for kind in kinds if kind)
        some.update(kind for kind, count in counts.items() if count < len(options))
        last.update(kind for kind, count in counts.items() if count == 1 and kind in options[-1])
        but_one.update(kind for kind, count in counts.items() if 1 < count == len(options) - 1)
    candidates = [
        kind
        for kind, count in sorted(some.items(), key=lambda each: (-each[1], each[0] in OF_TYPE, each[0]))
        if kind not in unfit
        and kind != STRUCK
        and count >= _least(kind, len(known), least)
        and but_one[kind] < _WRONG * len(known)
        and not _FEWEST_LAST <= count == last[kind]
    ]
    right = [kind for kind in candidates if _RIGHT.search(kind)]
    marked = {kind: [[kind in kinds for kinds in options] for options in known] for kind in candidates}
    if right and all(marked[kind] == marked[right[0]] for kind in right):
        return StandingOut(right[0], marked[right[0]])
    for kind in candidates:
        others = [other for other in some if other != kind and other != STRUCK]
        if all(_beside(known, kind, other) <= _OTHERS * len(known) for other in others):
            return StandingOut(kind, marked[kind])
    return None


def _least(kind: str, questions: int, least: float) -> float:
    """Return in how many questions a mark must be on some options."""
    if kind in OF_TYPE:
        return max(_FEWEST_OF_TYPE, questions * max(least, _SHARE_OF_TYPE))
    return max(_FEWEST, questions * max(least, _SHARE))


def _with_left(questions: Sequence[Sequence[Set[str]]]) -> Sequence[Sequence[Set[str]]]:
    """Return the marks of options, with one for what is left where some are struck, if these are in most questions."""
    struck = [sum(STRUCK in kinds for kinds in options) for options in questions]
    if sum(map(bool, struck)) < _SHARE * len(questions):
        return questions
    return [
        [kinds if STRUCK in kinds or not count else {*kinds, _LEFT} for kinds in options] if len(options) > 2 else options
        for count, options in zip(struck, questions, strict=True)
    ]


def _beside(questions: Sequence[Sequence[Set[str]]], kind: str, other: str) -> int:
    """Return in how many questions another mark is on some options only, one of which does not have the mark."""
    return sum(
        any(other in kinds and kind not in kinds for kinds in options) and not all(other in kinds for kinds in options)
        for options in questions
    )
