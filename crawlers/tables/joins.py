"""Separate tables that refer to each other's rows by keys (options, answers, link tables) -> rows of questions that include them.

Tables of any format in: sheets, database tables, lists of a document, records of several kinds in one list. A table without a known
reference to another is returned unchanged.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from atomexam.text.option_letters import LETTERS
from crawlers.tables.marked_options import NO, YES, word_of
from crawlers.tables.tree import ABOVE, EVERY, MOST_TABLES, NAME, OPTIONS, Rows

_FEWEST, _SHARE, _MOST_OPTIONS, _MOST_KINDS = 3, 0.9, 12, 8
_KEY = re.compile(r"(?:^|[_\W])(?:[a-z]?id|pk|no|code|uuid|key|num|number|sn)$|[a-z]I[dD]$|ID$|编号|序号|题号|号$|^#$", re.IGNORECASE)
_OWNER = re.compile(r"question|ques|item|stem|parent|topic|timu|subject_?id|题|^[qp]$|^[qp]_?id$|tid$|sid$|pid$|\bq\b", re.IGNORECASE)
_NO_OWNER = re.compile(
    r"chapter|section|category|catalog|course|paper|exam_?id|user|author|tag|level|type|章|节|分类|科目|用户", re.IGNORECASE
)
_ORDER = re.compile(r"sort|order|seq|index|position|label|序", re.IGNORECASE)
_ID = re.compile(r"id$|pk$", re.IGNORECASE)
_ROW_NUMBER = re.compile(r"id|_id|pk|no|编号|序号|#", re.IGNORECASE)
_CHOSEN = re.compile(
    r"user|student|learner|candidate|examinee|my_|record|history|log|submit|attempt|respon|result|answer_?sheet|pick|chosen|selected|given"
    r"|考生|学生|学员|作答|答题卡|成绩|所选|我的",
    re.IGNORECASE,
)
"""Names for a given answer of somebody, which need not be correct."""

_ANSWER = re.compile(r"(?:正确|标准|参考)?答案|(?:correct_?|right_?)?answers?|key", re.IGNORECASE)
"""The name of a column of correct answers, whatever else is beside it."""

_Reference = tuple[Rows, str, str]
"""A table, its key, and the column of another table that refers to it."""


def joined(tables: list[Rows]) -> list[Rows]:
    """Return the tables; rows that refer to a row of another table become part of that row."""
    if sum(len(table.rows) >= _FEWEST for table in tables) > MOST_TABLES:
        return tables
    ways = {table.way for table in tables}
    inside = {way for way in ways if way[-1:] != (EVERY,) and way[:-1] and way[:-1] in ways}  # objects in rows, which are already included
    done = _listed(_linked([part for table in tables if table.way not in inside for part in _apart(table)]))
    for children in (_are_options, _are_answers):
        for inner in list(done):
            owners = [each for each in _owners(inner, done) if children(inner, each[0], each[2])]
            match = _certain(inner, owners)
            if not owners and children is _are_options:
                match = next((each for each in _owners(inner, done, least=0.0) if _are_options_of_some(inner, *each)), None)
            if match and inner in done:
                outer, ids, owner = match
                make = _with_options if children is _are_options else _with_answers
                done[done.index(outer)] = make(outer, ids, inner, owner)
                done.remove(inner)
    remaining = {table.way for table in done}
    split = ways - inside - remaining  # by kind, or included in others along with what is inside their rows
    return [*done, *(table for table in tables if table.way in inside and not any(table.way[: len(way)] == way for way in split))]


def _apart(table: Rows) -> list[Rows]:
    """Return the kinds of records in one list as separate tables, if records of one kind refer to those of another."""
    if table.way[-1:] != (EVERY,) or len(table.rows) < 2 * _FEWEST:
        return [table]
    for kind in _kinds_of(table):
        parts: dict[str, Rows] = {}
        for location, row in table.rows:
            parts.setdefault(kind(row), Rows((*table.way[:-1], kind(row), EVERY), [])).rows.append((location, row))
        whole = [each for each in parts.values() if len(each.rows) >= _FEWEST]
        columns = [{key for _, row in each.rows for key in row} for each in whole]
        for inner, own in zip(whole, columns, strict=True):
            others = [each for each in whole if each is not inner]
            if others and any(owner not in columns[whole.index(outer)] for outer, _, owner in _owners(inner, others) if owner in own):
                return list(parts.values())
    return [table]


def _kinds_of(table: Rows) -> list[Any]:
    """Return the ways to distinguish kinds of records: by a column with few distinct words, else by a column that some lack."""
    columns = table.own_columns()
    classifiers: list[Any] = []
    for key in columns:
        words = {row.get(key) for _, row in table.rows if isinstance(row.get(key), str | int)}
        if all(isinstance(row.get(key), str | int) for _, row in table.rows) and 1 < len(words) <= _MOST_KINDS:
            classifiers.append(lambda row, key=key: str(row.get(key)))
    some = [key for key in dict.fromkeys(key for _, row in table.rows for key in row) if not key.startswith("^")]
    partly = [key for key in some if 0 < sum(key in row for _, row in table.rows) < len(table.rows)]
    return classifiers + [lambda row, key=key: f"{'with' if key in row else 'without'} {key}" for key in partly[:_MOST_KINDS]]


def _linked(tables: list[Rows]) -> list[Rows]:
    """Return the tables; one that only links rows of two others absorbs what it links."""
    done = list(tables)
    for link in tables:
        owners = list(_owners(link, [each for each in tables if each is not link], least=0.0))
        by_column = {owner: (outer, ids) for outer, ids, owner in owners if outer is not link}
        if (
            len(by_column) < 2
            or len(link.own_columns()) > _MOST_KINDS
            or not any(_have_several(link, each[0], owner) for owner, each in by_column.items())
        ):
            continue
        for column, (outer, ids) in by_column.items():
            if (
                len(outer.rows) < _SHARE * len(link.rows)
                or outer not in done
                or any(len(str(row.get(column))) > 40 for _, row in link.rows)
            ):
                continue  # each of its rows occurs once: options, not their questions
            by_id = {str(row.get(ids)): row for _, row in outer.rows}
            rows = [(location, {**by_id.get(str(row.get(column)), {}), **row}) for location, row in link.rows]
            done[done.index(link)] = Rows(link.way, rows)
            done.remove(outer)
            break
    return done


def _listed(tables: list[Rows]) -> list[Rows]:
    """Return the tables, with lists of keys of another table's rows replaced by lists of those rows; only a table's longest such list."""
    done = list(tables)
    for outer in tables:
        lists = [key for key in outer.own_columns() if all(isinstance(row.get(key), list) for _, row in outer.rows)]
        named = {key: [_keys_in(row[key]) for _, row in outer.rows] for key in lists}
        by_length = sorted(lists, key=lambda key: -sum(map(len, named[key])))
        for key in by_length if len(outer.rows) >= _FEWEST else ():
            named_ids = {one for row in named[key] for one in row}
            match = next(
                ((inner, ids) for inner in done if not _is_inside(inner, outer) for ids in _keys_of(inner) if _hold(inner, ids, named_ids)),
                None,
            )
            if match and outer in done and sum(len(row) > 1 for row in named[key]) >= _SHARE * len(outer.rows):
                inner, ids = match
                rows = {str(row.get(ids)): {name: each for name, each in row.items() if not name.startswith("^")} for _, row in inner.rows}
                done[done.index(outer)] = Rows(
                    outer.way,
                    [
                        (location, row | {key: [rows[one] for one in each if one in rows]})
                        for (location, row), each in zip(outer.rows, named[key], strict=True)
                    ],
                )
                done.remove(inner)
                break
    return done


def _is_inside(inner: Rows, outer: Rows) -> bool:
    """Return whether a table equals another, or a list inside its rows, and so is already included."""
    if inner is outer or len(inner.way) <= len(outer.way) or inner.way[: len(outer.way)] != outer.way:
        return inner is outer
    return any(inner.rows[0][0].startswith(f"{index}:") for index, _ in outer.rows)


def _keys_in(value: list[Any]) -> list[str]:
    """Return the keys in a list of keys, or of objects with only a key and their kind: `{type: options, id: 7}`."""
    parts = [part.get("id") if isinstance(part, dict) and part.keys() <= {"id", "type"} else part for part in value]
    return [str(part) for part in parts] if all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts) else []


def _hold(inner: Rows, ids: str, named_ids: set[str]) -> bool:
    known = {str(row.get(ids)) for _, row in inner.rows}
    return len(named_ids) >= _FEWEST and len(named_ids & known) >= _SHARE * len(named_ids) and len(known) >= 2 * _FEWEST


def _owners(inner: Rows, tables: Sequence[Rows], least: float = _SHARE) -> list[_Reference]:
    """Return the tables that a table's rows refer to, each with its key and the referring column; the likeliest first.

    Args:
        least: share of the other table's rows that must be referred to.
    """
    owners: list[tuple[int, Rows, str, str]] = []
    columns = [
        key for key in dict.fromkeys([*inner.own_columns(), NAME, ABOVE]) if any(row.get(key) not in (None, "") for _, row in inner.rows)
    ]
    own = _keys_of(inner)
    for outer in tables:
        if _is_inside(inner, outer) or len(outer.rows) < _FEWEST or len(inner.rows) < _FEWEST:
            continue
        for ids in _keys_of(outer):
            known = {str(row.get(ids)) for _, row in outer.rows}
            for key in columns:
                if _NO_OWNER.search(key.rpartition(".")[2]) or (
                    key in own and key not in (NAME, ABOVE) and len(inner.rows) > len(outer.rows)
                ):
                    continue
                values = [str(row.get(key)) for _, row in inner.rows if row.get(key) not in (None, "")]
                shared = set(values) & known
                if (
                    not values
                    or sum(value in known for value in values) < _SHARE * len(values)
                    or len(shared) < max(1.0, least * len(known))
                ):
                    continue
                named = (
                    _OWNER.search(key.rpartition(".")[2])
                    or key in (NAME, ABOVE, ids)
                    or any(key.lower() in str(step).lower() for step in outer.way)
                )
                if named or least == 0.0 or not all(value.isdigit() for value in known):
                    owners.append((0 if named else 1, outer, ids, key))
    owners.sort(key=lambda each: each[0])
    return [(outer, ids, key) for _, outer, ids, key in owners]


def _certain(inner: Rows, owners: Sequence[_Reference]) -> _Reference | None:
    """Return the likeliest reference of a table to another; None if it has none, or two as likely ones that lead to different rows.

    Ids and numbers that both count from 1 fit each other everywhere.
    """
    owners = [each for each in owners if each[0] is owners[0][0]]
    best = min((_unlikeness(ids, key) for _, ids, key in owners), default=0)
    likeliest = [each for each in owners if _unlikeness(*each[1:]) == best]
    rows_found = []
    for outer, ids, key in likeliest:
        places = {str(row.get(ids)): at for at, (_, row) in enumerate(outer.rows)}
        rows_found.append([places.get(str(row.get(key))) for _, row in inner.rows])
    return likeliest[0] if likeliest and all(found == rows_found[0] for found in rows_found) else None


def _unlikeness(ids: str, key: str) -> int:
    """Return how unlike a reference two columns are: a name for questions refers to an id, and then one to its namesake."""
    name = key.rpartition(".")[2]
    if key in (NAME, ABOVE) or (_OWNER.search(name) and (ids == key or _ID.search(ids))):
        return 0
    return 1 if ids == key else 2


def _keys_of(table: Rows) -> list[str]:
    """Return the columns that identify the rows of a table and are named accordingly."""
    keys = []
    for key in dict.fromkeys([*table.own_columns(), NAME]):
        if key != NAME and not _KEY.search(key):
            continue
        values = [row.get(key) for _, row in table.rows]
        sound = all(
            isinstance(value, str | int) and not isinstance(value, bool) and str(value) and len(str(value)) <= 80 for value in values
        )
        if sound and len(set(map(str, values))) == len(values):
            keys.append(key)
    return keys


def _groups(inner: Rows, owner: str) -> dict[str, list[dict[str, Any]]]:
    below: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _, row in inner.rows:
        if row.get(owner) not in (None, ""):
            below[str(row.get(owner))].append({key: value for key, value in row.items() if key != owner and not key.startswith("^")})
    return below


def _are_options(inner: Rows, outer: Rows, owner: str) -> bool:
    """Return whether nearly every row of another table has two or more rows of a table, with shorter texts than its own."""
    return _have_several(inner, outer, owner) and 0 < _longest(inner, owner) <= _longest(outer, "")


def _are_options_of_some(inner: Rows, outer: Rows, ids: str, owner: str) -> bool:
    """Return whether a table has the options of another's rows, all others of which are true or false, or are fewer than these; then
    letters or truth values must show that they are options.
    """
    if not (_OWNER.search(owner.rpartition(".")[2]) or owner == ids):
        return False
    groups = _groups(inner, owner)
    chosen = [each for each in outer.rows if str(each[1].get(ids)) in groups]
    statements = [row for _, row in outer.rows if str(row.get(ids)) not in groups]
    is_known = _are_stated(statements) or (len(chosen) >= len(statements) and _show_options(inner))
    return len(chosen) >= _FEWEST and is_known and _are_options(inner, Rows(outer.way, chosen), owner)


def _show_options(table: Rows) -> bool:
    """Return whether a column has the letters of options, or whether each is correct."""
    columns = [{word_of(row.get(key)) for _, row in table.rows} for key in table.own_columns()]
    return any({"a", "b"} <= each <= {*map(str.lower, LETTERS)} or (len(each) == 2 and each <= YES | NO) for each in columns)


def _are_stated(rows: Sequence[dict[str, Any]]) -> bool:
    """Return whether a column has nothing but truth values."""
    keys = [key for key in rows[0] if not key.startswith("^")] if rows else []
    words = ([word_of(row.get(key)) for row in rows] for key in keys)
    return any(len(set(each)) > 1 and all(word and word in YES | NO for word in each) for each in words)


def _have_several(inner: Rows, outer: Rows, owner: str) -> bool:
    sizes = [len(group) for group in _groups(inner, owner).values()]
    several = sum(1 < size <= _MOST_OPTIONS for size in sizes)
    return several >= _SHARE * len(sizes) and several >= _SHARE * len(outer.rows)


def _longest(table: Rows, owner: str) -> float:
    """Return the largest mean text length of any column."""
    means = []
    for key in table.own_columns():
        texts = [value for _, row in table.rows if isinstance(value := row.get(key), str | int | float)]
        if key != owner and texts:
            means.append(sum(len(str(text)) for text in texts) / len(texts))
    return max(means, default=0.0)


def _are_answers(inner: Rows, outer: Rows, owner: str) -> bool:
    """Return whether a table has one or several short values for each row of another, or one row with an answer beside further fields,
    other than somebody's choices.
    """
    own = _stated(inner, owner)
    if any(_CHOSEN.search(str(name)) for name in (*inner.way, *inner.own_columns())):
        return False
    groups = _groups(inner, owner)
    if len(groups) < _SHARE * len(outer.rows):
        return False
    most = max(map(len, groups.values()), default=0)
    return most <= _MOST_OPTIONS if len(own) == 1 else most == 1 and any(_ANSWER.fullmatch(key) for key in own) and not _answered(outer)


def _answered(table: Rows) -> bool:
    return any(_ANSWER.fullmatch(key) for key in table.own_columns())


def _stated(inner: Rows, owner: str) -> list[str]:
    """Return the columns in which a table describes what its rows belong to: neither row numbers nor the same everywhere."""
    others = [key for key in inner.own_columns() if key != owner and not any(isinstance(row.get(key), dict) for _, row in inner.rows)]
    keys = _keys_of(inner)
    stated = [key for key in others if not (key in keys and _ROW_NUMBER.fullmatch(key.rpartition(".")[2]))] or others
    differing = [key for key in stated if len({str(row.get(key)) for _, row in inner.rows}) > 1]
    return differing or stated


def _with_options(outer: Rows, ids: str, inner: Rows, owner: str) -> Rows:
    below = _groups(inner, owner)
    steps = [str(step) for step in inner.way if step != EVERY]
    name = (
        steps[-1] if steps and steps[-1] not in outer.rows[0][1] else OPTIONS if OPTIONS not in outer.rows[0][1] else f"{OPTIONS} (below)"
    )
    return Rows(outer.way, [(index, row | {name: _in_order(below[str(row.get(ids))])}) for index, row in outer.rows])


def _with_answers(outer: Rows, ids: str, inner: Rows, owner: str) -> Rows:
    keys, below = _stated(inner, owner), _groups(inner, owner)
    names = {key: key if key not in outer.rows[0][1] and not key.startswith("column ") else f"{key} (answer)" for key in keys}

    def values_of(row: dict[str, Any], key: str) -> Any:
        answers = [each.get(key) for each in below.get(str(row.get(ids)), [{}])]
        return answers[0] if len(answers) == 1 else answers

    return Rows(outer.way, [(index, row | {names[key]: values_of(row, key) for key in keys}) for index, row in outer.rows])


def _in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows sorted by the column that gives their order, if there is one, or by ids that count on: 11, 12, 13, 14."""
    for key in rows[0] if rows else ():
        if _ORDER.search(key) and all(isinstance(row.get(key), int) for row in rows) and len({row[key] for row in rows}) == len(rows):
            return sorted(rows, key=lambda row: int(row[key]))
    for key in rows[0] if rows else ():
        if _ROW_NUMBER.fullmatch(key) and all(type(row.get(key)) is int for row in rows):
            ids = sorted(row[key] for row in rows)
            return sorted(rows, key=lambda row: int(row[key])) if ids == list(range(ids[0], ids[0] + len(ids))) else rows
    return rows
