"""Tables with the answers of another table's questions -> these questions with their answers.

A list of answers identifies its questions by a column that both have, or by number: `题号 答案`, a row of numbers over a row of letters.
"""

import re
from collections.abc import Sequence

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.signs.entries import listed_in
from crawlers.tables.tree import MOST_TABLES, NUMBER, Rows

_FEWEST, _MOST_OF_A_KEY = 3, 4
ANSWER = "答案"
"""Column of a list of answers by number."""
_KEY = re.compile(r"(?:^|_)(?:id|no)$|[a-z]I[dD]$|号$|编号|序号", re.IGNORECASE)
_LABEL = re.compile(r"(?:题号|序号|编号|题目|(?:正确|参考|标准)?答案|no\.?|num(?:ber)?|question|answer|key|ans|id|#)[:：]?", re.IGNORECASE)
_NUMBER = re.compile(r"(?:第|Q)?\s?(\d{1,5})\s?[题.、]?")
_ANSWER = re.compile(rf"[A-J](?:[\s,，、;；]{{0,2}}[A-J]){{0,7}}|{SURE_VERDICT}", re.IGNORECASE)
_ANSWERED = re.compile(r"答案|answer|correct|^key$", re.IGNORECASE)


def key_rows(cells: Sequence[tuple[str, list[str]]]) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a table that has only numbers with their answers, side by side or below each other; else nothing."""
    filled = {at for _, row in cells[1:] for at, cell in enumerate(row) if cell}  # a column may have but a name: 备注
    named = [(index, [cell for at, cell in enumerate(row) if at in filled]) for index, row in cells]
    rows = [(index, [cell for cell in row if cell and not _LABEL.fullmatch(cell)]) for index, row in named]
    rows = [(index, row) for index, row in rows if row]
    answers = _below(rows) or _beside(rows) or _listed(rows)
    numbers = [number for _, number, _ in answers]
    if len(answers) < _FEWEST or len(set(numbers)) < len(numbers):
        return []
    return [(index, {NUMBER: number, ANSWER: answer}) for index, number, answer in answers]


def _below(rows: Sequence[tuple[str, list[str]]]) -> list[tuple[str, str, str]]:
    """Return the pairs from rows of numbers that alternate with rows of answers."""
    answers: list[tuple[str, str, str]] = []
    if len(rows) % 2:
        return []
    for (index, upper), (_, lower) in zip(rows[::2], rows[1::2], strict=True):
        numbers = [_NUMBER.fullmatch(cell) for cell in upper]
        if len(upper) != len(lower) or not all(numbers) or not all(map(_ANSWER.fullmatch, lower)):
            return []
        answers += [(index, number[1], answer) for number, answer in zip(numbers, lower, strict=True) if number]
    return answers


def _beside(rows: Sequence[tuple[str, list[str]]]) -> list[tuple[str, str, str]]:
    """Return the pairs of a number and the answer beside it, one or several per row."""
    answers: list[tuple[str, str, str]] = []
    for index, row in rows:
        numbers = [_NUMBER.fullmatch(cell) for cell in row[::2]]
        if len(row) % 2 or not all(numbers) or not all(map(_ANSWER.fullmatch, row[1::2])):
            return []
        answers += [(index, number[1], answer) for number, answer in zip(numbers, row[1::2], strict=True) if number]
    return answers


def _listed(rows: Sequence[tuple[str, list[str]]]) -> list[tuple[str, str, str]]:
    """Return the answers of cells that are lines of a list, `1-5 BACDA`."""
    answers: list[tuple[str, str, str]] = []
    for index, row in rows:
        for cell in row:
            listed = listed_in(cell)
            if not listed.entries or listed.rest.strip() or listed.group or not all(each.sure and each.answer for each in listed.entries):
                return []
            answers += [(index, str(each.number), each.answer) for each in listed.entries if each.answer]
    return answers


def with_answers(tables: list[Rows]) -> list[Rows]:
    """Return the tables; a list of answers that identifies its questions by number is joined to them."""
    done = list(tables)
    large = [table for table in tables if len(table.rows) >= _FEWEST]  # as both are
    for key_table in large if len(large) <= MOST_TABLES else ():
        if len(key_table.rows[0][1]) > _MOST_OF_A_KEY:
            continue
        if key_table.rows[0][1].keys() == {NUMBER, ANSWER}:
            _take_by_number(done, key_table)
            continue
        for questions in large:
            name = _common_key(questions, key_table) if questions is not key_table and questions in done and key_table in done else ""
            own = {key for key in key_table.rows[0][1] if key != name and not key.startswith("^")}
            if not name or own & questions.rows[0][1].keys() or not own:
                continue
            answers = {str(row.get(name)): row for _, row in key_table.rows}
            rows = [
                (location, row | {key: answers.get(str(row.get(name)), {}).get(key) for key in own}) for location, row in questions.rows
            ]
            done[done.index(questions)] = Rows(questions.way, rows)
            done.remove(key_table)
            break
    return done


def _common_key(questions: Rows, key_table: Rows) -> str:
    """Return the column that numbers the rows of both tables in the same way."""
    widths = len(questions.rows[0][1]), len(key_table.rows[0][1])
    says = any(map(_ANSWERED.search, key_table.columns())) and not any(map(_ANSWERED.search, questions.columns()))
    if widths[0] < widths[1] or (widths[0] == widths[1] and not says):
        return ""
    if _answer_columns(questions) and _answer_columns(key_table):
        return ""  # both are questions with answers, and each table numbers its own
    for name in key_table.rows[0][1]:
        if not _KEY.search(name) or name not in questions.rows[0][1]:
            continue
        one, other = ([str(row.get(name)) for _, row in table.rows] for table in (questions, key_table))
        if len(set(one)) == len(one) and len(set(other)) == len(other) and set(one) == set(other):
            return name
    return ""


def _answer_columns(table: Rows) -> list[str]:
    """Return the columns with nothing but letters or truth values."""
    return [key for key in table.own_columns() if all(_ANSWER.fullmatch(str(row.get(key) or "").strip()) for _, row in table.rows)]


def _take_by_number(tables: list[Rows], key_table: Rows) -> None:
    """Join the answers of a list to the one table with as many questions and no answers; numbers are one of its columns, or positions."""
    answers = {row[NUMBER]: row[ANSWER] for _, row in key_table.rows}
    fitting = [
        table
        for table in tables
        if table is not key_table and len(table.rows) == len(answers) and not any(map(_ANSWERED.search, table.columns()))
    ]
    if len(fitting) != 1:
        return
    [questions] = fitting
    columns = [[_number_in(row.get(name)) for _, row in questions.rows] for name in questions.own_columns()]
    numbers = next((each for each in columns if len(set(each)) == len(each) and set(each) == answers.keys()), None)
    if numbers is None:
        numbers = [str(number) for number in range(1, len(answers) + 1)]
        if answers.keys() != set(numbers) or any(_KEY.search(name) for name in questions.own_columns()):
            return
    rows = [(location, row | {ANSWER: answers[number]}) for (location, row), number in zip(questions.rows, numbers, strict=True)]
    tables[tables.index(questions)] = Rows(questions.way, rows)
    tables.remove(key_table)


def _number_in(value: object) -> str:
    match = _NUMBER.fullmatch(str(value).strip()) if isinstance(value, str | int) else None
    return str(int(match[1])) if match else ""
