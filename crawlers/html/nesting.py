"""Elements of a page taken apart without reading any twice, however deep a page nests them. From selectors to values."""

import re
from collections.abc import Iterable
from html import escape
from itertools import takewhile
from typing import Any

from lxml.html import HtmlElement, tostring
from parsel import Selector

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold (Extensible Markup Language 1.0, production 2)."""


def outermost(found: Iterable[Selector]) -> list[Selector]:
    """Return, in the order of the page, those selectors that lie in none of the others: their text holds that of the others."""
    selectors: dict[HtmlElement, Selector] = {}
    for selector in found:
        selectors.setdefault(selector.root, selector)
    return [selectors[element] for element in outermost_elements(selectors)]


def outermost_elements(found: Iterable[HtmlElement]) -> list[HtmlElement]:
    """Return, in the order of the page, which they come in, those elements that lie in none of the others."""
    taken: set[Any] = set()
    free: set[Any] = set()  # what is known to lie in none, so that no way up is gone twice
    kept = []
    for element in found:
        way = []
        for above in element.iterancestors():
            if above in taken or above in free:
                break
            way.append(above)
        else:
            above = None
        if above not in taken:
            free.update(way)
            kept.append(element)
        taken.add(element)
    return kept


def inner_parts(elements: list[HtmlElement]) -> list[str]:
    """Return the inner HTML of each, without those of them that lie in it. The elements are taken out of their page."""
    parts = []
    for element in reversed(elements):  # inner before outer
        parts.append(_html(element.text, list(element)))
        take_out(element)
    return parts[::-1]


def take_out(element: HtmlElement) -> None:
    """Take an element out of its page; the words behind it stay.

    A form feed and its like, which libxml2 reads and lxml refuses to write, become blanks. So `drop_tree` will not do.
    """
    above, before = element.getparent(), element.getprevious()
    words = element.tail or ""
    if before is not None:
        before.tail = _UNWRITABLE.sub(" ", (before.tail or "") + words)
    else:
        above.text = _UNWRITABLE.sub(" ", (above.text or "") + words)
    above.remove(element)


def following_parts(elements: list[HtmlElement], until: frozenset[str]) -> list[str]:
    """Return the HTML behind each, up to the next tag of those names beside it. All of it is taken out of the page."""
    parts = []
    for element in reversed(elements):
        behind = list(takewhile(lambda piece: piece.tag not in until, element.itersiblings()))
        parts.append(_html(element.tail, behind))
        for piece in behind:
            element.getparent().remove(piece)
        element.tail = None
        element.getparent().remove(element)
    return parts[::-1]


def _html(text: str | None, pieces: list[HtmlElement]) -> str:
    return escape(text or "") + "".join(tostring(piece, encoding="unicode") for piece in pieces)
