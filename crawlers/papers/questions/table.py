"""Questions in a table that was turned into text: a row of column names, then a row per question, with cells separated by tabs or bars."""

import csv
import re
from collections.abc import Sequence

from msgspec import Struct

from crawlers.papers.questions.draft import Draft
from crawlers.papers.questions.groups import Above
from crawlers.papers.signs.answer_marks import flat, trimmed

_NAMES = (
    ("number", re.compile(r"序号|题号|编号|试题编号|No\.?|ID|id")),
    ("stem", re.compile(r"题目|题干|试题|问题|题面|(?:题目|试题|题干)内容|题目描述")),
    ("option", re.compile(r"(?:选项|答案)?[A-J](?:选项|项)?")),
    ("answer", re.compile(r"(?:正确|参考|标准)?答案|正确选项")),
    ("explanation", re.compile(r"(?:答案|试题)?解析|说明|详解")),
    ("kind", re.compile(r"题型|(?:题目|试题)?类型")),
)
_SIGNS = ("\t", "|", ",")
_LONGEST_NAMES = 400
_BAR = re.compile(r"\s{0,3}\|\s{0,3}")
_RULE = re.compile(r"[\s|:-]{3,}")


class _Columns(Struct):
    roles: list[str]
    """What each column contains."""
    sign: str
    """The separator of the cells: a tab, a bar or a comma."""


def tables_in(lines: Sequence[tuple[int, str]]) -> tuple[list[Draft], list[tuple[int, str]]]:
    """Return the questions of the tables in a paper, and the lines with those of the tables emptied."""
    drafts: list[Draft] = []
    rest = list(lines)
    columns: _Columns | None = None
    for position, (index, line) in enumerate(lines):
        if "\t" not in line and "|" not in line and "," not in line:
            columns = columns if columns and not line.strip() else None
        elif names := _columns(line):
            columns, rest[position] = names, (index, "")
        elif columns:
            if draft := _draft(_cells(line, columns.sign), columns, index):
                drafts.append(draft)
                rest[position] = (index, "")
            elif _RULE.fullmatch(flat(line)):
                rest[position] = (index, "")
    return drafts, rest


def _cells(line: str, sign: str) -> list[str]:
    if sign == ",":
        try:
            cells = next(csv.reader([line.replace("\0", "")]), [])
        except csv.Error:  # a cell of more than 128 KiB
            cells = [line]
    else:
        cells = line.strip("\r\n").split(sign) if sign == "\t" else _BAR.split(line.strip().strip("|"))
    return [trimmed(cell) for cell in cells]


def _columns(line: str) -> _Columns | None:
    """Return what the columns of a table contain if a line is the row of their names."""
    for sign in _SIGNS:
        if sign not in line or len(line) > _LONGEST_NAMES:
            continue
        roles = [next((role for role, names in _NAMES if names.fullmatch(flat(cell))), "") for cell in _cells(line, sign)]
        if roles.count("stem") == 1 and "answer" in roles and len(roles) > (2 if sign != "," else 3):
            return _Columns(roles, sign)
    return None


def _draft(cells: Sequence[str], columns: _Columns, index: int) -> Draft | None:
    if len(cells) < 2 or (columns.sign == "|" and _RULE.fullmatch(flat("".join(cells)) + "---")):
        return None
    by_role: dict[str, list[str]] = {}
    for role, cell in zip(columns.roles, cells, strict=False):
        by_role.setdefault(role, []).append(cell)
    stem, number = by_role.get("stem", [""])[0], re.search(r"\d{1,6}", flat(by_role.get("number", [""])[0]))
    options = by_role.get("option", [])
    while options and not options[-1]:
        options.pop()
    if not stem and not options:
        return None
    fits = len(cells) <= len(columns.roles) or not any(cells[len(columns.roles) :])
    draft = Draft(
        line=index,
        ordinal=0,
        number=int(number[0]) if number else index,
        above=Above(heading=by_role.get("kind", [""])[0] or None),
        stem=stem,
        options=options,
        answer=by_role.get("answer", [""])[0] or None,
        explanation=by_role.get("explanation", [""])[0] or None,
    )
    return draft if fits and stem else draft.doubted("options_unreadable" if stem else "stem_unreadable")
