"""Cards whose sides are named, `**正面** …` and `**背面** …` -> questions with labelled answers. Numbered lines in and out."""

import re
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered

_OPEN, _CLOSE = r"[\s#>*_\-【\[（(]{0,9}(?:卡片|卡|闪卡)?\s?\d{0,4}\s?", r"\s?[】\]）)]?[*_]{0,3}\s?[:：]?[*_]{0,3}[ \t\u3000]{0,9}"
_FRONT = re.compile(rf"{_OPEN}(?:正面|前面|问题面|正|Front){_CLOSE}(?<![\u4e00-\u9fffa-z])", re.IGNORECASE)
_BACK = re.compile(rf"{_OPEN}(?:背面|反面|后面|答案面|背|反|Back){_CLOSE}(?<![\u4e00-\u9fffa-z])", re.IGNORECASE)
NAMES_SIDE = ("背", "反", "后面", "答案面", "back", "Back", "BACK")
_FEWEST = 3


def sides_labelled(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with a number for the name of each front and 答案 for that of its back, if they alternate in all of a text."""
    sides = [(at, side, match.end()) for at, (_, text) in enumerate(lines) for side, match in _side_of(text)]
    fronts = [at for at, side, _ in sides if side == "front"]
    if len(fronts) < _FEWEST or [side for _, side, _ in sides] != ["front", "back"] * len(fronts):
        return list(lines)
    done = list(lines)
    for count, (at, side, end) in enumerate(sides):
        label = f"{count // 2 + 1}. " if side == "front" else "答案："
        done[at] = (lines[at][0], label + lines[at][1][end:])
    return done


def _side_of(text: str) -> list[tuple[str, re.Match[str]]]:
    if front := _FRONT.match(text):
        return [("front", front)]
    return [("back", back)] if (back := _BACK.match(text)) else []
