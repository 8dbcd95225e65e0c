"""Cells with all options of a question, divided by any sign, `甲/乙/丙` or `[甲][乙][丙]`, which the answers beside them prove, or by
labels in turn, `A-甲$B-乙$C-丙`, which prove themselves.

Rows in, rows with lists instead of such cells out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.column_roles.answer_columns import ANSWER
from crawlers.column_roles.option_columns import EXPLAINED
from crawlers.column_roles.solver import SURE, roles_of
from crawlers.column_roles.values import answer_letters, bare, options_in
from crawlers.tables.tree import Rows

_FEWEST_ROWS, _FEWEST_PARTS, _SHARE = 5, 3, 0.95
_EXCERPT_ROWS = 200
_SIGN = r"(?:[^\w\s]|_)"
_LABEL = re.compile(r"^[(（]?[A-Ja-j1-9][.．、:：)）]\s?")
_LABELS = [
    (
        labels,
        re.compile(rf"(?P<open>{_SIGN}{{0,2}}){labels[0]}(?P<sign>{_SIGN}{{0,3}})(?=\s*\w)"),
        rf"(?P<between>[\W_]{{1,9}}){labels[1]}",
    )
    for labels in (LETTERS, LETTERS.lower(), "123456789")
]
"""Labels in turn, the pattern of the first one, and the beginning of that of the second."""
_SIGNS = re.compile(r"[^\w\s\"'“”‘’《》()（）%℃.]{1,3}|[(（]|\t")
_BRACKETS = {"][": "[]", "】【": "【】", "}{": "{}", ")(": "()", "）（": "（）", "><": "<>", "〕〔": "〔〕"}
_OF_PROSE, _MOST_IN_PROSE = re.compile(r"[,，、。:：!！?？~\-]"), 5
_Cells = list[tuple[dict[str, Any], str]]


def with_divided_cells(table: Rows) -> Rows:
    """Return a table whose cells of several options are lists; unchanged if no column of answers fits, or others are the options."""
    for key in table.own_columns() if len(table.rows) >= _FEWEST_ROWS else ():
        if EXPLAINED.search(key) or not all(isinstance(row.get(key), str | None) for _, row in table.rows):
            continue
        cells = [(row, text) for _, row in table.rows if (text := (row.get(key) or "").strip())]
        if len(cells) < _FEWEST_ROWS:
            continue
        labelled = _labelled_parts([text for _, text in cells])
        for (row, text), own in zip(cells, labelled, strict=False):
            if own and not _are_same(options_in(text), own):
                row[key] = own
        if labelled or _are_options(cells):
            continue
        divisions = ((sign, [_parts(text, sign) for _, text in cells]) for sign in _signs_in(cells))
        sound = [
            each for sign, each in divisions if _are_sound(each, sign) and _are_proven(cells[:_EXCERPT_ROWS], each[:_EXCERPT_ROWS], key)
        ]
        if not sound or _has_other_options(table, key):
            continue
        if parts := next((each for each in sound if _are_proven(cells, each, key)), None):
            for (row, _), texts in zip(cells, parts, strict=True):
                row[key] = texts
    return table


def _are_same(options: list[str], others: list[str]) -> bool:
    """Return whether options are the same without their labels, however these are recognized."""
    return all([without(each) for each in options] == [without(each) for each in others] for without in (bare, _without_label))


def _without_label(option: str) -> str:
    return _LABEL.sub("", option, count=1)


def _labelled_parts(texts: Sequence[str]) -> list[list[str]]:
    """Return the options of each cell if nearly all have labels in turn between the same signs, none for a cell without; else nothing."""
    some = texts[:_EXCERPT_ROWS]
    for labels, first, second in _LABELS:
        begins = Counter((match["open"], match["sign"]) for text in some if (match := first.match(text)))
        if not begins or begins.total() < _SHARE * len(some):
            continue
        opening, sign = begins.most_common(1)[0][0]
        next_one = re.compile(second + re.escape(sign))
        between = Counter(match["between"].strip(" ") for text in some if (match := next_one.search(text, 1)))
        sign_between = between.most_common(1)[0][0].removesuffix(opening) if between else ""
        if not sign_between.strip() and not (sign and (sign_between or labels == LETTERS)):
            continue
        ahead = rf"{re.escape(sign_between.strip())}\s*" if sign_between.strip() else r"\n\s*" if "\n" in sign_between else r"\s+"
        begin = [re.compile(f"{ahead if at else ''}{re.escape(opening + label + sign)}") for at, label in enumerate(labels)]
        parts = [_between_labels(text, labels, begin) for text in texts]
        if sum(map(bool, parts)) >= _SHARE * len(parts) and sum(len(each) >= _FEWEST_PARTS for each in parts) * 2 > len(parts):
            return parts
    return []


def _between_labels(text: str, labels: str, begin: Sequence[re.Pattern[str]]) -> list[str]:
    """Return the parts of a cell that begin with the labels in turn, each label once; nothing if they do not."""
    first = begin[0].match(text)
    places = [[*each.finditer(text, first.end())] for each in begin[1:]] if first else []
    count = next((at for at, each in enumerate(places) if not each), len(places))
    if first is None or not count or any(len(each) != (at < count) for at, each in enumerate(places)):
        return []
    starts = [first, *(each[0] for each in places[:count])]
    if any(one.end() > other.start() for one, other in pairwise(starts)):
        return []
    ends = [*(each.start() for each in starts[1:]), len(text)]
    own = [text[one.end() : end].strip() for one, end in zip(starts, ends, strict=True)]
    return [f"{label}. {part}" for label, part in zip(labels, own, strict=False)] if all(own) else []


def _has_other_options(table: Rows, key: str) -> bool:
    """Return whether the rows are surely choices without a division: the stems of cases, too, may all have four parts between commas."""
    roles = roles_of([row for _, row in table.rows[:_EXCERPT_ROWS]])
    return roles is not None and roles.confidence >= SURE and bool(roles.options) and key not in roles.options


def _are_options(cells: _Cells) -> bool:
    """Return whether cells are read as options already."""
    some = [text for _, text in islice(cells, _EXCERPT_ROWS)]
    return sum(len(options_in(text)) > 1 for text in some) > len(some) / 2


def _signs_in(cells: _Cells) -> list[str]:
    """Return the signs that nearly all cells have, the longest first."""
    some = [text for _, text in islice(cells, _EXCERPT_ROWS)]
    signs = {sign for text in some[:2] for sign in _SIGNS.findall(text)} | {sign for sign in _BRACKETS if sign in some[0]}
    parts = {part for sign in signs for part in (sign, sign[:1])} | signs
    return sorted((sign for sign in parts if sum(sign in text for text in some) >= _SHARE * len(some)), key=lambda sign: (-len(sign), sign))


def _parts(text: str, sign: str) -> list[str]:
    around = _BRACKETS.get(sign, "")
    return [part.strip() for part in text.removeprefix(around[:1]).removesuffix(around[1:]).split(sign)]


def _are_sound(parts: Sequence[list[str]], sign: str) -> bool:
    """Return whether all cells are several different texts, most of them as many as options are.

    A sign that occurs inside options, too, must divide all into the same number, except for statements.
    """
    counts = {len(each) for each in parts} - {2}
    if _OF_PROSE.search(sign) and (len(counts) > 1 or max(counts, default=0) > _MOST_IN_PROSE):
        return False
    sound = [all(each) and 1 < len(set(each)) == len(each) <= len(LETTERS) for each in parts]
    return all(sound) and sum(len(each) >= _FEWEST_PARTS for each in parts) * 2 > len(parts)


def _are_proven(cells: _Cells, parts: Sequence[list[str]], key: str) -> bool:
    """Return whether a column has the texts of some parts, a 1 or a 0 for each, or letters of them that reach the last one."""
    for other in dict.fromkeys(name for row, _ in cells[:_EXCERPT_ROWS] for name in row):
        if other == key:
            continue
        filled = [(row[other], each) for (row, _), each in zip(cells, parts, strict=True) if row.get(other) not in (None, "", [])]
        if len(filled) < _SHARE * len(cells):
            continue
        for form in ("text", "mask", "letters", "from 1") if ANSWER.search(other) else ("text", "mask"):
            letters = [answer_letters(value, each, form) for value, each in filled]
            reached = any(each and LETTERS[len(texts) - 1] in each for each, (_, texts) in zip(letters, filled, strict=True))
            if sum(map(bool, letters)) >= _SHARE * len(letters) and len(set(letters)) > 1 and (form in ("text", "mask") or reached):
                return True
    return False
