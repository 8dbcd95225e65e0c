"""Questions -> rows of a table under a header, as csv or xlsx: columns, options in one cell or many, rows that say what others share."""

import csv
import io
from random import Random

from msgspec import Struct
from openpyxl import Workbook

from tests.layouts.gold import LETTERS, Gold, Section

STEMS = ("题干", "题目", "试题内容", "question", "题目内容（必填）", "小题题干")
ANSWERS = ("答案", "正确答案", "标准答案", "answer", "参考答案")
COLUMNS = ("选项{}", "{}", "选项{}（必填）", "option {}", "备选项{}")
OPTIONS = ("columns", "lines", "bars", "blanks", "run", "stem", "rows", "beside")
KEYS = ("letters", "commas", "points", "texts", "small", "joined")
SHARING = ("column", "row", "stem")
CHARSETS = ("utf-8", "utf-8-sig", "gb18030", "utf-16")
_TYPES = {
    "single": ("单选题", "单项选择题", "A1型题"),
    "multiple": ("多选题", "多项选择题", "X型题"),
    "verdict": ("判断题", "是非题", "判断"),
    "blank": ("填空题", "填空题", "填空"),
    "words": ("简答题", "问答题", "简答"),
    "case": ("单选题", "单项选择题", "A3型题"),
    "shared": ("单选题", "配伍题", "B1型题"),
}


class Grid(Struct, frozen=True, kw_only=True):
    """How the rows are built."""

    stem: str
    answer: str
    column: str
    options: str
    keys: str
    verdicts: tuple[str, str]
    typed: str
    """Where the type stands: in a column, in rows above, as the name of the sheet, or nowhere."""
    name: int
    sharing: str
    """Where what several questions share stands: in a column of every row, in a row above, before each stem."""
    explained: bool
    numbered: bool
    titled: bool
    """Titles stand above the header."""
    charset: str
    separator: str
    prefixed: bool
    """Options keep their letters within the cells."""


def grid(rng: Random) -> Grid:
    """Draw a form of a table."""
    return Grid(
        stem=rng.choice(STEMS),
        answer=rng.choice(ANSWERS),
        column=rng.choice(COLUMNS),
        options=rng.choice(OPTIONS),
        keys=rng.choice(("letters", "letters", *KEYS)),
        verdicts=rng.choice((("正确", "错误"), ("对", "错"), ("√", "×"), ("T", "F"), ("TRUE", "FALSE"), ("A", "B"))),
        typed=rng.choice(("column", "rows", "sheets", "none")),
        name=rng.randrange(3),
        sharing=rng.choice(SHARING),
        explained=rng.choice((False, True)),
        numbered=rng.choice((False, True)),
        titled=rng.choice((False, True)),
        charset=rng.choice(CHARSETS),
        separator=rng.choice((",", "\t")),
        prefixed=rng.choice((False, True)),
    )


def tables_of(sections: tuple[Section, ...], form: Grid) -> list[tuple[str, list[list[str]]]]:
    """Return the sheets with their names; one where the type is not the name of a sheet."""
    if form.typed == "sheets":
        return [(f"{_TYPES[section.kind][form.name]}{place or ''}", _rows([section], form)) for place, section in enumerate(sections)]
    return [("题库", _rows(list(sections), form))]


def csv_of(sections: tuple[Section, ...], form: Grid) -> bytes:
    """Return the first sheet as text; other sheets follow under headers of their own only in a workbook."""
    file = io.StringIO()
    rows = [row for _, table in tables_of(sections, form) for row in table]
    csv.writer(file, delimiter=form.separator).writerows(rows)
    return file.getvalue().encode(form.charset)


def book_of(sections: tuple[Section, ...], form: Grid) -> bytes:
    """Return a workbook."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in tables_of(sections, form):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([cell or None for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _rows(sections: list[Section], form: Grid) -> list[list[str]]:
    width = max((len(gold.options) for section in sections for gold in section.questions), default=0)
    header = _header(form, max(width, 2))
    rows = [["护理学题库", *[""] * (len(header) - 1)]] if form.titled else []
    rows.append(header)
    number = 0
    for place, section in enumerate(sections):
        if form.typed == "rows":
            rows.append(_alone(f"{'一二三四五六七八九十'[place]}、{_TYPES[section.kind][form.name]}", header))
        for at, gold in enumerate(section.questions):
            number += 1
            group = [one for one in section.questions if gold.group and one.group == gold.group]
            begins = at == 0 or section.questions[at - 1].group != gold.group
            if group and begins and form.sharing == "row":
                rows.append(_alone(_note(gold, number, len(group)), header))
            rows += _question(number, gold, group, header, form)
    return rows


def _note(gold: Gold, number: int, count: int) -> str:
    what = "题干" if gold.case else "备选答案"
    words = gold.case or " ".join(f"{letter}.{option}" for letter, option in zip(LETTERS, gold.options, strict=False))
    return f"（{number}～{number + count - 1}题共用{what}）{words}"


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


def _question(number: int, gold: Gold, group: list[Gold], header: list[str], form: Grid) -> list[list[str]]:
    shows = bool(gold.options) and not (gold.kind == "shared" and form.sharing == "row")
    told = [f"{letter}.{option}" for letter, option in zip(LETTERS, gold.options, strict=False)] if shows else []
    bare = told if form.prefixed else list(gold.options) if shows else []
    stem = f"{gold.case}{gold.stem}" if gold.case and form.sharing == "stem" else gold.stem
    width = len(header)
    cells = {"序号": str(number), "题型": _TYPES[gold.kind][form.name], "共用题干": gold.case, form.stem: stem}
    cells |= {form.answer: _key(gold, group, form), "解析": gold.explanation}
    further: list[str] = []
    spread: list[str] = []
    match form.options:
        case "columns" | "beside":
            spread = bare
        case "lines":
            cells["选项"] = "\n".join(bare)
        case "bars":
            cells["选项"] = "|".join(bare)
        case "blanks":
            cells["选项"] = " ".join(told)
        case "run":
            cells["选项"] = "".join(told)
        case "stem":
            cells[form.stem] = f"{stem}{' '.join(told)}" if number % 2 else "\n".join([stem, *told])
        case _:
            cells["选项"], further = (told[0], told[1:]) if told else ("", [])
    row = [cells.get(name, "") for name in header]
    first = header.index(form.stem) + 1
    if spread:
        row[first : first + len(spread)] = spread
    below = [["" for _ in range(width)] for _ in further]
    for line, option in zip(below, further, strict=True):
        line[first] = option
    return [row, *below]


def _key(gold: Gold, group: list[Gold], form: Grid) -> str:
    if gold.kind == "verdict":
        return form.verdicts[gold.answer == "错误"]
    if not gold.options:
        return gold.answer
    match form.keys:
        case "commas":
            return ",".join(gold.answer)
        case "points":
            return "、".join(gold.answer)
        case "small":
            return gold.answer.lower()
        case "texts" if len(gold.answer) == 1:
            return gold.options[LETTERS.index(gold.answer)]
        case "joined" if gold.kind == "shared":
            return ",".join(one.answer for one in group)
    return gold.answer
