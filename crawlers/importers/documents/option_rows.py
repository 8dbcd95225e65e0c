"""Tables with a row for each option, `1 | stem | A | 甲 | √` above ` |  | B | 乙 | `: rows of cells in, a row for each question out.

The fields of a question are in the first of its rows, as merged cells are, or in each of them.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from atomexam.text.option_letters import LETTERS
from crawlers.papers.signs.letters import letter_of
from crawlers.tables.marked_options import ANSWER, NO, YES, word_of

CellLines = list[str]
Table = list[list[CellLines]]
_FEWEST, _MOST = 2, 10
_TICKS = YES | {"☑", "✅", "●", "■", "v", "★", "*"}
_SHORTEST_STEM = 4
_NUMBER = re.compile(r"(?:第|题|Q)?\s?(?P<number>\d{1,4})\s?题?(?:[.、．:：)）]\s?|\s|$)")
_NAMED = re.compile(r"(?:正确|参考|标准)?答案|解析|分析|答案解析")
_SIGNS = " .．、:：)）(（"


def with_questions_in_rows(rows: Table) -> Table:
    """Return a table whose options have a row each as one with a row for each question; any other table unchanged."""
    body = [row for row in rows[1:] if any(row)]
    width = max(map(len, rows), default=0)
    if len(body) < 2 * _FEWEST or not rows or len(rows[0]) < width or any(len(row) != width for row in body):
        return rows
    words = [[" ".join(cell).strip() for cell in row] for row in body]
    columns = range(width)
    lettered = next((at for at in columns if (groups := _groups([row[at] for row in words]))), None)
    if lettered is None:
        return rows
    groups = _groups([row[lettered] for row in words])
    varied = [at for at in columns if at != lettered and any(len({words[row][at] for row in group} - {""}) > 1 for group in groups)]
    marks = [at for at in columns if at != lettered and _are_marks([row[at] for row in words], groups)]
    texts = [at for at in varied if at not in marks]
    if len(texts) > 1 or len(marks) > 1 or not (texts or any(len(row[lettered]) > 1 for row in words)):
        return rows
    text = texts[0] if texts else lettered
    kept = [at for at in columns if at not in (lettered, text, *marks)]
    if any(not words[row][text] for group in groups if len(group) > 1 for row in group) or not kept:
        return rows
    most = max(map(len, groups))
    done: Table = [[*(rows[0][at] for at in kept), *([letter] for letter in LETTERS[:most]), *([[ANSWER]] if marks else [])]]
    for group in groups:
        if len(group) == 1:
            fields = [body[group[0]][at] for at in kept]
            done.append([*fields, *([[]] * most), *(body[group[0]][at] for at in marks)])
            continue
        options = [body[row][text] if text != lettered else _without_letter(body[row][text]) for row in group]
        answer = "".join(letter for letter, row in zip(LETTERS, group, strict=False) if marks and _is_ticked(words[row][marks[0]]))
        fields = [next((body[row][at] for row in group if body[row][at]), []) for at in kept]
        done.append([*fields, *options, *([[]] * (most - len(options))), *([[answer] if answer else []] if marks else [])])
    return done


def _groups(cells: Sequence[str]) -> list[list[int]]:
    """Return the rows of each question by a column with its letters, alone or before the words of the options; nothing if one is out of
    turn. A row without a letter is a statement or a heading.
    """
    groups: list[list[int]] = []
    is_open = False
    for at, cell in enumerate(cells):
        letter = cell.strip(_SIGNS) if len(cell.strip(_SIGNS)) == 1 else letter_of(cell)
        if letter in ("", LETTERS[0]) or letter not in LETTERS:
            groups.append([])
            is_open = letter == LETTERS[0]
        elif not is_open or len(groups[-1]) == _MOST or letter != LETTERS[len(groups[-1])]:
            return []
        groups[-1].append(at)
    of_options = [group for group in groups if len(group) >= _FEWEST]
    alone = [group for group in groups if len(group) < _FEWEST]
    is_sound = len(of_options) >= max(_FEWEST, len(alone)) and not any(letter_of(cells[group[0]]) for group in alone)
    return groups if is_sound else []


def _are_marks(cells: Sequence[str], groups: Sequence[Sequence[int]]) -> bool:
    """Return whether a column marks the correct options: some of each question's, or nothing."""
    if not {word_of(cell) for cell in cells} <= _TICKS | NO:
        return False
    groups = [group for group in groups if len(group) > 1]
    ticked = [sum(_is_ticked(cells[row]) for row in group) for group in groups]
    return sum(map(bool, ticked)) * 2 > len(groups) and any(0 < count < len(group) for count, group in zip(ticked, groups, strict=True))


def _is_ticked(cell: str) -> bool:
    return word_of(cell) in _TICKS


def _without_letter(cell: CellLines) -> CellLines:
    first = cell[0].strip().lstrip("(（")[1:].lstrip(_SIGNS) if cell else ""
    return [first, *cell[1:]] if first else cell[1:]


def lines_of_grouped_rows(rows: Table) -> list[str]:
    """Return a table of a row for each stem above a row for each of its options as a paper; nothing for any other table.

    `题1 | stem | 标准答案` is above `A | 甲 | ` and `B | 乙 | √`. Every row is of one of these kinds, or has a named answer or explanation.
    """
    groups: list[_Grouped] = []
    for row in rows:
        words = [word for cell in row if (word := " ".join(cell).strip())]
        if not words:
            continue
        letter = words[0].strip(_SIGNS) if len(words[0].strip(_SIGNS)) == 1 else letter_of(words[0])
        number = _NUMBER.match(words[0])
        if letter and letter in LETTERS:
            texts = [word for word in words if word_of(word) not in _TICKS | NO and word.strip(_SIGNS) != letter]
            if not groups or len(texts) != 1 or letter != LETTERS[len(groups[-1].options) :][:1]:
                return []
            groups[-1].options.append(texts[0] if letter_of(texts[0]) == letter else f"{letter}. {texts[0]}")
            groups[-1].ticked += letter if any(map(_is_ticked, words)) else ""
        elif number and (stem := max([words[0][number.end() :], *words[1:]], key=len)) and len(stem) >= _SHORTEST_STEM:
            groups.append(_Grouped(f"{number['number']}. {stem}"))
        elif groups and groups[-1].options and len(words) <= _FEWEST and _NAMED.match(words[0]):
            groups[-1].named.append("：".join([words[0].rstrip(":："), *words[1:]]))
        else:
            return []
    if len(groups) < _FEWEST or any(len(group.options) < _FEWEST for group in groups):
        return []
    return [line for group in groups for line in group.lines()]


class _Grouped(Struct):
    """A question whose stem and options have a row each."""

    stem: str
    options: list[str] = []
    ticked: str = ""
    named: list[str] = []

    def lines(self) -> list[str]:
        return [self.stem, *self.options, *([f"答案：{self.ticked}"] if self.ticked else []), *self.named]
