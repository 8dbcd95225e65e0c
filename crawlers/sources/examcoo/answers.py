"""The encoded answers of examcoo: a bit for each correct option, 1 or 2 for true or false, JSON for blanks, HTML for words. Pure."""

from typing import Any, NamedTuple

from atomexam.text.option_letters import LETTERS
from crawlers.text.fields import parsed_json, text_of

SINGLE, MULTIPLE, VERDICT, BLANKS, WORDS = "s1", "s2", "s3", "s4", "s5"
BAD_DATA = "answer_mask_beyond_options"
"""The only doubt that occurs in the site's known data; any other means that the site has changed."""
_VERDICT_OF_CODE = {"1": "对", "2": "错"}
VERDICTS = frozenset(_VERDICT_OF_CODE.values())
_MASK_CHARS = 6  # decimal; the code for ten options is longer


class Answer(NamedTuple):
    """An answer as stored in a QuestionItem."""

    raw: str | None
    mask: int = 0
    """Bit mask of the correct options, if there are options."""
    doubt: str | None = None


def answer_of_code(kind: str, code: Any, options: int) -> Answer:
    """Return the answer for a code, given the number of options of the question.

    An invalid code, such as a bit beyond the options, is kept unchanged, with a doubt.
    """
    text = "" if code is None else str(code).strip()
    if kind not in (SINGLE, MULTIPLE, VERDICT, BLANKS, WORDS):
        return Answer(text or None, doubt="kind_unknown")
    if not isinstance(code, str | int | None):
        return Answer(text, doubt="answer_unreadable")
    if kind in (SINGLE, MULTIPLE) and text.isdecimal():
        return _of_mask(text, options)
    if kind == VERDICT:
        return Answer(_VERDICT_OF_CODE.get(text, text_of(text)) or None) if text != "0" else Answer(None)
    if kind == BLANKS and text.startswith("["):
        return _of_blanks(text)
    return Answer(text_of(text) or None)


def answer_of_marks(right: list[bool], words: str) -> Answer:
    """Return the answer from the marks of the correct options, or the answer in words if none is marked."""
    mask = sum(1 << index for index, is_right in enumerate(right) if is_right)
    return _of_mask(str(mask), len(right)) if mask else Answer(words or None)


def kind_of_answer(kind: str, answer: Answer) -> str:
    """Return the kind of a question; a single-choice question with several correct options was entered wrongly and counts as
    multiple-choice."""
    return MULTIPLE if kind == SINGLE and answer.mask.bit_count() > 1 else kind


def _of_mask(text: str, options: int) -> Answer:
    mask = int(text) if len(text) <= _MASK_CHARS else -1
    if mask == 0:
        return Answer(None)
    if mask < 0 or mask >> min(options or len(LETTERS), len(LETTERS)):
        return Answer(text, doubt=BAD_DATA)
    return Answer("".join(letter for index, letter in enumerate(LETTERS) if mask >> index & 1), mask)


def _of_blanks(text: str) -> Answer:
    """Return `甲|||乙；丙` for two blanks, the first of which takes two words."""
    try:
        blanks = [text_of(blank["a"]) for blank in parsed_json(text)]
    except (ValueError, KeyError, TypeError, AttributeError):
        return Answer(text, doubt="answer_unreadable")
    return Answer("；".join(blanks) if any(blanks) else None)
