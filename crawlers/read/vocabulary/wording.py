"""How questions are worded: they leave a blank, have a question word, begin with an instruction, or break off."""

import re

from atomexam.text.verdicts import VERDICT
from crawlers.read.vocabulary.answer_marks import LETTERS

BLANK = re.compile(r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]$|[?]\s?[(\[]")
_ASKS = re.compile(r"简述|试述|论述|什么是|为什么|如何|怎样|哪些|哪[种项个一]|举例|名词|说明|分析|比较|[?:]\s?$")
_WORDED = re.compile(
    r"[(\[【]\s{0,12}[)\]】]|_{2,}|[?]\s{0,4}$|[?]\s?[(\[]|简述|试述|论述|什么是|是什么|为什么|如何|怎样|哪些|哪[种项个一]|几[种项个条类]|多少|何者|举例|名词解释"
    r"|^[\d\s().、:【】第题]{0,9}[请要]?(?:[试谈]|论[^文]|评|概述|阐|列举|辨|解释|定义|计算|求|证明|译|写出|画|填|说明|分析|比较)"
    r"|(?:是|为|有|在|于|应|宜|见|的|包括|属于|不包括|称为|叫做?|首选|除外|正确|错误)\s?[:]?\s{0,4}$"
)
"""How a question is worded: it leaves a blank, has a question word, begins with an instruction, or breaks off."""
FILLED = re.compile(rf"[(\[【√×](?:(?<![√×])\s{{0,6}}(?:{LETTERS}|{VERDICT})\s{{0,6}}[)\]】]|(?<=[√×])$)")


def asks(line: str) -> bool:
    """Return whether a flat line leaves a blank, empty or filled."""
    return bool(BLANK.search(line))


def inquires(line: str) -> bool:
    """Return whether a flat line is worded as a question."""
    return bool(BLANK.search(line) or _ASKS.search(line) or FILLED.search(line))


def is_worded_as_question(line: str) -> bool:
    """Return whether a flat line is worded as a test question: stricter than `inquires`, which accepts a colon at the end."""
    return bool(_WORDED.search(line) or FILLED.search(line))
