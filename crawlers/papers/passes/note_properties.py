"""Properties that note programs export above a question, `Status: 已掌握`, `答案：A`. Numbered lines in, numbered lines out.

Below a heading or between two rules, Notion, Obsidian, Yuque and others print the fields of a page: its state, tags and dates, and any that
the author added. An answer among them is moved below the options; what describes the note is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from crawlers.papers.signs.answer_marks import WHOLE_ANSWER, Numbered, opening_mark, plain, trimmed
from crawlers.papers.signs.letters import letter_of
from crawlers.papers.signs.numbers import number_of

_HEADING = re.compile(r"#{1,6}\s{1,3}\S")
_RULE = re.compile(r"-{3,9}")
_NAME = (
    r"[\u4e00-\u9fff]{1,3}(?:状态|进度)|状态|进度|标签|关键[字词]|分类|类别|科目|学科|课程|章节|来源|出处|难度|难易度?|重要[性程]?度?|优先级|考频|掌握(?:程度|情况|度)?"
    r"|(?:创建|更新|修改|编辑|添加|收录|发布|完成|做题|录入|整理|(?:最[后近]|上次|下次)[\u4e00-\u9fff]{0,4})(?:时间|日期|于)?|日期|时间|复习(?:时间|日期|次数)?"
    r"|[\u4e00-\u9fff]{0,4}次数|作者|创建[者人]|编号|序号|链接|网址|收藏|别名|备注人|已[\u4e00-\u9fff]{2,3}"
    r"|status|state|progress|tags?|labels?|category|subject|topic|chapter|source|difficulty|level|priority|importance|mastery|mastered|done|reviewed"
    r"|(?:last |next |date )?(?:created|updated|modified|edited|review(?:ed)?|visited|due)(?: (?:time|date|at|on|by|count))?"
    r"|date|time|author|id|uid|no\.?|url|link|alias(?:es)?|cssclass(?:es)?|publish|deck"
)
_LINE = re.compile(
    r"(?:>\s?)?(?:[-*+•]\s{1,3})?(?:\*\*|__)?(?P<name>[\u4e00-\u9fffA-Za-z][\u4e00-\u9fffA-Za-z ._]{0,19}?)\s?(?:\*\*|__)?\s?"
    r":{1,2}(?:\*\*|__)?(?:\s{1,9}|(?<=[\u4e00-\u9fff*_]:)|(?<=[*_])|(?=[\u4e00-\u9fff])|$)(?P<value>.{0,200})$"
)
_OWN = re.compile(_NAME, re.I)
_ANSWER = re.compile(r"(?:(?:正确|参考|标准)?(?:答案|选项)|(?:correct |right )?answer|ans|key)", re.I)
_EXPLANATION = re.compile(r"(?:答案|试题)?(?:解析|详解)|explanation|analysis|rationale", re.I)
_MOVED = (("答案", _ANSWER), ("解析", _EXPLANATION))
_STATE = re.compile(
    r"(?:待|已|未|需|再|重)(?:复习|掌握|完成|开始|学习?|做|看|巩固|理解|背诵?|错)|进行中|完成|错题|收藏|重点|易错题?"
    r"|to[- ]?do|done|in progress|not started|completed?|mastered|reviewed",
    re.I,
)
"""A state without the name of its property."""
_STATE_AT_END = re.compile(rf"(?<![\s(\[【-])[\s(\[【-]{{1,6}}+(?:{_STATE.pattern})[)\]】]?\s{{0,3}}$", re.I)
_LONGEST_STATE = 30
_CONTENT = re.compile(
    r"题[干目型]|试题|问题|材料|案例|病例|病[史历]|主诉|性别|年龄|患者|病人|患儿|查体|选项|question|stem|prompt|case|options?|choices?|[A-J]",
    re.I,
)
"""Names of what belongs to a question itself."""
_BOX = re.compile(r"(?:[-*+]\s{1,3})?\[[ xX√]\]\s{1,3}\S")
_FIRST_OPTION = re.compile(r"(?:[-*+•]\s{1,3})?(?:\*\*)?[(\[]?[Aa]\s?[.、:)\]]")
_FEWEST, _SHARE = 3, 0.8


class _Note(Struct):
    """A heading, a number or a rule, the properties below it, and its question."""

    head: int
    properties: list[tuple[int, str, str]]
    """Line, name and value of each."""
    below: int
    """Where the further lines begin."""
    stop: int = 0
    """Where the next note begins."""


def without_properties(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines without the properties of notes, but with the answers among them below the options."""
    flats = [plain(text) for _, text in lines]
    if not _may_have_notes(flats):
        return list(lines)
    notes = [note for note in _notes(flats) if _asks(note, flats)]
    names = Counter(name for note in notes for name in {name for _, name, _ in note.properties})
    usual = {name for name, count in names.items() if count >= _SHARE * len(notes) and any(map(names_property, names))}
    notes = [note for note in notes if all(names_property(name) or name in usual for _, name, _ in note.properties)]
    if len(notes) < _FEWEST:
        return list(lines)
    left_out: set[int] = set()
    states: dict[int, int] = {}
    moved: dict[int, list[Numbered]] = {}
    for note in notes:
        if note.properties:
            left_out.update(range(note.head if _RULE.fullmatch(flats[note.head]) else note.properties[0][0], note.below))
        if state := _state_at_end(flats[note.head]):
            states[note.head] = state.start() - len(flats[note.head])
        end = _end_of_options(note, flats)
        moved[end] = [
            (lines[end - 1][0], f"{label}：{value}")
            for label, form in _MOVED
            for _, name, value in note.properties
            if value and form.fullmatch(name)
        ]
    done: list[Numbered] = []
    for at, (index, text) in enumerate(lines):
        done += moved.get(at, ())
        if at not in left_out:
            done.append((index, trimmed(text)[: states[at]] if at in states else text))
    return [*done, *moved.get(len(lines), ())]


def names_property(name: str) -> bool:
    """Return whether a flat name before a colon is that of a note's property."""
    return any(form.fullmatch(name) for form in (_OWN, _ANSWER, _EXPLANATION))


def _may_have_notes(flats: Sequence[str]) -> bool:
    """Return whether several headings or numbers have a state, or a property directly below."""
    filled = [line for line in flats if line]
    opened = [_is_head(line) and bool(_state_at_end(line) or _property_in(below)) for line, below in pairwise([*filled, ""])]
    return sum(opened) >= _FEWEST


def _notes(flats: Sequence[str]) -> Iterator[_Note]:
    """Yield the notes that have properties, or a state in their heading."""
    heads = [at for at, line in enumerate(flats) if _is_head(line)]
    closing = -1
    for head, stop in pairwise([*heads, len(flats)]):
        if head == closing:
            continue
        note = _Note(head, [], head + 1, stop)
        at = head + 1
        while at < len(flats):
            if one := _property_in(flats[at]):
                note.properties.append((at, *one))
                note.below = at + 1
            elif flats[at]:
                break
            at += 1
        if _RULE.fullmatch(flats[head]):
            if not note.properties or at == len(flats) or not _RULE.fullmatch(flats[at]):
                continue
            closing, note.below = at, at + 1
            note.stop = next((later for later in heads if later > at), len(flats))
        if note.properties or _state_at_end(flats[head]):
            yield note


def _state_at_end(line: str) -> re.Match[str] | None:
    return _STATE_AT_END.search(line, max(0, len(line) - _LONGEST_STATE))


def _is_head(line: str) -> bool:
    if line[:1] in ("#", "-") and (_HEADING.match(line) or _RULE.fullmatch(line)):
        return True
    number = number_of(line)
    return number is not None and (number.is_of_question or number.end == len(line))


def _property_in(line: str) -> tuple[str, str] | None:
    """Return the name and the value of a property; nothing for a line that belongs to a question."""
    if _STATE.fullmatch(line):
        return "status", line
    match = _LINE.fullmatch(line) if ":" in line else None
    return (match["name"].lower(), match["value"].strip()) if match and not _CONTENT.fullmatch(match["name"]) else None


def _asks(note: _Note, flats: Sequence[str]) -> bool:
    """Return whether a note has one question with options, whose stem is no property, and at most an answer of letters."""
    below = flats[note.below : note.stop]
    first = next((at for at, line in enumerate(below) if _FIRST_OPTION.match(line) or _BOX.match(line)), None)
    if first is None or sum(_FIRST_OPTION.match(line) is not None for line in below) > 1:
        return False
    head = flats[note.head].lstrip("# ")
    number = number_of(head)
    words = _STATE_AT_END.sub("", head[number.end if number else 0 :]) if not _RULE.fullmatch(flats[note.head]) else ""
    answers = [value for _, name, value in note.properties if _ANSWER.fullmatch(name)]
    return (any(below[:first]) or len(words) > 1) and all(WHOLE_ANSWER.fullmatch(value) for value in answers if value)


def _end_of_options(note: _Note, flats: Sequence[str]) -> int:
    """Return the line below the last option of a note."""
    end = max(at for at in range(note.below, note.stop) if letter_of(flats[at].lstrip("-*+• ")) or _BOX.match(flats[at])) + 1
    while end < note.stop and flats[end] and opening_mark(flats[end]) == "text":
        end += 1
    return end
