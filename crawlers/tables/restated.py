"""Answers that say once more which option is right, behind words that all questions share: `→ 选：D 视觉`, `Key: 视觉`, `★ BD`.

The options of questions and the lines that may answer them in, letters out. One line shows nothing: nearly every question must have one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS

_SHARE, _FEWEST = 0.8, 3
_LONGEST_PREFIX = 8
_NO_ANSWER = re.compile(r"[我你您]|不|非|排|错|误|除|学生|考生|wrong|\bmy|your|user", re.IGNORECASE)
"""Words before what somebody chose, or before a wrong option."""
_OF_ANSWER = re.compile(r"答|选|正解|正确|key|answer|right|correct|solution", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_LETTERS = re.compile(r"(?P<prefix>[^A-Z]{0,12}?|[^A-Z]{0,4}[A-Za-z]{3,7}\W{1,3})\s?(?P<letters>A?B?C?D?E?F?G?H?I?J?)\W?")
_LEADING_SIGNS = re.compile(r"[\W_]*")


def restated(options: Sequence[Sequence[str]], lines: Sequence[str]) -> list[str] | None:
    """Return the letters that a line of each question states, "" where it states none; None unless nearly all state some alike.

    Args:
        options: those of each question, without their letters.
        lines: one of each question.
    """
    stated = [_stated(line, texts) for line, texts in zip(lines, options, strict=True)]
    prefixes = Counter(prefix for prefix, letters in stated if letters)
    prefix, times = prefixes.most_common(1)[0] if prefixes else ("", 0)
    if times < max(_FEWEST, _SHARE * len(lines)) or _NO_ANSWER.search(prefix):
        return None
    return [letters if own == prefix else "" for own, letters in stated]


def _stated(line: str, texts: Sequence[str]) -> tuple[str, str]:
    """Return the words before the options that a line repeats at its end, or before their letters, and the letters."""
    line = unicodedata.normalize("NFKC", line).strip()
    if (match := _LETTERS.fullmatch(line)) and match["letters"] and all(LETTERS.index(letter) < len(texts) for letter in match["letters"]):
        name = _name(match["prefix"], line)
        return (name, match["letters"]) if _announces(name) else ("", "")  # letters alone may be what a visitor chose
    left = {letter: _SIGNS.sub("", unicodedata.normalize("NFKC", text)) for letter, text in zip(LETTERS, texts, strict=False)}
    before, letters = _SIGNS.sub("", line), ""
    while ending := [letter for letter, text in left.items() if text and before.endswith(text)]:
        letter = max(ending, key=lambda each: len(left[each]))
        before = before.removesuffix(left.pop(letter)).removesuffix(letter)
        letters = letter + letters
    before = before.removesuffix(letters)
    if not letters or len(before) > _LONGEST_PREFIX or "".join(sorted(letters)) != letters:
        return "", ""
    name = _name(before, line)
    return (name, letters) if _announces(name) else ("", "")


def _announces(name: str) -> bool:
    """Return whether words or signs say that an answer follows; an option may end as another does: `先升高后降低`."""
    return bool(name) and (_OF_ANSWER.search(name) is not None or not name[0].isalnum())


def _name(before: str, line: str) -> str:
    """Return the words before an answer, or the signs that begin its line if there are none."""
    signs = _LEADING_SIGNS.match(line)
    return _SIGNS.sub("", before) or (signs[0].strip() if signs else "")
