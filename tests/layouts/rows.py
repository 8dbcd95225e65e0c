"""Questions -> rows of a workbook or records of JSON: names, options in one place or many, answers, what several questions share."""

import io
import json
from random import Random
from typing import Any

from msgspec import Struct
from openpyxl import Workbook

from tests.layouts.gold import LETTERS, Gold, Section

TYPES = {
    "single": ("单选题", "单项选择题", "A1型题"),
    "multiple": ("多选题", "多项选择题", "X型题"),
    "verdict": ("判断题", "是非题", "判断"),
    "blank": ("填空题", "填空题", "填空"),
    "words": ("简答题", "问答题", "简答"),
    "case": ("单选题", "单项选择题", "A3型题"),
    "shared": ("单选题", "配伍题", "B1型题"),
}
CODES = {"single": "single", "multiple": "multiple_choice", "verdict": "true_false", "blank": "fill_in_the_blank", "words": "short_answer"}
"""Types as programs write them."""
ANSWERS = ("letters", "commas", "points", "text", "small")


class Grid(Struct, frozen=True, kw_only=True):
    """How the rows of a workbook are built."""

    stem: str
    answer: str
    column: str
    options: str
    answers: str
    verdicts: tuple[str, str]
    typed: str
    """Where the type stands: in a column, in rows above, as the name of the sheet, or nowhere."""
    name: int
    sharing: str
    """Where what several questions share stands: in a column of every row, in a row above, before each stem."""
    explained: bool
    numbered: bool
    titled: bool
    """A title stands above the header."""
    prefixed: bool
    """Options keep their letters within the cells."""


def grid(rng: Random) -> Grid:
    """Draw a form of a table."""
    return Grid(
        stem=rng.choice(("题干", "题目", "试题内容", "question", "题目内容（必填）", "小题题干")),
        answer=rng.choice(("答案", "正确答案", "标准答案", "answer", "参考答案")),
        column=rng.choice(("选项{}", "{}", "选项{}（必填）", "option {}", "备选项{}")),
        options=rng.choice(("columns", "lines", "bars", "blanks", "run", "stem", "rows", "beside")),
        answers=rng.choice(("letters", "letters", *ANSWERS)),
        verdicts=rng.choice((("正确", "错误"), ("对", "错"), ("√", "×"), ("T", "F"), ("TRUE", "FALSE"), ("A", "B"))),
        typed=rng.choice(("column", "rows", "sheets", "none")),
        name=rng.randrange(3),
        sharing=rng.choice(("column", "row", "stem")),
        explained=rng.choice((False, True)),
        numbered=rng.choice((False, True)),
        titled=rng.choice((False, True)),
        prefixed=rng.choice((False, True)),
    )


def book_of(sections: tuple[Section, ...], form: Grid) -> tuple[bytes, str]:
    """Return a workbook, and its cells as a reader sees them."""
    book, shown = Workbook(), list[str]()
    book.remove(book.active)
    for name, rows in _sheets(sections, form):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([cell or None for cell in row])
            shown.append(" | ".join(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue(), "\n".join(shown)


def _sheets(sections: tuple[Section, ...], form: Grid) -> list[tuple[str, list[list[str]]]]:
    if form.typed == "sheets":
        return [(f"{TYPES[section.kind][form.name]}{place or ''}", _rows([section], form)) for place, section in enumerate(sections)]
    return [("题库", _rows(list(sections), form))]


def _rows(sections: list[Section], form: Grid) -> list[list[str]]:
    width = max((len(gold.options) for section in sections for gold in section.questions), default=0)
    header = _header(form, max(width, 2))
    rows = [*([_alone("护理学题库", header)] if form.titled else []), header]
    number = 0
    for place, section in enumerate(sections):
        if form.typed == "rows":
            rows.append(_alone(f"{'一二三四五六七八九十'[place]}、{TYPES[section.kind][form.name]}", header))
        for at, gold in enumerate(section.questions):
            number += 1
            count = sum(1 for one in section.questions if gold.group and one.group == gold.group)
            if count and form.sharing == "row" and (at == 0 or section.questions[at - 1].group != gold.group):
                rows.append(_alone(_note(gold, number, count), header))
            rows += _question(number, gold, header, form)
    return rows


def _note(gold: Gold, number: int, count: int) -> str:
    words = gold.case or " ".join(_lettered(gold, "."))
    return f"（{number}～{number + count - 1}题共用{'题干' if gold.case else '备选答案'}）{words}"


def _header(form: Grid, width: int) -> list[str]:
    options = {
        "columns": [form.column.format(letter) for letter in LETTERS[:width]],
        "stem": [],
        "beside": ["选项", *[""] * (width - 1)],
    }.get(form.options, ["选项"])
    return [
        *(["序号"] if form.numbered else []),
        *(["题型"] if form.typed == "column" else []),
        *(["共用题干"] if form.sharing == "column" else []),
        form.stem,
        *options,
        form.answer,
        *(["解析"] if form.explained else []),
    ]


def _alone(text: str, header: list[str]) -> list[str]:
    return [text, *[""] * (len(header) - 1)]


def _lettered(gold: Gold, sign: str) -> list[str]:
    return [f"{letter}{sign}{option}" for letter, option in zip(LETTERS, gold.options, strict=False)]


def _question(number: int, gold: Gold, header: list[str], form: Grid) -> list[list[str]]:
    told = [] if gold.kind == "shared" and form.sharing == "row" else _lettered(gold, ".")
    bare = told if form.prefixed else list(gold.options) if told else []
    stem = f"{gold.case}{gold.stem}" if gold.case and form.sharing == "stem" else gold.stem
    cells = {"序号": str(number), "题型": TYPES[gold.kind][form.name], "共用题干": gold.case, form.stem: stem}
    cells |= {form.answer: form.verdicts[gold.answer == "错误"] if gold.kind == "verdict" else _answer(gold, form.answers)}
    cells["解析"] = gold.explanation
    further, first = list[str](), header.index(form.stem) + 1
    match form.options:
        case "lines" | "bars":
            cells["选项"] = ("\n" if form.options == "lines" else "|").join(bare)
        case "blanks" | "run":
            cells["选项"] = (" " if form.options == "blanks" else "").join(told)
        case "stem":
            cells[form.stem] = f"{stem}{' '.join(told)}" if number % 2 else "\n".join([stem, *told])
        case "rows":
            cells["选项"], further = (told[0], told[1:]) if told else ("", [])
    row = [cells.get(name, "") for name in header]
    if form.options in ("columns", "beside"):
        row[first : first + len(bare)] = bare
    return [row, *([*[""] * first, option, *[""] * (len(header) - first - 1)] for option in further)]


def _answer(gold: Gold, form: str) -> Any:
    match form if gold.options else "":
        case "commas" | "points":
            return ("," if form == "commas" else "、").join(gold.answer)
        case "small":
            return gold.answer.lower()
        case "text" if len(gold.answer) == 1:
            return gold.options[LETTERS.index(gold.answer)]
        case "list":
            return list(gold.answer)
        case "place" if len(gold.answer) == 1:
            return LETTERS.index(gold.answer)
    return gold.answer


KEYS = (
    ("question", "options", "answer", "type", "explanation", "case"),
    ("题干", "选项", "答案", "题型", "解析", "共用题干"),
    ("题目", "备选答案", "正确答案", "试题类型", "答案解析", "案例"),
    ("stem", "choices", "correct_answer", "question_type", "analysis", "passage"),
)
"""Names of the stem, options, answer, type, explanation and case."""


class Record(Struct, frozen=True, kw_only=True):
    """How a question becomes a record."""

    keys: int
    options: str
    answers: str
    typed: str
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
        options=rng.choice(("list", "lettered", "object", "keys", "objects", "pairs", "lines", "stem")),
        answers=rng.choice(("letters", "letters", "list", "place", *ANSWERS)),
        typed=rng.choice(("words", "codes", "none")),
        name=rng.randrange(3),
        explained=rng.choice((False, True)),
        verdicts=rng.choice((("正确", "错误"), ("对", "错"), ("√", "×"), (True, False), ("true", "false"), ("A", "B"))),
        lines=rng.choice((False, True)),
        charset=rng.choice(("utf-8", "utf-8-sig", "gb18030", "utf-16", "ascii")),
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
    stem_key, options_key, answer_key, type_key, why_key, case_key = KEYS[form.keys]
    stem, told = (gold.case if form.case == "stem" else "") + gold.stem, _lettered(gold, ". ")
    kind = CODES.get(gold.kind, "single") if form.typed == "codes" else TYPES[gold.kind][form.name]
    made: dict[str, Any] = {type_key: kind} if form.typed != "none" else {}
    made |= {case_key: gold.case} if gold.case and form.case == "key" else {}
    made[stem_key] = "\n".join([stem, *told]) if form.options == "stem" else stem
    answer = form.verdicts[gold.answer == "错误"] if gold.kind == "verdict" else _answer(gold, form.answers)
    pairs = dict(zip(LETTERS, gold.options, strict=False))
    match form.options:
        case "keys":
            made |= pairs
        case "stem":
            pass
        case _ if pairs or form.empty == "text":
            made[options_key] = {
                "list": list(gold.options),
                "lettered": told,
                "object": pairs,
                "objects": [{"label": letter, "text": option} for letter, option in pairs.items()],
                "pairs": [{letter: option} for letter, option in pairs.items()],
                "lines": "\n".join(told),
            }[form.options]
        case _ if form.empty == "null":
            made[options_key] = None
    made[answer_key] = answer
    if form.explained and (gold.explanation or form.empty != "absent"):
        made[why_key] = gold.explanation or (None if form.empty == "null" else "")
    return made
