"""Words and symbols for true and false, mapped to 正确 or 错误, and patterns that match them for parsers of exam papers."""

from collections.abc import Mapping

TRUE, FALSE = "正确", "错误"


def _meaning(true: str, false: str) -> dict[str, str]:
    return dict.fromkeys(true.split(), TRUE) | dict.fromkeys(false.split(), FALSE)


SURE_VERDICTS = _meaning("正确 对 正確 對 √ ✓ ✔ ☑ ✅ true t", "错误 错 不正确 不对 錯誤 錯 不正確 不對 × ✗ ✘ ╳ ✕ ✖ ❌ false f")
"""Lower-case texts that are verdicts wherever they stand alone."""
UNSURE_VERDICTS = _meaning("是 真 yes right", "否 假 no wrong x")
"""Texts that may also be options or answers to other questions; they are verdicts only where one is expected."""
VERDICTS = SURE_VERDICTS | UNSURE_VERDICTS
CODES = _meaning("y r v o", "n w x")
"""Letters that count as verdicts, in addition to option letters, if a group has no other answers."""


def verdict_of(text: str, words: Mapping[str, str] = VERDICTS) -> str:
    """Return 正确 or 错误 for a word that means it; empty for any other text."""
    return words.get(text.strip("\ufe0f \t\n").lower(), "")


def words_for(verdict: str, words: Mapping[str, str] = VERDICTS) -> frozenset[str]:
    """Return the words that mean 正确, or 错误."""
    return frozenset(word for word, meaning in words.items() if meaning == verdict)


def _pattern_of(words: Mapping[str, str]) -> str:
    """Return a pattern of words as people write them: single letters as capitals, other Latin words in three forms."""
    forms = {form for word in words if len(word) > 1 for form in (word, word.capitalize(), word.upper())}
    return f"{'|'.join(sorted(forms, reverse=True))}|[{''.join(word.upper() for word in words if len(word) == 1)}]"


SURE_VERDICT = _pattern_of(SURE_VERDICTS)
"""Pattern of a verdict anywhere in a text."""
VERDICT = f"{_pattern_of(VERDICTS)}|[xYN]"
"""Pattern that matches a verdict where an answer is expected; there, 是, X and Y are verdicts, too."""
