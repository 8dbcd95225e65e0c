"""What stands beside options and says which are right, `✘ A. 甲`, `B. 乙 ←正确`, or how many chose them -> ticks, or nothing.

Numbered lines in, numbered lines out. Told by the whole text: nearly all options have a count, or a sign for right or for wrong.
"""

import re
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat

_FEWEST, _FEWEST_LABELLED, _SHARE, _MOST_LABELLED = 8, 3, 0.9, 0.6
"""Options of a text; those that are said to be right, where the wrong ones have no sign, and the most of all that may be."""
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


def label_beside_options(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with a tick behind the right options, and none of what else stands beside them; other texts as they are."""
    found = {place: option for place, (_, text) in enumerate(lines) if (option := _OPTION.match(flat(text)))}
    if len(found) < _FEWEST:
        return list(lines)
    done = {place: lines[place][1][option.start("option") :] for place, option in found.items()}
    before = {place: option["right"] is not None for place, option in found.items() if option["right"] or option["wrong"]}
    counts = {place: cut.start() for place, text in done.items() if (cut := _COUNT.search(flat(text), 2)) and text[2 : cut.start()].strip()}
    if len(counts) >= _SHARE * len(found):
        done |= {place: done[place][:end] for place, end in counts.items()}
    marks = {place: mark for place, text in done.items() if (mark := _BEHIND.search(flat(text), 3))}
    behind = {place: mark["right"] is not None for place, mark in marks.items()}
    told = next((each for each in (before, behind) if _are_labelled(each, len(found))), None)
    if told is None and len(counts) < _SHARE * len(found):
        return list(lines)
    if told is behind:
        done |= {place: done[place][: mark.start()] for place, mark in marks.items()}
    done |= {place: f"{done[place]} √" for place, is_right in (told or {}).items() if is_right}
    kept = {place: lines[place][1][: option.start("option")] for place, option in found.items()} if told is not before else {}
    return [(index, kept.get(place, "") + done[place] if place in done else text) for place, (index, text) in enumerate(lines)]


def _are_labelled(marks: dict[int, bool], count: int) -> bool:
    """Tell whether signs say of nearly all options whether they are right, or of some that they are."""
    right = sum(marks.values())
    if right < len(marks):
        return len(marks) >= _SHARE * count and right > 0
    return _FEWEST_LABELLED <= right <= _MOST_LABELLED * count
