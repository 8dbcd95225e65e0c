"""Option letters, A to J: their forms in exams and the positions that they denote."""

import re
from collections.abc import Iterable, Sequence

from atomexam.text.numerals import CIRCLED_NUMBERS

LETTERS = "ABCDEFGHIJ"
"""Letters of a question's options, in order; a question with more options is rejected."""
WIDE = str.maketrans("ＡＢＣＤＥＦＧＨＩＪ", LETTERS)
"""Translates full-width letters to plain ones."""
CIRCLED_LETTERS = {chr(first + at): letter for first in (0x24B6, 0x24D0, 0x249C) for at, letter in enumerate(LETTERS)}
"""Maps a circled or parenthesized letter (one character: Ⓐ ⓐ ⒜) to the plain letter."""
CIRCLED_AS_LETTERS = str.maketrans(CIRCLED_NUMBERS, LETTERS)
"""Translates circled numbers to the letters of the options that they number."""

_FILLER = re.compile(r"[-—–―−－/\\.。、_~～…·*|\s]+|(?i:null|none|nan|nil|n/a|undefined)")
_FILLER_WORD = re.compile(r"[（(]?(?:无|没有|暂无|空|无选项)[）)]?")
_CROSSES = frozenset("×✕✖✗✘╳xX")


def is_filler(text: str) -> bool:
    """Return whether a text merely marks a form field as unused. A dash may be an option if another option is a plus."""
    return _FILLER.fullmatch(text) is not None


def filler_word(text: str) -> bool:
    """Return whether a text may mark a form field as unused, but may also be an option: `无`, `×`."""
    return text in _CROSSES or _FILLER_WORD.fullmatch(text) is not None


def are_fillers(texts: Sequence[str]) -> bool:
    """Return whether all options of a question are fillers: punctuation, or words for "none". `None` and `null` together count as real
    options."""
    names = {text.lower() for text in texts if text.isascii() and any(map(str.isalpha, text))}
    return any(texts) and len(names) < 2 and all(not text or is_filler(text) or _FILLER_WORD.fullmatch(text) for text in texts)


def fills_field(text: str, others: Sequence[str]) -> bool:
    """Return whether a text merely marks a field as unused, given the other options: `None` is an option if the others are Latin words,
    too."""
    is_name = any(map(str.isalpha, text))
    return is_filler(text) and not (is_name and any(others) and "".join(others).isascii())


def letters_in(text: str) -> list[str]:
    """Return the option letters in a text, in order and as capitals: A and C for `a、C`."""
    return [sign for sign in text.upper() if sign in LETTERS]


def letters_at(positions: Iterable[int]) -> str:
    """Return the letters of the options at some positions, counted from 0; positions beyond the last letter are skipped."""
    return "".join([LETTERS[at : at + 1] for at in positions])


def next_letter(letter: str) -> str:
    """Return the letter after the given one; empty after the last one."""
    return letters_at([LETTERS.index(letter) + 1])


def are_in_turn(letters: Iterable[str]) -> bool:
    """Return whether letters are A, B, C and so on, without gaps."""
    return LETTERS.startswith("".join(letters))


def names_no_option(key: Iterable[str], options: int) -> bool:
    """Return whether a key has a letter beyond the given number of options."""
    return not set(key) <= set(LETTERS[:options])
