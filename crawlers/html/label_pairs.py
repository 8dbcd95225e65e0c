"""Read the label and value of an element, which are separated by a colon, in two cells, or in a dt and a dd."""

import re
from collections.abc import Iterator
from itertools import takewhile

from parsel import Selector, SelectorList

from crawlers.text.fields import text_of

_LABEL = re.compile(r"(?s)\s*([^:：]{1,20})[:：](.*)")
_MOST_CHARS = 20
_CELLS = "self::tr/*[self::th or self::td] | dt | dd"


def label_and_value(row: Selector) -> tuple[str, str] | None:
    """Return label and value of a list entry, a table row, or a dt with its dd; None if there is no label.

    Cells are tried first because a value may contain a colon, then a colon, then other elements.
    """
    if row.root.tag == "dd" and next(row.root.itersiblings("dt", preceding=True), None) is not None:
        return None  # read with its dt
    cells = _defined(row) if row.root.tag == "dt" else row.xpath(_CELLS)
    if len(cells) < 2:
        text = text_of(row)
        if colon_match := _LABEL.match(text):
            return colon_match[1].strip(), colon_match[2].strip()
        cells = SelectorList() if "".join(row.xpath("text()").getall()).strip() else row.xpath("*")  # links within a sentence are not cells
    if len(cells) < 2:
        return None
    label = text_of(cells[0]).strip().rstrip(":：").strip()
    value = " ".join(filter(None, map(text_of, cells[1:])))
    return (label, value) if 0 < len(label) <= _MOST_CHARS else None


def siblings_below(element: Selector) -> Iterator[Selector]:
    """Yield the siblings after an element lazily; listing all of them for many elements would take quadratic time."""
    for below in element.root.itersiblings("*"):
        yield Selector(root=below, type="html")


def _defined(term: Selector) -> SelectorList:
    """Return a dt and the dd elements that follow it, up to the next dt."""
    elements = [term]
    elements += takewhile(lambda below: below.root.tag == "dd", siblings_below(term))
    return SelectorList(elements)
