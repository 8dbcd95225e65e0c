"""The words of `words.yaml`, as lists and as patterns."""

import re
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML


@cache
def _lists() -> dict[str, list[str]]:
    with open(Path(__file__).with_suffix(".yaml"), encoding="utf-8") as file:
        return YAML(typ="safe").load(file)


def words_of(*names: str) -> list[str]:
    """Return the words of the given lists, longest first."""
    return sorted({word for name in names for word in _lists()[name]}, key=lambda word: (-len(word), word))


def any_of(*names: str) -> str:
    """Return a pattern that matches any word of the given lists."""
    return "|".join(map(re.escape, words_of(*names)))


def firsts(*names: str) -> str:
    """Return the first characters of the words of the given lists."""
    return "".join(sorted({word[0] for word in words_of(*names)}))


def lasts(*names: str) -> str:
    """Return the last characters of the words of the given lists."""
    return "".join(sorted({word[-1] for word in words_of(*names)}))


ANSWER_NAME = rf"(?:(?:{any_of('before_answer')})的?)?(?:{any_of('answer')})"
"""Pattern for the name of an answer: 答案, 参考答案, 本题的正解."""
OWN_ANSWER_NAME = rf"(?:{any_of('someone')})的?(?:答案|作答|选择|选项)"
"""Pattern for the name of someone's own choice: 我的答案, 考生作答."""
OWN_OUTCOME = r"[回作]答(?:正确|错误)\s{0,4}(?:[+-]?\d{1,3}(?:\.\d{1,2})?\s?分)?"
"""What a result page says about the visitor's answer: `回答正确 +2分`."""
