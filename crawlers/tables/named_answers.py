"""Answers that name an option by its column, its key or its id -> answers by text or letter.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.tables.tree import Rows

_FEWEST, _SHARE, _MOST_OPTIONS = 3, 0.95, 10


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
    """Replace the keys or ids by which answers name the options of a list, `c1`, `201`, by letters."""
    for options in columns:
        own = _own_ids([row.get(options) for _, row in table.rows])
        ways = [_ids(row.get(options), own) for _, row in table.rows]
        if sum(bool(each) for each in ways) < _SHARE * len(table.rows):
            continue
        for key in columns:
            if key == options or key.startswith(f"{options}."):
                continue
            answers = [_parts(row.get(key)) for _, row in table.rows]
            letters = [
                next(("".join(sorted(each[part] for part in parts)) for each in way if parts and all(part in each for part in parts)), "")
                for way, parts in zip(ways, answers, strict=True)
            ]
            if all(letters) and len(set(letters)) > 1:
                for (_, row), letter in zip(table.rows, letters, strict=True):
                    row[key] = letter
                return


def _own_ids(values: list[Any]) -> set[str]:
    """Return the keys of options that no two options of a table share: they identify one, even if they are plain numbers."""
    seen: dict[str, set[str]] = {}
    shared: set[str] = set()
    for value in values:
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            for name, one in ((name, str(one)) for each in value for name, one in each.items() if isinstance(one, str | int)):
                shared |= {name} if one in seen.setdefault(name, set()) else set()
                seen[name].add(one)
    return {name for name in seen.keys() - shared if all(re.fullmatch(r"[\w-]{1,40}", one, re.ASCII) for one in seen[name])}


def _ids(value: Any, own: set[str]) -> list[dict[str, str]]:
    """Return the ways in which the options of a list are named other than by letter, position or text: each a name with its letter."""
    if isinstance(value, dict) and 1 < len(value) <= _MOST_OPTIONS and all(isinstance(each, str) for each in value.values()):
        keys = [str(key) for key in value]
        plain = all(len(key) == 1 or key.isdigit() for key in keys)
        return [] if plain else [dict(zip(keys, LETTERS, strict=False))]
    if not isinstance(value, list) or not 1 < len(value) <= _MOST_OPTIONS or not all(isinstance(each, dict) for each in value):
        return []
    letters_by_id: list[dict[str, str]] = []
    for name in value[0]:
        ids = [str(each.get(name)) for each in value]
        if len(set(ids)) == len(ids) and (name in own or all(re.fullmatch(r"[\w-]{2,40}", one, re.ASCII) for one in ids)):
            letters_by_id.append(dict(zip(ids, LETTERS, strict=False)))
    return letters_by_id


def _parts(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    parts = [next(iter(part.values())) if isinstance(part, dict) and len(part) == 1 else part for part in parts]  # {ref: c2}
    return [str(part) for part in parts] if all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts) else []
