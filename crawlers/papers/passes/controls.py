"""What a platform prints around each question of a result page: buttons, scores, how many answered it. Numbered lines in and out.

`1. 单选题 收藏 纠错 笔记(1)` becomes `1. 单选题`; a line of nothing else becomes empty. A type below a question goes behind its number.
"""

import re
from collections import Counter
from collections.abc import Sequence

from crawlers.papers.signs.answer_marks import Numbered, flat, parts_of, trimmed
from crawlers.papers.signs.numbers import TYPE, number_of, opens_question

_BUTTON = (
    r"(?:(?:取消|已)?收藏(?:本题|此题|题目|试题)?|(?:我要)?(?:纠错|报错)|(?:题目|试题)?反馈|(?:写|记|添加|我的|查看)?笔记|分享|(?:未|已)?标记(?:题目|试题|本题)?"
    r"|(?:查看|显示|隐藏|收起|展开)(?:答案|解析|全部)?|讨论|评论|提问|[上下]一题|(?:加入|移[出除])错题[本集]?|编辑(?:题目|试题))"
    r"(?:\s?[(\[]\s?\d{1,6}\s?[)\]])?"
)
_POINTS = r"\d{1,3}(?:\.\d{1,2})?\s?分?"
_SCORE = rf"(?:获得|得分|得|满分|分值)\s?:?\s?{_POINTS}(?:\s?(?:中的|/)\s?{_POINTS})?"
_COUNT = (
    r"(?:本题|此题|该题)?(?:总?共|已)?被?(?:作答|回答|收藏|做错|答错|答对|做过?)\s?\d{1,9}\s?[次人]"
    r"|(?:本题|全站|平均|总)?的?正确率\s?(?:[:为是]\s?)?\d{1,3}(?:\.\d{1,2})?\s?%"
)
_CONTROLS = re.compile(rf"(?:(?:{_BUTTON}|{_SCORE}|{_COUNT})[\s|,、;·•/。]{{0,9}}+){{1,12}}+")
_STATE = r"(?:(?:部分|不|回答)?正确|(?:回答)?错误|(?:已|未)?完成|(?:还)?未(?:作答|回答)|已作答)\s{1,9}"
"""What the visitor made of the question, if further controls follow."""
_HEAD = re.compile(rf"\s{{0,9}}(?P<type>[(\[【]?\s?(?:{TYPE})\s?[)\]】]?)?\s{{0,9}}(?:{_STATE})?(?P<controls>{_CONTROLS.pattern})$")
_MAY_HAVE = re.compile(r"收藏|错|反馈|笔记|分享|标记|查看|显示|隐藏|收起|展开|讨论|评论|提问|一题|编辑|得|满分|分值|[次人%]")
_DIGITS = re.compile(r"\d+")
_TYPE_ALONE = re.compile(rf"[(\[【]?\s?(?P<type>{TYPE})\s?[)\]】]?")
_LONGEST_TYPE = 12
_LEAST = 3
"""Number of questions that must have it, if a line is only one such word."""
_SEVERAL = 2


def without_controls(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without a platform's controls: behind the number of a question, and on lines of their own."""
    lines = _types_first(lines)
    flats = [flat(text).strip() if _MAY_HAVE.search(text) else "" for _, text in lines]
    if not any(flats):
        return list(lines)
    heads = {at: head for at, line in enumerate(flats) if line and (head := _head(line))}
    alone = {at for at, line in enumerate(flats) if line and at not in heads and _CONTROLS.fullmatch(line)}
    forms = {at: _DIGITS.sub("0", flats[at]) for at in alone}
    counts = Counter(forms.values())
    dropped = {at for at in alone if counts[forms[at]] >= _LEAST or _parts(flats[at]) >= _SEVERAL}
    cut = len(heads) >= _LEAST
    return [
        (index, "" if at in dropped else f"{text.strip()[: heads[at]].rstrip()}" if cut and at in heads else text)
        for at, (index, text) in enumerate(lines)
    ]


def _types_first(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the types that are alone between a question and its answer, `单选题⏎答案：C`, behind the question's number."""
    done = list(lines)
    types = [
        (at, alone["type"])
        for at, (_, text) in enumerate(lines)
        if 0 < len(text) < _LONGEST_TYPE and "题" in text and (alone := _TYPE_ALONE.fullmatch(flat(trimmed(text))))
    ]
    last = -1
    for at, kind in types:
        below = next((text for _, text in lines[at + 1 : at + 3] if text.strip()), "")
        opened = next((before for before in range(at - 1, last, -1) if opens_question(flat(trimmed(lines[before][1])))), -1)
        last = at
        if opened < 0 or not _says_answer(below):
            continue
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


def _parts(line: str) -> int:
    return sum(1 for _ in re.finditer(rf"{_BUTTON}|{_SCORE}|{_COUNT}", line))
