"""The form of a raw answer: letters, a verdict or words. Importers and `clean` share these rules."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from atomexam.text.verdicts import SURE_VERDICTS, verdict_of

AnswerForm = Literal["letters", "verdict", "words", "none"]

_AROUND = " \ufe0f\t\n\r\f\v()[]{}【】〔〕《》<>\"'“”‘’.。,，、;；:：!！"
_MARK = re.compile(r"(?:(?:参考|正确|标准)?答案|正确选项|选项|答|[故应]?选)(?:[】\])]|[:是为])*")
_LETTERS = re.compile(r"[A-J](?:[\s,、;.。/|+&]?\s?[A-J]){0,19}(?:选?项)?")
_LONGEST_CHARS = 80
"""The longest text that can be a list of ten letters with separators."""


def answer_form(raw: str | None) -> AnswerForm:
    """Return what an answer is, judged by its form alone. `F` is a verdict: a sixth option is rarer than 错误 in English."""
    form = _form_of((raw or "")[: _LONGEST_CHARS + 1])
    return "words" if form == "none" and (raw or "").strip() else form


@lru_cache(maxsize=1024)
def _form_of(raw: str) -> AnswerForm:
    text = unicodedata.normalize("NFKC", raw).strip(_AROUND)
    if not text:
        return "none"
    if len(text) > _LONGEST_CHARS:
        return "words"
    if mark := _MARK.match(text):
        text = text[mark.end() :].strip(_AROUND) or text
    if verdict_of(text, SURE_VERDICTS):
        return "verdict"
    return "letters" if _LETTERS.fullmatch(text.upper()) and not _is_word(text) else "words"


def _is_word(text: str) -> bool:
    """Return whether letters without separators are a word: GABA repeats a letter, `bad` is lower-case and unsorted."""
    if not text.isalpha():
        return False
    return len(set(text)) < len(text) or (not text.isupper() and sorted(text) != list(text))
