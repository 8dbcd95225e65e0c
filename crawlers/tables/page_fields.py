"""Forms in a page: choice fields become lists of options, the content of hidden fields an answer below them. The tree is modified."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

_FEWEST, _MOST_OPTIONS = 3, 10
_KEY_NAME = re.compile(r"(?:(?:right|correct|std|true)[-_]?)?(?:answers?|ans|key|daan|a|solution)[-_]?\d{0,5}", re.IGNORECASE)
_LETTERS = re.compile(r"[A-J](?:[,，、]?[A-J]){0,9}")


def list_fields(document: HtmlElement) -> None:
    """Put adjacent fields of each question, `<input type=radio name=q1> 甲<br>`, into one list."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for field in document.xpath("//input[@type='radio' or @type='checkbox'][@name]"):
        groups[field.get("name")].append(field)
    questions = [fields for fields in groups.values() if 2 <= len(fields) <= _MOST_OPTIONS]
    if len(questions) < _FEWEST:
        return
    for fields in questions:
        _list(fields)
    hidden = [
        field
        for field in document.xpath("//input[@type='hidden'][@value]")
        if _KEY_NAME.fullmatch(field.get("name") or field.get("id") or "") and _LETTERS.fullmatch(field.get("value"))
    ]
    if len(hidden) >= max(_FEWEST, len(questions) // 2):
        for field in hidden:
            paragraph = etree.Element("p")
            paragraph.text, paragraph.tail = f"答案：{field.get('value')}", field.tail
            field.getparent().replace(field, paragraph)


def _list(fields: Sequence[Any]) -> None:
    """Put the fields of one question into a list, each with its text, if they are in one element and have text."""
    holders = [_holder(field) for field in fields]
    parent = holders[0].getparent()
    if parent is None or len(set(holders)) < len(holders) or any(holder.getparent() is not parent for holder in holders):
        return
    if parent.tag in ("ul", "ol", "label") or not all(_words(holder) for holder in holders):
        return
    options = etree.Element("ul")
    parent.insert(parent.index(holders[0]), options)
    for holder in holders:
        option = etree.SubElement(options, "li")
        words = "" if holder.tag == "label" or _inside(holder) else holder.tail or ""
        behind = holder.getnext()
        rest = holder.tail if not words else ""
        holder.tail = None
        option.append(holder)
        if words:
            holder.tail = words
        elif not _inside(holder) and behind is not None and behind.tag == "label":
            rest, behind.tail = behind.tail, None
            option.append(behind)
        options.tail = f"{options.tail or ''}{(rest or '').strip()}" or None
    for child in list(parent):
        if child.tag == "br" and child.getprevious() is options:
            options.tail = f"{options.tail or ''}{child.tail or ''}"
            parent.remove(child)


def _holder(field: Any) -> Any:
    """Return the element of one option: the label, or another element with only its field; else the field."""
    above = field.getparent()
    if above is not None and above.tag == "label" and len(above.xpath(".//input[@type='radio' or @type='checkbox']")) == 1:
        return above
    return field


def _inside(holder: Any) -> bool:
    return bool("".join(holder.itertext()).strip())


def _words(holder: Any) -> str:
    """Return the text of an option: inside its element, after its field, or in the label after that."""
    behind = holder.getnext()
    inside = "".join(holder.itertext()).strip() or (holder.tail or "").strip()
    return inside or ("".join(behind.itertext()).strip() if behind is not None and behind.tag == "label" else "")
