"""Reorder options: rotate them by some positions, moving the last ones to the front, and change the correct letters accordingly."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

from msgspec import structs

from atomexam.records.question import Option, Question

_OF_OTHERS = re.compile(
    r"(?<![岁℃度%％\d])以上|如上(?!腹)|上述|[都均皆](?:不?(?:是|对(?!称)|正确|错误?)|非|没有)|(?:无|没有|所有|全部)正?确?(?:答案|选项)|[A-J]项|选项\s?[A-J]"
    r"|\A[全皆均都]部?(?:正确|对|错|是|不是|可以?)\Z|(?<![A-Za-z])[A-J]\s*(?:[+＋、,，/&或和与及]|以及)\s*[A-J](?![A-Za-z])"
    r"|\A(?!AB\Z)[A-J](?:\s*[A-J])+\Z|(?i:all of the above|none of the above)"
)
"""An option that refers to others by letter or position: 以上都对, A+B, BC. A question with such an option is not reordered."""


def shift_of(options: Sequence[Option], order: int) -> int:
    """Return by how many positions an order rotates the options: 0 is the original order, and the rotations repeat after the last one."""
    return 0 if not options or any(_OF_OTHERS.search(option.text) for option in options) else order % len(options)


def shifted_letters(letters: str, options: int, shift: int) -> str:
    """Return the letters that the given options have after a shift, sorted; a negative shift reverses it."""
    return "".join(sorted(ascii_uppercase[(ascii_uppercase.index(letter) + shift) % options] for letter in letters))


def shifted(question: Question, order: int) -> Question:
    """Return a question with its options in another order."""
    options = question.options
    shift = shift_of(options, order)
    if not shift:
        return question
    texts = [option.text for option in [*options[-shift:], *options[:-shift]]]
    reordered = [structs.replace(option, text=text) for option, text in zip(options, texts, strict=True)]
    answer = question.answer and shifted_letters(question.answer, len(options), shift)
    return structs.replace(question, options=reordered, answer=answer)
