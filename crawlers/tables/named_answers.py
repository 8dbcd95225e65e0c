"""Answers that name an option by its column, its key or its id -> answers by text or letter.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.tables.option_objects import NAME, Options, code_keys, has_flags, options_listed, without_codes
from crawlers.tables.tree import Rows

_FEWEST, _SHARE, _EXCERPT = 3, 0.95, 50
_LEAST_NAMED = 0.8
"""Share of the answers that must name an option; the others name none of their question."""
_SEPARATOR = re.compile(r"[\s,，、;；|]+")
_ID = re.compile(r"[\w-]{1,60}", re.ASCII)


def with_named_answers(table: Rows) -> Rows:
    """Return a table whose answers are texts or letters of its options."""
    if len(table.rows) < _FEWEST:
        return table
    columns = table.own_columns()
    _of_columns(table, columns)
    _of_keys(table, columns)
    return table


def _of_columns(table: Rows, columns: Sequence[str]) -> None:
    """Replace an answer that names a column, `optionB`, by the column's text."""
    for key in columns:
        names = [value for _, row in table.rows if isinstance(value := row.get(key), str) and value]
        if len(names) < max(_FEWEST, _SHARE * len(table.rows)) or len(set(names)) < 2 or not set(names) <= set(columns) - {key}:
            continue
        if all(len(name) == 1 for name in names):  # letters of options, which need no replacement
            continue
        for _, row in table.rows:
            if isinstance(name := row.get(key), str) and name in row:
                row[key] = row[name]


def _of_keys(table: Rows, columns: Sequence[str]) -> None:
    """Replace the keys or ids by which answers name the options of a list, `c1`, `201`, by letters, and remove them from the options."""
    for key in columns:
        if not any(options_listed(row.get(key)) for _, row in table.rows[:_EXCERPT]):
            continue
        lists = [options_listed(row.get(key)) for _, row in table.rows]
        filled = sum(row.get(key) not in (None, "", [], {}) for _, row in table.rows)
        if sum(map(bool, lists)) < max(_FEWEST, _SHARE * filled):
            continue
        codes = code_keys(lists)
        others = [each for each in columns if each != key and not each.startswith(f"{key}.")]
        is_named = _replaced(table, others, lists, codes or _names(lists))
        if codes and (is_named or NAME not in codes or has_flags(lists)):
            for (_, row), options in zip(table.rows, lists, strict=True):
                row |= {key: without_codes(options, codes)} if options else {}


def _names(lists: Sequence[Options]) -> list[str]:
    return list(dict.fromkeys(name for options in lists for each in options for name in each))


def _identifies(lists: Sequence[Options], name: str) -> bool:
    """Return whether a key names an option other than by its letter, position or text."""
    ids = [[str(each.get(name)) for each in options] for options in lists if options]
    if not all(len(set(each)) == len(each) and all(map(_ID.fullmatch, each)) for each in ids):
        return False
    every = [one for each in ids for one in each]
    return len(set(every)) == len(every) or all(len(one) > 1 for one in every) or not all(map(_are_in_turn, ids))


def _are_in_turn(ids: list[str]) -> bool:
    """Return whether ids only say which position an option has: A, B, C or 1, 2, 3 or 0, 1, 2."""
    places = [str(at) for at in range(len(ids) + 1)]
    return "".join(ids).upper() == LETTERS[: len(ids)] or ids in (places[:-1], places[1:])


def _replaced(table: Rows, columns: Sequence[str], lists: Sequence[Options], names: Sequence[str]) -> bool:
    """Replace the answers of the first column that names options by one of the names; return whether there is one.

    If two of the names fit and refer to different options, none is used.
    """
    identifying = [name for name in names if _identifies(lists, name)]
    for key in columns:
        values = [row.get(key) for _, row in table.rows]
        filled = [value for value, options in zip(values, lists, strict=True) if options and value not in (None, "", [])]
        every = [_all_letters(values, lists, name) for name in (names if all(map(_is_object, filled)) else identifying)]
        fitting = [letters for letters in every if len(filled) >= _FEWEST and sum(map(bool, letters)) >= _LEAST_NAMED * len(filled)]
        if fitting and len(set(fitting[0])) > 1 and all(letters == fitting[0] for letters in fitting):
            for (_, row), letter in zip(table.rows, fitting[0], strict=True):
                row |= {key: letter} if letter else {}
            return True
    return False


def _all_letters(values: Sequence[Any], lists: Sequence[Options], name: str) -> list[str]:
    return [_letters(value, options, name) for value, options in zip(values, lists, strict=True)]


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value))


def _letters(value: Any, options: Options, name: str) -> str:
    """Return the letters of the options that an answer names, itself, as `{id: c2}`, or as the whole option; nothing if it names none."""
    letters = {str(each.get(name)): letter for letter, each in zip(LETTERS, options, strict=False)}
    parts = value if isinstance(value, list) else [value] if str(value) in letters or not isinstance(value, str) else _parts(value, letters)
    parts = [part.get(name, next(iter(part.values())) if len(part) == 1 else None) if isinstance(part, dict) else part for part in parts]
    named = [letters.get(str(part), "") for part in parts if isinstance(part, str | int) and not isinstance(part, bool)]
    return "".join(sorted(named)) if len(named) == len(parts) and all(named) else ""


def _parts(text: str, ids: Collection[str]) -> list[str]:
    """Return the ids that a text lists; letters need no separator."""
    parts = [part for part in _SEPARATOR.split(text) if part]
    return [letter for part in parts for letter in part] if all(len(one) == 1 and one.isalpha() for one in ids) else parts
