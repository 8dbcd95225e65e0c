"""Replies that leave the choice open: 无法确定, or one answer in one case and another in another.

In: prepared text; out: whether it does, or the text without such cases.
"""

import re

from eval.answers.letters import LETTERS, letters_of

_UNDECIDED = re.compile(
    r"(?:无法|难以|很难)(?:确定|判断|选择|抉择|取舍|区分|辨别|确认|肯定|作答|回答|解答|得出|给出|做出|作出|提供)|不(?:能|太|好|敢)?(?:确定|判断|肯定|清楚)|信息不足|(?:需要|缺少|缺乏)[^,。\n]{0,4}(?:信息|条件|资料)|有[^,。\n]{0,4}道理|都?有可能"
    r"|(?<![a-z])(?:cannot|can't|unable|not sure|unsure)",
    re.IGNORECASE,
)
_HEDGED = re.compile("无|难|不|息|需|缺|道|可|not|n't|nsure|unable")
_NO_ANSWER = re.compile(
    r"(?:无法|不能|难以|很难|没法|没办法)(?:确定|给出|得出|断定|判断|作出|做出|提供)[^,。;\n]{0,8}(?:答案|选择|结论)[^,。;\n]{0,2}[。.!]?\Z"
)
_CONCLUDES_NOTHING = re.compile(
    r"(?:综上(?:所述)?|总之|因此|所以|因而|故|最终|最后|总的来[说看]|可见|总体而言)[,:]?[^。;!?\nA-J]{0,20}?"
    r"(?:无法|不能|难以|很难|没法|没办法)(?:准确|直接|完全)?(?:确定|判断|选择|作答|回答|断定|定论|下结论|得出|给出|确认|判定)[^。,;\nA-J]{0,14}[。.!]?\s*\Z"
)
_CONDITION = r"(?:如果|若|假如|倘若|按照?)[^,。;:\nA-J]{1,24},"
_SUPPOSING = re.compile(_CONDITION)
_FIRST_THOUGHT = re.compile(
    r"(?:一开始|起初|最初|原本|原先|本来|乍一?看)[^,。;\n]{0,14}(?:选|认为|觉得|以为|想)[^,。;\n]{0,12}[,。]\s?(?=但|不过|然而|后来|而|仔细|经|可)"
)
_CASE = rf"(?:但|而)?{_CONDITION}[^。;\nA-J]{{0,26}}(?:答案|选|则|即)[^。;\nA-J]{{0,20}}{LETTERS}[^。;\n]{{0,12}}[。;]\s?"
_CASES = re.compile(rf"{_CASE}(?:{_CASE}){{1,4}}")
_ONE_CASE = re.compile(_CASE)


def undecided(text: str) -> bool:
    """Return whether a reply states that it cannot choose."""
    return bool(_HEDGED.search(text) and _UNDECIDED.search(text))


def ends_without_answer(text: str) -> bool:
    """Return whether a reply ends by stating that there is no answer."""
    end = text[-32:]
    return bool(("无" in end or "不能" in end or "难" in end or "没" in end) and _NO_ANSWER.search(end))


def concludes_nothing(text: str) -> bool:
    """Return whether a reply's last sentence concludes that it cannot choose, whatever precedes it."""
    return bool(_CONCLUDES_NOTHING.search(text, max(0, len(text) - 60)))


def without_cases(text: str) -> str:
    """Return text without answers that apply to one case each: 按旧教材，答案是AB；按新教材，答案是ABC。

    The rest of the text decides; cases with the same answer stay.
    """
    if "起初" in text or "最初" in text or "一开始" in text or "原" in text or "本来" in text or "乍" in text:
        text = _FIRST_THOUGHT.sub("", text)
    return _CASES.sub(_unless_they_differ, text) if ("若" in text or "如" in text or "按" in text) and _SUPPOSING.search(text) else text


def _unless_they_differ(cases: re.Match) -> str:
    answers = {letters_of(case[0]) for case in _ONE_CASE.finditer(cases[0])}
    return cases[0] if len(answers) == 1 else ""
