"""Rows under the names of their columns, with the header found or given by its number: sheets and tables of pages in, tables out."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from atomexam.text.encodings import decoded
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from crawlers.column_roles.names_in_turn import named_in_turn
from crawlers.importers.documents.doc import WORD, tables_of_word
from crawlers.importers.documents.sheets import SHEETS, sheets_in
from crawlers.importers.files.legends import with_legends
from crawlers.importers.layouts.columns import is_known_name, layout_of_keys, named
from crawlers.tables.keys import key_rows
from crawlers.tables.marked_options import verdict_named
from crawlers.tables.markup import tables_of_page
from crawlers.tables.tree import Rows
from crawlers.tables.turning import turned_sheet

_LEAST_ROWS = 3
_LONGEST_NAME_CHARS = 24
_SAMPLE, _FORM_FIELD = 200, re.compile(r"[:：]")
_MOST_TITLES = 20
"""Rows above the names of the columns."""
KEY_WORD = re.compile(
    r"(?:题[目干号型]?|试题|问题|选项|备选项?|(?:正确|参考|标准)?(?:答案|选项)|解析|难度|分值|章节|是否正确)(?:[iI][dD]|编号|序号|内容|文本)?|序号|编号"
)
"""Names of the columns of questions, of their options, and of a list of answers."""
_OF_QUESTIONS = re.compile(r"题|答案|问|question|stem|answer", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,30}|q?[A-J]|(?i:id|no\.?)", re.ASCII)


def tables_below_row(name: str, body: bytes, header: int) -> list[Rows]:
    """Return the tables whose columns are named by the row with a number; the rows above it are no part of them."""
    if (sheets := cells_of_sheets(name, body)) is None:
        raise Refusal(
            f"{name}: its layout has `header: {header}`; only sheets, csv files and tables of pages and Word files have such a row"
        )
    tables: list[Rows] = []
    for title, rows in sheets:
        at = next((at for at, (position, _) in enumerate(rows) if _number_of(position) == header), len(rows))
        tables += [_under(title, named(cells), rows[at + 1 :]) for _, cells in rows[at : at + 1]]
    return tables


def row_with(name: str, body: bytes, names: Collection[str]) -> int:
    """Return the number of the first row of a sheet, or of a table in a page, that has all of some names; 0 if none has."""
    rows = (row for _, rows in cells_of_sheets(name, body) or () for row in rows)
    return next((_number_of(position) for position, cells in rows if set(names) <= set(cells)), 0)


def cells_of_sheets(name: str, body: bytes) -> list[tuple[str, list[tuple[str, list[str]]]]] | None:
    """Return the sheets of a file, or the tables of a page or Word document, with their titles; None if it is none of these."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in SHEETS and not is_page(suffix, body):
        return [(title, list(rows)) for title, hidden, rows in sheets_in(name, body) if not hidden]
    if suffix in WORD:
        return list(_with_titles(tables_of_word(name, body)))
    return list(cells_of_page(decoded(name, body))) if suffix in (".html", ".htm", ".xls") else None


def _number_of(position: str) -> int:
    """Return the number of a row; 0 for another position."""
    number = position.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def is_page(suffix: str, body: bytes) -> bool:
    """Return whether a sheet is in fact a page: many sites name their export so."""
    return suffix == ".xls" and body.lstrip()[:1] == b"<"


def cells_of_page(text: str) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    return _with_titles(tables_of_page(text))


def _with_titles(tables: Iterable[list[list[str]]]) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    for number, cells in enumerate(tables, 1):
        rows = ((f"table:{number}:row:{row_number}", row) for row_number, row in enumerate(cells, 1))
        yield f"table {number}", list(with_legends(rows))


def tables_of_cells(title: str, rows: list[tuple[str, list[str]]]) -> Iterator[Rows]:
    """Yield a sheet as rows; its first row names the columns if it differs from the others."""
    rows = [(position, cells) for position, cells in rows if any(cells)]
    if key := key_rows(rows):
        yield Rows((title,) if title else (), key)
        return
    rows = rows[_titles_above(rows) :]
    if len(rows) > _LEAST_ROWS and _goes_on(rows[0][1], rows[1][1]):
        rows = rows[1:]  # a name above several columns: 选项 above A, B, C
    rows = turned_sheet(rows)
    if len(rows) < _LEAST_ROWS:
        return
    headed = _is_header([cells for _, cells in rows[:200]])
    yield _under(title, named(rows[0][1]), rows[1:]) if headed else _under(title, [], rows)


def _under(title: str, keys: list[str], rows: list[tuple[str, list[str]]]) -> Rows:
    """Return rows under the names of their columns; one without a name gets its number."""
    width = max((len(cells) for _, cells in rows[:200]), default=0)
    keys = [*keys, *(f"column {number}" for number in range(len(keys) + 1, width + 1))]
    return Rows((title,) if title else (), [(position, dict(zip(keys, cells, strict=False))) for position, cells in rows if any(cells)])


def _titles_above(rows: list[tuple[str, list[str]]]) -> int:
    """Return how many rows are titles, remarks and blanks of a form, `填表人： 日期：`, above one that names the columns.

    They fill fewer cells than the rows of the table do.
    """
    filled = [sum(map(bool, cells)) for _, cells in rows[:_SAMPLE]]
    usual = max(set(filled), key=lambda count: (filled.count(count), count), default=0)
    above = 0
    for at, (_, cells) in enumerate(rows[: min(_MOST_TITLES + 1, len(rows) - _LEAST_ROWS)]):
        if filled[at] < 2 or all(map(_FORM_FIELD.search, filter(None, cells))):
            continue
        if names_columns(cells):
            return at if above < 2 else 0  # further rows above it may be a table of their own
        above += 1
        if filled[at] < min(_LEAST_ROWS, usual):
            continue
        if filled[at] >= _LEAST_ROWS and _is_header([cells for _, cells in rows[at : at + _SAMPLE]]):
            return at if above < 3 else 0
        if filled[at] >= usual:
            break
    return 0


def _goes_on(first: list[str], second: list[str]) -> bool:
    """Return whether a row repeats column names of the row above and subdivides others."""
    same = [one for one, other in zip(first, second, strict=False) if one and one == other]
    return bool(same) and names_columns(second) and not names_columns([one for one in first if one not in same] or ["1"])


def names_columns(cells: list[str]) -> bool:
    """Return whether cells are certainly column names: known ones, or identifiers."""
    filled = [cell for cell in cells if cell]
    if layout_of_keys(named(cells)) is not None:
        return True
    return len(filled) > 1 and (all(map(KEY_WORD.fullmatch, filled)) or all(map(_IDENTIFIER.fullmatch, filled)) or _counts_options(filled))


def _counts_options(names: list[str]) -> bool:
    """Return whether some cells count on, `1` `2` `3` or `甲` `乙` `丙`, between short words of which one names a field of questions."""
    others = [name for name in names if name not in named_in_turn(names)]
    worded = all(len(name) <= _LONGEST_NAME_CHARS and not name.isdigit() for name in others)
    return len(names) - len(others) > 2 and worded and any(map(_OF_QUESTIONS.search, others)) and len(set(names)) == len(names)


def _names_letters(cell: str, values: Sequence[str]) -> bool:
    """Return whether a single character above option letters is not such a letter, or a word above codes: it names their column."""
    return (cell not in LETTERS and all(value in LETTERS for value in values)) or (not cell.isascii() and all(map(str.isascii, values)))


def _names_codes(cell: str, values: Sequence[str]) -> bool:
    """Return whether a word is above a column with nothing but numbers or option letters, which are no words."""
    is_word = len(cell) > 1 and not any(map(str.isdigit, cell)) and not set(cell) <= set(LETTERS) and not verdict_named(cell)
    return is_word and len(values) > _LEAST_ROWS and all(value.isdecimal() or value in LETTERS for value in values)


def names_verdicts(rows: list[list[str]]) -> bool:
    """Return whether a first row has a column for true and one for false, `对 | 错`, and either a known name, too, or words that no other
    row has there.
    """
    if any(len(cell) > _LONGEST_NAME_CHARS or cell.endswith("。") for cell in rows[0]):
        return False
    pair = [[at for at, cell in enumerate(rows[0]) if verdict_named(cell) == verdict] for verdict in ("正确", "错误")]
    if not all(len(columns) == 1 for columns in pair):
        return False
    own, *below = [[row[at] if at < len(row) else "" for [at] in pair] for row in rows]
    return own not in below or any(map(KEY_WORD.fullmatch, rows[0]))


def _are_mostly_known(rows: list[list[str]]) -> bool:
    """Return whether most cells of a first row are known names of fields, and none of its cells occurs below it."""
    names = [(at, cell) for at, cell in enumerate(rows[0]) if cell]
    known = sum(is_known_name(cell) and not cell.isdigit() for _, cell in names)
    recurring = any(at < len(row) and row[at] == cell for at, cell in names for row in rows[1:])
    return known > max(1, len(names) / 2) and not recurring and not all(map(LETTERS.__contains__, (cell for _, cell in names)))


def _is_header(rows: list[list[str]]) -> bool:
    """Return whether a first row names the columns: short words, each once, none of which occurs below in its column."""
    first = [cell for cell in rows[0] if cell]
    if names_columns(rows[0]) or names_verdicts(rows) or _are_mostly_known(rows):
        return True
    if not first or len(set(first)) < len(first) or any(len(cell) > _LONGEST_NAME_CHARS for cell in first):
        return False
    if any(re.fullmatch(r"[-\d.]+|[(（]\s{0,9}[)）]|.{0,23}[？?。（(]\s{0,9}[)）]?", cell) for cell in first):
        return False
    for index, cell in enumerate(rows[0]):
        below = {row[index] for row in rows[1:] if index < len(row)}
        if cell and cell in below:
            return False
        values = [each for each in below if each]
        if cell and len(cell) == 1 and values and max(map(len, values)) == 1 and len(set(values)) <= 8 and not _names_letters(cell, values):
            return False
    if sum(_names_codes(cell, [row[index] for row in rows[1:] if index < len(row)]) for index, cell in enumerate(rows[0])) > 1:
        return True
    lengths = [(len(cell), sorted(len(row[index]) for row in rows[1:] if index < len(row))) for index, cell in enumerate(rows[0]) if cell]
    return any(some and own * 2 <= some[len(some) // 2] for own, some in lengths)
