"""Options with other signs than letters, `1) 甲`, `甲、…`, `Ⅰ …`, if the answers are such signs, too -> options with letters.

Numbered lines in and out.
"""

import re
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.answer_marks import Numbered, flat, marks_in, parts_of, trimmed

_STEMS, _ROMAN, _DIGITS = "甲乙丙丁戊己庚辛壬癸", "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ", [str(number) for number in range(1, 11)]
_FAMILIES: tuple[tuple[re.Pattern[str], Sequence[str]], ...] = (
    (re.compile(r"^\s*(?:[(（]\s?(?P<in>\d{1,2})\s?[)）]|(?P<sign>\d{1,2})\s?[)）])\s{0,4}[、.．]?\s{0,4}(?=\S)"), _DIGITS),
    (re.compile(r"^[ \t\u3000]{2,}(?:-\s)?(?P<sign>\d{1,2})\s?[.．、]\s{0,4}(?=\S)"), _DIGITS),
    (re.compile(rf"^\s*[(（]?\s?(?P<sign>[{_STEMS}])\s?[)）、.．:：]\s{{0,4}}(?=\S)"), _STEMS),
    (re.compile(rf"^\s*[(（]?\s?(?P<sign>[{_ROMAN}])\s?[)）、.．:：\s]\s{{0,4}}(?=\S)"), _ROMAN),
)
"""How an option begins with each kind of sign, and the signs in order; digits with a point only if the line is indented."""
_MAY_OPEN = re.compile(rf"\s*(?:-\s|[(（]\s?)?[\d{_STEMS}{_ROMAN}]")
_PARTS = re.compile(r"[\s,，、;；/()（）]+")
ASKS_A_NUMBER = re.compile(r"几|多少|个数|次序|顺序|排序|排列")
"""Questions whose answer is itself a number, or an order."""
_FEWEST_OPTIONS, _FEWEST = 3, 3
_AHEAD = 5


def counts_as_letters(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with options 1)甲 2)乙 as A.甲 B.乙, and their answers as letters, if all answers below such options fit them."""
    texts = [text for _, text in lines if _MAY_OPEN.match(text)]
    for opens, signs in _FAMILIES:
        if sum(opens.match(text) is not None for text in texts) >= _FEWEST * _FEWEST_OPTIONS and (done := _lettered(lines, opens, signs)):
            return done
    return list(lines)


def _lettered(lines: Sequence[Numbered], opens: re.Pattern[str], signs: Sequence[str]) -> list[Numbered] | None:
    """Return the lines with one kind of signs as letters; None if an answer does not fit the signs above it."""
    done, blocks, counted, index = list(lines), 0, 0, 0
    while index < len(lines):
        stop = _run_stop(lines, index, opens, signs)
        if stop == index:
            index += 1
            continue
        below = next((at for at in range(stop, min(stop + _AHEAD, len(lines))) if trimmed(lines[at][1])), len(lines))
        words = [opens.sub("", text, count=1) for _, text in lines[index:stop]]
        letters = _letters_of_answer(trimmed(lines[below][1]), signs[: stop - index], words) if below < len(lines) else ""
        if not letters:
            return None  # these signs are not options here, or not all of them
        for at, letter in zip(range(index, stop), LETTERS, strict=False):
            done[at] = (lines[at][0], f"{letter}. {opens.sub('', lines[at][1], count=1)}")
        done[below] = (lines[below][0], f"答案：{letters} {_behind_answer(trimmed(lines[below][1]))}".rstrip())
        stem = next((text for _, text in reversed(lines[:index]) if trimmed(text)), "")
        blocks, counted, index = blocks + 1, counted + (ASKS_A_NUMBER.search(stem) is not None), below
    return done if blocks >= _FEWEST and counted * 2 <= blocks else None


def _run_stop(lines: Sequence[Numbered], index: int, opens: re.Pattern[str], signs: Sequence[str]) -> int:
    """Return where options that begin at a place end; the place itself if there are none."""
    at = index
    while at < len(lines) and at - index < len(signs) and (mark := opens.match(lines[at][1])):
        if (mark["sign"] or mark.groupdict().get("in")) != signs[at - index]:
            break
        at += 1
    return at if at - index >= _FEWEST_OPTIONS else index


def _letters_of_answer(line: str, signs: Sequence[str], words: Sequence[str]) -> str:
    """Return as letters the signs, letters or words of options that a line states as the answer; nothing if no option has them."""
    parts = parts_of(line)
    if not parts or [kind for kind, _ in parts if kind != "explanation"] != ["answer"] or parts[0][0] != "answer":
        return ""
    stated = parts[0][1].strip().strip("()（）。. ")
    same = [index for index, each in enumerate(words) if _bare(each) == _bare(stated)]
    if len(same) == 1 and stated not in signs:
        return LETTERS[same[0]]
    pieces = [piece for piece in _PARTS.split(stated) if piece]
    if pieces and set("".join(pieces)) <= set(LETTERS[: len(signs)]):
        return "".join(sorted(set("".join(pieces))))
    if len(pieces) == 1 and pieces[0] not in signs:
        pieces = list(pieces[0])
    if not pieces or any(piece not in signs for piece in pieces) or len(set(pieces)) < len(pieces):
        return ""
    return "".join(sorted(LETTERS[signs.index(piece)] for piece in pieces))


def _behind_answer(line: str) -> str:
    """Return the explanation on the line of an answer, with its mark."""
    return next((line[start:] for kind, _, start in marks_in(line) if kind == "explanation"), "")


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", flat(text)).rstrip("。.;；")
