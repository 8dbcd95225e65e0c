"""Options that are marked as right or wrong, in columns beside them or one per row -> one list of options per question.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections.abc import Sequence
from typing import Any

from atomexam.text.verdicts import FALSE, SURE_VERDICTS, TRUE, words_for
from crawlers.papers.signs.numbers import are_consecutive
from crawlers.tables.tree import OPTIONS, Rows

TEXT, RIGHT = "text", "right"
_RIGHT_NAMES, _WRONG_NAMES = words_for(TRUE) | {"y", "正"}, words_for(FALSE) | {"n", "误"}
YES, NO = _RIGHT_NAMES | {"1"}, _WRONG_NAMES | {"0", "", "none", "null"}
_FEWEST, _MOST_OPTIONS, _SHARE = 3, 10, 0.9
_END = re.compile(r"(?:\d{1,2}|[A-J]|[一二三四五六七八九十])(?=\W{0,2}$)")
_LISTED_CELL = 2
_SCORE, _POINTS = re.compile(r"分|score|point|weight|fraction|credit|grade", re.IGNORECASE), re.compile(r"\d{1,4}(?:\.\d{1,4})?")
"""Names of the points that an option gives, and such points."""
_LEAST_TICKED = 0.8
"""Share of the statements that must have a tick in one of two columns."""
ANSWER, _VERDICTS = "答案", (TRUE, FALSE)
_BRACKETED, _LAST_WORD = re.compile(r"[(（\[【].{0,20}?[)）\]】]"), re.compile(r"[-—_.:：/\s]+")
_TICKS = frozenset({"☑", "✅", "●", "■", "v", "o"})
_CROSSES = frozenset({"x", "×", "✗", "✘", "❌", "○"})
CIRCLES, _SURELY_CROSSES = frozenset({"○", "〇", "◯", "⭕"}), frozenset({"×", "✗", "✘", "❌", "✕", "✖", "x"})
_EMPTY = frozenset({"", "none", "null", "-", "—", "/", "☐", "□"})
"""What a cell has that is not ticked."""
_LETTERS_STATED = re.compile(r"[A-J](?:[\s,，、;；]{0,2}[A-J]){0,9}")
_LEAST_STATEMENT = 8
"""Characters of a usual statement."""
Row = tuple[str, dict[str, Any]]


def word_of(value: Any) -> str:
    return "" if value is None else str(value).strip().removesuffix("\ufe0f").lower()


def marked_beside(table: Rows) -> Rows:
    """Return a table with a truth value in a column beside each option as one with a column of marked options."""
    rows = table.rows
    if len(rows) < _FEWEST or any(map(_is_list_of_objects, rows[0][1].values())):
        return table  # its options are listed already
    columns = table.own_columns()
    flags = [key for key in columns if _holds_truths(rows, key)]
    pairs = _pairs(columns, flags) if _LISTED_CELL <= len(flags) <= _MOST_OPTIONS else []
    if not pairs or not any(_varies(rows, flag) for _, flag in pairs) or any(_are_marks(rows, text) for text, _ in pairs):
        return table
    paired = {key for pair in pairs for key in pair}
    done = [
        (index, {key: value for key, value in row.items() if key not in paired} | {_free(columns): _marked(row, pairs)})
        for index, row in rows
    ]
    made = [row[_free(columns)] for _, row in done]
    sound = sum(len(each) > 1 and any(option[RIGHT] for option in each) for each in made)
    return Rows(table.way, done) if sound >= _SHARE * len(rows) else table


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value)


def with_ticks(table: Rows) -> Rows:
    """Return a table with ticks for the circles of columns that have nothing but circles and crosses: `○` and `×` are right and wrong."""
    for key in table.own_columns():
        words = {word_of(row.get(key)) for _, row in table.rows} - {""}
        if words <= CIRCLES | _SURELY_CROSSES and words & CIRCLES and words & _SURELY_CROSSES:
            for _, row in table.rows:
                row[key] = {**dict.fromkeys(CIRCLES, "√"), **dict.fromkeys(_SURELY_CROSSES, "×")}.get(word_of(row.get(key)), row.get(key))
    return table


def verdicts_ticked(table: Rows) -> Rows:
    """Return a table of statements with one column to tick for true and one for false, `对 | 错`, as one with a column of answers."""
    pair = ticked_columns(table.own_columns())
    if len(table.rows) < _FEWEST or not pair:
        return table
    verdicts = verdicts_of([(row.get(pair[0]), row.get(pair[1])) for _, row in table.rows], pair)
    if sum(map(bool, verdicts)) < _LEAST_TICKED * len(verdicts) or not set(_VERDICTS) <= set(verdicts):
        return table
    rows = [(index, {key: value for key, value in row.items() if key not in pair}) for index, row in table.rows]
    return Rows(table.way, [(index, row | {ANSWER: verdict}) for (index, row), verdict in zip(rows, verdicts, strict=True)])


def ticked_columns(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the one column named as true and the one named as false; None if there are others, or a column of answers."""
    pair = [[key for key in columns if verdict_named(key) == verdict] for verdict in _VERDICTS]
    return (pair[0][0], pair[1][0]) if all(len(keys) == 1 for keys in pair) and ANSWER not in columns else None


def verdicts_of(cells: Sequence[tuple[Any, Any]], names: tuple[str, str]) -> list[str]:
    """Return the truth value that the two cells of each row state by a tick; an empty one for those that state none, or both."""
    marks = [(_mark(right, names[0]), _mark(wrong, names[1])) for right, wrong in cells]
    words = {word_of(value) for pair in cells for value in pair} - _EMPTY
    crossed = len(words) == 1 and words <= _CROSSES  # the only sign that is used, in either column
    own_cross = (None, True) not in marks
    return [_ticked(*mark, crossed, own_cross) for mark in marks]


def verdict_named(key: str) -> str:
    """Return the truth value that names a column, itself or after a sign, `判断-对`; nothing if none does."""
    word = word_of(_LAST_WORD.split(_BRACKETED.sub("", key).strip())[-1])
    return _VERDICTS[0] if word in _RIGHT_NAMES else _VERDICTS[1] if word in _WRONG_NAMES else ""


def are_verdicts(pairs: Sequence[Sequence[Any]]) -> bool:
    """Return whether pairs are statements, as long as such are, each with its truth value; one that all share must be a word of exams."""
    if not all(len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str | bool) for pair in pairs):
        return False
    words = {word_of(value) for _, value in pairs}
    both = not words.isdisjoint(_RIGHT_NAMES) and not words.isdisjoint(_WRONG_NAMES)
    return (
        (both or words <= SURE_VERDICTS.keys() - {"true", "false", "t", "f"})
        and words <= _RIGHT_NAMES | _WRONG_NAMES
        and sum(len(text) for text, _ in pairs) >= _LEAST_STATEMENT * len(pairs)
    )


def _mark(value: Any, key: str) -> bool | None:
    """Return what a cell says of its column: True if it is ticked, False if it is crossed out; None if it is empty or says nothing."""
    word = word_of(value)
    if word in _EMPTY:
        return None
    return True if word in YES | _TICKS or word == word_of(key) not in _CROSSES else False if word in NO | _CROSSES else None


def _ticked(right: bool | None, wrong: bool | None, crossed: bool, own_cross: bool) -> str:
    """Return the truth value that a row's two cells state; nothing if they state none, or both.

    Args:
        crossed: whether a cross is how cells are ticked.
        own_cross: whether no cell for false is ticked otherwise, so that a cross there is its tick.
    """
    if right is None and wrong is not None:
        return _VERDICTS[1] if wrong or crossed or own_cross else ""
    if wrong is None and right is not None:
        return _VERDICTS[0] if right or crossed else ""
    return "" if right == wrong else _VERDICTS[0] if right else _VERDICTS[1]


def marked_below(table: Rows) -> Rows:
    """Return a table with one option per row, its question repeated in each, as one of questions: with truth values, or letters of each."""
    rows = table.rows
    if len(rows) < 2 * _FEWEST or any(isinstance(value, list | dict) for value in rows[0][1].values()):
        return table
    columns = table.columns()
    if any(key.startswith("^") for key in columns):
        return table
    flags = [key for key in columns if _holds_truths(rows, key)]
    for key in columns:
        groups = _runs(rows, key) if key not in flags else []
        if len(groups) < _FEWEST or not all(1 < len(group) <= _MOST_OPTIONS for group in groups):
            continue
        same = [each for each in columns if all(len({str(row.get(each)) for _, row in group}) == 1 for group in groups)]
        own = [each for each in columns if each not in same and each not in flags and _differs(groups, each)]
        own = [each for each in own if not _counts(groups, each)] or own
        flag = next((each for each in flags if each not in same and _marks_one(groups, each)), None)
        if flag and len(own) == 1:
            return Rows(table.way, [(group[0][0], _question(group, same, own[0], flag)) for group in groups])
        if not flags and len(own) == 1 and any(_are_letters(groups, each) for each in same if each != key):
            return Rows(table.way, [(group[0][0], _unmarked(group, same, own[0])) for group in groups])
    return table


def _question(group: Sequence[Row], same: list[str], text: str, flag: str) -> dict[str, Any]:
    options = [{TEXT: str(row.get(text) or ""), RIGHT: int(_says_yes(row.get(flag)))} for _, row in group]
    return {key: group[0][1].get(key) for key in same} | {_free(same): options}


def _unmarked(group: Sequence[Row], same: list[str], text: str) -> dict[str, Any]:
    return {key: group[0][1].get(key) for key in same} | {_free(same): [str(row.get(text) or "") for _, row in group]}


def _are_letters(groups: Sequence[Sequence[Row]], key: str) -> bool:
    """Return whether a column has the letters of a correct option in each group."""
    return all(_LETTERS_STATED.fullmatch(str(group[0][1].get(key) or "")) for group in groups)


def _free(columns: Sequence[str]) -> str:
    return OPTIONS if OPTIONS not in columns else f"{OPTIONS} (marked)"


def _holds_truths(rows: Sequence[Row], key: str) -> bool:
    words = {word_of(row.get(key)) for _, row in rows}
    scored = _SCORE.search(key) is not None and len(words - {"", "0"}) == 1 and "0" in words and all(map(_POINTS.fullmatch, words - {""}))
    return (words <= YES | NO or scored) and words != {""}


def _says_yes(value: Any) -> bool:
    """Return whether a truth value, or the points that an option gives, means that it is correct."""
    word = word_of(value)
    return word in YES or (_POINTS.fullmatch(word) is not None and float(word) > 0)


def _pairs(columns: list[str], flags: list[str]) -> list[tuple[str, str]]:
    """Return the column of the text for each flag: the one whose name ends alike, else the one before or after it."""
    ends = {end[0]: key for key in columns if key not in flags and (end := _END.search(key))}
    by_end = [(ends.get(end[0], ""), flag) for flag in flags if (end := _END.search(flag))]
    positions = [columns.index(flag) for flag in flags]
    before = [(columns[position - 1] if position else "", columns[position]) for position in positions]
    behind = [(columns[position + 1] if position + 1 < len(columns) else "", columns[position]) for position in positions]
    for pairs in (by_end, before, behind):
        texts = [text for text, _ in pairs]
        if len(pairs) == len(flags) and all(texts) and len(set(texts)) == len(texts) and not set(texts) & set(flags):
            return pairs
    return []


def _varies(rows: Sequence[Row], flag: str) -> bool:
    """Return whether a column says yes in some rows only; settings of a record, `type: 1`, `checked: false`, are often the same in all."""
    return len({_says_yes(row.get(flag)) for _, row in rows}) > 1


def _are_marks(rows: Sequence[Row], text: str) -> bool:
    """Return whether a column beside a truth value has no texts of options, but letters of options or always the same."""
    words = {str(row.get(text) or "").strip() for _, row in rows}
    return (len(words) == 1 and min(words).isdigit()) or all(map(_LETTERS_STATED.fullmatch, words - {""}))


def _marked(row: dict[str, Any], pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    filled = [(row[text], flag) for text, flag in pairs if str(row.get(text) or "").strip()]
    return [{TEXT: str(text), RIGHT: int(_says_yes(row.get(flag)))} for text, flag in filled]


def _runs(rows: Sequence[Row], key: str) -> list[list[Row]]:
    """Return the rows in runs of equal values; nothing if a value recurs later."""
    groups: list[list[Row]] = []
    seen: set[str] = set()
    for index, row in rows:
        value = str(row.get(key) or "").strip()
        if not value:
            return []
        if groups and str(groups[-1][0][1].get(key) or "").strip() == value:
            groups[-1].append((index, row))
        elif value in seen:
            return []
        else:
            seen.add(value)
            groups.append([(index, row)])
    return groups


def _differs(groups: Sequence[Sequence[Row]], key: str) -> bool:
    return all(len({str(row.get(key)) for _, row in group}) == len(group) for group in groups)


def _counts(groups: Sequence[Sequence[Row]], key: str) -> bool:
    """Return whether a column numbers all rows, or those of each group from the same number."""
    numbers = [
        [int(value) if (value := str(row.get(key) or "0").strip()).isascii() and value.isdigit() else -1 for _, row in group]
        for group in groups
    ]
    starts = {each[0] for each in numbers}
    return all(map(are_consecutive, numbers)) and (
        len(starts) == 1 or starts == {sum(map(len, numbers[:index])) + numbers[0][0] for index in range(len(numbers))}
    )


def _marks_one(groups: Sequence[Sequence[Row]], flag: str) -> bool:
    """Return whether nearly every question has a correct and an incorrect option."""
    some = [{_says_yes(row.get(flag)) for _, row in group} for group in groups]
    return sum(True in each for each in some) >= _SHARE * len(groups) and any(len(each) > 1 for each in some)
