"""Answers that a text has as data, in a fenced block or below a key: its lines in, the same with a list of answers in their place out.

answers: {1: C, 2: [A, B], 3: true}         becomes 参考答案, 1. C, 2. AB, 3. 正确
answers: [C, AB]                            likewise, in order
'1': [C, 5]                                 an answer with its points
- {id: 1, answer: C}                        an object for each
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from atomexam.text.refusal import Refusal
from crawlers.papers.signs.answer_marks import VERDICT, flat
from crawlers.papers.signs.numbers import are_consecutive
from crawlers.tables.documents import TOMLS, YAMLS, document_in

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)\s{0,3}(?P<language>[\w-]{0,20})\s{0,9}")
_LANGUAGES = {"": YAMLS[0], "yaml": YAMLS[0], "yml": YAMLS[0], "json": ".json", "toml": TOMLS[0]}
_NAMES = r"(?:answers?|answer_?keys?|keys?|solutions?|(?:参考|正确|标准)?答案)"
_NAME, _NAMED = (
    re.compile(_NAMES, re.IGNORECASE),
    re.compile(rf"[\"']?{_NAMES}[\"']?\s?[:：=]\s{{0,9}}(?P<data>[{{\[].{{0,4000}})?", re.IGNORECASE),
)
_SIGNS = frozenset(":：=")
_NUMBER_NAME = re.compile(r"id|no|num|number|index|q|question|题号|序号|编号", re.IGNORECASE)
_NUMBER = re.compile(r"[^\W\d]{0,8}[\s_.-]?(?P<number>\d{1,4})\s?[题.、]?")
_ANSWER = re.compile(rf"[A-Ja-j]{{1,10}}|{VERDICT}|true|false", re.IGNORECASE)
_POINTS = re.compile(r"\d{1,3}(?:\.\d{1,2})?")
_ITEM = re.compile(r"\s{0,9}[-*]\s{1,4}[\"']?(?P<answer>[A-J])[\"']?")
_PLACE = re.compile(r"\s{0,9}\{\{\s{0,3}\w{1,20}\(\s{0,3}(?P<number>\d{1,4})\s{0,3}\)\s{0,3}\}\}\s{0,9}")
"""Where a site puts the field for an answer that such data has: `{{ select(1) }}`."""
_LEAST, _DEEPEST, _MOST_LINES, _MOST_LETTERS = 3, 4, 4000, 10
_TITLE = "参考答案"
Answers = list[tuple[int, str]]


def with_listed_answers(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines with each block of answers as a list of them, as many lines as before, and what was left out of these blocks."""
    done, dropped = [*lines], list[str]()
    for start, stop, suffix, text in _blocks(lines):
        if answers := _answers_of(suffix, text):
            entries = [f"{number}. {answer}" for number, answer in answers]
            entries = entries if len(entries) < stop - start else [" ".join(entries)]
            own = [_TITLE, *entries] if len(entries) < stop - start else [f"{_TITLE}：{' '.join(entries)}"]
            done[start:stop] = [*own, *[""] * (stop - start - len(own))]
            dropped += [line for line in lines[start:stop] if line.strip()]
    places = [(at, match) for at, line in enumerate(done) if "{{" in line and (match := _PLACE.fullmatch(line))]
    if len(places) >= _LEAST and are_consecutive([int(match["number"]) for _, match in places]):
        for at, match in places:
            done[at] = ""
            dropped.append(match[0])
    for start, stop, letters in _lists(done):
        done[start:stop] = [f"{done[start].rstrip()}{letters}", *[""] * (stop - start - 1)]
    return done, dropped


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield where the fenced blocks are, and what is below a key that names answers; the suffix of the kind of each, and its text."""
    at, is_single = 0, sum(_named(line.strip()) is not None for line in lines if len(line) < _MOST_LINES) == 1
    if not is_single and not any("```" in line or "~~~" in line for line in lines):
        return
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at]) if "```" in lines[at] or "~~~" in lines[at] else None
        named = _named(lines[at].rstrip()) if fence is None and is_single and len(lines[at]) < _MOST_LINES else None
        stop = at + 1
        if fence and fence["language"].lower() in _LANGUAGES:
            stop = next((end for end in range(at + 1, min(len(lines), at + _MOST_LINES)) if _FENCE.fullmatch(lines[end])), at)
            if stop > at:
                yield at, stop + 1, _LANGUAGES[fence["language"].lower()], "\n".join(lines[at + 1 : stop])
                stop += 1
        elif named and named["data"]:
            yield at, stop, YAMLS[0], lines[at].replace("：", ":").replace("=", ":", 1)
        elif named:
            while stop < len(lines) and (lines[stop][:1] in (" ", "\t", "-", "'", '"') or _NUMBER.match(lines[stop])):
                stop += 1
            if stop - at > _LEAST:
                yield at, stop, YAMLS[0], "\n".join([lines[at].replace("：", ":"), *(f" {line}" for line in lines[at + 1 : stop])])
        at = max(stop, at + 1)


def _named(line: str) -> re.Match[str] | None:
    """Return the name of answers that a line is, with its data if they are on it."""
    return _NAMED.fullmatch(line) if line[-1:] in _SIGNS or "{" in line or "[" in line else None


def _lists(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where the letters of one answer are the items of a list below its label, and these letters."""
    for at, line in enumerate(lines):
        if _named(line.strip()) and not line.strip().endswith(("]", "}")):
            found = []
            for below in lines[at + 1 : at + 1 + _MOST_LETTERS]:
                if (item := _ITEM.fullmatch(below.rstrip())) is None:
                    break
                found.append(item["answer"])
            if found and found == sorted(set(found)):
                yield at, at + 1 + len(found), "".join(found)


def _answers_of(suffix: str, text: str) -> Answers:
    """Return the answers that a text of data has for at least three numbers; nothing if any of them has none, or two."""
    with suppress(Refusal, ValueError, RecursionError):
        data = json.loads(text) if suffix == ".json" else document_in(f"block{suffix}", text)
        return _answers_in(data, False, 0)
    return []


def _answers_in(data: Any, named: bool, depth: int) -> Answers:
    if depth > _DEEPEST:
        return []
    found: Answers = []
    if isinstance(data, dict):
        pairs = [(_NUMBER.fullmatch(str(key)), _answer(value)) for key, value in data.items()]
        found = [(int(number["number"]), answer) for number, answer in pairs if number and answer]
        if len(found) < len(data) or not (named or depth == 0):
            inner = (_answers_in(value, bool(_NAME.fullmatch(str(key))), depth + 1) for key, value in data.items())
            return next(filter(None, inner), [])
    elif isinstance(data, list) and all(isinstance(each, dict) for each in data):
        numbers = [next((value for key, value in each.items() if _NUMBER_NAME.fullmatch(str(key))), None) for each in data]
        found = [(int(str(number)), _answer(each)) for number, each in zip(numbers, data, strict=True) if str(number).isdigit()]
        found = found if len(found) == len(data) and all(answer for _, answer in found) else []
    elif isinstance(data, list) and named:
        found = [(at, answer) for at, each in enumerate(data, 1) if (answer := _answer(each))]
        found = found if len(found) == len(data) and not _are_of_one([answer for _, answer in found]) else []
    return found if len(found) >= _LEAST and are_consecutive([number for number, _ in found]) else []


def _are_of_one(answers: Sequence[str]) -> bool:
    """Return whether letters are those of one question with several right options: they are in order, as those of many are not."""
    return len(answers) <= _MOST_LETTERS and all(len(each) == 1 for each in answers) and list(answers) == sorted(set(answers))


def _answer(value: Any) -> str:
    """Return an answer that a value states: letters, several of them, a truth value, any of these beside points; nothing if it is other."""
    if isinstance(value, bool):
        return "正确" if value else "错误"
    if isinstance(value, dict):
        return next((_answer(each) for key, each in value.items() if _NAME.fullmatch(str(key))), "")
    if isinstance(value, list):
        if len(value) == 2 and _POINTS.fullmatch(str(value[1])):
            return _answer(value[0])
        letters = [_answer(each) for each in value]
        return "".join(letters) if all(len(each) == 1 for each in letters) and letters == sorted(set(letters)) else ""
    text = flat(str(value)).strip()
    return ({"true": "正确", "false": "错误"}.get(text.lower(), text)) if _ANSWER.fullmatch(text) else ""
