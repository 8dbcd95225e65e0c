"""Answers before the numbers of questions, `（B）1. …`, `B 1、…`, `【④】1、…`, `__T__ 1. …` -> a line below each.

Numbered lines in, numbered lines out.

An option may look the same, `（A）1、3、5`, but the numbers of questions increase through the paper, and their letters are not A, B, C in
sequence.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import are_in_turn
from atomexam.text.verdicts import CODES, FALSE, TRUE, VERDICT, VERDICTS, verdict_of
from crawlers.papers.signs.answer_marks import Numbered, flat
from crawlers.papers.signs.headings import heads

_SIGN = f"[A-J{CIRCLED_NUMBERS[:10]}]"
_FIRST = re.compile(
    rf"\s{{0,9}}(?:[(\[【]\s{{0,9}}(?P<inside>{_SIGN}(?:[\s,、]{{0,2}}{_SIGN}){{0,5}}|[√×对错])\s{{0,9}}[)\]】]\s{{0,9}}"
    rf"|_{{1,12}}\s{{0,9}}(?P<blank>[A-J]{{1,6}}|{VERDICT})\s{{0,9}}_{{1,12}}\s{{0,9}}"
    rf"|(?P<bare>[A-J]{{1,6}}|{VERDICT})(?:\s{{1,9}}|[、.]\s{{0,9}}))"
    r"(?P<number>\d{1,5})\s?(?:[、:)]|\.(?!\d))\s{0,9}(?=\S)"
)
LETTERS_BEFORE_NUMBER = re.compile(rf"(?:{_SIGN}|{VERDICT})\s{{0,9}}[)\]】、.\s_]{{1,12}}\s{{0,9}}\d{{1,5}}\s?[、:).]")
OPENS_WITH_ANSWER = re.compile(rf"\n(?=[(\[【_A-JTYN√×对错正①-⑩])(?:{_FIRST.pattern})")
_NUMBERED = re.compile(r"\s{0,9}\d{1,5}\s?(?:[、:]|\.(?!\d))\s{0,9}[^\d\s]")
_OPTIONS = re.compile(r"(?<![A-Za-z])A\s?[.、:)\s].{1,300}?(?<![A-Za-z])B\s?[.、:)\s]|①.{1,300}?②")
_NOTE = re.compile(r"(?:备注|说明|注意?|附注)\s?:")
"""A remark on the whole paper below its last question."""
_JOINT = re.compile(r"[\s,、]")
_FEWEST, _SHARE = 3, 0.8


def answers_moved(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with each answer before a number moved below its question as `答案：B`."""
    numbered = list(lines)
    firsts = [(position, first) for position, (_, text) in enumerate(numbered) if (first := _FIRST.match(flat(text)))]
    numbers = [int(first["number"]) for _, first in firsts]
    if len(firsts) < _FEWEST or not _count_on(numbers):
        return numbered
    letters = [_answer_of(first) for _, first in firsts]
    others = sum(_NUMBERED.match(flat(text)) is not None for _, text in numbered)
    if are_in_turn(letters) or len(firsts) < _SHARE * (len(firsts) + others):
        return numbered
    indices = [position for position, _ in firsts]
    with_options = sum(
        _OPTIONS.search(" ".join(flat(text) for _, text in numbered[start:end])) is not None
        for start, end in zip(indices, [*indices[1:], len(numbered)], strict=True)
    )
    if with_options * 2 < len(firsts) and not _are_verdicts(letters):
        return numbered
    done: list[Numbered] = []
    starts = {position: first for position, first in firsts}
    answer = ""
    for position, (index, text) in enumerate(numbered):
        if position in starts:
            _say_answer(done, answer)
            first = starts[position]
            answer = _answer_of(first)
            text = text[first.start("number") :]
        done.append((index, text))
    _say_answer(done, answer)
    return done


def _answer_of(first: re.Match[str]) -> str:
    return _JOINT.sub("", first["inside"] or first["blank"] or first["bare"])


def _are_verdicts(answers: Sequence[str]) -> bool:
    """Return whether answers are true or false, some this and some that."""
    return {verdict_of(answer, VERDICTS | CODES) for answer in answers} == {TRUE, FALSE}


def _count_on(numbers: Sequence[int]) -> bool:
    """Return whether numbers increase from 1, or restart at 1, as those of a paper's parts do."""
    if numbers[0] != 1:
        return False
    return numbers.count(1) * _FEWEST <= len(numbers) and all(after in (before + 1, 1) for before, after in pairwise(numbers))


def _say_answer(lines: list[Numbered], answer: str) -> None:
    """Add the answer of the last question to its lines, above the headings, remarks and blank lines at their end."""
    end = len(lines)
    while end and (not (line := flat(lines[end - 1][1]).strip()) or heads(line) or _NOTE.match(line)):
        end -= 1
    if answer and end:
        lines.insert(end, (lines[end - 1][0], f"答案：{answer}"))
