"""A paper in the cells of a sheet: bytes of a workbook or csv in, each row as a line of text out."""

import re
from collections.abc import Mapping, Sequence

from crawlers.importers.documents.sheets import sheets_in
from crawlers.importers.files.csv_rows import delimiter_in
from crawlers.importers.sheet_rows import KEY_WORD
from crawlers.tables.keys import ANSWER, key_rows
from crawlers.tables.tree import NUMBER

_LEAST_ROWS = 3
_LEAST_LINES, _LONE = 9, 0.95
_LINE_START = re.compile(
    r"(?:\d{1,4}|第\s?\d{1,4}\s?题|[A-Ja-j]|(?P<label>(?:正确|参考|标准)?答案|解析|答案解析|难度|知识点|题型))(?P<sign>\s?[.．、:：)）])?"
)
"""What may be in a separate cell at the start of a line of a paper."""
HAS_OPTION = re.compile(r"(?:^|\s|[)）])A\s?(?:[.．、:：)）]|$)", re.MULTILINE)
_TICK, _LABEL_ALONE = re.compile(r"[√✓✔☑]"), re.compile(r"[^\W\d_]{2,6}")
"""The tick of a correct option in the cell after it; the name of such a column."""
_LATER = re.compile(r"[(（]?[A-Ja-j]\s?[.．、:：)）]|(?:正确|参考|标准)?答案|解析|难度|知识点|题型|[√✓✔☑]")
"""What cells after the first begin with if they are parts of a line of a paper."""
_OPENS = re.compile(r"(?:第\s?)?[(（]?\d{1,4}\s?(?:[.．、:：)）]|题)|Q\s?\d{1,4}")
"""What a cell begins with if a question begins in it."""
_STEM_LABEL, _TYPE = re.compile(r"(?:试题|题目|问题|题干)(?:内容)?"), re.compile(r"[^\W\d_]{2,6}题")
_NUMBER = re.compile(r"(?:第\s?)?\d{1,4}(?:\s?题)?\s?[.．、:：)）]?")
_FEW_COMMAS = 0.2
"""Share of the rows of a csv above which their delimiter divides cells, whatever is in them."""
_ALIKE = 0.6
"""Share of rows with the same number of cells above which they are those of a table."""
_MOST_BLOCKS, _CELLS_OF_LINE = 4, 2
_Row = tuple[str, list[str]]


def lone_lines(name: str, body: bytes, signed: Mapping[str, Mapping[str, str]] | None = None) -> list[str]:
    """Return the lines of a paper pasted into a sheet, with numbers and option letters in separate cells; else nothing.

    A sheet of numbers with their answers beside it is the paper's list of answers.

    Args:
        signed: texts of cells to replace, by the position of their row.
    """
    rows, answers = _rows_and_answers(name, body)
    rows = [(position, [cell for cell in cells if cell]) for position, cells in rows]
    filled = [cells for _, cells in rows if cells]
    numbered = sum(HAS_OPTION.search("\n".join(cells)) is not None for cells in filled) >= _LEAST_ROWS
    alone = sum(len(cells) == 1 or (numbered and _is_line(cells)) for cells in filled)
    if len(filled) < (_LEAST_ROWS if numbered else _LEAST_LINES) or alone < _LONE * len(filled):
        return []
    if len(filled[0]) == 1 and KEY_WORD.fullmatch(filled[0][0]):
        rows = rows[[cells for _, cells in rows].index(filled[0]) + 1 :]  # the name of the only column
    sign = _sign_of(name, body, [cells for _, cells in rows])
    lines = [line for position, cells in rows for line in _lines_of(_line_of(cells, numbered, sign), cells, (signed or {}).get(position))]
    return [*lines, "参考答案", *answers] if answers else lines


def row_lines(name: str, body: bytes, signed: Mapping[str, Mapping[str, str]] | None = None, spelled: bool = False) -> list[str]:
    """Return every row of the sheets of a file as a line, its cells divided by a tab.

    Args:
        signed: as for `lone_lines`.
        spelled: numbers, letters, labels and types in cells of their own get the signs that papers have behind them.
    """
    rows, answers = _rows_and_answers(name, body)
    sign = _sign_of(name, body, [cells for _, cells in rows])
    lines = list[str]()
    for position, cells in rows:
        filled = [cell for cell in cells if cell]
        lines += _lines_of(_spelled(filled, sign) if spelled else sign.join(filled), filled, (signed or {}).get(position))
    return [*lines, "参考答案", *answers] if answers else lines


def are_lines(name: str, body: bytes) -> bool:
    """Return whether most rows of a sheet have fewer cells than a question with its options and answer, or not as many as each other."""
    counts = [count for _, cells in _rows_and_answers(name, body)[0] if (count := sum(map(bool, cells)))]
    small, same = sum(count <= _CELLS_OF_LINE for count in counts), max(map(counts.count, set(counts)), default=0)
    return len(counts) >= _LEAST_ROWS and (2 * small > len(counts) or same <= _ALIKE * len(counts))


def lines_by_block(name: str, body: bytes) -> list[list[str]]:
    """Return the lines of a sheet in which questions are beside each other, in the two orders that they may have; none if they are not."""
    rows = [cells for _, cells in _rows_and_answers(name, body)[0]]
    opening = [columns for cells in rows if len(columns := _opening(cells)) > 1]
    starts = max(opening, key=opening.count, default=[])
    if not 1 < len(starts) <= _MOST_BLOCKS or opening.count(starts) < _LEAST_ROWS:
        return []
    blocks = [slice(start, end) for start, end in zip([0, *starts[1:]], [*starts[1:], None], strict=True)]
    bands: list[list[list[str]]] = [[]]
    for cells in rows:
        if _opening(cells):
            bands.append([])
        bands[-1].append(cells)
    by_row = [_joined(cells[block], "\t") for band in bands for block in blocks for cells in band]
    by_column = [_joined(cells[block], "\t") for block in blocks for cells in rows]
    return [[line for text in texts for line in text.splitlines() or [""]] for texts in (by_row, by_column)]


def _rows_and_answers(name: str, body: bytes) -> tuple[list[_Row], list[str]]:
    """Return the rows of the visible sheets, and the lines of a sheet that is a list of answers."""
    rows: list[_Row] = []
    answers: list[str] = []
    for _, hidden, sheet in sheets_in(name, body):
        cells = [] if hidden else list(sheet)
        if key := key_rows(cells):
            answers += [f"{row[NUMBER]}. {row[ANSWER]}" for _, row in key]
        else:
            rows += cells
    return rows, answers


def _opening(cells: Sequence[str]) -> list[int]:
    """Return the columns in which questions begin in a row."""
    return [column for column, cell in enumerate(cells) if _OPENS.match(cell)]


def _sign_of(name: str, body: bytes, rows: Sequence[Sequence[str]]) -> str:
    """Return what divides the cells of a row in its line: a tab, or the delimiter of a csv that is in truth a punctuation mark."""
    delimiter = delimiter_in(name, body) if name.lower().endswith(".csv") else "\t"
    several = [cells for cells in rows if len(cells) > 1]
    is_padded = len({len(cells) for cells in rows if cells}) == 1
    parted = sum(not cells[0] or bool(_LINE_START.fullmatch(cells[0])) or any(map(_LATER.match, cells[1:])) for cells in several)
    return "\t" if is_padded or 2 * parted >= len(several) or len(several) > _FEW_COMMAS * len(rows) else delimiter


def _joined(cells: Sequence[str], sign: str) -> str:
    return sign.join(cell for cell in cells if cell)


def _is_line(cells: list[str]) -> bool:
    """Return whether cells are a line of a paper that was split after its number or letter, or before its tick."""
    return _LINE_START.fullmatch(cells[0]) is not None or all(map(_TICK.fullmatch, cells[1:])) or all(map(_LABEL_ALONE.fullmatch, cells))


def _lines_of(line: str, cells: Sequence[str], signed: Mapping[str, str] | None) -> list[str]:
    for cell in filter(None, cells if signed else ()):
        line = line.replace(cell, (signed or {}).get(cell, cell), 1)
    return line.splitlines() or [""]


def _line_of(cells: list[str], numbered: bool, divider: str) -> str:
    """Return the cells of a row as a line of a paper, adding a sign after a separate number, letter or label."""
    if numbered and len(cells) > 1 and all(map(_TICK.fullmatch, cells[1:])) and not _LINE_START.fullmatch(cells[0]):
        return f"{cells[0]} √"
    if not numbered or len(cells) < 2 or not (start := _LINE_START.fullmatch(cells[0])):
        return _joined(cells, divider)
    sign = "：" if start["label"] else " " if start["sign"] else ". "
    return f"{cells[0]}{sign}{divider.join(cells[1:])}"


def _spelled(cells: list[str], divider: str) -> str:
    """Return the cells of a row as a line of a paper, adding signs after a number, letter or label and around a type of questions."""
    if len(cells) > 2 and (number := next((cell for cell in cells[:2] if _NUMBER.fullmatch(cell)), None)):
        kind = cells[1 - cells.index(number)]
        if _TYPE.fullmatch(kind):
            return f"{number}{'' if number[-1] in '.．、:：)）' else '.'} [{kind}] {divider.join(cells[2:])}"
    if len(cells) > 1 and _STEM_LABEL.fullmatch(cells[0]):
        return f"{cells[0]}：{divider.join(cells[1:])}"
    return _line_of(cells, True, divider) if cells else ""
