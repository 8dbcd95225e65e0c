"""Options with circled numbers for letters, if the answers are such numbers, too -> options with letters. Numbered lines in and out."""

import re
from collections.abc import Sequence

from atomexam.text.numerals import CIRCLED_NUMBERS
from atomexam.text.option_letters import CIRCLED_AS_LETTERS
from crawlers.papers.signs.answer_marks import Numbered, parts_of, plain, trimmed
from crawlers.papers.signs.entries import listed_in
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_RING = re.compile(f"[{CIRCLED_NUMBERS}]")
_BLANK = re.compile(
    rf"[(\[【]\s{{0,6}}[{CIRCLED_NUMBERS[:10]}](?:[\s,、]{{0,2}}[{CIRCLED_NUMBERS[:10]}]){{0,9}}\s{{0,6}}[)\]】](?=\s{{0,3}}[。.?:]?\s{{0,3}}$)"
)
_FEWEST, _SHARE = 3, 0.8
_RINGS = re.compile(rf"[(\[]?[{CIRCLED_NUMBERS}](?:[\s,、]{{0,2}}[{CIRCLED_NUMBERS}]){{0,9}}[)\]]?(?:[\s。.]?$|[。.;,:](?=\s?\w))")


def rings_as_letters(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines with options ①甲 ②乙 as A.甲 B.乙, and their answers as letters."""
    if not any("①" in text for _, text in lines):
        return list(lines)
    flats = [plain(text) for _, text in lines]
    key = [index for index, line in enumerate(flats) if _is_key(line)]
    own = sum(bool(number and number.style != "ringed") for number in map(number_of, flats))
    done = list(lines)
    filled = _filled_stems(flats) if own > 1 else {}
    index = 0
    while index < len(lines):
        stop = _run_stop(flats, index)
        if stop == index:
            index += 1
            continue
        below = next((at for at in range(stop, len(lines)) if flats[at]), len(lines))
        answer = _rings_of_answer(flats[below]) if below < len(lines) else None
        if blank := filled.get(index - 1):
            stem = trimmed(lines[index - 1][1])
            words = stem[blank.start() : blank.end()].translate(CIRCLED_AS_LETTERS)
            done[index - 1] = (lines[index - 1][0], f"{stem[: blank.start()]}{words}{stem[blank.end() :]}")
        if own > 1 and (answer or blank or (key and (below == len(lines) or not letter_of(flats[below])))):
            for at in range(index, stop):
                done[at] = (
                    lines[at][0],
                    _RING.sub(lambda ring: f"  {ring[0].translate(CIRCLED_AS_LETTERS)}.", trimmed(lines[at][1])).strip(),
                )
            if answer:
                said = _RINGS.match(answer)
                end = said.end() if said else 0
                done[below] = (lines[below][0], f"答案：{answer[:end].translate(CIRCLED_AS_LETTERS)}{answer[end:]}")
        index = stop
    for index in key if done != list(lines) else ():
        done[index] = (done[index][0], done[index][1].translate(CIRCLED_AS_LETTERS))
    return done


def _filled_stems(flats: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the blanks at the end of stems that have circled numbers in them, by their lines, if those of nearly all options do."""
    runs, at = [], 0
    while at < len(flats):
        stop = _run_stop(flats, at)
        runs += [at - 1] if stop > at and at else []
        at = max(stop, at + 1)
    filled = {at: blank for at in runs if (blank := _BLANK.search(flats[at]))}
    return filled if len(filled) >= max(_FEWEST, _SHARE * len(runs)) else {}


def _run_stop(flats: Sequence[str], start: int) -> int:
    """Return where options that begin at a line end; that line itself if there are none."""
    count, at = 0, start
    while at < min(start + 10, len(flats)) and flats[at][:1] in CIRCLED_NUMBERS and flats[at]:
        rings = [CIRCLED_NUMBERS.index(ring) for ring in _RING.findall(flats[at])]
        if rings != list(range(count, count + len(rings))):
            break
        count += len(rings)
        at += 1
    return at if count > 1 else start


def _rings_of_answer(line: str) -> str | None:
    """Return the circled numbers that a line states as the answer, with what explains them."""
    parts = parts_of(line)
    return parts[0][1] if len(parts) == 1 and parts[0][0] == "answer" and _RINGS.match(parts[0][1]) else None


def _is_key(line: str) -> bool:
    """Return whether a line is an answer list of circled numbers."""
    words = next((words for kind, words in parts_of(line) if kind == "answer"), line)
    entries = listed_in(words).entries if _RING.search(words) else []
    return len(entries) > 1 and all(entry.answer and set(entry.answer) <= set(CIRCLED_NUMBERS) for entry in entries)
