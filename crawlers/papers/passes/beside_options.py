"""Marks beside options that show which are correct, `✘ A. 甲`, `B. 乙 ←正确`, or how many people chose them -> ticks, or nothing.

Numbered lines in, numbered lines out. The complete text decides: nearly all options must have a count, or a sign for right or for wrong.
"""

import re
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat

_FEWEST, _FEWEST_LABELLED, _SHARE, _MOST_LABELLED = 8, 3, 0.9, 0.6
"""Minimum of options in a text; minimum of those marked as correct, if the wrong ones have no sign, and their maximum share."""
_OPTION = re.compile(
    r"\s{0,12}(?:[-*•]\s{1,3})?(?:(?P<right>√|[(\[【]\s?(?:√|\+|正确|对)\s?[)\]】])|(?P<wrong>×|[(\[【]\s?(?:×|-|错误?)\s?[)\]】]))?"
    r"\s{0,3}(?P<option>[(\[]?[A-J]\s?[.、:)\]]\s{0,4}\S.*)$"
)
_COUNT = re.compile(
    r"(?:\s{1,12}|\s{0,12}[(\[|])\s{0,3}\d{1,7}(?:\.\d{1,2})?\s?(?:人次?|票|次|名|%)(?:\s?选择?)?(?:\s?[(,/|]?\s?\d{1,3}(?:\.\d{1,2})?\s?%\s?[)]?)?\s?[)\]]?\s{0,9}$"
)
_BEHIND = re.compile(
    r"\s{0,9}(?:(?P<right>√|[(\[【]\s?(?:√|正确|对|right|correct)\s?[)\]】]|(?:<[-=]{1,2}|←|⬅|◀|//|#)\s{0,3}(?:正确(?:答案|选项)?|答案|right|correct|answer))"
    r"|(?P<wrong>×|[(\[【]\s?(?:×|错误?|wrong|incorrect)\s?[)\]】]))\s{0,9}$",
    re.IGNORECASE,
)
MAY_STAND_BESIDE = (
    *"√×人票次名%",
    re.compile(r"[(\[【]\s?(?:[+-]|正确|对|错|right|correct|wrong|incorrect)", re.IGNORECASE),
    re.compile(r"[-=←⬅◀/#]\s{0,3}(?:正确|答案|right|correct|answer)", re.IGNORECASE),
)
"""A part of every such sign and count."""
_COUNT_ENDS, _BEHIND_ENDS = frozenset("人次票名%选择)]"), frozenset("√×)]】确案项tTrR")
"""What ends a line with such a count, and one with such a sign: few lines have it, which spares a search in the others."""


def label_beside_options(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with a tick after the correct options, and nothing else beside them; other texts unchanged."""
    options = {position: option for position, (_, text) in enumerate(lines) if (option := _OPTION.match(flat(text)))}
    if len(options) < _FEWEST:
        return list(lines)
    done = {position: lines[position][1][option.start("option") :] for position, option in options.items()}
    before = {position: option["right"] is not None for position, option in options.items() if option["right"] or option["wrong"]}
    counts = {
        position: cut.start() for position, text in done.items() if (cut := _count_behind(flat(text))) and text[2 : cut.start()].strip()
    }
    if len(counts) >= _SHARE * len(options):
        done |= {position: done[position][:end] for position, end in counts.items()}
    marks = {position: mark for position, text in done.items() if (mark := _mark_behind(flat(text)))}
    behind = {position: mark["right"] is not None for position, mark in marks.items()}
    labels = next((each for each in (before, behind) if _are_labelled(each, len(options))), None)
    if labels is None and len(counts) < _SHARE * len(options):
        return list(lines)
    if labels is behind:
        done |= {position: done[position][: mark.start()] for position, mark in marks.items()}
    done |= {position: f"{done[position]} √" for position, is_right in (labels or {}).items() if is_right}
    leading = (
        {position: lines[position][1][: option.start("option")] for position, option in options.items()} if labels is not before else {}
    )
    return [
        (index, leading.get(position, "") + done[position] if position in done else text) for position, (index, text) in enumerate(lines)
    ]


def _count_behind(line: str) -> re.Match[str] | None:
    return _COUNT.search(line, 2) if line.rstrip()[-1:] in _COUNT_ENDS else None


def _mark_behind(line: str) -> re.Match[str] | None:
    return _BEHIND.search(line, 3) if line.rstrip()[-1:] in _BEHIND_ENDS else None


def _are_labelled(marks: dict[int, bool], count: int) -> bool:
    """Return whether signs show for nearly all options whether they are correct, or for some that they are."""
    right = sum(marks.values())
    if right < len(marks):
        return len(marks) >= _SHARE * count and right > 0
    return _FEWEST_LABELLED <= right <= _MOST_LABELLED * count
