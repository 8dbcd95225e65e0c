"""What a platform prints around each question of a result page: buttons, scores, how many answered it. Numbered lines in and out.

`1. 单选题 收藏 纠错 笔记(1)` becomes `1. 单选题`; a line of nothing else becomes empty. A type below a question goes behind its number.
"""

import re
from collections import Counter
from collections.abc import Sequence

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.steps import Step
from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of, trimmed
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import TYPE, number_of, opens_question, type_of

_BUTTON = (
    r"(?:(?:取消|已)?收藏(?:本题|此题|题目|试题)?|(?:我要)?(?:纠错|报错)|(?:题目|试题)?反馈|(?:写|记|添加|我的|查看)?笔记|分享|(?:未|已)?标记(?:题目|试题|本题)?"
    r"|(?:查看|显示|隐藏|收起|展开)(?:答案|解析|全部)?|讨论|评论|提问|[上下]一题|(?:加入|移[出除])错题[本集]?|编辑(?:题目|试题))"
    r"(?:\s?[(\[]\s?\d{1,6}\s?[)\]])?"
)
_POINTS = r"\d{1,3}(?:\.\d{1,2})?\s?分?"
_SCORE = rf"(?:获得|得分|得|满分|分值)\s?:?\s?{_POINTS}(?:\s?(?:中的|/)\s?{_POINTS})?"
_COUNT = (
    r"(?:本题|此题|该题)?(?:总?共|已)?被?(?:作答|回答|收藏|做错|答错|答对|做过?)\s?\d{1,9}\s?[次人]"
    r"|(?:作答|答题|参与)人[数次]\s?[:为是]?\s?\d{1,9}\s?[次人]?"
    r"|(?:本题|全站|平均|总)?的?正确率\s?(?:[:为是]\s?)?\d{1,3}(?:\.\d{1,2})?\s?%"
)
_LETTERS_OR_VERDICT = rf"(?:[A-J](?:[\s,、]{{0,2}}[A-J]){{0,7}}(?![A-Za-z])|{SURE_VERDICT}|未作?答|未选择?|[无空])"
_OWN = rf"(?:我|你|您|考生|学员|学生)的?(?:答案|选择|作答|回答)\s?[:是为]?\s?{_LETTERS_OR_VERDICT}"
_CONTROLS = re.compile(rf"(?:(?:{_BUTTON}|{_SCORE}|{_COUNT}|{_OWN})[\s|,、;·•/。]{{0,9}}+){{1,12}}+")
_TRAIL = re.compile(
    r"(?:(?:[您你])?(?:当前|现在|所在)?的?位置\s?:\s{0,3})?(?:网站)?(?:首页|主页)(?:\s{0,3}[>»›]{1,2}\s{0,3}[^\s>»›。?()]{1,30}){1,8}\s{0,3}"
)
"""The way to a page in its site: `首页 > 题库 > 在线练习`."""
_STATES = r"(?:(?:部分|不|回答)?正确|(?:回答)?错误|(?:已|未)?完成|(?:还)?未(?:作答|回答)|已作答)"
_STATE, _STATE_ALONE = rf"{_STATES}\s{{1,9}}", re.compile(_STATES)
"""What the visitor made of the question, if further controls follow."""
_HEAD = re.compile(rf"\s{{0,9}}(?P<type>[(\[【]?\s?(?:{TYPE})\s?[)\]】]?)?\s{{0,9}}(?:{_STATE})?(?P<controls>{_CONTROLS.pattern})$")
MAY_HAVE_CONTROLS = re.compile(
    r"收藏|错|反馈|笔记|分享|标记|查看|显示|隐藏|收起|展开|讨论|评论|提问|一题|编辑|得|满分|分值|次|人|数|%"
    r"|我的?[答选作回]|你的?[答选作回]|您的?[答选作回]|生的?[答选作回]|员的?[答选作回]"
)
"""A part of every control. Each alternative begins with one character, so that these are searched all at once."""
_VALUES = re.compile(rf"\d+|{_LETTERS_OR_VERDICT}\s*$")
"""What differs between the same controls of several questions."""
_ASK = (
    r"(?:请?判断(?:以上|上述|该|此)?(?:说法|观点|表述)?的?(?:对错|正误|是否正确)|对\s{0,3}(?:还是|或)\s{0,3}错误?|正确\s{0,3}(?:还是|或)\s{0,3}(?:错误|不正确)"
    r"|[Tt]rue\s{1,3}or\s{1,3}[Ff]alse)"
)
_ASKS = re.compile(
    rf"(?P<start>(?<=[。.!?;)])\s{{0,3}}|^\s{{0,9}}){_ASK}\s?[?。!]?\s{{0,9}}$|\s{{0,3}}[(\[【]\s?{_ASK}(?:[,;。]\s?[^()\[\]【】]{{1,20}})?\s?[?。!]?\s?[)\]】]\s?[?。]?\s{{0,9}}$"
)
"""What asks whether the statement before it is true: `对还是错？`, `（判断对错）`."""
_ASK_ENDS = frozenset("错误確确誤錯eｅ?？。!！)）]］〕】")
_MAY_ASK = re.compile("对|误|正确|alse")
_LONGEST_ASK = 40
_TYPE_ALONE = re.compile(rf"[(\[【]?\s?(?P<type>{TYPE})\s?[)\]】]?")
_LONGEST_TYPE = 12
_LEAST = 3
"""Number of questions that must have it, if a line is only one such word."""
_SEVERAL = 2


def without_rows_of_controls(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without those that are only a platform's controls: below options without letters they would be a further one."""
    flats = [flat(text).strip() if MAY_HAVE_CONTROLS.search(text) else "" for _, text in lines]
    dropped = _alone(flats)
    if not dropped:
        return list(lines)
    return [(index, "" if at in dropped else text) for at, (index, text) in enumerate(lines)]


def _without_trails(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, those emptied that are the way to a page."""
    return [(index, "" if "页" in text and _TRAIL.fullmatch(flat(text).strip()) else text) for index, text in lines]


def _without_controls(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without a platform's controls: behind the number of a question, and on lines of their own."""
    flats = [flat(text).strip() if MAY_HAVE_CONTROLS.search(text) else "" for _, text in lines]
    if not any(flats):
        return list(lines)
    lines, flats = _without_states(list(lines), flats)
    heads = {at: head for at, line in enumerate(flats) if line and (head := _head(line))}
    dropped = _alone(["" if at in heads else line for at, line in enumerate(flats)])
    cut = len(heads) >= _LEAST
    if not dropped and not cut:
        return list(lines)
    return [
        (index, "" if at in dropped else f"{text.strip()[: heads[at]].rstrip()}" if cut and at in heads else text)
        for at, (index, text) in enumerate(lines)
    ]


def _alone(flats: Sequence[str]) -> set[int]:
    """Return the places of lines that are only controls: several, or one that recurs."""
    forms = {at: _VALUES.sub("0", line) for at, line in enumerate(flats) if line and _CONTROLS.fullmatch(line)}
    counts = Counter(forms.values())
    return {at for at, form in forms.items() if counts[form] >= _LEAST or _parts(flats[at]) >= _SEVERAL}


def _without_states(lines: list[Numbered], flats: list[str]) -> tuple[list[Numbered], list[str]]:
    """Return the lines without what a visitor made of each question, alone between its number and a score: `题目 1⏎正确⏎获得1.00分`."""
    states = {
        at
        for at, (_, text) in enumerate(lines[1:-1], 1)
        if 1 < len(text) < _LONGEST_TYPE
        and _CONTROLS.fullmatch(flats[at + 1])
        and _STATE_ALONE.fullmatch(flat(trimmed(text)))
        and bare_head(lines[at - 1][1]) is not None
    }
    if len(states) < _LEAST:
        return lines, flats
    return [(index, "" if at in states else text) for at, (index, text) in enumerate(lines)], flats


def _without_asks(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return statements without the words that ask whether they are true."""
    asks = {
        at: ask
        for at, (_, text) in enumerate(lines)
        if text.rstrip()[-1:] in _ASK_ENDS
        and _MAY_ASK.search(text, start := max(0, len(text) - _LONGEST_ASK))
        and (ask := _ASKS.search(flat(text), start))
    }
    if not asks:
        return list(lines)
    done: list[Numbered] = []
    above = ""
    for at, (index, text) in enumerate(lines):
        ask = asks.get(at)
        if ask and (text[: ask.start()].strip() or _is_statement(above)):
            text = text[: ask.start()].rstrip()
        above = text.strip() or above
        done.append((index, text))
    return done


def _is_statement(text: str) -> bool:
    """Return whether a line may be one that is true or false: no heading, option, or answer."""
    line = flat(text)
    return len(line) > _LONGEST_TYPE and not letter_of(line) and not heads(line) and parts_of(text)[:1] == (("text", text),)


def _types_first(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the types that are alone between a question and its answer, `单选题⏎答案：C`, behind the question's number.

    One alone may be the end of a wrapped line.
    """
    types = [
        (at, alone["type"])
        for at, (_, text) in enumerate(lines)
        if 0 < len(text) < _LONGEST_TYPE and "题" in text and (alone := _TYPE_ALONE.fullmatch(flat(trimmed(text))))
    ]
    moved: dict[int, tuple[int, str]] = {}
    last = -1
    for at, kind in types:
        below = next((text for _, text in lines[at + 1 : at + 3] if text.strip()), "")
        opened = next((before for before in range(at - 1, last, -1) if opens_question(flat(trimmed(lines[before][1])))), -1)
        last = at
        if opened >= 0 and _says_answer(below):
            moved[at] = opened, kind
    done = list(lines)
    for at, (opened, kind) in moved.items() if len(moved) >= _LEAST else ():
        index, text = lines[opened]
        number = number_of(flat(trimmed(text)))
        done[at] = (lines[at][0], "")
        done[opened] = (index, f"{trimmed(text)[: number.end]}【{kind}】{trimmed(text)[number.end :]}" if number else text)
    return done


def _says_answer(text: str) -> bool:
    return any(kind == "answer" for kind, _ in parts_of(trimmed(text))[:1])


def _head(line: str) -> int:
    """Return where the controls behind a question's number and type begin; 0 if other words follow the number, or none."""
    number = number_of(line)
    head = _HEAD.match(line, number.end) if number else None
    return (head.end("type") if head["type"] else number.end) if head and number else 0


def bare_head(text: str) -> str | None:
    """Return the type stated by a line that is only the number of a question, its type and controls; None for any other line."""
    line = flat(text).strip()
    number = number_of(line)
    if number is None or (line[number.end :].strip() and not _TYPE_ALONE.fullmatch(line, number.end) and not _head(line)):
        return None
    return type_of(line, number)


def _parts(line: str) -> int:
    return sum(1 for _ in re.finditer(rf"{_BUTTON}|{_SCORE}|{_COUNT}", line))


CONTROL_STEPS = (
    Step(_without_trails, ["首页", "主页"]),
    Step(_without_asks, ["判断", "rue", re.compile(r"[对确]\s{0,3}(?:还是|或)")]),
    Step(_types_first, ["题"]),
    Step(_without_controls, [MAY_HAVE_CONTROLS]),
)
"""What a platform prints behind a question's number, or on a line of its own."""
