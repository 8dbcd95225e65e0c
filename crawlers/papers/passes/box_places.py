"""Boxes at any place of an option, `A. 甲 ☐  B. 乙 ☑`, `A. ☑ 甲`, `☐甲 ☑乙` -> before its letter; a card, `[A] [■] [C]` -> its answer.

Numbered lines in and out.

Where the boxes of a paper are is known from all of it: a box between two options belongs to the one above it if rows end with a box and
none begins with one.
"""

import re
from collections.abc import Iterator, Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.answer_cards import letters_of_card
from crawlers.papers.signs.answer_marks import Numbered
from crawlers.papers.signs.box_signs import EMPTY, TICKED

_BOX = f"[{TICKED}{EMPTY}]"
_LETTER = r"[(（\[【]?(?P<letter>[A-JＡ-Ｊ])\s?[.、:)\]．：）】]"
_LETTERED = re.compile(rf"(?:^|(?<=[\s{TICKED}{EMPTY}]))(?:{_BOX}\s{{0,3}})?{_LETTER}")
_INNER = re.compile(rf"(?P<head>{_LETTER})\s{{0,3}}(?P<box>{_BOX})\s{{0,3}}(?=\S)")
_BEHIND = re.compile(rf"\s{{0,9}}(?P<box>{_BOX})(?=\s{{0,20}}(?:$|{_LETTER}))")
_ENDS, _BEGINS = re.compile(rf"{_BOX}\s{{0,9}}$"), re.compile(rf"\s{{0,20}}{_BOX}\s{{0,3}}{_LETTER}")
_ROW_OF_WORDS = re.compile(rf"\s{{0,20}}(?:{_BOX}\s{{0,3}}[^{TICKED}{EMPTY}]{{1,200}}){{2,10}}$")
_PIECE = re.compile(rf"(?P<box>{_BOX})\s{{0,3}}(?P<words>[^{TICKED}{EMPTY}]{{1,200}})")
_BARE_OPTION = re.compile(rf"\s{{0,20}}{_BOX}\s{{0,3}}(?!{_LETTER}|[A-J]\s|(?:正确|错误|[对错是否])\s{{0,9}}$)[^\s{TICKED}{EMPTY}]")
_NUMBER = re.compile(r"\s{0,9}(?:第\s?)?\d{1,4}\s?[题.、．:：)）]?\s{0,9}")


def boxes_placed(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with each box before the letter or the line of its option, and cards of letters as answers."""
    if not any(box in text for _, text in lines for box in TICKED + EMPTY):
        return list(lines)
    lines = [(index, _card(text)) for index, text in lines]
    texts = [text for _, text in lines if _LETTERED.match(text.lstrip())]
    inner = sum(_INNER.match(text.lstrip()) is not None for text in texts)
    behind = sum(_ENDS.search(text) is not None for text in texts) > 0 == sum(_BEGINS.match(text) is not None for text in texts)
    if behind and not inner:
        return [(index, _moved(text)) for index, text in lines]
    if inner * 2 > len(texts):
        return [(index, _INNER.sub(r"\g<box> \g<head>", text)) for index, text in lines]
    return _lettered([(index, piece) for index, text in lines for piece in _split(text)])


def _lettered(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with letters for options that have only boxes, if some of each of several groups are ticked and others not.

    All of a group may be ticked, if it has as many as another one.
    """
    done, runs, run, whole = list(lines), list[list[int]](), list[int](), list[list[int]]()
    for at, (_, text) in enumerate([*lines, (0, "")]):
        if _BARE_OPTION.match(text):
            run.append(at)
            continue
        ticked = sum(lines[each][1].lstrip()[:1] in TICKED for each in run)
        if 0 < ticked < len(run) <= len(LETTERS):
            runs.append(run)
        elif ticked and len(run) > 1:
            whole.append(run)
        run = []
    usual = set(map(len, runs))
    for group in [*runs, *(run for run in whole if len(run) in usual)] if len(runs) > 1 else ():  # a single list has statements
        for letter, each in zip(LETTERS, group, strict=False):
            words = lines[each][1].lstrip()
            done[each] = (lines[each][0], f"{words[0]} {letter}. {words[1:].lstrip()}")
    return done


def _card(text: str) -> str:
    """Return a card of letters as the answer that it shows, behind its number."""
    if not any(box in text for box in TICKED + EMPTY):
        return text
    number = _NUMBER.match(text)
    head = number[0] if number else ""
    letters = letters_of_card(text[len(head) :])
    return text if not letters else f"{head}{letters}" if head.strip() else f"答案：{letters}"


def _moved(text: str) -> str:
    """Return a row of options with a tick behind those whose box is ticked, and no empty boxes."""
    if not _LETTERED.match(text.lstrip()):
        return text
    return _BEHIND.sub(lambda match: " √ " if match["box"] in TICKED else " ", text).rstrip()


def _split(text: str) -> Iterator[str]:
    """Yield the options of a row without letters, each with its box."""
    if _ROW_OF_WORDS.match(text) and not _LETTERED.search(text):
        yield from (f"{piece['box']} {piece['words'].strip()}" for piece in _PIECE.finditer(text))
    else:
        yield text
