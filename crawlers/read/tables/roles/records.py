"""The column roles of a question table, and its rows read by them: a row -> a record with known keys."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from atomexam.text.option_letters import LETTERS, are_fillers, is_filler
from atomexam.text.verdicts import CODES, FALSE, TRUE
from crawlers.read.tables.roles.answer_columns import EXPLAINED, asking
from crawlers.read.tables.roles.values import (
    MARKED,
    answer_letters,
    as_verdict,
    marked_letters,
    options_below,
    options_in,
    plain,
    text_of,
    verdict_of,
    without_signs,
)

_STEM_LABEL = re.compile(
    r"\s{0,9}(?:[【\[](?:题目|题干|试题|问题)[】\]]|(?:题目|题干|试题|问题|question|q)\s?[:：])\s{0,9}(?=\S)", re.IGNORECASE
)
NAMED = {
    "题型": re.compile(r"题型|題型|qtype|questiontype|类型|^\^?type$", re.IGNORECASE),
    "章节": re.compile(r"章|chapter|section|知识点|单元", re.IGNORECASE),
    "科目": re.compile(r"科目|学科|subject|course|课程", re.IGNORECASE),
    "案例": re.compile(r"案例|病例|共用题干|材料|^\^?(?:case|material)s?$|passage", re.IGNORECASE),
}
"""Column names of further fields."""


OTHERS = {"题型": "type_raw", "章节": "section_raw", "科目": "subject_raw", "案例": "case_raw"}
"""Item fields for these names."""


_PLACES_OF_VERDICTS, _FEWEST_EACH, _MOST_ASKING = {"1": TRUE, "2": FALSE}, 3, 0.2


class Roles(Struct):
    """What the columns of a table contain."""

    stem: str
    options: list[str] = []
    answer: str | None = None
    form: str = ""
    """The form of the answer, one of `values.ALL_FORMS`; empty if there is no answer."""
    explanation: str | None = None
    others: dict[str, str] = {}
    """Further fields of a question, mapped to their columns."""
    confidence: float = 0.0
    doubts: list[str] = []
    """Messages that state why the confidence is not higher."""
    type: str | None = None
    """The type of questions that do not state one."""


def without_fillers(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its filler cells emptied."""
    texts = Counter(value.strip() for value in row.values() if isinstance(value, str))
    unused = {text for text, times in texts.items() if is_filler(text) or (times > 1 and are_fillers([text]))}
    return {key: "" if isinstance(value, str) and value.strip() in unused else value for key, value in row.items()} if unused else row


def with_letters_of_columns(rows: Sequence[tuple[str, dict[str, Any]]], options: Sequence[str], answer: str) -> None:
    """Replace answers with option letters if all answers are names of option columns, `p` for `choices.p`."""
    names = [key.rpartition(".")[2] for key in options]
    answers = [value for _, row in rows if (value := row.get(answer)) not in (None, "")]
    values = set(answers) if all(isinstance(value, str) for value in answers) else set()
    if len(set(names)) == len(names) > 1 and values and values <= set(names) and not values <= set(LETTERS):
        for _, row in rows:
            if row.get(answer):
                row[answer] = LETTERS[names.index(row[answer])]


def with_numbered_verdicts(rows: Sequence[tuple[str, dict[str, Any]]], roles: Roles) -> None:
    """In a table of choice questions, replace the answers 1 and 2 to statements with 正确 and 错误, which they mean both as positions and
    as codes.
    """
    bare = [row for _, row in rows if row.get(roles.stem) and not options_of(row, roles.options, roles.stem)]
    values = Counter(text_of(row.get(roles.answer or "")) for row in bare)
    if {*values} == {*_PLACES_OF_VERDICTS} and min(values.values()) >= _FEWEST_EACH and asking(bare, roles.stem) < _MOST_ASKING:
        for row in bare:
            row[roles.answer or ""] = _PLACES_OF_VERDICTS[text_of(row[roles.answer or ""])]


def options_of(row: dict[str, Any], options: list[str], stem: str = "") -> list[str]:
    """Return the options of a row, each with its letter if it has one."""
    if options == [stem]:
        return options_below(row[stem])[1] if isinstance(row.get(stem), str) else []
    if len(options) == 1:
        return options_in(row.get(options[0]))
    texts = [text_of(row.get(key)) for key in options]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def values_of(row: dict[str, Any], roles: Roles) -> list[Any]:
    """Return the values of a row's option columns."""
    return [row.get(key) for key in roles.options]


def record_of(row: dict[str, Any], roles: Roles) -> dict[str, Any]:
    """Return the raw fields of a question in a row."""
    record: dict[str, Any] = {"stem_raw": row.get(roles.stem)}
    answer_value = row.get(roles.answer) if roles.answer else None
    options = options_of(row, roles.options, roles.stem) if roles.options else []
    if options and roles.options == [roles.stem]:
        record["stem_raw"] = options_below(row[roles.stem])[0]
    if isinstance(stem := record["stem_raw"], str):
        record["stem_raw"] = _STEM_LABEL.sub("", stem, count=1) if _STEM_LABEL.match(stem) else stem
    if roles.options:
        record["options_raw"] = without_signs(options) or None
    if roles.answer:
        form = roles.form if options or roles.form in ("verdict", "words", MARKED) else ""
        record["answer_raw"] = _answer(answer_value, options, form)
    if roles.explanation:
        record["explanation_raw"] = text_of(row.get(roles.explanation)) or None
    for word, key in roles.others.items():
        record |= {OTHERS[word]: text_of(row.get(key)) or None} if word in OTHERS else {}
    record |= {"type_raw": roles.type} if roles.type and not record.get("type_raw") else {}
    return record


def _answer(value: Any, options: list[str], form: str) -> str | None:
    if value in (None, "", []):
        return None
    if form == MARKED:
        return marked_letters(value) or None
    if form == "verdict":
        return verdict_of(as_verdict(value)) or CODES.get(text_of(value).lower()) or text_of(value)
    if form in ("words", ""):
        return text_of(value)
    return answer_letters(value, options, form) or text_of(value)


def find_others(rows: Sequence[dict[str, Any]], columns: Sequence[str], roles: Roles) -> None:
    """Add the columns of explanations, types, chapters, subjects and cases to the roles."""
    used = {roles.stem, roles.answer, *roles.options}
    scored = []
    for key in columns:
        texts = [value for row in rows if isinstance(value := row.get(key), str) and value.strip()]
        if key in used or not texts or key.startswith("^"):
            continue
        mean, named = sum(map(len, texts)) / len(texts), bool(EXPLAINED.search(key.rpartition(".")[2]))
        if named:
            scored.append((1000 + mean, key))
    if scored:
        roles.explanation = max(scored)[1]
        used.add(roles.explanation)
    for field, pattern in NAMED.items():
        column = next(
            (key for key in columns if key not in used and pattern.search(key.rpartition(".")[2]) and _are_words(rows, key, field)), None
        )
        if column:
            roles.others[field] = column
            used.add(column)


def _are_words(rows: Sequence[dict[str, Any]], key: str, field: str) -> bool:
    texts = [row[key] for row in rows if isinstance(row.get(key), str) and row[key].strip()]
    least = 0.0 if field == "案例" else 0.3  # few questions may have a case, and need it to be understood
    return len(texts) >= max(1, least * len(rows)) and sum(not plain(text).isascii() for text in texts) >= 0.8 * len(texts)
