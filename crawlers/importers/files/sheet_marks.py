"""What openpyxl omits when it streams: bytes of a workbook in, merged cells and formulas without a value of each sheet out."""

import posixpath
import re
import zipfile
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
            target = posixpath.normpath(posixpath.join("/xl", targets.get(sheet.get(_RELATION), ""))).lstrip("/")
            if target in names:
                part = parts.read(target)
                marks[sheet.get("name", "")] = Marks(_ranges(part), _unsaved(part))
        return marks


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
