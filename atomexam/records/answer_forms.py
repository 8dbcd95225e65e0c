"""What the form of a raw answer says of its question: letters, a verdict, or words. One reading for importers and `clean`."""

import re
import unicodedata
from typing import Literal

AnswerForm = Literal["letters", "verdict", "words", "none"]

_AROUND = " \t\n\r\f\v()[]{}【】〔〕《》<>\"'“”‘’.。,，、;；:：!！"
_MARK = re.compile(r"(?:(?:参考|正确|标准)?答案|正确选项|选项|答|[故应]?选)(?:[】\])]|[:是为])*")
_VERDICTS = frozenset({"正确", "错误", "不正确", "不对", "对", "错", "true", "false", "t", "f"} | set("√✓✔☑✅×✗✘╳✕✖❌"))
_LETTERS = re.compile(r"[A-J](?:[\s,、;.。/|+&]?\s?[A-J]){0,19}(?:选?项)?")
_LONGEST_CHARS = 80
"""No list of ten letters with signs between them is longer."""


def answer_form(raw: str | None) -> AnswerForm:
    """Return what an answer is by its form alone. `F` is a verdict, since a sixth option is rarer than 错误 in English."""
    text = unicodedata.normalize("NFKC", (raw or "")[: _LONGEST_CHARS + 1]).strip(_AROUND)
    if not text:
        return "none" if not (raw or "").strip() else "words"
    if len(text) > _LONGEST_CHARS:
        return "words"
    if mark := _MARK.match(text):
        text = text[mark.end() :].strip(_AROUND) or text
    if text.lower() in _VERDICTS:
        return "verdict"
    return "letters" if _LETTERS.fullmatch(text.upper()) and not _is_word(text) else "words"


def _is_word(text: str) -> bool:
    """Tell whether letters without a sign between them are a word: GABA has one twice, `bad` is small and out of order."""
    if not text.isalpha():
        return False
    return len(set(text)) < len(text) or (not text.isupper() and sorted(text) != list(text))
