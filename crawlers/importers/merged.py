"""Cells of a workbook that are merged downwards: bytes in, the ranges of each sheet out. openpyxl does not tell them as it streams."""

import posixpath
import re
import zipfile
from io import BytesIO
from typing import NamedTuple

from lxml import etree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_REF = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=\"([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})\"")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


class Covered(str):
    """Text of a cell that stands for those below it as well, where it is seen from one of those."""

    __slots__ = ()


class Range(NamedTuple):
    """Cells of one column, counted from 0, of which only the first has a text; rows are counted from 1."""

    column: int
    first: int
    last: int


def merged_down(body: bytes) -> dict[str, dict[int, list[Range]]]:
    """Return for each sheet, by its title, the ranges of more than one row by the row they begin in."""
    with zipfile.ZipFile(BytesIO(body)) as parts:
        names = set(parts.namelist())
        book, relations = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
        if not {book, relations} <= names:
            return {}
        targets = {entry.get("Id"): entry.get("Target", "") for entry in etree.fromstring(parts.read(relations), _PARSER)}
        found: dict[str, dict[int, list[Range]]] = {}
        for sheet in etree.fromstring(parts.read(book), _PARSER).iter(f"{_MAIN}sheet"):
            target = posixpath.normpath(posixpath.join("/xl", targets.get(sheet.get(_RELATION), ""))).lstrip("/")
            if target in names:
                found[sheet.get("name", "")] = _ranges(parts.read(target))
        return found


def _ranges(part: bytes) -> dict[int, list[Range]]:
    ranges: dict[int, list[Range]] = {}
    for match in _REF.finditer(part, max(0, part.rfind(b"sheetData>"))):  # they stand behind the cells
        first, last = int(match[2]), int(match[3])
        if last > first:
            ranges.setdefault(first, []).append(Range(_column(match[1]), first, last))
    return ranges


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1
