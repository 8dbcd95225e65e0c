"""Words in the unused fields of a form, `无` as the last of four options: what shows that a file has them. Items in, words out.

A single question does not show it: `无` may be an option. In a file, such a word is never the answer, recurs, and is only last.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from atomexam.records.item import QuestionItem
from atomexam.text.option_letters import LETTERS, filler_word, letters_in

_LETTER = re.compile(r"\s*[A-JＡ-Ｊ]\s?[.．、:：)）]\s*")
_LETTERS_ONLY = re.compile(r"[A-Ja-j,，、;；\s]+")
_LEAST_REAL, _LEAST_ROWS = 2, 2
_SURE, _LIKELY = 0.05, 0.5
"""Probability that as many options are never right, below which a word is surely, or likely, none."""


class UnusedOptions(NamedTuple):
    """The words of one file that fill unused options."""

    sure: frozenset[str]
    unsure: frozenset[str]
    """They are only last and never right, but in so few questions that they may be options."""


NONE_UNUSED = UnusedOptions(frozenset(), frozenset())


def unused_options(items: Iterable[QuestionItem]) -> UnusedOptions:
    """Return the words that fill unused options of a file in which each question has the same number of options, these included."""
    rows = [(options, item.answer_raw or "") for item in items if len(options := _bare(item.options_raw or ())) > _LEAST_REAL]
    width = max((len(options) for options, _ in rows), default=0)
    last, several, real = Counter[str](), set[str](), set[str]()
    for options, answer in (row for row in rows if any(map(filler_word, row[0]))):
        used = _used(options)
        unused = [word for word in options[used:] if word]
        real |= {word for word in options[:used] if filler_word(word)} | {word for word in unused if word == answer.strip()}
        if _LETTERS_ONLY.fullmatch(answer):
            real |= {options[at] for letter in letters_in(answer) if used <= (at := LETTERS.index(letter)) < len(options)}
        real |= set(unused) if used < _LEAST_REAL or len(options) < width else set()
        several |= {word for word, times in Counter(unused).items() if times > 1}
        last.update(set(unused))
    never_right = {
        word: 0.0 if word in several else (1 - 1 / width) ** times
        for word, times in last.items()
        if times >= _LEAST_ROWS and word not in real
    }
    sure = frozenset(word for word, chance in never_right.items() if chance < _SURE)
    return UnusedOptions(sure, frozenset(word for word, chance in never_right.items() if chance < _LIKELY) - sure)


def without_unused(options: Sequence[str], words: frozenset[str]) -> list[str]:
    """Return options without those at their end that are such words."""
    used = len(options)
    while used > _LEAST_REAL and _bare(options[used - 1 : used])[0] in words:
        used -= 1
    return list(options[:used])


def _used(options: Sequence[str]) -> int:
    """Return how many options are before those at the end that may be unused."""
    return next((at + 1 for at in range(len(options) - 1, -1, -1) if options[at] and not filler_word(options[at])), 0)


def _bare(options: Iterable[str]) -> list[str]:
    return [option[match.end() :].strip() if (match := _LETTER.match(option)) else option.strip() for option in options]
