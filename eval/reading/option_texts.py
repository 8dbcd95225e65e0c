"""Options named by their text instead of their letter."""

import re
from collections.abc import Mapping
from functools import lru_cache

from eval.reading.reply_text import folded

_NOT_BEFORE = re.compile(r"(?:不是|不选|不应选|并非|排除|除了?|不包括|不能选|而非|否定|不应为|相比|不)[\s选项:]*$")
_LETTER_BEFORE = re.compile(r"(?<![A-Za-z0-9])([A-Ja-j])\s?[.,、:()]?\s?\Z")
_LETTER_BEHIND = re.compile(r"\s?\(\s?([A-Ja-j])\s?\)")
_OVER = re.compile(r"\)?(?=[\s,。;.、!:()和与及]|以及|\Z)")
_NOT_AFTER = re.compile(r"[\s:,(]*(?:是|说法)?(?:错误|不正确|不对|不符|×)")


@lru_cache(maxsize=1 << 16)
def option_text(text: str) -> str:
    """Return an option's text in the form in which a reply is read."""
    return folded(text).replace("~", "")


def without_texts(text: str, known: Mapping[str, str]) -> str:
    """Return a reply without the option texts that stand beside their own letters: A. 食物 B. 安全 is the list A B."""
    for letter, option in known.items():
        if option in text:
            text = _without(text, letter, option)
    return text


def _without(text: str, letter: str, option: str) -> str:
    """Return text without what stands beside the option's letter. No pattern is made of an option: making one costs more than reading."""
    parts, done = [], 0
    for place in _places(text, option):
        if place < done:
            continue
        end = place + len(option)
        before, behind, over = (
            _LETTER_BEFORE.search(text, max(done, place - 6), place),
            _LETTER_BEHIND.match(text, end),
            _OVER.match(text, end),
        )
        if over and before and before[1].upper() == letter:
            parts += [text[done : before.start()], letter, " "]
            done = over.end()
        elif behind and behind[1].upper() == letter:
            parts += [text[done:place], letter, " "]
            done = behind.end()
    return "".join(parts) + text[done:]


def named_by_text(text: str, known: Mapping[str, str], many: bool) -> str | None:
    """Return the options whose whole text stands in the reply, if none of them is denied; for single choice exactly one.

    A text that is part of another option's text counts only where it stands for itself.
    """
    named = []
    for letter, option in sorted(known.items(), key=lambda item: -len(item[1])):
        places = _places(text, option)
        if places and not all(_denied(text, place, place + len(option)) for place in places):
            named.append(letter)
        if places:
            text = text.replace(option, "□" * len(option))
    if not named or (len(named) > 1 and not many):
        return None
    return "".join(sorted(named))


def _places(text: str, option: str) -> list[int]:
    """Return where an option's text stands; one that begins or ends with a figure or Latin letter is not found within a longer word."""
    places, place = [], text.find(option)
    while place >= 0:
        end = place + len(option)
        joined_before = place and _plain(option[0]) and _plain(text[place - 1])
        joined_behind = end < len(text) and _plain(option[-1]) and _plain(text[end])
        if not joined_before and not joined_behind:
            places.append(place)
        place = text.find(option, end)
    return places


def _plain(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _denied(text: str, start: int, end: int) -> bool:
    return bool(_NOT_BEFORE.search(text[max(0, start - 8) : start]) or _NOT_AFTER.match(text[end : end + 8]))
