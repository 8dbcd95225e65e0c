"""Cells of a table of answers, below each other in a copy, 题号 / 1 / 2 / 答案 / B / A, or a row for each, `1⇥B⇥…` -> a list.

Numbered lines in and out.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice, pairwise, takewhile

from atomexam.text.verdicts import SURE_VERDICT
from crawlers.papers.passes.role_labels import OF_READER
from crawlers.papers.signs.answer_marks import Numbered, flat, plain
from crawlers.papers.signs.entries import is_title

_NUMBERS = re.compile(r"(?:题\s?号|序\s?号|题\s?目)\s?:?")
_NUMBER = re.compile(r"(?P<value>\d{1,4})\s?[、.:]?")
NUMBER_ALONE = re.compile(rf"\n{_NUMBER.pattern}$", re.MULTILINE)
_ANSWER = re.compile(rf"[A-J]{{1,8}}|{SURE_VERDICT}")
_FEWEST = 2  # pairs of a number and an answer
_GAP = r"(?:\s{0,9}[\t|]\s{0,9}|\s{1,9})"
ROW_HEAD = re.compile(rf"(?:题\s?号|序\s?号|编号|小题){_GAP}(?:参考|正确|标准)?答\s?案")
_ROW_HEAD = re.compile(rf"\|?\s{{0,9}}{ROW_HEAD.pattern}(?:{_GAP}(?:答案|试题|参考)?(?:解析|详解|分析|说明|解释|依据|考点))?\s{{0,9}}\|?")
"""The names of the columns of a table with a row for each question."""
_ROW = re.compile(
    rf"\|?\s{{0,9}}(?:第\s?)?(?P<number>\d{{1,4}})\s?[题、.]?{_GAP}(?P<answer>[A-J](?:[\s,、]{{0,2}}[A-J]){{0,7}}|{SURE_VERDICT})"
    r"(?:\s{0,9}[\t|]\s{0,9}(?P<cell>.*)|\s{1,9}(?P<words>[^\s\dA-J].*)|\s{0,9})$"
)
KEY_ROW = re.compile(r"\n[^\S\n]{0,9}(?:第\s?)?\d{1,4}\s?[题、.]?[^\S\n]{1,9}(?:[A-J]|√|×|对|错|正|[TF]\b)")
"""How a row of such a table begins."""
_ASIDE = 3
"""Lines of a cell's further paragraphs."""


_CELL_SIGN = re.compile(r"\s{0,9}[\t|]\s{0,9}")
NUMBER_ROW = re.compile(r"(?<!\d)\d{1,4}[ |]{1,5}\d{1,4}[ |]{1,5}\d{1,4}(?!\d)")
"""A row of a table of answers with their numbers."""
_FEWEST_CELLS, _MOST_ROWS = 3, 4


def grids_named(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with the usual names for two rows of a table of which one counts, and the other has an answer below each number.

    What the rows are called shows nothing: `题 | 1 | 2 | 3` above `答 | A | B | C`, `No.` above `Ans`, or no names. But what somebody
    chose is no answer, and of several further rows, none is certain.
    """
    done, names = list(lines), set[tuple[str, str]]()
    filled = [at for at, (_, text) in enumerate(lines) if text.strip()]
    cells = [[flat(cell) for cell in _CELL_SIGN.split(lines[at][1].strip(" |\t"))] for at in filled]
    for place, numbers in enumerate(cells):
        if len(numbers) < _FEWEST:
            continue
        named = not _NUMBER.fullmatch(numbers[0])
        counts = [_NUMBER.fullmatch(cell) for cell in numbers[named:]]
        values = [int(count["value"]) for count in counts if count]
        if len(values) < len(counts) or any(one + 1 != after for one, after in pairwise(values)):
            continue
        below = takewhile(partial(_are_answers, len(numbers), named), islice(cells, place + 1, place + 1 + _MOST_ROWS))
        rows = [place + count for count, row in enumerate(below, 1) if not (named and OF_READER.search(row[0]))]
        if len(rows) != 1 or len(values) < (1 if (numbers[0], cells[rows[0]][0]) in names else _FEWEST_CELLS):
            continue
        answers = cells[rows[0]]
        names |= {(numbers[0], answers[0])} if named else set()
        for at, name, words in ((place, "题号", list(map(str, values))), (rows[0], "答案", answers[named:])):
            done[filled[at]] = (lines[filled[at]][0], "\t".join([name, *words]))
        for at in range(place + 1, rows[0]):  # so that the answers are next to their numbers
            done[filled[at]] = (lines[filled[at]][0], "")
    return done


def _are_answers(count: int, named: bool, row: Sequence[str]) -> bool:
    """Return whether a row has as many cells as another one, each with an answer, except its name."""
    return len(row) == count and all(_ANSWER.fullmatch(cell) for cell in row[named:])


def cells_joined(lines: Sequence[Numbered]) -> list[Numbered]:
    """Return the lines, with numbers and answers that alternate or are in two runs below each other as 1.B, 2.A, …"""
    lines = _rows_listed(lines)
    filled = [(index, line) for index, (_, text) in enumerate(lines) if (line := plain(text))]
    done = list(lines)
    at = 0
    while at < len(filled):
        heads = bool(_NUMBERS.fullmatch(filled[at][1])) or is_title(filled[at][1])
        pairs, stop = _cells(filled, at + 1) if heads else ([], at + 1)
        if pairs:
            done[filled[at][0]] = (lines[filled[at][0]][0], "参考答案")
            for index, _ in filled[at + 1 : stop]:
                done[index] = (lines[index][0], "")
            for number, answer in pairs:
                done[filled[number][0]] = (lines[filled[number][0]][0], f"{filled[number][1].rstrip(' 、.:')}.{filled[answer][1]}")
        at = max(stop, at + 1)
    return done


def _cells(filled: Sequence[tuple[int, str]], start: int) -> tuple[list[tuple[int, int]], int]:
    """Return the places of numbers with those of their answers from a place on, and where they end; none if they do not match."""
    numbers: list[int] = []
    answers: list[int] = []
    pairs: list[tuple[int, int]] = []
    at = stop = start
    while at < len(filled):
        line = filled[at][1]
        if _NUMBER.fullmatch(line):
            numbers.append(at)
        elif _ANSWER.fullmatch(line) and len(answers) < len(numbers):
            answers.append(at)
        elif not (_NUMBERS.fullmatch(line) or is_title(line)) or (answers and len(answers) < len(numbers)):
            break
        at += 1
        if numbers and len(numbers) == len(answers):
            pairs += zip(numbers, answers, strict=True)
            numbers, answers, stop = [], [], at
    return (pairs, stop) if len(pairs) >= _FEWEST and not numbers else ([], at)


def _rows_listed(lines: Sequence[Numbered]) -> Sequence[Numbered]:
    """Return the lines, with a table of a number, its answer and its reason in each row as a list of answers, `1.B` above `解析：…`."""
    flats = [flat(text) for _, text in lines]
    named = {at for at, line in enumerate(flats) if _ROW_HEAD.fullmatch(line.strip())}
    starts = [at for at, line in enumerate(flats) if at in named or (is_title(line.strip()) and at + 1 not in named)]
    if not starts:
        return lines
    pieces: dict[int, list[str]] = {}
    listed: set[int] = set()
    for start in [*sorted(named), *(start for start in starts if start not in named)]:
        rows = _rows_below(flats, start) if start not in listed else {}
        if listed.intersection(rows):
            continue
        listed |= {start, *range(start, max(rows, default=start))}
        if len(rows) < _FEWEST or (start not in named and any("\t" not in lines[at][1] for at in rows)):
            continue
        pieces[start] = ["参考答案"]
        for at, row in rows.items():
            group = "cell" if row["cell"] else "words"
            words = lines[at][1][row.start(group) : row.end(group)].strip(" \t|") if row[group] else ""
            pieces[at] = [f"{row['number']}.{row['answer']}", *([f"解析：{words}"] if words else [])]
    return [(index, piece) for at, (index, text) in enumerate(lines) for piece in pieces.get(at, [text])]


def _rows_below(flats: Sequence[str], start: int) -> dict[int, re.Match[str]]:
    """Return the rows of a table below its title, whose numbers follow each other."""
    rows: dict[int, re.Match[str]] = {}
    last = start
    for at in range(start + 1, len(flats)):
        row = _ROW.match(flats[at])
        if row and (not rows or int(row["number"]) == int(rows[last]["number"]) + 1):
            rows[at], last = row, at
        elif at - last > _ASIDE:
            break
    return rows
