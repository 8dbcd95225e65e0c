"""Labels in two languages, `Q1 / 第1题`, `Key / 答案: A`, `注 (Note)：` -> those in Chinese. Numbered lines in and out."""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.headings import kind_of

_LATIN = r"(?P<latin>[A-Za-z]{2,14}(?:\s[A-Za-z]{2,14})?(?:\.?\s?\d{1,4})?|[QTN]\.?\s?\d{1,4})"
_HAN = r"(?P<han>(?=[\d\s]{0,6}[\u4e00-\u9fff])(?:[\u4e00-\u9fff]{1,6}|[\u4e00-\u9fff]{0,2}\s?\d{1,4}\s?[\u4e00-\u9fff]{0,2}))"
_BETWEEN = r"\s{0,2}[/|·(\[【-]?\s{0,2}"
_END = r"\s?[)\]】]?(?P<sign>\s?:|(?<=\d)\s?[.、]|$)"
_NAMES = (re.compile(rf"\s{{0,9}}{_LATIN}{_BETWEEN}{_HAN}{_END}"), re.compile(rf"\s{{0,9}}{_HAN}{_BETWEEN}{_LATIN}{_END}"))
MAY_BE_TWO = re.compile(
    r"\n[ ]{0,9}(?:[A-Za-z]{1,14}[A-Za-z\d ./|·(\[【-]{0,24}[\u4e00-\u9fff]{1,6}"
    r"|[\u4e00-\u9fff]{1,6}[\d ]{0,5}[^\n:]{0,4}[A-Za-z]{1,14})[^\n:]{0,8}(?::|题|\d)"
)
_NAMES_PART = re.compile(
    r"(?:correct\s)?answers?|ans|keys?|questions?|stem|options?|choices?|notes?|remarks?|hints?|tips?|explanations?|analysis|reasons?|rationale"
    r"|solutions?|types?|difficulty|level|score|points?|sources?|topics?|chapters?|sections?|subjects?|category|number|no",
    re.IGNORECASE,
)
"""What labels without a number name; other words in two languages, `Java 代码：`, are those of the text."""
_FEWEST = 3
_DIGITS = re.compile(r"\d+")


def one_language(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with the Chinese name alone of each label that has two, if both recur together."""
    found = {at: match for at, (_, text) in enumerate(lines) if (match := _label(text))}
    pairs = defaultdict[tuple[str, str], list[int]](list)
    for match in found.values():
        pairs[_pair(match)].append(int("".join(_DIGITS.findall(match[0])[:1]) or 0))
    labels = {
        pair
        for pair, numbers in pairs.items()
        if len(numbers) >= _FEWEST and (_count(numbers) if any(numbers) else _NAMES_PART.fullmatch(pair[0]))
    }
    done = list(lines)
    for at, match in found.items():
        if _pair(match) in labels:
            index, text = lines[at]
            sign = match["sign"].strip() or (":" if text[match.end() :].strip() else "")
            han = match["han"].strip()
            lost = [] if _DIGITS.search(han) else _DIGITS.findall(match["latin"])
            done[at] = (index, f"{''.join((han, *lost))}{sign}{text[match.end() :]}")
    return done


def _label(text: str) -> re.Match[str] | None:
    """Return the label of two names that opens a line: with a number, the same in each that has one, or before a colon."""
    line = flat(text)
    for names in _NAMES:
        if (match := names.match(line)) and not kind_of(match["han"].strip()):  # a type beside a number is no other name of it
            numbers = {number for name in ("latin", "han") for number in _DIGITS.findall(match[name])}
            if len(numbers) == 1 or (not numbers and ":" in match["sign"]):
                return match
    return None


def _count(numbers: Sequence[int]) -> bool:
    """Return whether numbers count, anew in each part."""
    return numbers[0] == 1 and all(below in (1, number + 1) for number, below in pairwise(numbers))


def _pair(match: re.Match[str]) -> tuple[str, str]:
    return _DIGITS.sub("#", match["latin"]), _DIGITS.sub("#", match["han"])
