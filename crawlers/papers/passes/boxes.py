"""Boxes and circles before the letters of options: a ticked one becomes a tick for the pass `ticks` to read, an empty one is removed.

Numbered lines in and out.
"""

import re
from collections.abc import Iterator, Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.box_signs import EMPTY, TICKED

TICK = "✦"
"""Placed before the letter of an option whose box is ticked."""

_SIGNS = EMPTY + TICKED
_BOX = re.compile(rf"\s{{0,20}}(?P<box>[{_SIGNS}])\s{{0,3}}(?=[(（\[【]?\s?(?P<letter>[A-JＡ-Ｊ])(?:\s?[.、:)\]．：）】,，]|(?P<bare>\s)))")
ANY_BOX = flat(_SIGNS)
_UNBOXED = re.compile(r"\s{0,20}[(\[]?[A-J]\s?[.、:)\]]")


def label_boxes(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without boxes before letters; if options only have ticked ones, these are bullets."""
    boxes = [list(_BOX.finditer(text)) for _, text in lines]
    if not any(boxes):
        return list(lines)
    empty = any(box["box"] not in TICKED for line_boxes in boxes for box in line_boxes)
    telling = empty or any(_UNBOXED.match(flat(text)) for _, text in lines)
    return [(index, piece) for (index, text), line_boxes in zip(lines, boxes, strict=True) for piece in _pieces(text, line_boxes, telling)]


def _pieces(text: str, boxes: Sequence[re.Match[str]], telling: bool) -> Iterator[str]:
    """Return a line with ticks for boxes; the stem before the box of A becomes a separate line."""
    index, done = 0, ""
    for box in boxes:
        done += text[index : box.start()]
        if done.strip() and flat(box["letter"]) == "A":
            yield done
            done = ""
        done += ("  " if done else "") + (TICK if telling and box["box"] in TICKED else "")
        index = box.end()
        if box["bare"]:  # the letter of `□ A 甲` has no sign of its own
            done += box["letter"] + "."
            index = box.end("letter")
    yield done + text[index:]
