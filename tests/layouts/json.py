"""Questions -> records of JSON: keys, forms of options and answers, one document or one record a line, encodings."""

import json
from random import Random
from typing import Any

from msgspec import Struct

from tests.layouts.gold import LETTERS, Gold, Section

KEYS = (
    {
        "stem": "question",
        "options": "options",
        "answer": "answer",
        "type": "type",
        "why": "explanation",
        "case": "case",
        "wrong": "incorrect_answers",
    },
    {"stem": "题干", "options": "选项", "answer": "答案", "type": "题型", "why": "解析", "case": "共用题干", "wrong": "干扰项"},
    {
        "stem": "题目",
        "options": "备选答案",
        "answer": "正确答案",
        "type": "试题类型",
        "why": "答案解析",
        "case": "案例",
        "wrong": "错误选项",
    },
    {
        "stem": "stem",
        "options": "choices",
        "answer": "correct_answer",
        "type": "question_type",
        "why": "analysis",
        "case": "passage",
        "wrong": "distractors",
    },
)
OPTIONS = ("list", "lettered", "object", "keys", "objects", "pairs", "lines", "stem", "distractors")
ANSWERS = ("letters", "list", "commas", "place", "text", "small")
CHARSETS = ("utf-8", "utf-8-sig", "gb18030", "utf-16", "ascii")
_TYPES = {
    "single": ("单选题", "single", "single_choice"),
    "multiple": ("多选题", "multiple", "multiple_choice"),
    "verdict": ("判断题", "判断", "true_false"),
    "blank": ("填空题", "填空", "fill_in_the_blank"),
    "words": ("简答题", "简答", "short_answer"),
    "case": ("单选题", "single", "single_choice"),
    "shared": ("B1型题", "single", "single_choice"),
}


class Record(Struct, frozen=True, kw_only=True):
    """How a question becomes a record."""

    keys: int
    options: str
    answers: str
    typed: bool
    name: int
    explained: bool
    verdicts: tuple[Any, Any]
    lines: bool
    charset: str
    empty: str
    """How a field without a value is written: not at all, as null, as an empty text or list."""
    case: str
    """Where a case stands: under a key of its own or before the stem."""


def record(rng: Random) -> Record:
    """Draw a form of records."""
    return Record(
        keys=rng.randrange(len(KEYS)),
        options=rng.choice(OPTIONS),
        answers=rng.choice(("letters", *ANSWERS)),
        typed=rng.choice((True, False)),
        name=rng.randrange(3),
        explained=rng.choice((False, True)),
        verdicts=rng.choice((("正确", "错误"), ("对", "错"), ("√", "×"), (True, False), ("true", "false"), ("A", "B"))),
        lines=rng.choice((False, True)),
        charset=rng.choice(CHARSETS),
        empty=rng.choice(("absent", "null", "text")),
        case=rng.choice(("key", "stem")),
    )


def document_of(sections: tuple[Section, ...], form: Record) -> tuple[bytes, str]:
    """Return a file of records, and its text."""
    records = [_record(gold, form) for section in sections for gold in section.questions]
    plain = form.charset == "ascii"
    if form.lines:
        text = "\n".join(json.dumps(one, ensure_ascii=plain) for one in records)
    else:
        text = json.dumps(records, ensure_ascii=plain, indent=1)
    return text.encode(form.charset), text


def _record(gold: Gold, form: Record) -> dict[str, Any]:
    keys = KEYS[form.keys]
    stem = gold.case + gold.stem if gold.case and form.case == "stem" else gold.stem
    told = [f"{letter}. {option}" for letter, option in zip(LETTERS, gold.options, strict=False)]
    made: dict[str, Any] = {keys["type"]: _TYPES[gold.kind][form.name]} if form.typed else {}
    if gold.case and form.case == "key":
        made[keys["case"]] = gold.case
    made[keys["stem"]] = "\n".join([stem, *told]) if form.options == "stem" else stem
    if form.options == "distractors":
        if gold.options:
            made[keys["wrong"]] = [option for letter, option in zip(LETTERS, gold.options, strict=False) if letter not in gold.answer]
    elif form.options == "keys":
        made |= dict(zip(LETTERS, gold.options, strict=False))
    elif form.options != "stem":
        options = _options(gold.options, told, form)
        if options or form.empty == "text":
            made[keys["options"]] = options
        elif form.empty == "null":
            made[keys["options"]] = None
    made[keys["answer"]] = _answer(gold, form)
    if form.explained and (gold.explanation or form.empty != "absent"):
        made[keys["why"]] = gold.explanation or (None if form.empty == "null" else "")
    return made


def _options(options: tuple[str, ...], told: list[str], form: Record) -> Any:
    match form.options:
        case "list":
            return list(options)
        case "lettered":
            return told
        case "object":
            return dict(zip(LETTERS, options, strict=False))
        case "objects":
            return [{"label": letter, "text": option} for letter, option in zip(LETTERS, options, strict=False)]
        case "pairs":
            return [{letter: option} for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join(told)


def _answer(gold: Gold, form: Record) -> Any:
    if gold.kind == "verdict":
        return form.verdicts[gold.answer == "错误"]
    if not gold.options:
        return gold.answer
    if form.options == "distractors":
        rights = [gold.options[LETTERS.index(letter)] for letter in gold.answer]
        return rights if len(rights) > 1 else rights[0]
    match form.answers:
        case "list":
            return list(gold.answer)
        case "commas":
            return ",".join(gold.answer)
        case "small":
            return gold.answer.lower()
        case "place" if gold.kind != "multiple":
            return LETTERS.index(gold.answer)
        case "text" if len(gold.answer) == 1:
            return gold.options[LETTERS.index(gold.answer)]
    return gold.answer
