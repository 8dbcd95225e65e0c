"""Ticks that mark the correct ones among a question's options -> a line with the answer. Numbered lines in, numbered lines out."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from atomexam.text.option_letters import LETTERS, are_in_turn
from crawlers.papers.passes.boxes import TICK
from crawlers.papers.signs.answer_marks import Numbered, columns_of, flat, parts_of
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of
from crawlers.papers.signs.options import find_options

_SIGN = r"[★☆✦⭐]|(?<!\*)\*(?!\*)"
_OPTION = re.compile(rf"(?:(?P<star>(?:(?<=\s)|^)(?:{_SIGN})\s?)[(\[]?|(?:(?<=\s)|^)[(\[]?|(?<=[★☆✦⭐]))(?P<letter>[A-Ja-j])\s?[.、:)\]]")
_OPENS = re.compile(rf"\s{{0,12}}(?:(?:{_SIGN})\s?)?[(\[]?[A-Ja-j]\s?[.、:)\]]")
_TICK = re.compile(rf"\s{{0,6}}(?:\(\s?(?:正确答案|正确选项|答案|√)\s?\)|√|{_SIGN})\s{{0,40}}$")
_MAY_TICK = re.compile(r"[★☆✦⭐*√]|正确|答案")
TICKED = (*"★☆✦⭐*√", re.compile(r"\(\s?(?:正确|答案)"))
_STATED = re.compile(r"\(\s?(?:正确答案|正确选项)\s?\)")
_ANSWER_BEHIND = re.compile(r"\S\s?\(\s?(?:正确答案|正确选项)\s?\)(?!\s?[A-J]{1,6}(?:\s|$))")
_FULL, _FEWEST, _SHORT, _HEAD, _TAIL = 0.6, 2, 4, 12, 60
_FILLED = re.compile(r"[(\[]\s{0,6}([A-J]{1,8})\s{0,6}[)\]]")
_MOST = 10  # lines of options
_BARE_LETTER = re.compile(r"\s{0,9}(?P<letter>[A-J])\s")
_SEVERAL, _ONE = re.compile(r"多选|多项选择|不定项选"), re.compile(r"单选|单项选择|最佳选择")
"""Wordings for several possible correct options, and for only one."""
_LEAST_LABELLED = 3
"""Questions with ticks on some options, from which number on ticks may be on all options if several may be correct."""


class _Row(Struct):
    """A line of options."""

    index: int
    text: str
    letters: str
    ticked: str


def label_ticks(lines: Sequence[Numbered]) -> Iterator[Numbered]:
    """Return the lines with ticks removed from options and their letters as the answer below."""
    position = partly = 0
    several = False
    lines = _with_signs(lines)
    full = _Full(lines)
    while position < len(lines):
        if behind := _behind(lines, position, full):
            yield from behind
            position += 1
            continue
        run = _run(lines, position)
        if not run:
            if "选" in lines[position][1] and (_SEVERAL.search(lines[position][1]) or _ONE.search(lines[position][1])):
                several = _SEVERAL.search(lines[position][1]) is not None
            yield lines[position]
            position += 1
            continue
        letters, answer = "".join(row.letters for row in run), "".join(sorted("".join(row.ticked for row in run)))
        partly += 0 < len(answer) < len(letters)
        if (
            len(letters) < 2
            or not answer
            or not _is_right(lines, position, run, letters, answer, full, several and partly >= _LEAST_LABELLED)
        ):
            yield from lines[position : position + len(run)]
        else:
            yield from ((row.index, row.text) for row in run)
            yield run[-1].index, f"答案：{answer}"
            boxed = any(TICK in text for _, text in lines[position : position + len(run)])
            if boxed and (filled := _filled(lines[position - 1][1] if position else "", letters)) not in ("", answer):
                yield run[-1].index, f"答案：{filled}"
        position += len(run)


def _with_signs(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return the lines with a dot behind letters that have only blanks, `A  甲`, `B  乙 ✔`, if they are options of which one is ticked."""
    letters = [
        match["letter"] if text[:_HEAD].strip()[:1] and (match := _BARE_LETTER.match(flat(text[:_HEAD]))) else "" for _, text in lines
    ]
    done = list(lines)
    at = 0
    while at < len(lines):
        end = at + 1
        if letters[at] == "A":
            while end < len(lines) and letters[end] and letters[end] == LETTERS[(end - at) % len(LETTERS)]:
                end += 1
            if end - at > _FEWEST and any(_TICK.search(flat(text[-_TAIL:])) for _, text in lines[at:end]):
                done[at:end] = [
                    (index, text.replace(letter, f"{letter}.", 1))
                    for (index, text), letter in zip(lines[at:end], letters[at:end], strict=True)
                ]
        at = end
    return done


class _Full:
    """Columns of a full line of a paper; computed on first use, which most papers do not need."""

    def __init__(self, lines: Sequence[Numbered]) -> None:
        self._lines = lines

    @cached_property
    def columns(self) -> float:
        widths = sorted(columns_of(flat(text)) for _, text in self._lines if text)
        return widths[len(widths) * 9 // 10] * _FULL if widths else 0


def _is_right(lines: Sequence[Numbered], index: int, run: Sequence[_Row], letters: str, answer: str, full: _Full, may_be_all: bool) -> bool:
    """Return whether the ticks of a run are its answer: the run is complete, and not all of it is ticked, unless that is possible."""
    end = index + len(run)
    if _breaks(lines, end, letters) or _is_cut(lines, end, full):
        return False
    return may_be_all or len(answer) < len(letters) or any(TICK in text for _, text in lines[index:end])


def _run(lines: Sequence[Numbered], start: int) -> list[_Row]:
    """Return the lines from a start on that are options A, B, …, one or several on each."""
    run: list[_Row] = []
    letters = ""
    for at in range(start, min(start + _MOST, len(lines))):
        index, text = lines[at]
        line = flat(text)
        if not _OPENS.match(line):
            if not run or not _goes_on(lines, at, letters):
                break
            run.append(_Row(index, text, "", ""))
            continue
        row = _row(index, text, line)
        if set(letters) & set(row.letters):
            break
        letters += row.letters
        run.append(row)
    while run and (not run[-1].letters or not _is_whole("".join(row.letters for row in run))):
        run.pop()
    return run


def _breaks(lines: Sequence[Numbered], index: int, letters: str) -> bool:
    """Return whether the next option is within a line after a run, whose last option a line break split: a tick is then not reliable."""
    line = flat(lines[index][1]) if index < len(lines) else ""
    option = _OPTION.search(line)
    return option is not None and bool(letters) and not _OPENS.match(line) and ord(option["letter"].upper()) == ord(max(letters)) + 1


def _is_cut(lines: Sequence[Numbered], index: int, full: _Full) -> bool:
    """Return whether the last option above a place continues there: its line is full, or the line below, though plain, has a tick."""
    line = flat(lines[index][1]).strip() if index < len(lines) else ""
    number = number_of(line)
    if not line or (number and number.style != "tight") or letter_of(line) or heads(line):
        return False
    (kind, words), *_ = parts_of(line) or (("text", ""),)
    if kind != "text" or not words:
        return bool(_STATED.match(line))
    return bool(_STATED.search(line)) or len(line) <= _SHORT or columns_of(flat(lines[index - 1][1])) >= full.columns


def _behind(lines: Sequence[Numbered], position: int, full: _Full) -> list[Numbered]:
    """Return a line with a stem and all its options, one of them marked as correct, without the mark, and its answer below it."""
    index, text = lines[position]
    line = flat(text)
    if "正确" not in line or not _STATED.search(line) or _OPENS.match(line) or _is_cut(lines, position + 1, full):
        return []
    run = find_options(text)
    if run is None or not run.sure or len(run.cuts) < _FEWEST or run.cuts != sorted(run.cuts) or not run.cuts[0][0]:
        return []
    cuts = sorted(run.cuts)
    words = text[: cuts[0][0]]
    answer = ""
    for letter, (start, stop) in zip(LETTERS, cuts, strict=False):
        tick = _TICK.search(line, max(start, stop - 60), stop)
        answer += letter if tick else ""
        words += text[start : tick.start()] + "  " if tick else text[start:stop]
    return (
        [(index, words.rstrip()), (index, f"答案：{answer}")]
        if answer and len(answer) < len(cuts) and not _STATED.search(flat(words))
        else []
    )


def is_unread(text: str) -> bool:
    """Return whether a flat text without its line breaks still marks an option as correct."""
    return ("正确答案" in text or "正确选项" in text) and _ANSWER_BEHIND.search(text) is not None


def _filled(stem: str, letters: str) -> str:
    """Return the letters already in the blank of a stem, so that they are considered besides the ticks."""
    blanks = _FILLED.findall(flat(stem))
    return blanks[-1] if blanks and set(blanks[-1]) <= set(letters) else ""


def _is_whole(letters: str) -> bool:
    """Return whether letters are A, B, … without a gap, in columns or in rows."""
    return are_in_turn(sorted(letters))


def _goes_on(lines: Sequence[Numbered], at: int, letters: str) -> bool:
    """Return whether a line continues an option: the next letter begins the line below."""
    below = flat(lines[at + 1][1]) if at + 1 < len(lines) else ""
    option = _OPTION.search(below) if _OPENS.match(below) and lines[at][1].strip() else None
    return option is not None and _is_whole(letters + option["letter"].upper())


class _OptionStart(NamedTuple):
    """Where an option of a line begins, and where its text begins after a star."""

    start: int
    words: int
    letter: str


def _options_of(text: str, line: str) -> list[_OptionStart]:
    """Return the options of a line, including those run together if one of them is marked as correct: `A.甲B.乙（正确答案）C.丙`."""
    options = [
        _OptionStart(one.start(), one.end("star") if one["star"] else one.start(), one["letter"].upper()) for one in _OPTION.finditer(line)
    ]
    run = find_options(text) if "正确" in line and _STATED.search(line) else None
    if run is None or not run.sure or len(run.cuts) <= len(options) or any(one.words > one.start for one in options):
        return options
    return [_OptionStart(start, start, letter_of(text[start:])) for start, _ in sorted(run.cuts)]


def _row(index: int, text: str, line: str) -> _Row:
    """Return the options of a line, and which of them have a tick or star before or after them."""
    options = _options_of(text, line)
    if not _MAY_TICK.search(line):
        return _Row(index, text, "".join(option.letter for option in options), "")
    row = _Row(index, "", "", "")
    bare, position = "", 0
    for option, later in zip(options, [*options[1:], None], strict=False):
        stop = later.start if later else len(line)
        tick = _TICK.search(line, max(option.words, stop - 60), stop)
        row.letters += option.letter
        row.ticked += option.letter if option.words > option.start or tick else ""
        bare += text[position : option.start] + text[option.words : tick.start() if tick else stop]
        bare += "  " if tick and later else ""
        position = stop
    row.text = bare + text[position:]
    return row
