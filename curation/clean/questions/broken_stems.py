"""Stems that are cut off, or hold another question or an option."""

import re

from atomexam.text.option_letters import are_in_turn

LOST = re.compile(r"\?\?|[？?]{3}|□|■|▯|〓")
_LOST_IN_CASE = re.compile(r"\?\?|[？?]{3}")
_OPTION_AS_STEM = re.compile(r"^[（(]\s*[A-J]\s*[、.．]?\s*[）)]\s*\S")
_LEAKED_OPTIONS = re.compile(
    r"(?<![A-Za-z])A\s*[.．、:：](?![A-Z])[^A-Z]{1,40}(?<![A-Za-z])B\s*[.．、:：][^A-Z]{1,40}(?<![A-Za-z])C\s*[.．、:：]"
)
_OPEN_ENDS = tuple("，、；（(“《")  # 和 may end a stem whose blank was left out
_LEAKED_LETTERS = re.compile(r"(?<![A-Za-z])([A-J])\s?[.．、](?=\s?[\u4e00-\u9fff])")
_LEAST_LEAKED = 4
_CUT_AT_WORD = re.compile("[，。；](?:针对|由|根据|按照|对于|以及|并且)$")
_NO_QUESTION = re.compile(
    r"回答(?:下列|以下|后面)?的?(?:各题|问题)[：:。]?$|^案例[一二三四五六七八九十\d]+$|^第?[一二三四五六七八九十\d]+题?$"
)
_SECOND_TAG = re.compile(r"(?:单选|多选)题?\s*[：:\]】]")
_UNIT_IN_FRONT = re.compile(r"^[%％℃‰]")
_ITEM = re.compile(r"(?<![\dA-Za-z第])([1-9])\s*[)）.．、](?![班级年月号组次题章节个种])(?=[\u4e00-\u9fff“])")
_NEXT_QUESTIONS = re.compile(  # what a paper prints in front of the questions behind this one
    r"【\d{1,3}[-~—–]\d{1,3}】$|[一二三四五六七八九十]、[^，。、]{0,8}(?:选择|分析|判断|配伍|填空|简答)题$"
    r"|(?:[是为有]|（ ）)[。？]?案例[一二三四五六七八九十\d]{0,2}："
)
_BROKEN = (LOST, _NEXT_QUESTIONS, _OPTION_AS_STEM, _LEAKED_OPTIONS, _SECOND_TAG, _NO_QUESTION)
_ASKED_AT_END = re.compile(r"的[\u4e00-\u9fff]{2,4}是(?=(?:（ ）)?[。？：]?$)")
_LONGEST_END_CHARS = 12
_MIN_CHARS = 2  # a case of one sign is none
_SUSPECT = re.compile("[?□■▯〓A案题选？】](?:(?<=[?□■▯〓A案题选】])|(?<=？)？)")  # a class first: a search for one skips quickly
"""What any pattern of a broken stem needs, but for its first and last sign."""
_MAX_SUSPECT_CHARS = 6


def is_broken(stem: str, case: str | None) -> bool:
    """Tell whether a stem, or the case before it, is no whole question."""
    return (
        stem.endswith(_OPEN_ENDS)
        or stem.startswith((")", "）"))
        or stem.count("（") < stem.count("）")
        or bool(case and (len(case) < _MIN_CHARS or _LOST_IN_CASE.search(case)))
        or _UNIT_IN_FRONT.match(stem) is not None
        or _CUT_AT_WORD.search(stem, max(0, len(stem) - _LONGEST_END_CHARS)) is not None
        or ("D" in stem and _holds_options(stem))
        or _asks_twice(stem)
        or ("3" in stem and _begins_within_list(stem))
        or (_is_suspect(stem) and any(pattern.search(stem) for pattern in _BROKEN))
    )


def _asks_twice(stem: str) -> bool:
    """Tell whether two questions ran together: ……的药物是……的药物是, without a sign between them."""
    end = _ASKED_AT_END.search(stem, max(0, len(stem) - _LONGEST_END_CHARS)) if "是" in stem[-_LONGEST_END_CHARS // 2 :] else None
    first = stem.find(end[0], 0, end.start()) if end else -1
    return end is not None and first > 0 and "\u4e00" <= stem[first + len(end[0])] <= "\u9fff"


def _holds_options(stem: str) -> bool:
    """Tell whether four or more lettered texts stand in a stem, from A on and each once."""
    letters = [found[1] for found in _LEAKED_LETTERS.finditer(stem)]
    return len(letters) >= _LEAST_LEAKED and are_in_turn(letters)


def _begins_within_list(stem: str) -> bool:
    """Tell whether a stem holds the second and third points of a list, or the third and fourth, and not the first: another's answer."""
    items = {int(item[1]) for item in _ITEM.finditer(stem)}
    return 1 not in items and 3 in items and bool(items & {2, 4})


def _is_suspect(stem: str) -> bool:
    return stem.startswith(("（", "(")) or len(stem) <= _MAX_SUSPECT_CHARS or bool(_SUSPECT.search(stem))
