"""Answers in the letters of their options: what a paper states, by any signs or words, and its options in, letters out."""

import re
from collections.abc import Sequence

from atomexam.text.option_letters import CIRCLED_LETTERS, LETTERS
from crawlers.read.layouts.line_patterns import ALPHABETS
from crawlers.read.vocabulary.answer_marks import flat
from crawlers.read.vocabulary.numbers import number_of

_NO_WORDS = re.compile(r"[\W_]")
_SEPARATORS = re.compile(r"[\s,、;./|+&和及与()\[\]]")
Options = Sequence[tuple[str, str, bool]]
"""Letter, text, and whether it is marked as right, of each."""


def bare_answer(answer: str) -> str:
    """Return an answer without the signs between its letters."""
    return _SEPARATORS.sub("", flat(answer)).upper()


def number_in(text: str) -> int | None:
    """Return the value of a number in any of the forms that papers have."""
    number = number_of(f"{flat(text)}、")
    return number.value if number else None


def letters_of(signs: Sequence[str]) -> tuple[str, str]:
    """Return a letter for each option, as far as theirs are in order, and the alphabet that they are lettered with."""
    bare = [plain(sign) for sign in signs]
    if not any(bare):
        return LETTERS[: len(bare)], LETTERS
    alphabet = next((one for one in ALPHABETS if bare[0] and one.startswith(bare[0])), "")
    whole = "".join(bare)
    right = alphabet.startswith(whole) and all(bare)
    return (LETTERS[: len(bare)] if right else ""), alphabet


def plain(letter: str) -> str:
    """Return a letter in a ring as the letter, in half width."""
    return CIRCLED_LETTERS.get(letter, flat(letter))


def _named_with_words(answer: str, options: Options, alphabet: str) -> str:
    """Return the letters of an answer that has each with the words of its option, `A、甲；C、丙`; nothing if anything else is in it."""
    texts = {sign: _NO_WORDS.sub("", flat(text)).upper() for sign, (_, text, _) in zip(alphabet.upper(), options, strict=False)}
    rest, named = _NO_WORDS.sub("", flat(answer)).upper(), ""
    while rest:
        sign = plain(rest[0]).upper()
        if not texts.get(sign) or not rest.startswith(texts[sign], 1):
            return ""
        named, rest = named + LETTERS[alphabet.upper().index(sign)], rest[1 + len(texts[sign]) :]
    return named


def in_letters(answer: str, options: Options) -> str:
    """Return an answer that names options by their text or by other signs than letters, `②④`, with their letters; any other as it is."""
    _, alphabet = letters_of([letter for letter, _, _ in options])
    signs = bare_answer(answer)
    if options and alphabet not in ("", LETTERS, LETTERS.lower()) and signs and set(signs) <= set(alphabet):
        return "".join(LETTERS[alphabet.index(sign)] for sign in signs)
    if signs and alphabet in ("", LETTERS) and set(signs) <= {*LETTERS[: len(options)]}:
        return answer
    if named := _named_with_words(answer, options, alphabet or LETTERS):
        return named
    same = [at for at, (_, text, _) in enumerate(options) if bare_answer(text) == signs]
    return LETTERS[same[0]] if len(same) == 1 and same[0] < len(LETTERS) else answer
