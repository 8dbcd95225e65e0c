"""XML as data, and the sheets that Excel saves as XML: bytes in, plain values or rows of cells out."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree

from atomexam.text.refusal import Refusal
from crawlers.read.containers.files.archives import PARSER


def root_of(name: str, body: bytes) -> Any:
    """Return the root of a file, with all tags without namespaces. No entity is resolved, and nothing external is loaded."""
    try:
        root = etree.fromstring(body.lstrip(), PARSER)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise Refusal(f"{name}: not readable XML ({error}); is it complete?") from None
    if root.getroottree().docinfo.doctype:
        raise Refusal(f"{name}: a document type is declared; entities are not read; remove it")
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


_MOST_ATTRIBUTES = 1_000
TEXT = "#text"
"""Key of an element's own text if it has attributes or children, too."""


def data_of(element: Any) -> Any:
    """Return the value of an XML element: its text, or an object of its attributes and children, repeated ones as a list.

    Raises:
        ValueError: an element has more attributes than data has fields; to read them takes time by their square.
    """
    if len(element.attrib) > _MOST_ATTRIBUTES:
        raise Refusal(f"<{element.tag}> has {len(element.attrib)} attributes; at most {_MOST_ATTRIBUTES} are read")
    children = [child for child in element if isinstance(child.tag, str)]
    words = (element.text or "").strip()
    if not children and not element.attrib:
        return words
    names = [child.get("name") for child in children if set(child.attrib) == {"name"} and child.tag == children[0].tag]
    has_siblings = element.getnext() is not None or element.getprevious() is not None
    if has_siblings and len(names) == len(set(names)) == len(children) > 1:  # `<field name="title">…`, as mysqldump writes
        return {str(child.get("name")): (child.text or "").strip() for child in children}
    attributes = dict(element.attrib)
    fields: dict[str, Any] = {**attributes}
    counts = Counter(child.tag for child in children)
    worded = {child.tag for child in children if child.attrib}
    for child in children:
        name = child.tag if child.tag not in attributes else f"{child.tag} (inside)"
        if counts[child.tag] > 1:
            value = data_of(child)
            # beside `<option right="true">`, an option without an attribute is an object, too
            fields.setdefault(name, []).append({TEXT: value} if child.tag in worded and isinstance(value, str) else value)
        else:
            fields[name] = data_of(child)
    return fields | ({TEXT: words} if words else {})


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
