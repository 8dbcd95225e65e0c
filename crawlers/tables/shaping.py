"""Tables whose questions take several rows -> tables with a question per row: options below each other, label cards, two tables in one.

Rows in, rows out; a table without this form is returned unchanged.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from atomexam.text.option_letters import LETTERS
from atomexam.text.verdicts import SURE_VERDICT
from crawlers.tables.delimiters import parts_of_cells
from crawlers.tables.joins import joined
from crawlers.tables.keys import with_answers
from crawlers.tables.label_cards import of_cards
from crawlers.tables.marked_options import marked_below, marked_beside, verdicts_ticked, with_ticks
from crawlers.tables.named_answers import with_named_answers
from crawlers.tables.numbered_keys import rows_by_keys
from crawlers.tables.options_below import with_options_below
from crawlers.tables.tree import OPTIONS, Rows
from crawlers.tables.turning import with_talks

_FEWEST, _FEWEST_PARTED, _MOST_OPTIONS, _SHARE, _EXCERPT_ROWS = 3, 5, 10, 0.9, 50
_PROMPT = re.compile(r"(?![A-J][.．、:：)）])(?=.{0,99}(?:题|[回作]答|选|(?i:question|answer|choose|select))).{8,200}[。.:：!！]")
_LEAST_PROMPTED = 0.1
"""Share of the texts that must begin with a line for it to be an instruction."""

_ANSWER_SENTENCE = re.compile(
    r"\s{0,9}(?:(?:所以|因此|故|该题|本题|这道?题)的?)?(?:正确|参考|标准)?(?:答案|选项)\s?(?:应该?)?[是为选]\s?[:：]?\s?[\"“【(（]?"
    rf"(?P<letters>[A-J](?:[、,，]?[A-J]){{0,9}}|{SURE_VERDICT})[\"”】)）]?(?:项|选项)?(?:[。.,，;；!！]\s{{0,9}}(?P<rest>[^\x00]*))?\s{{0,9}}$"
)
"""A sentence that names the letters, followed by sentences that say why: `正确答案是B。因为……`."""
_ANSWERED = re.compile(
    r"\s{0,9}(?:[【\[]?(?:(?:正确|参考|标准)?(?:答案|选项)|answer)[】\]]?\s?(?:[:：]|是|为|选)?\s?)?(?P<letters>[A-J]{1,10})[.。]?\s{0,9}(?:\n\s{0,9}[【\[]?(?:答案)?(?:解析|详解)[】\]]?\s?[:：]?\s?(?P<rest>[^\x00]*))?\s{0,9}$"
)
"""Letters, with the reason why they are correct in lines below them."""

_NUMBER = re.compile(r"(?:第\s?)?\d{0,5}\s?(?:题|[.、．])?")
"""What is before a question whose options have letters there."""
_LETTERS_ABOVE = re.compile(
    r"\s{0,9}(?:[【\[]?(?:(?:正确|参考|标准)?(?:答案|选项)|answer)[】\]]?\s?(?:[:：]|是|为|选)?\s?)?"
    rf"(?P<letters>[A-J](?:[、,，\s]?[A-J]){{0,9}}|{SURE_VERDICT})[.。]?[ \t]{{0,9}}(?:\n(?P<rest>[^\x00]*))?$"
)
"""Letters or a truth value on a line of their own, with any text in lines below them."""
_LEAST_REASON_CHARS = 8
"""Mean number of characters of such texts, each counted once."""
LocatedFields = tuple[str, dict[Any, Any]]


def shaped(tables: list[Rows]) -> list[Rows]:
    """Return the tables with each question in one row, as far as they show how their rows belong together."""
    for table in tables:
        table.rows = with_options_below(Rows(table.way, with_lettered_rows(table.rows))).rows
    tables = joined([rows_by_keys(_filled_down(_of_parted_cells(table))) for table in tables])
    whole = with_answers([with_named_answers(marked_beside(verdicts_ticked(with_ticks(with_talks(table))))) for table in tables])
    return [marked_below(_of_answers(of_cards(_of_options(_without_prompts(table))))) for table in whole]


def _of_parted_cells(table: Rows) -> Rows:
    """Return a table with cells of several texts, `甲#乙#丙`, as lists of these."""
    for key in table.own_columns() if len(table.rows) >= _FEWEST_PARTED else ():
        cells = [value for _, row in table.rows if isinstance(value := row.get(key), str) and value.strip()]
        if len(cells) < _FEWEST_PARTED or not (parts := parts_of_cells(cells)):
            continue
        by_cell = dict(zip(cells, parts, strict=True))
        for _, row in table.rows:
            if isinstance(row.get(key), str):
                row[key] = by_cell.get(row[key], row[key])
    return table


def with_lettered_rows(rows: list[LocatedFields]) -> list[LocatedFields]:
    """Return rows whose options are in lettered rows below each question, `1 | stem | B`, `A | text |`, with these as lines of the stem."""
    columns = list(dict.fromkeys(key for _, row in rows[:_EXCERPT_ROWS] for key in row)) if len(rows) > 2 * _FEWEST else []
    for mark in columns:
        signs = [str(row.get(mark) or "").strip().rstrip(".．、").upper() for _, row in rows]
        letters = [sign if sign in tuple(LETTERS) else "" for sign in signs]
        others = [sign for sign, letter in zip(signs, letters, strict=True) if not letter]
        if letters.count("A") < _FEWEST or letters[0] or not _are_below(letters) or not all(map(_NUMBER.fullmatch, others)):
            continue
        filled = [{key for key, value in row.items() if value not in (None, "")} for _, row in rows]
        texts = [key for key in columns if key != mark and all(isinstance(row.get(key), str) and row[key] for _, row in rows)]
        if len(texts) != 1 or any(letter and own != {mark, *texts} for letter, own in zip(letters, filled, strict=True)):
            continue
        done: list[LocatedFields] = []
        for (position, row), letter in zip(rows, letters, strict=True):
            if letter:
                done[-1][1][texts[0]] += f"\n{letter}. {row[texts[0]]}"
            else:
                done.append((position, {**row}))
        return done
    return rows


def _are_below(letters: Sequence[str]) -> bool:
    """Return whether each letter is the next one after that above it, A after a row without a letter."""
    return all(not letter or letter == LETTERS[len(LETTERS.partition(above)[0]) + 1 if above else 0] for above, letter in pairwise(letters))


def _filled_down(table: Rows) -> Rows:
    """Return a table with one option per row, and the question's fields only in the first of its rows, with these repeated in each."""
    rows = table.rows
    if len(rows) < 2 * _FEWEST or any(isinstance(value, list | dict) for value in rows[0][1].values()):
        return table
    columns = table.columns()
    filled = {key: [at for at, (_, row) in enumerate(rows) if row.get(key) not in (None, "")] for key in columns}
    for key in columns:
        starts = filled[key]
        sizes = [after - before for before, after in pairwise([*starts, len(rows)])]
        if len(starts) < _FEWEST or starts[0] or not all(1 < size <= _MOST_OPTIONS for size in sizes):
            continue
        if not any(len(filled[other]) == len(rows) for other in columns):
            continue
        firsts = [other for other in columns if filled[other] and set(filled[other]) <= set(starts)]
        if max(columns, key=lambda other: _mean_length(rows, other)) not in firsts:
            continue  # an option that few questions have
        shared: dict[str, Any] = {}
        done = []
        for index, row in rows:
            shared = {other: row.get(other) for other in firsts} if row.get(key) not in (None, "") else shared
            done.append((index, row | shared))
        return Rows(table.way, done)
    return table


def _mean_length(rows: Sequence[tuple[str, dict[str, Any]]], key: str) -> float:
    lengths = [len(str(row[key])) for _, row in rows if row.get(key) not in (None, "")]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _of_answers(table: Rows) -> Rows:
    """Return a table whose answers have an explanation in lines below them, `C⏎解析：…`, with a column for each."""
    for key in list(table.rows[0][1]) if table.rows else ():
        texts = [value for _, row in table.rows if isinstance(value := row.get(key), str) and value.strip()]
        forms = (_ANSWERED, _ANSWER_SENTENCE, _LETTERS_ABOVE) if len(texts) >= _FEWEST else ()
        form = next((form for form in forms if all(map(form.match, texts))), None)
        rests = [rest for text in texts if form and (found := form.match(text)) and (rest := found.groupdict()["rest"])]
        if form is _LETTERS_ABOVE and sum(map(len, set(rests))) < _LEAST_REASON_CHARS * max(_FEWEST, len(rests)):
            continue  # 正确 above 错误, which are options
        if form is not None and (form is _ANSWER_SENTENCE or rests):
            name = f"{key} 解析"
            for _, row in table.rows:
                if isinstance(row.get(key), str) and (stated := form.match(row[key])):
                    row[key], row[name] = stated["letters"], stated["rest"] or ""
    return table


def _without_prompts(table: Rows) -> Rows:
    """Return a table whose texts begin with the same instruction, `请回答下面的单选题：⏎…`, without it."""
    for key in list(table.rows[0][1]) if len(table.rows) >= _FEWEST else ():
        texts = [value for _, row in table.rows if isinstance(value := row.get(key), str) and value.strip()]
        firsts = Counter(first for first, rest in map(_first_line, texts) if rest)
        least = max(_FEWEST, _LEAST_PROMPTED * len(texts))
        prompts = {line for line, count in firsts.items() if count >= least and _PROMPT.fullmatch(line)}
        if prompts and sum(firsts[line] for line in prompts) >= _SHARE * len(texts):
            table = Rows(table.way, [(index, row | _unprompted(row, key, prompts)) for index, row in table.rows])
    return table


def _first_line(text: str) -> tuple[str, str]:
    """Return the first line with words, and the text below it."""
    first, _, rest = text.strip().partition("\n")
    return first.strip(), rest


def _unprompted(row: dict[str, Any], key: str, prompts: Collection[str]) -> dict[str, str]:
    """Return the text of a row without its instruction line; nothing if it has none."""
    text = row.get(key)
    if not isinstance(text, str) or _first_line(text)[0] not in prompts:
        return {}
    return {key: text.lstrip().partition("\n")[2].lstrip("\n")}


def _of_options(table: Rows) -> Rows:
    """Return a table with one option per row, its letter in a column, as one of questions: the rows' shared fields, and the options."""
    rows = table.rows
    if len(rows) < 2 * _FEWEST or any(isinstance(value, list | dict) for value in rows[0][1].values()):
        return table
    columns = table.columns()
    if any(key.startswith("^") for key in columns):
        return table  # a list inside a record, which already has them together
    for key in columns:
        groups = _lettered_groups(rows, key)
        if len(groups) < _FEWEST or len(groups) * 2 > len(rows):
            continue
        same = [each for each in columns if each != key and all(len({str(row.get(each)) for _, row in group}) == 1 for group in groups)]
        own = [each for each in columns if each not in (key, *same)]
        if own and any(len({str(group[0][1].get(each)) for group in groups}) >= _SHARE * len(groups) for each in same):
            return Rows(table.way, [(group[0][0], _question(group, same, [key, *own])) for group in groups])
    return table


def _question(group: Sequence[tuple[str, dict[str, Any]]], same: list[str], own: list[str]) -> dict[str, Any]:
    return {key: group[0][1].get(key) for key in same} | {OPTIONS: [{key: row.get(key) for key in own} for _, row in group]}


def _lettered_groups(rows: Sequence[tuple[str, dict[str, Any]]], key: str) -> list[list[tuple[str, dict[str, Any]]]]:
    """Return the rows in groups whose values under a key are A, B, C …; nothing if a row has another value."""
    groups: list[list[tuple[str, dict[str, Any]]]] = []
    for index, row in rows:
        value = str(row.get(key, "")).strip().upper()
        if value == "A":
            groups.append([])
        if not groups or len(groups[-1]) >= _MOST_OPTIONS or value != LETTERS[len(groups[-1])]:
            return []
        groups[-1].append((index, row))
    return groups
