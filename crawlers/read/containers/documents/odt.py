"""Importer of LibreOffice texts (.odt): bytes in, one HTML page out: headings, paragraphs, lists with their numbers, tables.

Colour, bold, underline, superscripts and subscripts are kept; notes, comments and deleted text are left out.
"""

import html
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.docx_numbers import FORMATS
from crawlers.read.containers.files.archives import BROKEN_PARTS, check_zipped, root_of
from crawlers.read.containers.files.workbook import attributes_of

_LINES, _ASIDE = ("p", "h"), ("note", "annotation", "tracked-changes", "forms", "sequence-decls", "ruby-text", "table-of-content")
"""Elements that are a line; elements whose words are not part of the text."""
_SPACES = {"tab": "\t", "line-break": "<br>", "image": "<img>"}
_MOST_SPACES, _MOST_LEVELS = 100, 10
_COLOUR = re.compile("#[0-9A-Fa-f]{6}")
_PLAIN_COLOURS = ("#000000", "transparent")
_COUNTED = {"1": FORMATS["decimal"], "A": FORMATS["upperLetter"], "a": FORMATS["lowerLetter"]}
Styles = dict[str, list[tuple[str, str]]]
"""Opening and closing tags by the name of a style."""
Numbers = dict[tuple[str, int], tuple[str, str, str]]
"""Number format, prefix and suffix, by the name of a list style and the level."""


def page_of_odt(name: str, body: bytes) -> str:
    """Return a text document as a page.

    Raises:
        ValueError: the file is not a valid odt.
    """
    check_zipped(name, body, "content.xml", "odt")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            roots = [root_of(parts, part) for part in ("styles.xml", "content.xml") if part in parts.namelist()]
        text = next(roots[-1].iter("{*}text"))
        styles = {name: tags for root in roots for name, tags in _styles(root)}
        numbers = {key: signs for root in roots for key, signs in _numbers(root)}
        blocks = list(_blocks(text, styles, numbers))
    except (*BROKEN_PARTS, StopIteration) as error:
        raise Refusal(f"{name}: not a readable odt ({type(error).__name__}: {str(error)[:80]}); open and save it in LibreOffice") from None
    return "\n".join(["<html><body>", *blocks, "</body></html>"])


def _styles(root: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for style in root.iter("{*}style"):
        properties = {key: value for each in style.iterchildren("{*}text-properties") for key, value in attributes_of(each).items()}
        tags = [("<b>", "</b>")] * (properties.get("font-weight") in ("bold", "600", "700", "800", "900"))
        tags += [("<u>", "</u>")] * (properties.get("text-underline-style", "none") != "none")
        tags += [(f"<{tag}>", f"</{tag}>") for tag in ("sub", "sup") if _is_moved(properties.get("text-position", ""), tag)]
        colour, ground = properties.get("color", ""), properties.get("background-color", "")
        css = f"color:{colour}" if _COLOUR.fullmatch(colour) and colour not in _PLAIN_COLOURS else ""
        css = css or (f"background:{ground}" if _COLOUR.fullmatch(ground) else "")
        yield attributes_of(style).get("name", ""), [*tags, *([(f'<span style="{css}">', "</span>")] if css else [])]


def _is_moved(position: str, tag: str) -> bool:
    first = position.split(" ", 1)[0]
    return first == tag.replace("sup", "super") or (first.endswith("%") and first != "0%" and first.startswith("-") == (tag == "sub"))


def _numbers(root: Any) -> Iterator[tuple[tuple[str, int], tuple[str, str, str]]]:
    for style in root.iter("{*}list-style"):
        for level in style.iterchildren("{*}list-level-style-number"):
            properties = attributes_of(level)
            signs = properties.get("num-format", ""), properties.get("num-prefix", ""), properties.get("num-suffix", "")
            yield (attributes_of(style).get("name", ""), _count(properties.get("level", ""), 1)), signs


def _count(digits: str, otherwise: int) -> int:
    return int(digits) if digits.isdigit() and len(digits) < 5 else otherwise


def _blocks(parent: Any, styles: Styles, numbers: Numbers, cell: bool = False) -> Iterator[str]:
    """Yield the lines and tables within an element; those of a cell without their own tags."""
    counts: dict[str, int] = {}  # of continued lists, by their style
    waiting = [*reversed(parent)]
    while waiting:
        element = waiting.pop()
        name = _name(element)
        if name in _LINES:
            yield _line(element, styles, "", cell)
        elif name == "list":
            yield from _entries(element, styles, numbers, counts, cell)
        elif name == "table":
            rows = ([each for each in row if _name(each) == "table-cell"] for row in element.iter("{*}table-row"))
            row_texts = ("".join(f"<td>{'<br>'.join(_blocks(each, styles, numbers, True))}</td>" for each in row) for row in rows)
            yield f"<table>{''.join(f'<tr>{row}</tr>' for row in row_texts)}</table>"
        elif name and name not in _ASIDE:
            waiting += reversed(element)


def _name(element: Any) -> str:
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def _entries(top: Any, styles: Styles, numbers: Numbers, counts: dict[str, int], cell: bool) -> Iterator[str]:
    """Yield the lines of a list and of its sublists, the first line of each entry with its number."""
    style = attributes_of(top).get("style-name", "")
    goes_on = attributes_of(top).get("continue-numbering") == "true"
    levels = [counts.get(style, 0) if goes_on else 0]
    waiting = [(1, each) for each in reversed(top)]
    while waiting:
        level, element = waiting.pop()
        name = _name(element)
        if name in ("list-item", "list-header"):
            del levels[level:]
            levels += [0] * (level - len(levels))
            levels[-1] = _count(attributes_of(element).get("start-value", ""), levels[-1] + 1) if name == "list-item" else levels[-1]
            kind, before, behind = numbers.get((style, level), ("", "", ""))
            sign = f"{before}{_COUNTED[kind](levels[-1])}{behind or '.'} " if kind in _COUNTED and name == "list-item" else ""
            for each in element:
                if _name(each) in _LINES:
                    yield _line(each, styles, html.escape(sign), cell)
                    sign = ""
            waiting += [(level, each) for each in reversed(element) if _name(each) == "list"]
        elif name == "list" and level < _MOST_LEVELS:
            waiting += [(level + 1, each) for each in reversed(element)]
    counts[style] = levels[0]


def _line(line: Any, styles: Styles, sign: str, cell: bool) -> str:
    words = sign + "".join(_pieces(line, styles))
    tag = "p" if _name(line) == "p" else f"h{min(6, _count(attributes_of(line).get('outline-level', ''), 2))}"
    return words if cell else f"<{tag}>{words}</{tag}>"


def _pieces(line: Any, styles: Styles) -> Iterator[str]:
    """Yield the words of a line within tags for their emphasis."""
    skipped: Any = None
    for event, element in etree.iterwalk(line, events=("start", "end")):
        name = _name(element)
        tags = styles.get(attributes_of(element).get("style-name", ""), []) if name in ("span", *_LINES) else []
        if skipped is None and event == "start":
            skipped = element if name in _ASIDE else None
            if skipped is None:
                yield (
                    "".join(opens for opens, _ in tags)
                    + _SPACES.get(name, "")
                    + " " * _spaces(element, name)
                    + html.escape(element.text or "")
                )
        elif event == "end":
            if skipped is None:
                yield "".join(closes for _, closes in reversed(tags))
            skipped = None if skipped is element else skipped
            if skipped is None and element is not line:
                yield html.escape(element.tail or "")


def _spaces(element: Any, name: str) -> int:
    return min(_MOST_SPACES, _count(attributes_of(element).get("c", ""), 1)) if name == "s" else 0
