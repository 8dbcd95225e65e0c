"""A card whose letters are blackened, `[A] [■] [C] [D]`, `A☐ B☑ C☐`, `☐A ☑B`, in; the letters of the answer out."""

import re

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.box_signs import EMPTY, TICKED

_TICKED, _EMPTY = TICKED + "█▇▉▊✓✔√", EMPTY
_CELL = re.compile(
    rf"\s{{0,6}}(?:[\[(（【](?P<before>[{_TICKED}{_EMPTY}])?\s?(?P<letter>[A-JＡ-Ｊ])?\s?(?P<behind>[{_TICKED}{_EMPTY}])?[\])）】]"
    rf"|(?P<box>[{_TICKED}{_EMPTY}])\s?(?P<boxed>[A-J])(?![A-Za-z.、．:：)）])|(?P<led>[A-J])\s?(?P<sign>[{_TICKED}{_EMPTY}]))"
)
_FEWEST = 3


def letters_of_card(text: str) -> str:
    """Return the letters that are blackened on a card; nothing for any other text, or if none or all are."""
    place, signs = 0, list[bool]()
    while (cell := _CELL.match(text, place)) and len(signs) < len(LETTERS):
        letter = cell["letter"] or cell["boxed"] or cell["led"] or ""
        sign = cell["before"] or cell["behind"] or cell["box"] or cell["sign"] or ""
        if (not letter and sign not in _TICKED) or (letter and ord(letter) % 32 - 1 != len(signs)):
            return ""
        signs.append(bool(sign) and sign in _TICKED)
        place = cell.end()
    if len(signs) < _FEWEST or text[place:].strip() or not any(signs) or all(signs):
        return ""
    return "".join(letter for letter, is_ticked in zip(LETTERS, signs, strict=False) if is_ticked)
