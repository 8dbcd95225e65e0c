"""Noise of recognition by degrees: confused characters, lost punctuation, blanks, width; and the law for texts with noise.

A character may be confused inside a stem, so texts need not be equal: what must hold is the structure, how many questions there are,
with how many options and which key.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import product
from operator import ne
from random import Random

from tests.layouts.gold import Gold
from tests.layouts.law import Outcome, Read, plain

DEGREES = (0.002, 0.01, 0.03)
"""Share of the characters that are touched."""
_CONFUSED = {
    **{
        "0": "O",
        "O": "0",
        "1": "l",
        "l": "1",
        "B": "8",
        "8": "B",
        "D": "0",
        "C": "G",
        "E": "F",
        "。": "．",
        "、": ".",
        "．": ".",
        "：": ":",
    },
    **{"日": "曰", "己": "已", "未": "末", "士": "土", "人": "入", "炎": "灸", "血": "皿", "病": "痫", "（": "(", "）": ")", "是": "昰"},
}
_MARKS = "，。、．.：:；（）()"
_LEAST_ALIKE = 0.6


def with_noise(lines: Sequence[str], degree: float, rng: Random) -> list[str]:
    """Return lines as a recognition with faults gives them."""
    return ["".join(_touched(sign, rng) if rng.random() < degree else sign for sign in line) for line in lines]


def _touched(sign: str, rng: Random) -> str:
    kind = rng.randrange(4)
    if kind == 0 and sign in _CONFUSED:
        return _CONFUSED[sign]
    if kind == 1 and sign in _MARKS:
        return ""
    if kind == 2 and "!" <= sign <= "~":
        return chr(ord(sign) + 0xFEE0)
    return sign + " "


def judged_by_structure(golds: Sequence[Gold], found: Sequence[Read], unread: Sequence[str]) -> list[Outcome]:
    """Return what became of each question of a text with noise, and of each that was read and never written."""
    kept = [one.question for one in found if one.question]
    lost = plain("".join([*unread, *(_raw(one) for one in found if not one.question)]))
    both = product(enumerate(golds), enumerate(kept))
    pairs = sorted(((_alike(plain(gold.stem), plain(got.stem)), at, place) for (at, gold), (place, got) in both), reverse=True)
    mates: dict[int, int] = {}
    for alike, at, place in pairs:
        if alike >= _LEAST_ALIKE and at not in mates and place not in mates.values():
            mates[at] = place
    outcomes = []
    for at, gold in enumerate(golds):
        if at in mates:
            question = kept[mates[at]]
            options = [option.text for option in question.options] if question.question_type != "tf" else []
            answer = {"A": "正确", "B": "错误"}.get(question.answer or "", "") if question.question_type == "tf" else question.answer or ""
            outcomes.append(_of(gold, options, answer))
        else:
            outcomes.append(Outcome("doubted") if _is_in(plain(gold.mark), lost) else Outcome("silent", "missing", gold.stem))
    strangers = [question for place, question in enumerate(kept) if place not in mates.values()]
    return outcomes + [Outcome("silent", "invented", question.stem) for question in strangers]


def _is_in(mark: str, lost: str) -> bool:
    """Tell whether the mark of a question, or it with one character confused, stands among what was given up: the rest of a stem may be
    another's."""
    windows = (lost[at : at + len(mark)] for at in range(len(lost) - len(mark) + 1))
    return any(sum(map(ne, mark, window)) <= 1 for window in windows)


def _of(gold: Gold, options: Sequence[str], answer: str) -> Outcome:
    if len(options) != len(gold.options):
        return Outcome("silent", "options", f"{options}, written {gold.options}")
    if any(_alike(plain(got), plain(written)) < _LEAST_ALIKE for got, written in zip(options, gold.options, strict=True)):
        return Outcome("silent", "options", f"{options}, written {gold.options}")
    if gold.options or gold.kind == "verdict":
        return Outcome("equal") if plain(answer) == plain(gold.answer) else Outcome("silent", "answer", f"{answer}, written {gold.answer}")
    return Outcome("equal") if _alike(plain(answer), plain(gold.answer)) >= _LEAST_ALIKE else Outcome("silent", "answer", answer)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _raw(one: Read) -> str:
    item = one.item
    options = [*(item.options_raw or []), *(item.shared_options_raw or [])]
    return "".join(filter(None, [item.stem_raw, *options, item.answer_raw, item.explanation_raw, item.case_raw]))
