"""Tables of a file: csv, tsv or xlsx in, each table's header with the rows below it out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise, zip_longest

from msgspec import Struct

from atomexam.text.refusal import Refusal
from crawlers.importers.layouts.columns import layout_of_keys, named, names_of, whole_header

_HEADER_WITHIN = 20
"""Rows in which the header is searched: titles and remarks may be above it."""
_MOST_ROW_CHARS = 80
_MOST_OPTIONS = 10
LocatedRow = tuple[str, list[str]]
Sheet = tuple[str, bool, Iterator[LocatedRow]]
IsHeader = Callable[[Sequence[str]], bool]


class SheetTable(Struct):
    """One table of a file."""

    name: str
    """Empty if the file has only one."""
    above: list[str]
    """Rows above the header, or the first rows of a sheet without one."""
    header: list[str]
    rows: Iterator[LocatedRow]
    """Positions and cells of the rows below it."""
    padded: bool = True
    """Rows may be shorter than the header if their last cells are empty; in csv, such a row has lost a cell."""
    words: frozenset[str] = frozenset()
    """All text in the header rows, by which they are recognised where they recur."""
    why: str = ""
    """Why a sheet without a header is not read."""


def read_sheets(name: str, tables: Iterable[Sheet], is_header: IsHeader) -> Iterator[SheetTable]:
    """Yield the tables of a file, ending with those without a header, which have no rows either.

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
            for part in _below_each_other(sheet, is_header) if is_book else [sheet]:
                yield from _side_by_side(part, is_header)
        elif sheet.above:
            without.append(sheet)
    if not header_count:
        keys = "题干 or question, and 选项, A, 答案 or answer, or the keys of the format"
        entries = "for entries a name and what describes it, such as 症状, 功效 or 参考值"
        wanted = f"expected a row that names the columns: {keys}; {entries}"
        first = without[0].above[0][:_MOST_ROW_CHARS] if without else "no rows"
        raise Refusal(f"{name}: no header in the first {_HEADER_WITHIN} rows; {wanted}; found {first}")
    yield from without


def _widened(keys: list[str]) -> list[str]:
    """Return a header that ends in 选项 with the unnamed columns after it that its merged cell covers."""
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
    return SheetTable(title, above, [], iter(()), why=f"no header that is known, so its {count} rows are not read")


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
    """Yield the tables below each other in a sheet, each under its own header: questions with options above statements."""
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
    """Return whether a row has other column names, or another order, than the header of its sheet, which may recur."""
    moved = any(cell in sheet.header and cell != key for cell, key in zip_longest(cells, sheet.header, fillvalue="") if cell)
    return moved or not sheet.words.issuperset(filter(None, cells))


def _side_by_side(sheet: SheetTable, is_header: IsHeader) -> Iterator[SheetTable]:
    """Yield the tables beside each other under one header, if each has its own header."""
    starts = _starts_of_blocks(sheet.header)
    parts = [slice(*ends) for ends in pairwise([*starts, len(sheet.header)])]
    bare = ["" if key.startswith("column ") else key.partition(" (column ")[0] for key in sheet.header]
    headers = [named(bare[part]) for part in parts]
    if len(parts) < 2 or not all(map(is_header, headers)):
        yield sheet
        return
    rows = list(sheet.rows)
    for number, (part, header) in enumerate(zip(parts, headers, strict=True), 1):
        inner = part if number < len(parts) else slice(part.start, None)
        own = ((f"{position}:block:{number}" if number > 1 else position, cells[inner]) for position, cells in rows)
        above = sheet.above if number == 1 else []
        yield SheetTable(sheet.name, above, header, own, sheet.padded or number < len(parts), sheet.words)


def _starts_of_blocks(header: list[str]) -> list[int]:
    """Return where the columns of a stem begin again, including those before it if they also precede the first stem."""
    layout = layout_of_keys(header)
    plain = [key.partition(" (column ")[0] for key in header]
    stems = layout.keys_of("stem_raw") if layout else []
    first = next((index for index, key in enumerate(header) if key in stems), len(header))
    again = [index for index in range(first + 1, len(header)) if plain[index] == plain[first]]
    return [0, *(index - first if plain[index - first : index] == plain[:first] else index for index in again)]


def _words(cells: Iterable[str]) -> str:
    return " ".join(filter(None, cells))
