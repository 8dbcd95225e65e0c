"""Cells of a table of answers below each other in a copy, 题号 / 1 / 2 / 答案 / B / A -> a list. Numbered lines in and out."""

import re
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, plain
from crawlers.papers.signs.entries import is_title

_NUMBERS = re.compile(r"(?:题\s?号|序\s?号|题\s?目)\s?:?")
_NUMBER = re.compile(r"(?P<value>\d{1,4})\s?[、.:]?")
NUMBER_ALONE = re.compile(rf"^{_NUMBER.pattern}$", re.MULTILINE)
_ANSWER = re.compile(r"[A-J]{1,8}|√|×|对|错|正确|错误|[TF]")
_FEWEST = 2  # pairs of a number and an answer


def cells_joined(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with numbers and answers that alternate or are in two runs below each other as 1.B, 2.A, …"""
    filled = [(index, line) for index, (_, text) in enumerate(lines) if (line := plain(text))]
    done = list(lines)
    at = 0
    while at < len(filled):
        heads = bool(_NUMBERS.fullmatch(filled[at][1])) or is_title(filled[at][1])
        pairs, stop = _cells(filled, at + 1) if heads else ([], at + 1)
        if pairs:
            done[filled[at][0]] = (lines[filled[at][0]][0], "参考答案")
            for index, _ in filled[at + 1 : stop]:
                done[index] = (lines[index][0], "")
            for number, answer in pairs:
                done[filled[number][0]] = (lines[filled[number][0]][0], f"{filled[number][1].rstrip(' 、.:')}.{filled[answer][1]}")
        at = max(stop, at + 1)
    return done


def _cells(filled: Sequence[tuple[int, str]], start: int) -> tuple[list[tuple[int, int]], int]:
    """Return the places of numbers with those of their answers from a place on, and where they end; none if they do not match."""
    numbers: list[int] = []
    answers: list[int] = []
    pairs: list[tuple[int, int]] = []
    at = stop = start
    while at < len(filled):
        line = filled[at][1]
        if _NUMBER.fullmatch(line):
            numbers.append(at)
        elif _ANSWER.fullmatch(line) and len(answers) < len(numbers):
            answers.append(at)
        elif not (_NUMBERS.fullmatch(line) or is_title(line)) or (answers and len(answers) < len(numbers)):
            break
        at += 1
        if numbers and len(numbers) == len(answers):
            pairs += zip(numbers, answers, strict=True)
            numbers, answers, stop = [], [], at
    return (pairs, stop) if len(pairs) >= _FEWEST and not numbers else ([], at)
