"""Lists as pages write them: 1.甲；2.乙, or 甲、乙（丙、丁）."""

import re

_OPEN, _CLOSE = "（([【《“", "）)]】》”"
SEPARATORS = "、，；,;。\n|"
_ITEM_NUMBER = re.compile(r"\s*(?:(\d{1,2})\s*[、.．)）](?!\d)|[（(](\d{1,2})[）)]|([①-⑳]))\s*")


def numbered_items(text: str) -> list[str]:
    """Return the items of 1.甲；2.乙, counted on from 1; the text itself where it does not begin so."""
    parts, start, awaited = [], 0, 1
    for number in _ITEM_NUMBER.finditer(text):
        if awaited == 1 and number.start():
            break
        if int(number[1] or number[2] or "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳".index(number[3]) + 1) == awaited:
            parts.append(text[start : number.start()])
            start, awaited = number.end(), awaited + 1
    return [part for part in (*parts, text[start:]) if part]


def split_items(text: str) -> list[str]:
    """Split at separators outside brackets."""
    pieces, depth, start = [], 0, 0
    balanced = sum(text.count(sign) for sign in _OPEN) == sum(text.count(sign) for sign in _CLOSE)
    for at, sign in enumerate(text):
        if balanced and sign in _OPEN:
            depth += 1
        elif balanced and sign in _CLOSE:
            depth -= 1
        elif depth <= 0 and sign in SEPARATORS and not _inside_number(text, at):
            pieces.append(text[start:at])
            start = at + 1
    return [piece.strip() for piece in [*pieces, text[start:]] if piece.strip()]


def _inside_number(text: str, at: int) -> bool:
    return text[at] == "," and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()
