"""Rewrite responses that would break selectors, and keep their text."""

import json
import warnings
from html import escape
from itertools import takewhile
from typing import Any

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, Tag, XMLParsedAsHTMLWarning
from bs4.element import NavigableString, PageElement
from lxml.etree import XPath
from parsel import Selector
from scrapy.http import HtmlResponse, JsonResponse, TextResponse, XmlResponse
from scrapy.utils.response import get_base_url

from atomexam.runtime.budgets import OverBudget
from crawlers.text.fields import uncrowded

MAX_DEPTH = 256
"""Maximum depth of nested elements, which is libxml2's default; browsers flatten deeper elements, too.

The time selectors take is quadratic in the depth, and lxml silently drops everything below a depth of 2,048.
"""
MAX_BYTES, MAX_TAGS, MAX_DEEP_TAGS = 2 * 1024 * 1024, 60_000, 25_000
"""Limits for an unpacked page and for one that must be flattened; a paper with 400 questions has about 27,000 tags. JSON texts may have
more.

Callbacks read pages in Scrapy's reactor and block it while they do.
"""
for _kind in (XMLParsedAsHTMLWarning, MarkupResemblesLocatorWarning):  # old pages begin as XML; a title may be a URL
    warnings.filterwarnings("ignore", category=_kind)
_AT_MAX_DEPTH = XPath("boolean(" + "/*" * MAX_DEPTH + "/*)")
_RAW_TAGS = {"script", "style"}


def readable(response: TextResponse) -> TextResponse:
    """Return a page that selectors can read completely, in time and without errors; most pages are returned unchanged.

    Raises:
        OverBudget: the page has too many bytes or tags.
    """
    size, tags, is_data = len(response.body), response.body.count(b"<"), is_json(response)
    if size > MAX_BYTES or (tags > MAX_TAGS and not is_data):
        raise OverBudget(f"{size} bytes and {tags} tags; at most {MAX_BYTES} bytes and {MAX_TAGS} tags are read")
    if not is_data and (text := uncrowded(response.text)) != response.text:  # before it is parsed
        response = _with_text(response, text)
    try:
        get_base_url(response)
    except ValueError:  # the page's base is not a valid URL; the first base wins
        response = _with_text(response, f'<base href="{escape(response.url)}">{response.text}')
    if tags <= MAX_DEPTH or is_data or response.selector.type not in ("html", "xml"):
        return response
    if not _is_deep(response.selector):
        return response
    if tags > MAX_DEEP_TAGS:
        raise OverBudget(f"nested deeper than {MAX_DEPTH} levels, with {tags} tags; at that depth, at most {MAX_DEEP_TAGS} tags are read")
    return _with_text(response, _flattened(response.text))


def is_json(response: TextResponse) -> bool:
    """Return whether a response is JSON, which has no elements to select, whatever its declared type."""
    if isinstance(response, HtmlResponse | XmlResponse):
        return False
    if isinstance(response, JsonResponse):
        return True
    try:  # a selector would parse anything else as HTML, which may be slow before `uncrowded`
        return response.text.lstrip()[:1] in ("{", "[") and isinstance(json.loads(response.text), dict | list)
    except ValueError:
        return False
    except RecursionError:  # nested deeper than the JSON parser supports
        return True


def shallow(html: str) -> str:
    """Return a piece of HTML, flattened to at most the depth allowed for pages."""
    html = uncrowded(html)
    return _flattened(html) if html.count("<") > MAX_DEPTH and _is_deep(Selector(text=html, type="html")) else html


def _is_deep(page: Selector) -> bool:
    return page.root is not None and bool(_AT_MAX_DEPTH(page.root.getroottree()))


def _with_text(response: TextResponse, text: str) -> TextResponse:
    return response.replace(cls=HtmlResponse, body=text.encode(), encoding="utf-8")


def _flattened(html: str) -> str:
    """Return a page in which elements deeper than MAX_DEPTH become siblings, each with its leading text."""
    out: list[str] = []
    left: list[tuple[Any, int]] = [(child, 1) for child in reversed(BeautifulSoup(html, "lxml").contents)]
    while left:
        node, depth = left.pop()
        if not isinstance(node, Tag):
            out.append(_written(node))
            continue
        inner, end = node.contents, "" if node.is_empty_element else f"</{node.name}>"
        out.append(f"<{node.name}{''.join(_attribute(*pair) for pair in node.attrs.items())}>")
        if depth < MAX_DEPTH:
            left.append((end, depth))
            left += [(child, depth + 1) for child in reversed(inner)]
        else:
            words = list(takewhile(lambda child: not isinstance(child, Tag), inner))
            out += [*map(_written, words), end]
            left += [(child, depth) for child in reversed(inner[len(words) :])]
    return "".join(out)


def _attribute(name: str, value: str | list[str]) -> str:
    return f' {name}="{escape(value if isinstance(value, str) else " ".join(value))}"'


def _written(node: PageElement | str) -> str:
    """Return a text, a comment or an end tag as HTML."""
    if not isinstance(node, NavigableString):
        return str(node)
    if type(node) is not NavigableString or (node.parent is not None and node.parent.name in _RAW_TAGS):
        return node.PREFIX + node + node.SUFFIX
    return escape(node, quote=False)
