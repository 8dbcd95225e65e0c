"""Options with their letters -> each at the place its letter says, without it."""

import re
import unicodedata
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS

LETTER = re.compile(r"^[（(【\[]?\s*([A-Ja-j])\s*(?:[）)】\]]\s*[、.．:：]?|[、.．:：，,。])\s*")
LETTER_BEFORE_CHINESE = re.compile(r"^([A-J])\s*[.、]\s*(?=[\u4e00-\u9fff“（《‘\d])")
_SIGN = r"\s*(?:[.．。、]{2}|[;；·|~—–:：､丶﹒》>-])|\s+"
_OTHER_MARK = re.compile(rf"^\s*(?:(?:选项)?\s*([A-JＡ-Ｊ])({_SIGN})|([Ⓐ-Ⓙ])(\s*[.．、:：]?))\s*(?=\S)")
_LEAST_WITHOUT_A = 3
"""Options that say by ascending letters that the first is missing; two may be initials of names."""
_BARE_LETTER = re.compile(r"^([A-J])\s*(?=[\u4e00-\u9fff])")


def with_plain_letters(raw: Sequence[str]) -> Sequence[str]:
    """Write `A 甲`, `A-甲`, `选项A：甲` and `Ⓐ甲` as A.甲 where all are marked so; in A 型, B 型 the letters are all."""
    marks = [mark for option in raw if (mark := _OTHER_MARK.match(option))]
    if len(raw) < 2 or len(marks) < len(raw):
        return raw
    letters = [unicodedata.normalize("NFKC", mark[1] or mark[3]) for mark in marks]
    bodies = [option[mark.end() :].strip() for mark, option in zip(marks, raw, strict=True)]
    alike = len({(mark[2] or mark[4] or "").strip() for mark in marks}) == 1
    if not alike or len(set(bodies)) == 1 or letters != sorted(set(letters)) or (letters[0] != "A" and len(raw) < _LEAST_WITHOUT_A):
        return raw
    return [f"{letter}.{body}" for letter, body in zip(letters, bodies, strict=True)]


def at_their_letters(texts: list[str], names: dict[str, None]) -> list[str]:
    """Put B, C and D at their places when A is missing: an answer names letters, and no places."""
    letters = [letter[1].upper() if (letter := LETTER.match(text)) else "" for text in texts]
    wanted = [LETTERS.find(letter) if letter else -1 for letter in letters]
    if len(texts) < 2 or wanted == list(range(len(texts))) or min(wanted) < 0:
        return texts
    if sorted(set(wanted)) != wanted:
        return _against_their_letters(texts, wanted, names)
    placed = [""] * (wanted[-1] + 1)
    for place, text in zip(wanted, texts, strict=True):
        placed[place] = text
    names["option_place"] = None
    return placed


def _against_their_letters(texts: list[str], wanted: list[int], names: dict[str, None]) -> list[str]:
    """Take A, B, C, E, E for a misprint of D; empty a place of A, A, B, C, D, of which nobody knows what the answer C means."""
    astray = [place for place, letter in enumerate(wanted) if letter != place]
    if wanted[0] != 0 or len(texts) <= 2:
        return texts  # initials of names: C.罗杰斯, A.马斯洛
    names["option_place"] = None
    misprint = len(astray) == 1 and wanted.count(wanted[astray[0]]) > 1
    if wanted[-1] == 0:
        texts[0] = ""  # a last A begins the options of another question: no letter can be trusted
    for place in astray:
        texts[place] = LETTER.sub("", texts[place], count=1)
    if not misprint:
        texts[astray[0]] = ""
    return texts


def without_letters(texts: list[str], names: dict[str, None]) -> list[str]:
    lettered = sum(_own_letter(LETTER, text, place) for place, text in enumerate(texts)) * 2 > len(texts)
    for place, text in enumerate(texts):
        for pattern in (LETTER, _BARE_LETTER) if lettered else (LETTER_BEFORE_CHINESE,):
            if _own_letter(pattern, text, place):
                text = pattern.sub("", text, count=1)
                again = _own_letter(LETTER_BEFORE_CHINESE, text, place)
                texts[place] = LETTER_BEFORE_CHINESE.sub("", text) if again else text
                names["option_letter"] = None
                break
    return texts


def _own_letter(pattern: re.Pattern[str], text: str, place: int) -> bool:
    letter = pattern.match(text)
    return letter is not None and place < len(LETTERS) and letter[1].upper() == LETTERS[place]
