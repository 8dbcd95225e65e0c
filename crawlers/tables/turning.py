"""Documents and sheets without a question per row -> rows: questions in columns, records named by their stem, conversations, unusual keys.

Each function returns its argument unchanged if the form is not the one it knows.
"""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.tables.marked_options import ANSWER, are_verdicts
from crawlers.tables.tree import STEM, Rows

_FEWEST = 3
_MOST_FIELDS, _DEEPEST = 15, 2
_LEAST_STEM_CHARS, _SHARE = 8, 0.8
_LEAST_TEXT_CHARS = 4
_LETTERS = re.compile(r"[A-J][A-J,、;\s]{0,18}")
_NAME = re.compile(r"\w{1,24}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ASKER, _ANSWERER = re.compile(r"user|human|用户|提问", re.IGNORECASE), re.compile(r"assistant|gpt|bot|model|助手|回答", re.IGNORECASE)
_SETTER = re.compile(r"system|系统|developer", re.IGNORECASE)
"""The role that sets the topic before a conversation."""

Cells = list[tuple[str, list[str]]]


def turned_document(document: Any, depth: int = 0) -> Any:
    """Return a document whose values are columns as a list of records: `{"question": [...], "answer": [...]}`, and what pandas writes."""
    if isinstance(document, dict) and depth < _DEEPEST and len(document) <= _MOST_FIELDS:
        containers = [value for value in document.values() if isinstance(value, dict | list)]
        if len(containers) == 1 and isinstance(containers[0], dict):  # a key around all of the data
            return {key: turned_document(value, depth + 1) if isinstance(value, dict) else value for key, value in document.items()}
    if not isinstance(document, dict) or not 1 < len(document) <= _MOST_FIELDS:
        return document
    columns = {key: value for key, value in document.items() if isinstance(value, list)}
    rest = {key: value for key, value in document.items() if key not in columns}
    if len(columns) > 1 and len({*map(len, columns.values())}) == 1 and _are_columns([*columns.values()], bool(rest)):
        records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return {**rest, next(iter(columns)): records} if rest else records
    inner = [value for value in document.values() if isinstance(value, dict)]
    if len(inner) < len(document) or len(inner[0]) < _FEWEST or not all(key.isdigit() for key in inner[0]):
        return document
    alike = all(value.keys() == inner[0].keys() and not any(isinstance(each, dict) for each in value.values()) for value in inner)
    return [{key: value[index] for key, value in document.items()} for index in inner[0]] if alike else document


def _are_columns(lists: Sequence[list[Any]], has_more: bool) -> bool:
    """Return whether lists of equal length have the values of records, one of them texts as long as stems.

    Args:
        has_more: whether there are other values, too: then they may be of one question, whose lists are no longer than its options.
    """
    if len(lists[0]) < _FEWEST or any(isinstance(each, dict) for value in lists for each in value) or not any(map(_are_texts, lists)):
        return False
    return not has_more or len(lists[0]) > len(LETTERS) or any(isinstance(each, list) for value in lists for each in value)


def _are_texts(column: list[Any]) -> bool:
    """Return whether a column has texts as long as stems."""
    return all(isinstance(each, str) for each in column) and sum(map(len, column)) >= _LEAST_TEXT_CHARS * len(column)


def by_name(document: Any, depth: int = 0) -> Any:
    """Return a document with the lists in it that have names beside them, as arrays in XML have, as an object of lists."""
    if isinstance(document, list) and len(document) > 1 and all(map(_is_named_list, document)):
        named = {name: values for each in document for name, values in [each.values()]}
        return named if len(named) == len(document) else document
    if not isinstance(document, dict) or depth > _DEEPEST:
        return document
    return {key: by_name(value, depth + 1) for key, value in document.items()}


def _is_named_list(value: Any) -> bool:
    """Return whether an object has but a name and a list longer than that of a question's options."""
    fields = list(value.values()) if isinstance(value, dict) else []
    if len(fields) != 2 or not isinstance(fields[0], str) or not isinstance(fields[1], list):
        return False
    return _NAME.fullmatch(fields[0]) is not None and len(fields[1]) > len(LETTERS)


def with_stems(document: Any, depth: int = 0, beside: bool = False) -> Any:
    """Return a document whose records are named by their questions with the name of each among its fields.

    Args:
        beside: whether other values than objects and lists are beside it: then statements may be the options of a question.
    """
    if depth > _DEEPEST or not isinstance(document, dict):
        return document
    if len(document) >= _FEWEST and (len(document) > len(LETTERS) or not beside) and are_verdicts(list(document.items())):
        return [{STEM: key, ANSWER: value} for key, value in document.items()]
    records = [value for value in document.values() if isinstance(value, dict)]
    named = len(records) == len(document) >= _FEWEST and _are_stems(list(document))
    if named and not any(STEM in each for each in records):
        return {key: {STEM: key, **value} for key, value in document.items()}
    has_more = not all(isinstance(value, dict | list) for value in document.values())
    return {key: with_stems(value, depth + 1, has_more) if isinstance(value, dict) else value for key, value in document.items()}


def _are_stems(names: Sequence[str]) -> bool:
    sound = sum(len(name) >= _LEAST_STEM_CHARS and _CHINESE.search(name) is not None for name in names)
    return sound >= _SHARE * len(names)


def turned_sheet(rows: Cells) -> Cells:
    """Return a sheet with a question per column as one with a question per row: only its one row of letters reveals it."""
    filled = [(index, cells) for index, cells in rows if any(cells)]
    width = max((len(cells) for _, cells in filled), default=0)
    if not _FEWEST <= len(filled) <= _MOST_FIELDS or width < max(_FEWEST + 1, len(filled)):
        return rows
    lettered = [index for index, (_, cells) in enumerate(filled) if _is_key(cells)]
    if len(lettered) != 1:
        return rows
    grid = [cells + [""] * (width - len(cells)) for _, cells in filled]
    return [(f"column:{number}", list(column)) for number, column in enumerate(zip(*grid, strict=True), 1)]


def _is_key(cells: list[str]) -> bool:
    """Return whether nearly all cells of a row are letters of options, neither all the same nor A, B, C in sequence."""
    filled = [cell for cell in cells if cell]
    letters = [cell for cell in filled if _LETTERS.fullmatch(cell)]
    named = [cell for cell in filled if cell not in letters]
    in_turn = "".join(letters) in LETTERS
    return len(letters) >= _FEWEST and len(named) <= 1 and len(set(letters)) > 1 and not in_turn


def with_talks(table: Rows) -> Rows:
    """Return a table with a column for the question and one for the answer of each conversation of two turns."""
    for _, row in table.rows:
        for key, value in list(row.items()):
            if isinstance(value, list) and (turns := _turns(value)):
                row[f"{key}.question"], row[f"{key}.answer"] = turns
    return table


def _turns(value: list[Any]) -> tuple[str, str] | None:
    """Return the texts of the asking and the answering side; None if it is not a conversation of these two."""
    turns: list[tuple[bool, str]] = []
    for each in value:
        if not isinstance(each, dict) or not 2 <= len(each) <= 3 or not all(isinstance(one, str) for one in each.values()):
            return None
        words = list(each.values())
        if not turns and any(_SETTER.fullmatch(word) for word in words):
            continue
        speaker = next((word for word in words if len(word) <= 12 and (_ASKER.fullmatch(word) or _ANSWERER.fullmatch(word))), None)
        text = next((word for word in words if word is not speaker), None)
        if speaker is not None and text is not None:
            turns.append((_ASKER.fullmatch(speaker) is not None, text))
    return (turns[0][1], turns[1][1]) if [asks for asks, _ in turns] == [True, False] else None
