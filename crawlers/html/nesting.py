"""Elements of a page taken apart without reading any twice, however deep a page nests them. From selectors to values."""

from collections.abc import Iterable
from html import escape
from itertools import takewhile
from typing import Any

from lxml.html import HtmlElement, tostring
from parsel import Selector


def outermost(found: Iterable[Selector]) -> list[Selector]:
    """Return, in the order of the page, those selectors that lie in none of the others: their text holds that of the others."""
    taken: set[Any] = set()
    free: set[Any] = set()  # what is known to lie in none, so that no way up is gone twice
    kept = []
    for selector in found:
        if selector.root in taken:
            continue
        way = []
        for above in selector.root.iterancestors():
            if above in taken or above in free:
                break
            way.append(above)
        else:
            above = None
        if above not in taken:
            free.update(way)
            kept.append(selector)
        taken.add(selector.root)
    return kept


def inner_parts(elements: list[HtmlElement]) -> list[str]:
    """Return the inner HTML of each, without those of them that lie in it. The elements are taken out of their page."""
    parts = []
    for element in reversed(elements):  # inner before outer
        parts.append(_html(element.text, list(element)))
        element.drop_tree()
    return parts[::-1]


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
