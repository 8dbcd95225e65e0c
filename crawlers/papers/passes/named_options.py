"""Answers that repeat an option's words, `✅ 深化课堂教学`, or name its place, `选第2个`, below the options -> letters.

Numbered lines in and out. Options have letters, or one kind of bullets. Such a line must be below nearly all of a paper's options, and name
exactly one of them.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from atomexam.text.numerals import HANZI
from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.papers.signs.answer_marks import Numbered, flat, is_marked, parts_of
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import opens_question

_FEWEST, _SHARE, _FEWEST_OPTIONS, _MOST = 3, 0.8, 2, 10
_BULLET = re.compile(r"\s{0,12}(?P<sign>[-*+•·○◦●▪◇◆□■►▶➢–])\s{1,4}(?=\S)")
_LETTER = re.compile(r"\s{0,12}[(\[【]?\s?[A-Ja-j]\s?[.、:)\]】]{0,2}\s{0,4}")
_PLACED = re.compile(
    rf"[^\w]{{0,6}}(?:(?:正确|参考|标准)?(?:答案|选项)|应|故|本题|答|我)?(?:[为是应]?选|为|是|:)?\s?:?\s?第\s?(?P<place>\d{{1,2}}|[{HANZI}])\s?"
    r"(?:个|项|条|行)?(?:选项|答案)?[。.!]?"
)
_SIGN_OPENS = frozenset("正参标答选为是")
_SIGN = re.compile(r"[^\w\s(《“\"]{1,4}\ufe0f?\s{0,4}|(?:正确|参考|标准)?(?:答案|选项)?[为是选:]{1,2}\s{0,4}|答:?\s{1,4}")


class _Run(Struct):
    """The options of one question and what is below them."""

    places: range
    below: int


def named_as_letters(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with letters for options and answers, if nearly all runs of options have such an answer below them."""
    flats = [flat(text) for _, text in lines]
    if sum(_may_name(line) for line in flats) < _FEWEST:
        return list(lines)
    runs = list(_runs(flats))
    named = [(run, letter) for run in runs if (letter := _named(flats[run.below].strip(), flats[run.places.start : run.places.stop]))]
    if len(named) < max(_FEWEST, _SHARE * len(runs)):
        return list(lines)
    done = list(lines)
    for run, letter in named:
        for own, at in zip(LETTERS, run.places, strict=False):
            words = lines[at][1][_start(flat(lines[at][1])) :].strip()
            done[at] = (lines[at][0], f"{own}. {words}")
        done[run.below] = (lines[run.below][0], f"答案：{letter}")
    return done


def _may_name(line: str) -> bool:
    """Return whether a flat line may state an answer by words or a place, with a sign before it and no usual mark."""
    line = line.strip()
    if line[:1].isdigit():
        return False
    if "第" in line and _PLACED.fullmatch(line):
        return True
    return (line[:1] in _SIGN_OPENS or not line[:1].isalnum()) and _SIGN.match(line) is not None and not is_marked(line)


def _start(line: str) -> int:
    opening = (_LETTER if letter_of(line.strip()) else _BULLET).match(line)
    return opening.end() if opening else 0


def _runs(flats: Sequence[str]) -> Iterator[_Run]:
    """Yield the options A, B, … or with the same bullet, one per line, that have a line below them."""
    at = 0
    while at < len(flats):
        end, signs = at, list[str]()
        while end < len(flats) and (sign := _sign_of(flats[end])) and (not signs or sign.isalpha() == signs[0].isalpha()):
            if signs and not sign.isalpha() and sign != signs[0]:
                break
            signs.append(sign)
            end += 1
        below = next((place for place in range(end, min(end + 3, len(flats))) if flats[place].strip()), None)
        is_run = _FEWEST_OPTIONS <= len(signs) <= _MOST and (not signs[0].isalpha() or are_in_turn("".join(signs)))
        if is_run and below is not None and at and not opens_question(flats[below].strip()):
            yield _Run(range(at, end), below)
        at = max(end, at + 1)


def _sign_of(line: str) -> str:
    bullet = _BULLET.match(line)
    return bullet["sign"] if bullet else letter_of(line.strip())


def _named(line: str, options: Sequence[str]) -> str:
    """Return the letter of the only option that a line names by its place or its words; nothing if it has a usual mark, or names none."""
    if place := _PLACED.fullmatch(line):
        at = int(place["place"]) if place["place"].isdigit() else HANZI.index(place["place"]) + 1
        return LETTERS[at - 1] if 0 < at <= len(options) else ""
    sign = _SIGN.match(line)
    if not sign or [kind for kind, _ in parts_of(line)] != ["text"]:
        return ""
    words = [each[_start(each) :].strip() for each in options]
    stated = [at for at, each in enumerate(words) if _bare(each) == _bare(line[sign.end() :])]
    return LETTERS[stated[0]] if len(stated) == 1 else ""


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text).rstrip("。.;")
