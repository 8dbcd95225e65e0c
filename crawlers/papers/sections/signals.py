"""Evidence that a line belongs to a question: it begins options, leaves a blank, asks, or states the answer."""

import re
from collections.abc import Sequence

from atomexam.text.verdicts import VERDICT
from crawlers.papers.pages.page import Line
from crawlers.papers.signs.answer_marks import LETTERS, has_part
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.line_kinds import LISTS, kinds_of
from crawlers.papers.signs.numbers import number_of

_FIRST_LETTER = re.compile("[AaⒶⓐ⒜]")
_OPENING = re.compile(r"[(\[【]?\s?(?:A|a)\s{0,2}[)\]】.、:,]|[Ⓐⓐ⒜]")
_OPENING_BARE = re.compile(r"A(?:\s|(?=[“《\u4e00-\u9fff]))")
_SECOND = re.compile(r"(?:^|(?<=[\s。;?!):\u4e00-\u9fff]))[(\[【]?\s?[Bb]\s{0,2}[)\]】.、:,]|[Ⓑⓑ⒝]")
_SECOND_BARE = re.compile(r"(?:^|(?<=\s\s))B(?:\s|(?=[“《\u4e00-\u9fff]))")
_INLINE = re.compile(
    r"(?<=[\s。;?!):\u4e00-\u9fff_])[(\[【]?\s?A\s{0,2}[)\]】.、:,]\s{0,4}[^\n]{1,120}?(?<=[\s。;?!):\u4e00-\u9fff\d])[(\[【]?\s?B\s{0,2}[)\]】.、:,]"
)
_THIRD = re.compile(r"C\s{0,2}[)\]】.、:,]")
_BLANK = re.compile(r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]$|[?]\s?[(\[]")
_ASKS = re.compile(r"简述|试述|论述|什么是|为什么|如何|怎样|哪些|哪[种项个一]|举例|名词|说明|分析|比较|[?:]\s?$")
_WORDED = re.compile(
    r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]\s{0,4}$|[?]\s?[(\[]|简述|试述|论述|什么是|是什么|为什么|如何|怎样|哪些|哪[种项个一]|几[种项个条类]|多少|何者|举例|名词解释"
    r"|^[\d\s().、:【】第题]{0,9}[请要]?(?:[试谈]|论[^文]|评|概述|阐|列举|辨|解释|定义|计算|求|证明|译|写出|画|填|说明|分析|比较)"
    r"|(?:是|为|有|在|于|应|宜|见|的|包括|属于|不包括|称为|叫做?|首选|除外|正确|错误)\s?[:]?\s{0,4}$"
)
"""How a question is worded: it leaves a blank, has a question word, begins with an instruction, or breaks off."""
_FILLED = re.compile(rf"[(\[【√×](?:(?<![√×])\s{{0,6}}(?:{LETTERS}|{VERDICT})\s{{0,6}}[)\]】]|(?<=[√×])$)")
_AHEAD = 12  # lines checked to distinguish a question from an answer


def opens_options(lines: Sequence[Line], index: int) -> bool:
    """Return whether the options of a question begin on a line."""
    line = lines[index].flat
    if not _FIRST_LETTER.search(line):
        return False
    below = lines[index + 1].flat if index + 1 < len(lines) else ""
    if _OPENING.match(line):
        return bool(_SECOND.search(line, 2) or _SECOND.match(below) or _letter_below(lines, index))
    if _OPENING_BARE.match(line) and (_SECOND_BARE.search(line, 1) or _SECOND_BARE.match(below)):
        return True
    inline = _INLINE.search(line)
    return bool(inline and (_BLANK.search(line, 0, inline.start() + 1) or _THIRD.search(line, inline.end())))


def asks(line: str) -> bool:
    """Return whether a flat line leaves a blank, empty or filled."""
    return bool(_BLANK.search(line))


def inquires(line: str) -> bool:
    """Return whether a flat line is worded as a question."""
    return bool(_BLANK.search(line) or _ASKS.search(line) or _FILLED.search(line))


def is_worded_as_question(line: str) -> bool:
    """Return whether a flat line is worded as a test question: stricter than `inquires`, which accepts a colon at the end."""
    return bool(_WORDED.search(line) or _FILLED.search(line))


def reads_as_question(lines: Sequence[Line], index: int) -> bool:
    """Return whether a numbered line is a question: options follow it, or it leaves a blank."""
    if asks(lines[index].flat):
        return True
    for at in range(index, min(index + _AHEAD, len(lines))):
        if at > index and ((number_of(lines[at].flat) and not letter_of(lines[at].flat)) or heads(lines[at].flat)):
            return False
        if opens_options(lines, at):
            return True
    return False


def tells_answer(line: Line) -> bool:
    """Return whether a line states the answer of a question."""
    return (kinds_of(line.flat) & LISTS != 0 and has_part(line.text, "answer")) or _FILLED.search(line.flat) is not None


def _letter_below(lines: Sequence[Line], index: int) -> bool:
    """Return whether B begins one of the next lines: the first option may span several."""
    return any(_SECOND.match(line.flat) or _SECOND.search(line.flat, 1) for line in lines[index + 1 : index + 4])
