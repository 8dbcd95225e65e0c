"""What openpyxl omits when it streams: bytes of a workbook in, merged cells and formulas without a value of each sheet out."""

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import NamedTuple

from lxml import etree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_REF = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=\"([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})\"")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s[^>]{0,200}?\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]{0,200}><(?:\w+:)?f(?:\s[^>]{0,500})?(?:/>|>[^<]{0,9000}</(?:\w+:)?f>)"
    rb"\s{0,9}(?:<(?:\w+:)?v\s?/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s{0,9}</(?:\w+:)?c>"
)
"""A cell with a formula whose value no program has saved."""
_SOME_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_FEWEST_COMMENTS = 3
COMMENT = "批注"
"""Name of the column of comments."""
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


class CoveredCell(str):
    """Text of a merged cell, in one of the cells that it covers."""

    __slots__ = ()


class Unsaved(str):
    """The empty text of a cell with a formula whose value was never saved."""

    __slots__ = ()


class MergedRange(NamedTuple):
    """Cells of one column, counted from 0, of which only the first has a text; rows are counted from 1."""

    column: int
    first: int
    last: int


class Marks(NamedTuple):
    """What must be known of a sheet before its rows are read."""

    merged: dict[int, list[MergedRange]]
    """By the row they begin in."""
    unsaved: dict[int, list[int]]
    """Columns, counted from 0, by their row."""
    comments: dict[tuple[int, int], str]
    """By row and column, counted from 1 and from 0."""


def marks_of(body: bytes) -> dict[str, Marks]:
    """Return the marks of each sheet by its title."""
    with zipfile.ZipFile(BytesIO(body)) as parts:
        names = set(parts.namelist())
        book, relations = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
        if not {book, relations} <= names:
            return {}
        targets = {entry.get("Id"): entry.get("Target", "") for entry in etree.fromstring(parts.read(relations), _PARSER)}
        marks: dict[str, Marks] = {}
        for sheet in etree.fromstring(parts.read(book), _PARSER).iter(f"{_MAIN}sheet"):
            target = _joined("xl", targets.get(sheet.get(_RELATION), ""))
            if target in names:
                part = parts.read(target)
                marks[sheet.get("name", "")] = Marks(_ranges(part), _unsaved(part), _comments(parts, names, target))
        return marks


def _joined(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _comments(parts: zipfile.ZipFile, names: set[str], sheet: str) -> dict[tuple[int, int], str]:
    """Return the comments on the cells of a sheet, without the name of their author."""
    folder, _, name = sheet.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    entries = etree.fromstring(parts.read(relations), _PARSER) if relations in names else ()
    targets = [_joined(folder, entry.get("Target", "")) for entry in entries if entry.get("Type", "").endswith("/comments")]
    comments: dict[tuple[int, int], str] = {}
    for root in (etree.fromstring(parts.read(target), _PARSER) for target in targets if target in names):
        authors = [author.text or "" for author in root.iter(f"{_MAIN}author")]
        for comment in root.iter(f"{_MAIN}comment"):
            text = "".join(each.text or "" for each in comment.iter(f"{_MAIN}t")).strip()
            first, _, rest = text.partition("\n")
            is_signed = first.rstrip(":：") in authors and first.endswith((":", "："))
            if cell := _CELL.fullmatch(comment.get("ref", "")):
                comments[int(cell[2]), _column(cell[1].encode())] = rest.strip() if is_signed else text
    return comments


def with_comments(rows: Iterable[tuple[str, list[str]]], comments: dict[tuple[int, int], str]) -> Iterator[tuple[str, list[str]]]:
    """Yield rows with their comments in a column of its own, if most rows have one in the same column, and not always the same."""
    texts = {row: text for (row, _), text in comments.items()}
    if len(texts) < _FEWEST_COMMENTS or len({column for _, column in comments}) > 1 or len(set(texts.values())) == 1:
        yield from rows
        return
    known = list(rows)
    filled = [number for number, (_, cells) in enumerate(known, 1) if any(cells)]
    if 2 * len(texts) < len(filled):
        yield from known
        return
    width = max(len(cells) for _, cells in known)
    header = max((number for number in filled if number < min(texts)), default=0)
    for number, (position, cells) in enumerate(known, 1):
        own = COMMENT if number == header else texts.get(number, "")
        yield position, [*cells, *[""] * (width - len(cells)), own]


def _unsaved(part: bytes) -> dict[int, list[int]]:
    columns_by_row: dict[int, list[int]] = {}
    for match in _FORMULA.finditer(part) if _SOME_FORMULA.search(part) else ():
        columns_by_row.setdefault(int(match[2]), []).append(_column(match[1]))
    return columns_by_row


def _ranges(part: bytes) -> dict[int, list[MergedRange]]:
    ranges: dict[int, list[MergedRange]] = {}
    for match in _REF.finditer(part, max(0, part.rfind(b"sheetData>"))):  # they come after the cells
        first, last = int(match[2]), int(match[3])
        if last > first:
            ranges.setdefault(first, []).append(MergedRange(_column(match[1]), first, last))
    return ranges


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
