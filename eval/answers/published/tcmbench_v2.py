"""TCMBench's rules: the last capital on the line of the last 答案, or the last one of all; then a guess by the options' words.

An explanation after the answer overrides it, and lower-case or full-width letters are ignored.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial

from eval.answers.published.contract import ERROR, ChoiceCount, RuleSet

# The released patterns take quadratic time: ([A-Z]).*?案答 and 答案.*?([A-Z]). These find the same letters in one pass.
_CAPITAL_BEFORE_LABEL = re.compile(r"^[^A-Z\n]*([A-Z]).*?案答", re.M)  # of the reply read backwards
_FIELD_LETTER = re.compile(r"答案】[^A-Z\n]*+([A-Z]?)")  # if no capital follows, none follows a later label of the line
_LABEL_LETTER = re.compile(r"答案[^A-Z\n]*+([A-Z]?)")
_OPTION_LETTER = re.compile(r"[A-E]")
_DOTTED = re.compile(r"．[A-Z]")
_PIECES = re.compile(r"[，。；\s]")
_LETTERS_AND_DOTS = str.maketrans("", "", "ABCDE．.")


def read(reply: str, options: Mapping[str, str], kind: str) -> str | None:
    """Return the letter for a question of a form, `error` if the released code stops with an exception."""
    if kind == "a3":
        return _of_case(reply) or ERROR  # it then guesses by words, but searches the wrong text
    return _letter(reply) or _by_words(reply, options)


def _letter(reply: str) -> str | None:
    backwards = reply[::-1]
    label = _CAPITAL_BEFORE_LABEL.search(backwards)
    if label and _DOTTED.search(backwards):
        return label[1]
    return _last(backwards)


def _last(backwards: str) -> str | None:
    letters = _OPTION_LETTER.search(backwards)
    return letters[0] if letters else None


def _of_case(reply: str) -> str | None:
    if "【答案】" in reply:
        letters = "".join(_FIELD_LETTER.findall(reply.replace("\n", "")))
        return letters[-1] if letters else None
    letters = "".join(_LABEL_LETTER.findall(reply))
    return letters[-1] if letters else _last(reply[::-1])


def _by_words(reply: str, options: Mapping[str, str]) -> str | None:
    """Return the option whose pieces occur most often; none for a tie, or if no piece occurs."""
    texts = [f"{letter}．{text}".translate(_LETTERS_AND_DOTS) for letter, text in options.items()]
    counts, last = {}, None
    for text in texts:
        pieces = [piece for piece in _PIECES.split(text) if piece in reply]
        if pieces:
            last = texts.index(text)
        if total := sum(reply.count(piece) for piece in pieces):
            counts[text] = total
    if len(counts) > 1:
        most = max(counts.values())
        if Counter(counts.values())[most] > 1:
            return None
        last = texts.index(next(text for text, total in counts.items() if total == most))
    return None if last is None else chr(ord("A") + last)


RULES = RuleSet(
    source="ywjawmw/TCMBench 0709cbf8, pipline/bench_function.py: extract_choice_answer, A3_second_check, pattern_second_check",
    kinds=frozenset({"a1", "a2", "a3", "b1"}),
    read=read,
    count=partial(ChoiceCount, read),
)
