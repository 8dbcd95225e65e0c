"""Rich text as sites send it to the browser: HTML as it is, and the JSON blocks of editors as HTML. From values to values."""

import json
import re
from html import escape
from typing import Any

from crawlers.text.fields import sound_json

_MARKUP = re.compile(r"</[a-z][a-z0-9]*>|<(?:br|hr|img)\b[^<>]*>|&(?:[a-zA-Z]{2,8}|#\d{2,6});")  # plain text such as p<0.05 does not match
_TEXT_KEYS = ("text", "content", "html", "value", "insert", "caption")
_CHILD_KEYS = ("children", "content", "items", "blocks", "ops", "data", "list", "paragraphs")
_ITEM = re.compile(r"list[-_ ]?item|^li$|(?:^|[-_])item$", re.I)
_LIST = re.compile(r"list|^[uo]l$", re.I)
_HEADING = re.compile(r"head|title|^h\d$", re.I)
MAX_DEPTH = 40
"""Nobody nests prose deeper; what is nested deeper is left out."""


def has_markup(text: str) -> bool:
    """Return whether a text is HTML."""
    return bool(_MARKUP.search(text))


def as_html(value: Any) -> str:
    """Return rich text as HTML: a string with markup as it is, plain text escaped, blocks according to their type."""
    return _html(value, MAX_DEPTH)


def _html(value: Any, depth: int) -> str:
    if depth <= 0 or value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return _of_string(value, depth)
    if isinstance(value, list):
        # Strings in a list are lines; objects are pieces of one line.
        return "".join(f"<p>{_html(one, depth - 1)}</p>" if isinstance(one, str) else _html(one, depth - 1) for one in value)
    if isinstance(value, dict):
        return _of_block(value, depth)
    return escape(str(value))


def _of_string(text: str, depth: int) -> str:
    bare = text.strip()
    if bare[:1] in ("[", "{") and bare[-1:] in ("]", "}"):
        try:
            return _html(json.loads(sound_json(bare)), depth - 1)
        except (ValueError, RecursionError):  # text in brackets
            pass
    return text if has_markup(text) else escape(text).replace("\n", "<br>")


def _of_block(block: dict[str, Any], depth: int) -> str:
    kind = str(block.get("type") or block.get("tag") or block.get("name") or "")
    own = next((block[key] for key in _TEXT_KEYS if isinstance(block.get(key), str | int | float) and block[key] != ""), None)
    inner = _html(own, depth - 1)
    for key in _CHILD_KEYS:
        if isinstance(block.get(key), list | dict):
            inner += _items(block[key], depth - 1) if key == "items" else _html(block[key], depth - 1)
    if not inner:
        return ""
    attributes = block.get("attributes")
    if _ITEM.search(kind) or (isinstance(attributes, dict) and "list" in attributes):
        return f"<ul><li>{inner}</li></ul>"
    if _HEADING.search(kind):
        return f"<h3>{inner}</h3>"
    if kind in ("text", "span", "") and own is not None:  # a piece of a line
        return inner
    return f"<div>{inner}</div>" if _LIST.search(kind) else f"<p>{inner}</p>"


def _items(items: Any, depth: int) -> str:
    entries = items if isinstance(items, list) else [items]
    return "<ul>" + "".join(f"<li>{_html(entry, depth)}</li>" for entry in entries) + "</ul>"
