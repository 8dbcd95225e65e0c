"""Documents of tags -> data: an element of XML as an object, the cells of the tables of a page."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from crawlers.text.fields import text_of, uncrowded

TEXT = "#text"
"""Key of an element's own words, where it has attributes or children beside them."""


def data_of(element: Any) -> Any:
    """Return what an element of XML says: its words, or an object of its attributes and children, those that repeat as a list."""
    children = [child for child in element if isinstance(child.tag, str)]
    words = (element.text or "").strip()
    if not children and not element.attrib:
        return words
    found: dict[str, Any] = dict(element.attrib)
    counts = Counter(child.tag for child in children)
    for child in children:
        name = child.tag if child.tag not in element.attrib else f"{child.tag} (inside)"
        if counts[child.tag] > 1:
            found.setdefault(name, []).append(data_of(child))
        else:
            found[name] = data_of(child)
    return found | ({TEXT: words} if words else {})


def tables_of_page(text: str) -> Iterator[list[list[str]]]:
    """Yield the cells of each table of a page, row by row; none of a table that holds another, or that spans cells."""
    for table in document_of_page(text).iter("table"):
        if next((each for each in table.iterdescendants("table")), None) is None and not table.xpath(".//*[@rowspan>1 or @colspan>1]"):
            yield [[shown(cell) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]


def document_of_page(text: str) -> HtmlElement:
    """Return the tree of a page, whatever is wrong with its tags."""
    return document_fromstring(uncrowded(re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)) or "<html></html>")


def shown(element: Any) -> str:
    """Return the words of an element as a reader sees them."""
    return text_of(etree.tostring(element, encoding="unicode", with_tail=False, method="html"))
