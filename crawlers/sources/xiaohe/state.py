"""Read entries from the states of xiaohe's pages: name, card and modules, recognised by their form.

No page of the real site was available; an entry is an object with a name and modules, a module an object with a title and text.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from crawlers.text.fields import parsed_json, text_of

_MARKUP = re.compile(r"</[a-z][a-z0-9]*>|<(?:br|hr|img)\b[^<>]*>|&(?:[a-zA-Z]{2,8}|#\d{2,6});")  # plain text such as p<0.05 does not match
_TEXT_KEYS = ("text", "content", "html", "value", "insert", "caption")
_CHILD_KEYS = ("children", "content", "items", "blocks", "ops", "data", "list", "paragraphs")
_ITEM = re.compile(r"list[-_ ]?item|^li$|(?:^|[-_])item$", re.I)
_LIST = re.compile(r"list|^[uo]l$", re.I)
_HEADING = re.compile(r"head|title|^h\d$", re.I)
MAX_DEPTH = 40
"""Maximum depth of nested prose; deeper parts are omitted."""


def has_markup(text: str) -> bool:
    """Return whether a text is HTML."""
    return bool(_MARKUP.search(text))


def as_html(value: Any) -> str:
    """Return rich text as HTML: strings with markup unchanged, plain text escaped, blocks according to their type."""
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
            return _html(parsed_json(bare), depth - 1)
        except ValueError:  # text in brackets
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


_NAMES = ("name", "title")
_CONTENTS = ("content", "text", "children")
_LABELS = ("label", "key", "name", "title")
_INTROS = ("summary", "intro", "introduction", "description", "desc", "abstract")
_ALIASES = ("alias", "aliases", "alias_name", "other_name")
_MAX_DEPTH = 6

Part = tuple[str, str]
"""Title of a part, and its text as HTML."""


class StateEntry(NamedTuple):
    """The entry in a state."""

    name: str
    alias: str
    pairs: list[tuple[str, str]]
    """Labels and values of its card."""
    parts: list[Part]


def entry_of_state(state: Any, heading: str = "") -> StateEntry | None:
    """Return the state's entry with the same name as the page's heading, or else its first entry."""
    chosen: tuple[str, dict[str, Any]] | None = None
    for name, holder in _holders(state, heading):
        if chosen is None or name == heading:
            chosen = name, holder
        if name == heading:
            break
    if chosen is None:
        return None
    name, holder = chosen
    near = [holder, *(value for value in holder.values() if isinstance(value, dict))]
    rows = [row for one in near for value in one.values() if isinstance(value, list) for row in value]
    pairs = [pair for row in rows if not _is_module(row) and (pair := _pair(row))]
    intro = next((one[key] for one in near for key in _INTROS if one.get(key)), "")
    alias = next((one[key] for one in near for key in _ALIASES if one.get(key)), "")
    parts = [("概述", as_html(intro)), *_parts([row for row in rows if _is_module(row)])]
    return StateEntry(name, _plain(alias), pairs, parts)


def _holders(state: Any, heading: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects that have modules, each with its name: its own, that of an object in it, or that of an enclosing object."""
    left: list[tuple[Any, str]] = [(state, heading)]
    while left:
        value, above = left.pop()
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        name = above
        if isinstance(value, dict):
            own = _name(value) or next((_name(one) for one in inner if isinstance(one, dict) and _name(one)), "")
            name = own or above
            has_modules = any(_is_module(row) for rows in inner if isinstance(rows, list) for row in rows)
            if name and has_modules and not _is_module(value):
                yield name, value
        left += [(one, name) for one in reversed(inner)]


def _name(value: dict[str, Any]) -> str:
    return next((value[key].strip() for key in _NAMES if isinstance(value.get(key), str) and value[key].strip()), "")


def _is_module(row: Any) -> bool:
    return isinstance(row, dict) and bool(_name(row)) and any(row.get(key) is not None for key in _CONTENTS)


def _pair(row: Any) -> tuple[str, str] | None:
    """Return the label and value of a row of the entry's card."""
    if not isinstance(row, dict) or "value" not in row:
        return None
    label = next((row[key] for key in _LABELS if isinstance(row.get(key), str)), "")
    return (text_of(label), _plain(row["value"])) if label else None


def _plain(value: Any, depth: int = _MAX_DEPTH) -> str:
    """Return a value of the card as text, with list entries separated by 、."""
    if depth <= 0 or value is None:
        return ""
    if isinstance(value, bool):
        return "是" if value else "否"
    if isinstance(value, list):
        return "、".join(text for one in value if (text := _plain(one, depth - 1)))
    if isinstance(value, dict):
        return next((text for key in (*_NAMES, "text", "value", "label") if (text := _plain(value.get(key), depth - 1))), "")
    text = str(value)
    return text_of(text).strip() if has_markup(text) else text.strip()


def _parts(modules: list[Any]) -> Iterator[Part]:
    """Yield the title and rich text of modules and of nested modules."""
    left = list(reversed(modules))  # no recursion: a state may be nested deeper than Python's call stack allows
    while left:
        module = left.pop()
        own, inner = [], []
        for key in _CONTENTS:
            value = module.get(key)
            if isinstance(value, list):
                inner += [row for row in value if _is_module(row) and not row.get("type")]
                value = [row for row in value if not _is_module(row) or row.get("type")]
            own.append(as_html(value))
        forms = [html for html in own if html]  # several forms of the same prose
        yield _name(module), next((html for html in forms if len(forms) == 1 or text_of(html).strip()), "")
        left += reversed(inner)
