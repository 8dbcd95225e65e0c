"""Tables in sheets and pages under their headers, which are found by known words, by content or by row number: rows of cells -> tables."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from msgspec import Struct

from atomexam.text.encodings import decoded
from atomexam.text.option_letters import LETTERS
from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.doc import WORD, read_word
from crawlers.read.containers.files.reading import Rows, Text
from crawlers.read.containers.files.text import tables_of_page
from crawlers.read.containers.files.workbook import BOOKS
from crawlers.read.tables.columns import is_known_name, layout_of_keys, named, named_in_turn, names_of, whole_header
from crawlers.read.tables.legends import SHEETS, Sheet, sheets_in, with_legends

_HEADER_WITHIN = 20
"""Number of rows searched for the header: titles and remarks may be above it."""
_MOST_ROW_CHARS = 80
_MOST_OPTIONS = 10
LocatedRow = tuple[str, list[str]]
IsHeader = Callable[[Sequence[str]], bool]


class SheetTable(Struct):
    """One table of a file."""

    name: str
    """Empty if the file has only one."""
    above: list[str]
    """Rows above the header, or the first rows of a sheet without a header."""
    header: list[str]
    rows: Iterator[LocatedRow]
    """Positions and cells of the rows below it."""
    padded: bool = True
    """Whether rows may lack empty cells at the end; in csv, a row shorter than the header has lost a cell."""
    words: frozenset[str] = frozenset()
    """All text in the header rows, used to recognize repeated headers."""
    why: str = ""
    """Why a sheet without a header is not read."""


def read_sheets(name: str, tables: Iterable[Sheet], is_header: IsHeader) -> Iterator[SheetTable]:
    """Yield the tables of a file; those without a header come last and have no rows.

    Args:
        tables: name of each sheet, whether it is hidden, and its rows.
        is_header: returns whether a row names the columns.

    Raises:
        ValueError: the file is not a table, or none of its sheets has a known header.
    """
    is_book = not name.lower().endswith((".csv", ".tsv"))
    without, header_count = [], 0
    for title, hidden, rows in tables:
        sheet = _hidden(title, rows) if hidden else _under_its_header(title, rows, is_header)
        if sheet.header:
            header_count += 1
            sheet.padded = is_book
            sheet.header = _widened(sheet.header) if is_book else sheet.header
            yield from _below_each_other(sheet, is_header) if is_book else [sheet]
        elif sheet.above:
            without.append(sheet)
    if not header_count:
        keys = "题干 or question, and 选项, A, 答案 or answer, or the keys of the format"
        entries = "for entries a name and what describes it, such as 症状, 功效 or 参考值"
        wanted = f"expected a row that names the columns: {keys}; {entries}"
        first = without[0].above[0][:_MOST_ROW_CHARS] if without else "no rows"
        raise Refusal(f"{name}: no known header in the first {_HEADER_WITHIN} rows; {wanted}; found {first}")
    yield from without


def _widened(keys: list[str]) -> list[str]:
    """Return a header ending in 选项 with the unnamed columns after it that its merged cell covers."""
    layout = layout_of_keys(keys)
    is_last = layout is not None and keys[-1] in layout.keys_of("options_raw")
    return [*keys, *(f"column {number}" for number in range(len(keys) + 1, len(keys) + _MOST_OPTIONS))] if is_last else keys


def _hidden(title: str, rows: Iterator[LocatedRow]) -> SheetTable:
    words = [_words(cells) for _, cells in rows if any(cells)]
    return SheetTable(title, words[:1], [], iter(()), why=f"hidden, so its {len(words)} rows are not read; unhide it to have them read")


def _under_its_header(title: str, rows: Iterator[LocatedRow], is_header: IsHeader) -> SheetTable:
    above: list[str] = []
    for _, cells in rows:
        keys = named(cells)
        if is_header(keys):
            return _with_second_row(SheetTable(title, above, keys, rows), cells, is_header)
        if any(cells):
            above.append(_words(cells))
        if len(above) >= _HEADER_WITHIN:
            break
    count = len(above) + sum(any(cells) for _, cells in rows)
    return SheetTable(title, above, [], iter(()), why=f"no known header, so its {count} rows are not read")


def _with_second_row(sheet: SheetTable, header: list[str], is_header: IsHeader) -> SheetTable:
    """Return a sheet under its complete header."""
    first = next(sheet.rows, None)
    sheet.words = frozenset(filter(None, header))
    if first and (both := whole_header(header, first[1])) and is_header(both):
        sheet.header = both
        sheet.words |= frozenset(filter(None, first[1]))
    elif first:
        sheet.rows = chain([first], sheet.rows)
    return sheet


def _below_each_other(sheet: SheetTable, is_header: IsHeader) -> Iterator[SheetTable]:
    """Yield the tables stacked in a sheet, each under its own header, such as choice questions above true-or-false statements."""
    rows, stems = list(sheet.rows), names_of("stem_raw")
    start = 0
    for at, (_, cells) in enumerate(rows):
        if stems.isdisjoint(cells) or not _is_other(sheet, cells) or not is_header(named(cells)):
            continue
        title = [cell for cell in rows[at - 1][1] if cell] if at > start else []
        sheet.rows = iter(rows[start : at - (len(title) == 1)])
        yield sheet
        name, above = (title[0], title) if len(title) == 1 else (sheet.name, [])
        sheet = SheetTable(name, above, named(cells), iter(()), sheet.padded, frozenset(filter(None, cells)))
        start = at + 1
    sheet.rows = iter(rows[start:])
    yield sheet


def _is_other(sheet: SheetTable, cells: Sequence[str]) -> bool:
    """Return whether a row is a header other than its sheet's own, which may be repeated."""
    moved = any(cell in sheet.header and cell != key for cell, key in zip_longest(cells, sheet.header, fillvalue="") if cell)
    return moved or not sheet.words.issuperset(filter(None, cells))


def _words(cells: Iterable[str]) -> str:
    return " ".join(filter(None, cells))


LINED = (*BOOKS, ".csv", ".tsv")
"""Suffixes of files whose rows a paper layout reads as lines."""
_LEAST_ROWS = 3
_LONGEST_NAME_CHARS = 24
_SAMPLE, _FORM_FIELD = 200, re.compile(r"[:：]")
_MOST_TITLES = 20
"""Maximum number of rows above the column names."""
KEY_WORD = re.compile(
    r"(?:题[目干号型]?|试题|问题|选项|备选项?|(?:正确|参考|标准)?(?:答案|选项)|解析|难度|分值|章节|是否正确)(?:[iI][dD]|编号|序号|内容|文本)?|序号|编号"
)
"""Column names of questions, options, and answer lists."""
_OF_QUESTIONS = re.compile(r"题|答案|问|question|stem|answer", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,30}|q?[A-J]|(?i:id|no\.?)", re.ASCII)


def text_of_sheet(name: str, body: bytes) -> Text:
    """Return the rows of a file's visible sheets as lines, with tabs between cells, for a paper layout."""
    rows = (cells for _, hidden, sheet in sheets_in(name, body) if not hidden for _, cells in sheet)
    return Text([line for cells in rows for line in "\t".join(filter(None, cells)).splitlines() or [""]])


def tables_below_row(name: str, body: bytes, header: int) -> list[Rows]:
    """Return the tables, with column names taken from the row with this number; the rows above it are dropped."""
    if (sheets := cells_of_sheets(name, body)) is None:
        raise Refusal(
            f"{name}: its layout has `header: {header}`, but only sheets, CSV files and tables in web pages and Word files "
            "have a header row"
        )
    tables: list[Rows] = []
    for title, rows in sheets:
        at = next((at for at, (position, _) in enumerate(rows) if _number_of(position) == header), len(rows))
        tables += [_under(title, named(cells), rows[at + 1 :]) for _, cells in rows[at : at + 1]]
    return tables


def row_with(name: str, body: bytes, names: Collection[str]) -> int:
    """Return the number of the first row in a sheet or page table that has all the names; 0 if there is none."""
    rows = (row for _, rows in cells_of_sheets(name, body) or () for row in rows)
    return next((_number_of(position) for position, cells in rows if set(names) <= set(cells)), 0)


def cells_of_sheets(name: str, body: bytes) -> list[tuple[str, list[tuple[str, list[str]]]]] | None:
    """Return the sheets of a file, or the tables of a page or Word document, with their titles; None for other files."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in SHEETS and not is_page(suffix, body):
        return [(title, list(rows)) for title, hidden, rows in sheets_in(name, body) if not hidden]
    if suffix in WORD:
        return list(with_titles(read_word(name, body).tables))
    return list(cells_of_page(decoded(name, body))) if suffix in (".html", ".htm", ".xls") else None


def _number_of(position: str) -> int:
    """Return the row number in a position; 0 for a position that is not a row."""
    number = position.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def is_page(suffix: str, body: bytes) -> bool:
    """Return whether a sheet is in fact an HTML page: many sites export pages with that suffix."""
    return suffix == ".xls" and body.lstrip()[:1] == b"<"


def cells_of_page(text: str) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    return with_titles(tables_of_page(text))


def with_titles(tables: Iterable[list[list[str]]]) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Yield tables with a title and the positions of their rows."""
    for number, cells in enumerate(tables, 1):
        rows = ((f"table:{number}:row:{row_number}", row) for row_number, row in enumerate(cells, 1))
        yield f"table {number}", list(with_legends(rows))


def tables_of_cells(title: str, rows: list[tuple[str, list[str]]]) -> Iterator[Rows]:
    """Yield a sheet as rows; its first row names the columns if it differs in kind from the others."""
    rows = [(position, cells) for position, cells in rows if any(cells)]
    rows = rows[_titles_above(rows) :]
    if len(rows) > _LEAST_ROWS and _goes_on(rows[0][1], rows[1][1]):
        rows = rows[1:]  # a name above several columns: 选项 above A, B, C
    if len(rows) < _LEAST_ROWS:
        return
    headed = _is_header([cells for _, cells in rows[:200]])
    yield _under(title, named(rows[0][1]), rows[1:]) if headed else _under(title, [], rows)


def _under(title: str, keys: list[str], rows: list[tuple[str, list[str]]]) -> Rows:
    """Return rows under their column names; an unnamed column gets its number."""
    width = max((len(cells) for _, cells in rows[:200]), default=0)
    keys = [*keys, *(f"column {number}" for number in range(len(keys) + 1, width + 1))]
    return Rows((title,) if title else (), [(position, dict(zip(keys, cells, strict=False))) for position, cells in rows if any(cells)])


def _titles_above(rows: list[tuple[str, list[str]]]) -> int:
    """Return how many rows of titles, remarks and form fields, `填表人： 日期：`, are above the row that names the columns.

    Such rows fill fewer cells than the rows of the table.
    """
    filled = [sum(map(bool, cells)) for _, cells in rows[:_SAMPLE]]
    usual = max(set(filled), key=lambda count: (filled.count(count), count), default=0)
    above = 0
    for at, (_, cells) in enumerate(rows[: min(_MOST_TITLES + 1, len(rows) - _LEAST_ROWS)]):
        if filled[at] < 2 or all(map(_FORM_FIELD.search, filter(None, cells))):
            continue
        if names_columns(cells):
            return at if above < 2 else 0  # more rows above it may be a separate table
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
    """Return whether some cells are consecutive, `1` `2` `3` or `甲` `乙` `丙`, and the others are short words, at least one of which names
    a question field.
    """
    in_turn = {*named_in_turn(names)}
    others = [name for name in names if name not in in_turn]
    worded = all(len(name) <= _LONGEST_NAME_CHARS and not name.isdigit() for name in others)
    return len(names) - len(others) > 2 and worded and any(map(_OF_QUESTIONS.search, others)) and len(set(names)) == len(names)


def _names_letters(cell: str, values: Sequence[str]) -> bool:
    """Return whether a cell is the name of a column of option letters or codes, because it is a word or a different character."""
    return (cell not in LETTERS and all(value in LETTERS for value in values)) or (not cell.isascii() and all(map(str.isascii, values)))


def _names_codes(cell: str, values: Sequence[str]) -> bool:
    """Return whether a word heads a column that contains only numbers or option letters."""
    is_word = len(cell) > 1 and not any(map(str.isdigit, cell)) and not set(cell) <= set(LETTERS)
    return is_word and len(values) > _LEAST_ROWS and all(value.isdecimal() or value in LETTERS for value in values)


def _are_mostly_known(rows: list[list[str]]) -> bool:
    """Return whether most cells of a first row are known field names, and none of them occurs below it."""
    names = [(at, cell) for at, cell in enumerate(rows[0]) if cell]
    known = sum(is_known_name(cell) and not cell.isdigit() for _, cell in names)
    recurring = any(at < len(row) and row[at] == cell for at, cell in names for row in rows[1:])
    return known > max(1, len(names) / 2) and not recurring and not all(map(LETTERS.__contains__, (cell for _, cell in names)))


def _is_header(rows: list[list[str]]) -> bool:
    """Return whether a first row names the columns: short, distinct words, none of which occurs below in its column."""
    first = [cell for cell in rows[0] if cell]
    if names_columns(rows[0]) or _are_mostly_known(rows):
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
