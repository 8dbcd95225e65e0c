"""Answers beside a list of questions, and questions that are themselves lists -> records with all their fields.

`{questions: [...], answers: {"1": "A"}}`, `const keys = ["A", "C"]`, `[["…", "甲", "乙", "A"], …]`, `{columns: [...], data: [[...], …]}`.
"""

import re
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.entries import listed_in
from crawlers.tables.marked_options import are_verdicts

_FEWEST, _LEAST_CELLS, _MOST_CELLS, _DEEPEST = 3, 3, 60, 6
_ALIKE = 0.9
_MOST_ALIKE = 12
"""Maximum number of adjacent objects with the same keys of which one may describe another; more of them are records by name."""
_ANSWERS = re.compile(r"answer|答案|correct|right|(?:^|_)ans|keys?$|solution|正解", re.IGNORECASE)
_OWN_CHOICE = re.compile(r"user|^my|mine|我的|你的|考生|作答|学生|respon|select|chosen|submit|wrong|错", re.IGNORECASE)
"""Names for a given answer of somebody, which need not be correct."""
_EXPLAINED = re.compile(r"expla|analy|解析|详解|rationale", re.IGNORECASE)
_NAMES = re.compile(r"columns?|headers?|fields?|keys?|names?|表头|列名|字段", re.IGNORECASE)
_LETTERED = re.compile(r"[A-Ja-j](?:[\s,，、]?[A-Ja-j]){0,9}")
_NUMBER = re.compile(r"\D{0,12}?0{0,6}(\d{1,6})\D{0,3}")
_ID = re.compile(r"(?:^|_)(?:id|no|num|number|index|seq)$|[a-z]I[dD]$|号$|序$", re.IGNORECASE)

IsHeader = Callable[[list[str]], bool]


def with_fields(document: Any, is_header: IsHeader, depth: int = 0, inside: bool = False) -> Any:
    """Return a document whose questions are objects that include what was beside their list.

    Args:
        is_header: returns whether a list of words names columns.
        inside: whether the value is in a record, where a list of lists may be its options.
    """
    if depth > _DEEPEST:
        return document
    if isinstance(document, list):
        if not inside and (records := _records(document, [], is_header)):
            return records
        return [with_fields(each, is_header, depth + 1, True) if isinstance(each, dict) else each for each in document]
    if not isinstance(document, dict):
        return document
    names = [value for key, value in document.items() if _NAMES.fullmatch(key) and _are_words(value)]
    done = {
        key: (
            records
            if isinstance(value, list) and (records := _records(value, names, is_header, inside))
            else with_fields(value, is_header, depth + 1, inside)
        )
        for key, value in document.items()
    }
    return _attached(done)


def fields_beside(records: Sequence[Any], beside: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the answers and explanations beside records that have one entry per record, by their keys, in record order.

    Numbers identify records by a column with the same numbers, else by position; a list goes by position.
    """
    if len(records) < _FEWEST or not all(isinstance(record, dict) for record in records):
        return {}
    fields: dict[str, list[Any]] = {}
    for key, value in beside.items():
        if _OWN_CHOICE.search(key) or any(key in record for record in records):
            continue
        values = _by_number(records, value) if isinstance(value, dict) else _by_index(value)
        if len(values) != len(records) or _names_all(records, values):
            continue
        if (_EXPLAINED.search(key) and all(isinstance(each, str) for each in values)) or _are_answers(values, key):
            fields[key] = values
    return fields


def _names_all(records: Sequence[dict[str, Any]], values: Sequence[Any]) -> bool:
    """Return whether values name each record once, `A,B,C,D` over four: then they are the options of one question, all correct."""
    if any(isinstance(value, list | dict) for value in values):
        return False
    names = {str(value).strip().upper() for value in values}
    columns = [{str(record.get(key)).strip().upper() for record in records} for key in records[0]]
    count = len(records)
    return names in (set(LETTERS[:count]), {str(n) for n in range(count)}, {str(n) for n in range(1, count + 1)}, *columns)


def is_key(value: Any) -> bool:
    """Return whether a value has answers of several questions, as letters in a list or by number: then it is no field of each of them."""
    values = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(values, list) or len(values) < _FEWEST or not all(isinstance(each, str) for each in values):
        return False
    return all(_LETTERED.fullmatch(each) for each in values) and (isinstance(value, list) or all(map(_NUMBER.fullmatch, value)))


def _attached(document: dict[str, Any]) -> dict[str, Any]:
    """Return an object with the fields beside its one list of records joined to the records, list by list if both are by name."""
    lists = [key for key, value in document.items() if isinstance(value, list) and len(value) >= _FEWEST and isinstance(value[0], dict)]
    if len(lists) == 1:
        records = document[lists[0]]
        fields = fields_beside(records, {key: value for key, value in document.items() if key != lists[0]})
        if fields:
            joined = [record | {key: values[index] for key, values in fields.items()} for index, record in enumerate(records)]
            return {key: joined if key == lists[0] else value for key, value in document.items() if key not in fields}
        return document
    for name in lists:  # of several, the one whose records are named
        records = document[name]
        if fields := fields_beside(records, {key: value for key, value in document.items() if isinstance(value, dict)}):
            joined = [record | {key: values[index] for key, values in fields.items()} for index, record in enumerate(records)]
            return {key: joined if key == name else value for key, value in document.items() if key not in fields}
    alike: dict[frozenset[str], list[str]] = {}
    for key, value in document.items():
        if isinstance(value, dict):
            alike.setdefault(frozenset(value), []).append(key)
    for names in alike.values():
        for record_key, answer_key in permutations(names, 2) if len(names) <= _MOST_ALIKE else ():
            if done := _joined(document[record_key], answer_key, document[answer_key]):
                return {key: done if key == record_key else value for key, value in document.items() if key != answer_key}
    return document


def _joined(records: dict[str, Any], answer_key: str, answers: dict[str, Any]) -> dict[str, Any] | None:
    """Return records by name, or lists of them by name, with the answers of the same names; None if these are not."""
    names = list(records)
    if all(isinstance(each, dict) for each in records.values()):
        fields = fields_beside(list(records.values()), {answer_key: [answers[name] for name in names]})
        return {name: records[name] | {answer_key: answers[name]} for name in names} if fields else None
    if len(names) < 2 or not all(isinstance(each, list) for each in records.values()):
        return None
    columns = {name: fields_beside(records[name], {answer_key: answers[name]}) for name in names}
    if not all(columns.values()):
        return None
    return {name: [record | {answer_key: columns[name][answer_key][index]} for index, record in enumerate(records[name])] for name in names}


def _by_index(value: Any) -> list[Any]:
    if isinstance(value, str):
        entries = listed_in(value).entries
        if entries and [entry.number for entry in entries] == list(range(1, len(entries) + 1)) and all(entry.sure for entry in entries):
            return [entry.answer for entry in entries]
        bare = re.sub(r"[\s,，、;；|]+", "", value)
        return list(bare) if re.fullmatch(r"[A-J]{3,2000}", bare) else []
    return value if isinstance(value, list) else []


def _by_number(records: Sequence[dict[str, Any]], value: dict[str, Any]) -> list[Any]:
    """Return the values of an object whose keys name each record."""
    if len(value) != len(records):
        return []
    for key in records[0]:
        names = [str(record.get(key)) for record in records]
        if set(names) == value.keys() and len(set(names)) == len(names):
            return [value[name] for name in names]
    if any(_ID.search(key) for key in records[0]):
        numbered = {key: _numbers(str(record.get(key)) for record in records) for key in records[0] if _ID.search(key)}
        keys = _numbers(value)
        for numbers in numbered.values():
            if numbers and len(keys) == len(value) and sorted(numbers) == sorted(keys):
                by_number = dict(zip(keys, value.values(), strict=True))
                return [by_number[number] for number in numbers]
        return []
    keys = _numbers(value)
    if sorted(keys) != list(range(min(keys, default=0), min(keys, default=0) + len(records))) or min(keys, default=2) > 1:
        return []
    by_number = dict(zip(keys, value.values(), strict=True))
    return [by_number[number] for number in sorted(keys)]


def _numbers(names: Any) -> list[int]:
    """Return the numbers in names, `Q3`, `第3题`; nothing if a name has none or two are equal."""
    matches = [_NUMBER.fullmatch(name.strip()) for name in names]
    numbers = [int(each[1]) for each in matches if each]
    return numbers if len(numbers) == len(matches) == len(set(numbers)) else []


def _are_answers(values: Sequence[Any], key: str) -> bool:
    """Return whether values are answers: letters other than A, B, C in sequence; anything else only under the name of an answer."""
    flat = ["".join(each) if isinstance(each, list) and all(isinstance(one, str) for one in each) else each for each in values]
    if not all(isinstance(each, str | int) for each in flat):
        return bool(_ANSWERS.search(key)) and all(isinstance(each, list) for each in values)
    lettered = all(isinstance(each, str) and _LETTERED.fullmatch(each) for each in flat)
    return (lettered and "".join(map(str, flat)).upper() not in LETTERS) or bool(_ANSWERS.search(key))


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= _LEAST_CELLS and all(isinstance(each, str) for each in value)


def _records(rows: Sequence[Any], names: Sequence[list[str]], is_header: IsHeader, inside: bool = False) -> list[dict[str, Any]]:
    """Return a list of lists as objects, with keys from a header or else by position; nothing if it is not such a list."""
    lists = [row for row in rows if isinstance(row, list)]
    least = _LEAST_CELLS - (bool(lists) and (all(map(_has_options, lists)) or (not inside and are_verdicts(lists))))
    if len(lists) < len(rows) or len(lists) < _FEWEST or not all(least <= len(row) <= _MOST_CELLS for row in lists):
        return []  # of two cells, the second contains the options, or the truth value of the first
    if any(isinstance(cell, dict) for row in lists for cell in row) or (inside and _are_options(lists)):
        return []
    if all(map(_are_words, lists)) and len(lists[0]) == len(lists[1]) and is_header(lists[0]):
        names, lists = [lists[0]], lists[1:]
    width = max(map(len, lists))
    header = next((each for each in names if len(each) == width and len(set(each)) == width), [])
    if header:
        lists = [[*row, *[None] * (width - len(row))] for row in lists]
    elif sum(len(row) == width for row in lists) < _ALIKE * len(lists):
        if not all(isinstance(row[-1], int) or (isinstance(row[-1], str) and _LETTERED.fullmatch(row[-1])) for row in lists):
            return []
        lists = [[*row[:-1], *[None] * (width - len(row)), row[-1]] for row in lists]  # as many options as each question has
    keys = header or [f"column {index}" for index in range(1, width + 1)]
    return [dict(zip(keys, row, strict=False)) for row in lists]


def _has_options(row: list[Any]) -> bool:
    return len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], list)


def _are_options(lists: Sequence[list[Any]]) -> bool:
    """Return whether lists may be options of one question: a letter, a text, and whether it is correct."""
    letters = [str(row[0]).strip().upper() for row in lists]
    return letters == list(LETTERS[: len(letters)]) or any(isinstance(cell, bool) for row in lists for cell in row)
