"""Stems that are cut off, hold another question or an option, or ask about a text that is not there."""

import re

LOST = re.compile(r"\?\?|[？?]{3}|□|■|▯|〓")
_LOST_IN_CASE = re.compile(r"\?\?|[？?]{3}")
_OPTION_AS_STEM = re.compile(r"^[（(]\s*[A-J]\s*[、.．]?\s*[）)]\s*\S")
_LEAKED_OPTIONS = re.compile(
    r"(?<![A-Za-z])A\s*[.．、:：](?![A-Z])[^A-Z]{1,40}(?<![A-Za-z])B\s*[.．、:：][^A-Z]{1,40}(?<![A-Za-z])C\s*[.．、:：]"
)
_OPEN_ENDS = tuple("，、；（(“《")  # 和 may end a stem whose blank was left out
_NO_QUESTION = re.compile(
    r"回答(?:下列|以下|后面)?的?(?:各题|问题)[：:。]?$|^案例[一二三四五六七八九十\d]+$|^第?[一二三四五六七八九十\d]+题?$"
)
_SECOND_TAG = re.compile(r"(?:单选|多选)题?\s*[：:\]】]")
_UNIT_IN_FRONT = re.compile(r"^[%％℃‰]")
_ITEM = re.compile(r"(?<![\dA-Za-z第])([1-9])\s*[)）.．、](?![班级年月号组次题章节个种])(?=[\u4e00-\u9fff“])")
_BROKEN = (LOST, _OPTION_AS_STEM, _LEAKED_OPTIONS, _SECOND_TAG, _NO_QUESTION)
_EARLIER_QUESTION = re.compile(r"上一?小?题")
_EARLIER_CASE = re.compile(r"[前上]述[案病]例|上面的?案例|[根依]据案例")
_THIS_CLIENT = re.compile(
    r"^[^某名位0-9“]{0,13}(?:[该本]求助者|该来访者|[这本]段(?:谈话|对话|咨询)|(?:上述|以上)(?:谈话|对话)|案例中求助者|还应该?重点(?:收集|了解))"
    r"|^[^，。“]{0,10}[对与给为定][\u4e00-\u9fff]某[^，。]*[。]?$"
)
_THIS_PATIENT = re.compile(
    r"^(?:[若如]|对于?|为|治疗|诊断|根据|护理|针对)?(?:本例(?!题)|[该此](?:患者|病人|患儿|病例|产妇|孕妇|婴儿|老人)|上述(?:患者|病人|病例))"
    r"|^(?:[根依]据|阅读|结合)(?:上述|以上|上面|[上下]列|所给)?的?(?:材料[一二三四1-4]?|资料(?=，))|^材料[一二三四中](?!的)"
)
_UNQUOTED = re.compile(r"^[^“”]{0,12}求助者[^“”，]{0,12}所说的话[^“”]*$")
_MIN_CASE_CHARS, _MIN_CLIENT_CHARS = 60, 45  # a longer stem, or one with figures or words of the client, tells its own case
_TELLS = re.compile("[0-9“]|，(?:说明|提示|表明|反映|这|其)|说明其")
_MIN_CHARS = 2  # a case of one sign is none
_THIS_CASE = re.compile(r"[本该]案例")
_SUSPECT = re.compile(  # a class first: a search for one skips quickly
    "[?□■▯〓A案例题选该此段某料本上以所还？](?:(?<=[?□■▯〓A案例题选该此段某料])|(?<=本)求助者|(?<=上)述|(?<=以)上[谈对]|(?<=所)说|(?<=还)应|(?<=？)？)"
)
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
        or ("3" in stem and _begins_within_list(stem))
        or (_is_suspect(stem) and (any(pattern.search(stem) for pattern in _BROKEN) or (not case and _asks_elsewhere(stem))))
    )


def _begins_within_list(stem: str) -> bool:
    """Tell whether a stem holds the second and third points of a list, or the third and fourth, and not the first: another's answer."""
    items = {int(item[1]) for item in _ITEM.finditer(stem)}
    return 1 not in items and 3 in items and bool(items & {2, 4})


def _is_suspect(stem: str) -> bool:
    return stem.startswith(("（", "(")) or len(stem) <= _MAX_SUSPECT_CHARS or bool(_SUSPECT.search(stem))


def _asks_elsewhere(stem: str) -> bool:
    if _EARLIER_QUESTION.search(stem):
        return True
    case = _EARLIER_CASE.search(stem)
    if (case and case.start() < _MIN_CASE_CHARS) or (len(stem) < _MIN_CASE_CHARS and _THIS_CASE.search(stem)):
        return True
    if _UNQUOTED.match(stem):
        return True
    if len(stem) >= _MIN_CLIENT_CHARS or _TELLS.search(stem):
        return False
    return bool(_THIS_CLIENT.match(stem) or _THIS_PATIENT.match(stem))
