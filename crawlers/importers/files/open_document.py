"""Importer of .ods, LibreOffice's sheets: bytes in, the rows of its sheets as text out."""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from atomexam.text.refusal import Refusal
from crawlers.importers.files.zipped import BROKEN_PARTS, check_zipped, root_of

ODS = ".ods"
_MOST_COLUMNS, _MOST_CELLS, _MOST_REPEATED_CHARS = 512, 5_000_000, 2000
_REPEATED = "number-columns-repeated"


def open_sheets(name: str, body: bytes) -> Iterator[tuple[str, bool, Iterator[tuple[str, list[str]]]]]:
    """Yield the name of each sheet, whether it is hidden, and its rows with their positions.

    Raises:
        ValueError: the file is not a valid .ods, or has more cells than banks have.
    """
    check_zipped(name, body, "content.xml", "ods")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            root = root_of(parts, "content.xml")
    except BROKEN_PARTS as error:
        raise Refusal(f"{name}: not a readable ods ({type(error).__name__}: {str(error)[:80]}); save it as .xlsx") from None
    cells = 0
    for sheet in root.iter("{*}table"):
        title = attributes_of(sheet).get("name") or "sheet"
        rows: list[tuple[str, list[str]]] = []
        for number, row in enumerate(sheet.iter("{*}table-row"), 1):
            values = _cells(row)
            cells += len(values) + 1
            if cells > _MOST_CELLS:
                raise Refusal(f"{name}: more than {_MOST_CELLS} cells; split it")
            rows.append((f"{title}:row:{number}", values))
        yield title, False, iter(rows)


def _cells(row: Any) -> list[str]:
    """Return the cells of a row up to the last non-empty one; empty ones repeated to the end of the sheet do not count."""
    cells: list[str] = []
    for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
        text = "\n".join("".join(part.itertext()) for part in cell.iterchildren("{*}p")).strip()
        times = attributes_of(cell).get(_REPEATED, "")
        count = int(times) if times.isdigit() and len(times) < 8 else 1
        if text:  # a long text repeated hundreds of times would fill any memory
            count = min(count, max(1, _MOST_REPEATED_CHARS // len(text)))
        cells += [text] * min(count, _MOST_COLUMNS - len(cells)) if text or count <= _MOST_COLUMNS else []
    while cells and not cells[-1]:
        cells.pop()
    return cells


def attributes_of(element: Any) -> dict[str, str]:
    """Return the attributes of an element by their names without namespaces."""
    return {etree.QName(key).localname: str(value) for key, value in element.attrib.items()}
