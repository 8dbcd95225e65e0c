"""Options with numbers, `1) 甲`, `（2）乙`, where the answers are such numbers, too -> options with letters. Numbered lines in and out."""

import re
from collections.abc import Sequence

from atomexam.text.option_letters import LETTERS
from crawlers.papers.passes.rings import Numbered
from crawlers.papers.signs.answer_marks import flat, parts_of, seen

_OPTION = re.compile(r"(?:\(\s?(?P<inside>\d{1,2})\s?\)|(?P<before>\d{1,2})\s?\))\s{0,4}[、.]?\s{0,4}(?=\S)")
_TOLD = re.compile(r"\(?\d{1,2}(?:[\s,、;/]{1,3}\d{1,2}){0,9}\)?[.。]?|[1-9]{2,9}")
_COUNTS = re.compile(r"几|多少|个数|次序|顺序|排序|排列")
"""Questions whose answer is a number of its own, or an order."""
_FEWEST_OPTIONS, _MOST_OPTIONS, _FEWEST = 3, 10, 3
_AHEAD = 4


def counts_as_letters(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with options 1)甲 2)乙 as A.甲 B.乙, and their answers as letters, where all answers below such options fit them."""
    if not any(_OPTION.match(flat(text.strip())) for _, text in lines):
        return list(lines)
    given = [flat(seen(text)) for _, text in lines]
    done, blocks, counted, place = list(lines), 0, 0, 0
    while place < len(lines):
        stop = _run_stop(given, place)
        if stop == place:
            place += 1
            continue
        below = next((at for at in range(stop, min(stop + _AHEAD, len(lines))) if given[at]), len(lines))
        told = _told(given[below], stop - place) if below < len(lines) else ""
        asked = next((given[at] for at in range(place - 1, -1, -1) if given[at]), "")
        if not told:
            return list(lines)  # numbered lines are no options here, or not all of them
        for at, letter in zip(range(place, stop), LETTERS, strict=False):
            text = seen(lines[at][1])
            match = _OPTION.match(flat(text))
            done[at] = (lines[at][0], f"{letter}. {text[match.end() :] if match else text}")
        done[below] = (lines[below][0], f"答案：{told}")
        blocks += 1
        counted += _COUNTS.search(asked) is not None
        place = below
    return done if blocks >= _FEWEST and counted * 2 <= blocks else list(lines)


def _run_stop(given: Sequence[str], place: int) -> int:
    """Return where options that begin at a place end; the place itself where none do."""
    at = place
    while at < len(given) and at - place < _MOST_OPTIONS and (found := _OPTION.match(given[at])):
        if int(found["inside"] or found["before"]) != at - place + 1:
            break
        at += 1
    return at if at - place >= _FEWEST_OPTIONS else place


def _told(line: str, count: int) -> str:
    """Return as letters the numbers that a line says are the answer; nothing where it says none, or one that is no option."""
    parts = parts_of(line)
    if len(parts) != 1 or parts[0][0] != "answer" or not _TOLD.fullmatch(parts[0][1].strip()):
        return ""
    said = parts[0][1].strip()
    numbers = [int(number) for number in (re.findall(r"\d+", said) if re.search(r"\D", said) or len(said) == 1 else said)]
    if len(numbers) == 1 and len(said) == 2 and numbers[0] > count:
        numbers = [int(digit) for digit in said]
    fits = all(1 <= number <= count for number in numbers) and len(set(numbers)) == len(numbers)
    return "".join(sorted(LETTERS[number - 1] for number in numbers)) if fits else ""
