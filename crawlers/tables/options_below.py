"""Options in rows of their own below their question, in its column or in another -> a list of options in the row of the question.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections import Counter
from collections.abc import Sequence
from operator import eq, le
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.answer_marks import flat
from crawlers.papers.signs.headings import heads
from crawlers.papers.signs.letters import letter_of
from crawlers.tables.tree import OPTIONS, Rows

_FEWEST, _MOST_OPTIONS, _SHARE = 3, 10, 0.8
_MOST_COLUMNS = 4
"""Columns that are tried, those most often filled alone."""
_SAID = re.compile(
    r"\s{0,9}[【\[]?(?:(?P<answer>(?:正确|参考|标准)?答案)|(?P<reason>(?:答案)?解析|详解))[】\]]?\s?[:：]?\s?(?P<rest>.*)", re.DOTALL
)
_LETTERS = re.compile(r"\W{0,2}[A-J](?:[\s,，、;；]{0,2}[A-J]){0,9}\W{0,2}")
_FIELDS = {"answer": "答案", "reason": "解析"}
LocatedRow = tuple[str, dict[str, Any]]


def with_options_below(table: Rows) -> Rows:
    """Return a table whose options are each in a row below their question, where nothing else is, as one with a list of options."""
    filled = [_filled(row) for _, row in table.rows]
    alone = Counter(next(iter(own)) for own in filled if len(own) == 1)
    for key in [key for key, count in alone.most_common(_MOST_COLUMNS) if count >= _FEWEST]:
        groups = _groups(table.rows, filled, key)
        asked = [group for group in groups if len(group) > 1]
        if len(asked) < _FEWEST or len(asked) < _SHARE * len(groups):
            continue
        texts = asked_texts(asked, key)
        if any(heads(flat(text)) for each in texts for text in each):
            continue
        joined = [_joined(group, key) for group in groups]
        sound = [row for row in joined if len(row.get(_column(key, row)) or ()) > 1]
        if len(sound) >= _SHARE * len(groups) and (
            all(map(_are_lettered, texts)) or (not any(map(_are_lettered, texts)) and _fit_letters(joined, key))
        ):
            return Rows(table.way, [(group[0][0], row) for group, row in zip(groups, joined, strict=True)])
    return table


def asked_texts(groups: Sequence[Sequence[LocatedRow]], key: str) -> list[list[str]]:
    """Return the texts below each question that are not named as its answer or explanation."""
    return [[text for _, row in group[1:] if not _SAID.match(text := str(row[key]))] for group in groups]


def _filled(row: dict[str, Any]) -> frozenset[str]:
    """Return the own columns of a row that are not empty."""
    return frozenset(key for key, value in row.items() if not key.startswith("^") and value not in (None, ""))


def _groups(rows: Sequence[LocatedRow], filled: Sequence[frozenset[str]], key: str) -> list[list[LocatedRow]]:
    """Return each row with the rows below it that have a text in one column only, or also the last field of a question; else nothing."""
    ends = _ending_columns(filled, key)
    groups: list[list[LocatedRow]] = []
    for row, own in zip(rows, filled, strict=True):
        if not own:
            continue
        if key not in own or not own <= {key} | ends:
            groups.append([row])
        elif not groups:
            return []
        else:
            groups[-1].append(row)
    return groups if all(len(group) <= _MOST_OPTIONS + 3 for group in groups) else []


def _ending_columns(filled: Sequence[frozenset[str]], key: str) -> set[str]:
    """Return the columns that are filled only beside the last option of a question: those of answers."""
    filled = [each for each in filled if each]
    ends = set().union(*filled) - {key}
    for at, own in enumerate(filled):
        is_last = at and key in own and filled[at - 1] == {key} and (at + 1 == len(filled) or filled[at + 1] != {key})
        ends -= frozenset() if is_last else own
    return ends


def _column(key: str, row: dict[str, Any]) -> str:
    return key if isinstance(row.get(key), list) else OPTIONS


def _joined(group: Sequence[LocatedRow], key: str) -> dict[str, Any]:
    """Return the row of a question with the texts below it: its options, and what is named as its answer or explanation."""
    _, head = group[0]
    row, options = dict(head), list[str]()
    for _, below in group[1:]:
        row |= {each: value for each, value in below.items() if each != key and value not in (None, "")}
        if said := _SAID.match(str(below[key])):
            name = next(name for name, text in said.groupdict().items() if text and name in _FIELDS)
            row[_FIELDS[name]] = said["rest"].strip()
        else:
            options.append(str(below[key]))
    if len(group) > 1:
        row[OPTIONS if row.get(key) not in (None, "") else key] = options
    return row


def _are_lettered(texts: Sequence[str]) -> bool:
    return [letter_of(text) for text in texts] == list(LETTERS[: len(texts)])


def _fit_letters(rows: Sequence[dict[str, Any]], key: str) -> bool:
    """Return whether a column has the letters of one or some of the options of every question that has any, and not always the same."""
    asked = [row for row in rows if isinstance(row.get(_column(key, row)), list)]
    for column in dict.fromkeys(each for row in asked for each in row):
        said = [str(row.get(column) or "") for row in asked]
        letters = [re.findall(r"[A-J]", text) if _LETTERS.fullmatch(text) else [] for text in said]
        counts = [len(row[_column(key, row)]) for row in asked]
        lasts = [LETTERS.index(max(each)) + 1 if each else 0 for each in letters]
        if len(set(said)) > 1 and 0 not in lasts and all(map(le, lasts, counts)) and any(map(eq, lasts, counts)):
            return True
    return False
