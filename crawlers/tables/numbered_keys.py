"""Keys with the number of what they belong to, `q1.title`, `q1.option.A`, `answer_7` -> one record for each number."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from crawlers.tables.tree import NUMBER, TWICE, Rows

_FEWEST, _FEW_FIELDS, _MANY = 3, 3, 12
"""Minimum of records, and of fields in each unless there are many records."""
_MOST_NUMBERS, _MOST_FIELDS, _DEEPEST = 3, 40, 4
_FILLED, _COVERED = 0.6, 0.5
_DIGITS = re.compile(r"\d{1,9}")
_KEY = re.compile(r"[\w.$\[\]\-/:]{2,80}", re.ASCII)
_SIGNS = "._-[]/:$ "
_LEAST_STEM_CHARS = 6


def with_numbered(document: Any, depth: int = 0) -> Any:
    """Return a document whose objects with numbered keys are replaced by lists of records; objects in lists have their own fields."""
    if not isinstance(document, dict) or depth > _DEEPEST:
        return document
    if records := numbered(document):
        return records
    return {key: with_numbered(value, depth + 1) if isinstance(value, dict) else value for key, value in document.items()}


def rows_by_keys(table: Rows) -> Rows:
    """Return a table with a key and a value per row as one of records; the table itself if its keys have no numbers."""
    columns = [key for key in table.own_columns() if len({str(row.get(key)) for _, row in table.rows}) > 1]
    names = [key for key in columns if all(isinstance(row.get(key), str) and _KEY.fullmatch(row[key]) for _, row in table.rows)]
    for name in names:
        others = [key for key in columns if key != name and any(row.get(key) not in (None, "") for _, row in table.rows)]
        values = {str(row[name]): row.get(others[0]) for _, row in table.rows} if len(others) == 1 else {}
        records = numbered(values) if len(values) == len(table.rows) else []
        if records and isinstance(records[0], dict):  # lists named by numbers have no fields
            return Rows(table.way, [(f"{name}:{record[NUMBER]}", record) for record in records])
    return table


def numbered(values: Mapping[str, Any]) -> list[Any]:
    """Return the records that the numbers in keys distinguish; nothing if they are not questions."""
    if len(values) < 2 * _FEWEST:
        return _listed(values) if len(values) >= _FEWEST else []
    best: list[dict[str, Any]] = []
    most = 0
    for index in range(_MOST_NUMBERS):
        records = _records(values, index)
        covered = sum(map(len, records))
        if records and covered > most:
            best, most = records, covered
    if best and most - len(best) >= _COVERED * len(values) and any(_holds_stems(best, field) for field in best[0]):
        return best
    return _listed(values)


def _records(values: Mapping[str, Any], index: int) -> list[dict[str, Any]]:
    """Return the records by the number at one position of the keys."""
    by_number: dict[int, dict[str, Any]] = defaultdict(dict)
    fields: set[str] = set()
    twice, doubted = set(values.get(TWICE, ())), set[int]()
    for key, value in values.items():
        numbers = [*_DIGITS.finditer(key)] if len(key) <= 80 else []
        if len(numbers) <= index or isinstance(value, dict):
            continue
        at = numbers[index]
        field = _field(key[: at.start()], key[at.end() :])
        if field in by_number[int(at[0])]:
            return []
        by_number[int(at[0])][field] = value
        fields.add(field)
        if key in twice:
            doubted.add(int(at[0]))
    enough = len(by_number) >= (_FEWEST if len(fields) >= _FEW_FIELDS else _MANY)
    if not enough or not 1 < len(fields) <= _MOST_FIELDS:
        return []
    filled = sum(map(len, by_number.values()))
    if filled < _FILLED * len(by_number) * len(fields) and filled < _FEW_FIELDS * len(by_number):
        return []
    marks = {number: {TWICE: True} for number in doubted}
    return [{NUMBER: str(number), **by_number[number], **marks.get(number, {})} for number in sorted(by_number)]


def _field(head: str, tail: str) -> str:
    """Return the name of a field: the parts around the number, with the part after it as the last step."""
    return ".".join(part for part in (head.strip(_SIGNS), tail.strip(_SIGNS)) if part) or "text"


def _holds_stems(records: list[dict[str, Any]], field: str) -> bool:
    texts = [value for record in records if isinstance(value := record.get(field), str)]
    return len(texts) * 2 > len(records) and sum(map(len, texts)) >= _LEAST_STEM_CHARS * len(texts)


def _listed(values: Mapping[str, Any]) -> list[Any]:
    """Return lists named only by numbers, `q1: [...]`, as one list of them."""
    lists = list(values.values())
    if not all(isinstance(value, list) and len(value) >= _FEW_FIELDS and isinstance(value[0], str) for value in lists):
        return []
    numbers = [_DIGITS.findall(key) for key in values]
    heads = {_DIGITS.sub("", key, count=1) for key in values}
    return lists if len(heads) == 1 and all(len(each) == 1 for each in numbers) else []
