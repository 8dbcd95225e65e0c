"""Answers of hxter that are separate from their questions: in a script, or on another page."""

import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from scrapy.http import TextResponse

from atomexam.records.item import QuestionItem
from crawlers.sources.hxter.selectors import AnswerPage, Script, every, text_at
from crawlers.text.fields import sound_json, text_of

_ANSWER_LABEL = re.compile(r"^\s*[【\[]?(?:参考|正确|标准)?答案[】\]]?\s*[:：]?\s*")
_ANALYSIS_LABEL = re.compile(r"^\s*[【\[]?(?:试题|答案)?解析[】\]]?\s*[:：]?\s*")
_MOST = 2000
"""Maximum number of answers in one script."""
_MOST_ASSIGNMENTS = 8


class SeparateAnswer(NamedTuple):
    """Answer and explanation of one question, from a script or another page."""

    answer: str | None
    analysis: str | None


def plain_answer(text: str | None) -> str | None:
    """Return an answer without its label."""
    return _ANSWER_LABEL.sub("", text) or None if text else None


def plain_analysis(text: str | None) -> str | None:
    """Return an explanation without its label."""
    return _ANALYSIS_LABEL.sub("", text) or None if text else None


def with_answer(item: QuestionItem, separate: SeparateAnswer | None) -> QuestionItem:
    """Return a question with its missing answer and explanation filled in."""
    if separate is None:
        return item
    return msgspec.structs.replace(
        item, answer_raw=item.answer_raw or separate.answer, explanation_raw=item.explanation_raw or separate.analysis
    )


def answers_on_page(page: TextResponse, where: AnswerPage) -> dict[str, SeparateAnswer]:
    """Return the answers of a page by key, or by number if they have no key."""
    answers: dict[str, SeparateAnswer] = {}
    for number, entry in enumerate(every(page, where.entry), 1):
        key = bare_key(text_at(entry, where.key)) or str(number)
        answers.setdefault(key, SeparateAnswer(plain_answer(text_at(entry, where.answer)), plain_analysis(text_at(entry, where.analysis))))
    return answers


def answers_in_scripts(scripts: Iterable[str], where: Script) -> dict[str, SeparateAnswer] | None:
    """Return the answers that scripts assign as JSON to one of the known variables, by key or number.

    None means that a variable exists but its value cannot be read.
    """
    names = "|".join(map(re.escape, where.variables))
    is_there = False
    for script in scripts if names else ():
        for begin in islice(re.finditer(rf"(?<![\w$])(?:{names})\s*=\s*(?=[\[{{])", script), _MOST_ASSIGNMENTS):
            if answers := answers_in_json(script[begin.end() :], where):
                return answers
            is_there = True
    return None if is_there else {}


def answers_in_json(text: str, where: Script) -> dict[str, SeparateAnswer]:
    """Return the answers in a text that begins with JSON: an object per question, or just the answers. Scripts are never run."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(sound_json(text.lstrip("\ufeff \t\r\n")))
    except (ValueError, RecursionError):
        return {}
    named = _first(value, where.answer) if isinstance(value, dict) else None
    if named is not None and not isinstance(named, dict | list):
        value = [value]  # one question alone
    rows = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    answers: dict[str, SeparateAnswer] = {}
    for number, row in list(rows)[:_MOST]:
        if isinstance(row, dict):
            separate = SeparateAnswer(plain_answer(_words(_first(row, where.answer))), plain_analysis(_words(_first(row, where.analysis))))
            key = bare_key(_words(_first(row, where.key))) or str(number)
        else:
            separate, key = SeparateAnswer(plain_answer(_words(row)), None), str(number)
        if separate.answer or separate.analysis:
            answers.setdefault(key, separate)
    return answers


def bare_key(text: str | None) -> str:
    """Return a key or number without punctuation and 第…题: `12、` and `第12题` are 12."""
    return re.sub(r"[\s.．、第题()（）:：]", "", text or "")


def _first(row: dict[str, Any], names: list[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _words(value: Any) -> str | None:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = "".join(value)  # ["A", "C"]
    return text_of(str(value)) or None if isinstance(value, str | int) and not isinstance(value, bool) else None
