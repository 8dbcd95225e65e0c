"""Documents of tags -> data: an XML element as an object, the cells of the tables of a page."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from crawlers.text.fields import text_of, uncrowded

_MOST_COLUMNS = 512
TEXT = "#text"
"""Key of an element's own text if it has attributes or children, too."""


def data_of(element: Any) -> Any:
    """Return the value of an XML element: its text, or an object of its attributes and children, repeated ones as a list."""
    children = [child for child in element if isinstance(child.tag, str)]
    words = (element.text or "").strip()
    if not children and not element.attrib:
        return words
    names = [child.get("name") for child in children if set(child.attrib) == {"name"} and child.tag == children[0].tag]
    above = element.getparent()
    if (
        above is not None and len(above) > 1 and len(names) == len(set(names)) == len(children) > 1
    ):  # `<field name="title">…`, as mysqldump writes
        return {str(child.get("name")): (child.text or "").strip() for child in children}
    fields: dict[str, Any] = dict(element.attrib)
    counts = Counter(child.tag for child in children)
    worded = {child.tag for child in children if child.attrib}
    for child in children:
        name = child.tag if child.tag not in element.attrib else f"{child.tag} (inside)"
        if counts[child.tag] > 1:
            value = data_of(child)
            # beside `<option right="true">`, an option without an attribute is an object, too
            fields.setdefault(name, []).append({TEXT: value} if child.tag in worded and isinstance(value, str) else value)
        else:
            fields[name] = data_of(child)
    return fields | ({TEXT: words} if words else {})


def tables_of_page(text: str) -> Iterator[list[list[str]]]:
    """Yield the cells of each table of a page, row by row; none of a table that contains another.

    A cell that spans rows is repeated in each of them; one that spans columns fills the first.
    """
    for table in document_of_page(text).iter("table"):
        if next((each for each in table.iterdescendants("table")), None) is None:
            yield _cells_of(table)


def _cells_of(table: Any) -> list[list[str]]:
    rows: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}
    """Column -> number of rows it still spans, and its content."""
    for row in table.iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            _take_spanning(cells, spanning)
            text, width, height = visible_text(cell), _span(cell, "colspan"), _span(cell, "rowspan")
            if height > 1:
                spanning |= {len(cells) + step: (height, text if not step else "") for step in range(width)}
                _take_spanning(cells, spanning)
            else:
                cells += [text, *[""] * (width - 1)]
        _take_spanning(cells, spanning)
        rows.append(cells)
    return rows


def _take_spanning(cells: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Insert spanning cells into a row, up to the next cell of its own."""
    while len(cells) in spanning:
        left, text = spanning.pop(len(cells))
        if left > 1:
            spanning[len(cells)] = left - 1, text
            cells.append(text)
            if len(cells) > _MOST_COLUMNS:
                return
        else:
            cells.append(text)


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return max(1, min(int(value), _MOST_COLUMNS)) if value.isdigit() and len(value) < 6 else 1


def scripts_of_page(text: str) -> Iterator[str]:
    """Yield the scripts in a page."""
    for script in document_of_page(text).iter("script"):
        if not script.get("src") and (source := (script.text or "").strip()):
            yield source


def cells_of_book(root: Any) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    """Yield the title of each sheet of a workbook saved by Excel as XML, and its rows with their positions."""
    for number, sheet in enumerate(root.iter("Worksheet"), 1):
        title = next((value for key, value in sheet.attrib.items() if key.endswith("Name")), f"sheet {number}")
        rows: list[tuple[str, list[str]]] = []
        for row_number, row in enumerate(sheet.iter("Row"), 1):
            cells: list[str] = []
            for cell in row.iterchildren("Cell"):
                index = next((value for key, value in cell.attrib.items() if key.endswith("Index")), "")
                if index.isdigit() and len(index) < 4:
                    cells += [""] * (int(index) - 1 - len(cells))
                cells.append("".join(cell.itertext()).strip())
            rows.append((f"{title}:row:{row_number}", cells))
        yield title, rows


def document_of_page(text: str) -> HtmlElement:
    """Return the tree of a page, whatever is wrong with its tags."""
    try:
        return document_fromstring(uncrowded(re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)))
    except etree.ParserError:  # it contains no element and no text
        return document_fromstring("<html></html>")


def visible_text(element: Any) -> str:
    """Return the text of an element as a reader sees it."""
    return text_of(etree.tostring(element, encoding="unicode", with_tail=False, method="html"))
