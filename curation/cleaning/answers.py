"""Answers as letters: read from `B,D`, `a c`, `答案：ACD`, `D、行为倾向`, an option's own text, 正确 or ×."""

import re
from typing import NamedTuple

from curation.normalize import normalize
from records.identity import canonical
from records.question import LETTERS

_MARK = re.compile(r"^[【\[（]?(?:参考答案|正确答案|标准答案|答案|正确选项|答|选)[】\]）]?[:：是为]?\s*")
_IN_ORDER = re.compile("A?B?C?D?E?F?G?H?I?J?")
_ONLY_LETTERS = re.compile(r"^[（(\[【]?[A-Ja-j](?:[\s,，、;；.。/|+&和及与]*[A-Ja-j])*[）)\]】]?[\s,，、;；.。]*$")
_LETTER_AND_TEXT = re.compile(r"^[（(\[【]?([A-J])[）)\]】]?\s*[、.．:：，,\s]?\s*(?=\S)(.+)$", re.S)
RIGHT = frozenset({"正确", "对", "√", "✓", "✔", "T", "t", "true", "True", "TRUE", "是", "yes", "Y", "R"})
WRONG = frozenset({"错误", "错", "×", "✗", "✘", "x", "X", "F", "f", "false", "False", "FALSE", "否", "不正确", "不对", "no", "N", "W"})


_POINTS_ELSEWHERE = re.compile(
    r"[（(]?(?:参?见)?(?:教材|课本|书)?[Pp]\.?\s*\d{1,3}(?:\s*[-~、，,]\s*[Pp]?\d{1,3})*[)）]?。?|(?:参?见)?(?:教材|课本|书)?第\d{1,3}页。?"
)
"""A page instead of an answer."""


class Answer(NamedTuple):
    """Sorted letters, or None with what stood there; `displaced` is an option found in the answer's place."""

    letters: str | None
    rule: str | None = None
    """Name of the repair, None when the answer was in order."""
    displaced: tuple[str, str] | None = None


def read_letters(raw: str | None, options: list[str]) -> Answer:
    """Return the letters of a choice question's answer."""
    if raw and _IN_ORDER.fullmatch(raw):
        return Answer(raw)
    text = _MARK.sub("", normalize(raw or "").text)
    if not text:
        return Answer(None)
    if _ONLY_LETTERS.match(text):
        letters = "".join(sorted(set(re.findall("[A-J]", text.upper()))))
        return Answer(letters, None if letters == (raw or "").strip() else "answer_letters")
    whole = _by_text(text, options)  # B超 and DNA are options' own texts, and no letter with its text
    named = None if whole.letters else _LETTER_AND_TEXT.match(text)
    return _letter_and_text(named[1], named[2], options) if named else whole


def _letter_and_text(letter: str, text: str, options: list[str]) -> Answer:
    place = LETTERS.index(letter)
    if place < len(options) and options[place] and canonical(options[place]) == canonical(text):
        return Answer(letter, "answer_with_text")
    if place >= len(options) or not options[place]:
        # `D、华生` beside options A-C: the last option slipped into the answer's place, and the answer is lost.
        return Answer(None, "option_in_answer", (letter, text))
    return _by_text(text, options)


def _by_text(text: str, options: list[str]) -> Answer:
    same = [LETTERS[place] for place, option in enumerate(options[: len(LETTERS)]) if option and canonical(option) == canonical(text)]
    if len(same) == 1:
        return Answer(same[0], "answer_as_text")
    return Answer(None)


def read_verdict(raw: str | None) -> str | None:
    """Return A for 正确, B for 错误, None for anything else."""
    text = _MARK.sub("", normalize(raw or "").text).rstrip("。.")
    if text in RIGHT or text == "A":
        return "A"
    return "B" if text in WRONG or text == "B" else None


def read_words(text: str) -> Answer:
    """Return the answer to an open question from its cleaned text."""
    return Answer(text if canonical(text) and not _POINTS_ELSEWHERE.fullmatch(text) else None)
