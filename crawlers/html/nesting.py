"""Separate nested elements and read each of them only once, however deeply they are nested."""

import re
from collections.abc import Iterable
from html import escape
from itertools import takewhile
from typing import Any

from lxml.html import HtmlElement, tostring
from parsel import Selector

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML must not contain (Extensible Markup Language 1.0, production 2)."""


def outermost(selectors: Iterable[Selector]) -> list[Selector]:
    """Return, in document order, the selectors that are not inside another one; their text includes that of the selectors inside them."""
    by_element: dict[HtmlElement, Selector] = {}
    for selector in selectors:
        by_element.setdefault(selector.root, selector)
    return [by_element[element] for element in outermost_elements(by_element)]


def outermost_elements(elements: Iterable[HtmlElement]) -> list[HtmlElement]:
    """Return the elements that are not inside another one; input and output are in document order."""
    visited: set[Any] = set()
    free: set[Any] = set()  # known to be outermost, so that no path to the root is walked twice
    outer = []
    for element in elements:
        way = []
        for above in element.iterancestors():
            if above in visited or above in free:
                break
            way.append(above)
        else:
            above = None
        if above not in visited:
            free.update(way)
            outer.append(element)
        visited.add(element)
    return outer


def inner_parts(elements: list[HtmlElement]) -> list[str]:
    """Return the inner HTML of each element without the other elements nested in it, and remove the elements from the page."""
    parts = []
    for element in reversed(elements):  # inner ones before outer ones
        parts.append(_html(element.text, list(element)))
        take_out(element)
    return parts[::-1]


def take_out(element: HtmlElement) -> None:
    """Remove an element from its page but keep the text after it.

    Unlike `drop_tree`, replace characters such as form feeds, which libxml2 reads but lxml refuses to write, with spaces.
    """
    above, before = element.getparent(), element.getprevious()
    words = element.tail or ""
    if before is not None:
        before.tail = _UNWRITABLE.sub(" ", (before.tail or "") + words)
    else:
        above.text = _UNWRITABLE.sub(" ", (above.text or "") + words)
    above.remove(element)


def following_parts(elements: list[HtmlElement], until: frozenset[str]) -> list[str]:
    """Return the HTML after each element, up to the next sibling with one of the given tags, and remove it from the page."""
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
