"""A paper without its line breaks -> its questions, headings and answers on separate lines."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from atomexam.text.numerals import HANZI
from crawlers.papers.signs.answer_marks import flat

_MANY = 24  # characters: a shorter line contains at most one question
_INNER_NUMBER = re.compile(r"(?<=[\s。;?!)】A-J√×对错])(?P<number>\d{1,5})\s?[、.](?!\d)\s{0,2}(?=[“《(【\u4e00-\u9fffA-Z])")
_INNER_DIGIT = re.compile(r"(?<=[\s。;?!)】A-J√×对错\u4e00-\u9fff])(?<![A-J][.、)\]]\s)(?P<number>\d{1,5})\s?[、.]\s{0,2}(?=\d)")
"""A number before words that begin with a digit, `3.7.35～7.45是`: only the expected one, and only if options follow."""
_INNER_HEADING = re.compile(
    rf"(?<=[\s。;)】A-J√×])(?:[{HANZI}]{{1,3}}、(?:单项选择|多项选择|不定项选择|单选|多选|选择|判断|是非|填空|简答|论述|名词解释|案例分析|问答)题?"
    r"|(?:参考|标准|正确)答案(?:及解析|与解析)?\s?:?\s{0,2}(?=\d{1,5}\s{0,2}[-、.]))"
)
_OPTION_PAIR = re.compile(r"(?<![A-Za-z])A\s?[.、)\]].{1,200}?(?<![A-Za-z])B\s?[.、)\]]")
_ANSWERED = re.compile(r"答案|\(\s?(?:√|×|对|错|正确|错误|[A-J]{1,6})\s?\)|[√×]")
_HEADS_MORE = re.compile(r"\d{1,5}\s?[-、.]")
_NEAR = 60  # characters after a heading within which a number must come
_OPENS = re.compile(r"\s{0,4}(?P<number>\d{1,5})\s?[、.](?!\d)")


_LED_BY_ANSWER = re.compile(r"答案[】\]]?\s?:?\s{0,3}[A-J]{1,6}\s{1,3}(?=\d{1,5}\s?[、.])")


def may_be_several(text: str) -> bool:
    """Return whether a line may contain several questions; a list that is one answer is not split."""
    return len(text) >= _MANY and "\n" not in text


def broken_up(text: str, above: int | None = None) -> Iterator[str]:
    """Return a line that may be several, or the lines into which the questions in a row on it should be split.

    Args:
        above: number of the question above, whose answer may be before the next one.
    """
    line = flat(text)
    start = 0
    for index in _starts(line, above if _LED_BY_ANSWER.search(line) else None):
        yield text[start:index].strip()
        start = index
    yield text[start:].strip()


def _starts(line: str, above: int | None = None) -> list[int]:
    """Return where the next question, heading or answer list begins within a flat line."""
    opening = _OPENS.match(line)
    behind = opening.end() if opening else 0
    if line.find(".", behind) < 0 and line.find("、", behind) < 0 and line.find("答案", behind) < 0:
        return []  # everything that begins a question or a list contains one of these
    number = int(opening["number"]) if opening else above  # of the current question
    indices: list[int] = []
    start = 0
    matches = [match for pattern in (_INNER_NUMBER, _INNER_HEADING, _INNER_DIGIT) for match in pattern.finditer(line)]
    inner = sorted(matches, key=lambda match: match.start())
    plain: dict[int, list[int]] = {}
    for match in inner:
        if match.re is _INNER_NUMBER:
            plain.setdefault(int(match["number"]), []).append(match.start())
    values = {int(match["number"]) for match in inner if match.re is _INNER_NUMBER}
    shows = sorted([match.start() for pattern in (_OPTION_PAIR, _ANSWERED) for match in pattern.finditer(line)]) if inner else []
    for match in inner:
        whole = number is None or bisect_left(shows, match.start()) > bisect_left(shows, start)
        if match.re is not _INNER_HEADING:
            value = int(match["number"])
            if match.re is _INNER_DIGIT and not _is_due(match.start(), shows, plain.get(value, [])):
                continue
            fits = value == number + 1 if number is not None else bool(indices) or (value == 1 and 2 in values)
            if not (fits and whole):
                continue
            number = value
        elif whole and _HEADS_MORE.search(line, match.end(), match.end() + _NEAR):
            number = None
        else:
            continue
        indices.append(match.start())
        start = match.start()
        if "答案" in match[0]:
            break  # an answer list follows
    return indices


def _is_due(index: int, shows: list[int], plain: list[int]) -> bool:
    """Return whether options follow a number before words that begin with a digit, and no plainer number like it is before them."""
    follows = bisect_left(shows, index)
    nearest = bisect_left(plain, index)
    return follows < len(shows) and not (nearest < len(plain) and plain[nearest] < shows[follows])
