"""Documents of tags -> data: an element of XML as an object, the tables and the repeated questions of a page as rows."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from atomexam.text.option_letters import LETTERS, WIDE
from crawlers.papers.passes.emphasis import RIGHT_CLASS
from crawlers.rows.tree import Rows
from crawlers.text.fields import text_of, uncrowded

TEXT = "#text"
"""Key of an element's own words, where it has attributes or children beside them."""
_FEWEST, _MOST_OPTIONS = 3, 10
_OPTION_TAGS = ("li", "label", "dd", "p", "div", "span", "button")
_RIGHT = re.compile(RIGHT_CLASS)
_LETTER = re.compile(r"\s{0,9}[(（\[]?(?P<letter>[A-JＡ-Ｊ])\s?[)）\]]?[.．、:：)）\s]")
_SAID = re.compile(
    r"[【\[]?(?:(?P<answer>(?:正确|参考|标准)?答案|正解|answer)|(?P<explanation>(?:答案)?解析|详解|analysis))[】\]]?\s?[:：]?\s?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s{0,3}(?:第\s?\d{1,5}\s?题\s?[.．、:：)）]?|\d{1,5}\s?[.．、:：)）])\s{0,3}(?=\D)")
"""The number of a question, at the start alone: others are part of it (`女，32岁`)."""


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
    for table in _document(text).iter("table"):
        if next((each for each in table.iterdescendants("table")), None) is None and not table.xpath(".//*[@rowspan>1 or @colspan>1]"):
            yield [[_shown(cell) for cell in row.iterchildren("td", "th")] for row in table.iter("tr")]


def questions_of_page(text: str) -> Rows | None:
    """Return the parts of a page that are built alike around a list of options: stem, options, marks, what is said below; None without."""
    containers: dict[HtmlElement, tuple[HtmlElement, list[HtmlElement]]] = {}
    groups = [group for group in (_options_in(element) for element in _document(text).iter(etree.Element)) if group]
    held = Counter(above for parent, _ in groups for above in [parent, *parent.iterancestors()])
    for parent, options in groups:
        top = parent
        while (above := top.getparent()) is not None and held[above] == 1:
            top = above
        containers[top] = (parent, options)
    alike = Counter((top.getparent(), top.tag) for top in containers)
    rows = [
        (f"part:{number}", _row(top, *containers[top]))
        for number, top in enumerate(top for top in containers if alike[top.getparent(), top.tag] >= _FEWEST)
    ]
    return Rows((), rows) if len(rows) >= _FEWEST else None


def _document(text: str) -> HtmlElement:
    return document_fromstring(uncrowded(re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)) or "<html></html>")


def _options_in(parent: Any) -> tuple[Any, list[Any]] | None:
    """Return an element and those of its children that are options: entries of a list of answers, or texts with letters in turn."""
    for tag in _OPTION_TAGS:
        children = [child for child in parent if child.tag == tag]
        if not 2 <= len(children) <= _MOST_OPTIONS:
            continue
        texts = ["".join(child.itertext()) for child in children]
        letters = [found["letter"] if (found := _LETTER.match(text)) else "" for text in texts]
        lettered = "".join(letters).translate(WIDE) == LETTERS[: len(letters)]
        listed = parent.tag in ("ol", "ul") and all(not child.xpath(".//a[@href]") for child in children)
        if (lettered or listed) and all(text.strip() for text in texts):
            return parent, children
    return None


def _row(top: Any, parent: Any, options: list[Any]) -> dict[str, Any]:
    inside = {each for option in options for each in option.iter()}
    before: list[str] = []
    after: list[str] = []
    seen = False
    for kind, element in etree.iterwalk(top, events=("start", "end")):
        if element in inside:
            seen = True
            if element in options and kind == "end" and (element.tail or "").strip():
                after.append(element.tail)
            continue
        side = after if seen else before
        words = element.text if kind == "start" else element.tail if element is not top else None
        if not isinstance(element.tag, str):
            words = element.tail if kind == "end" else None
        side += ["\n"] * (element.tag in ("p", "div", "br", "li", "dd", "h1", "h2", "h3", "h4", "h5", "dt", "details", "summary"))
        side += [words] if words else []
    marked = [any(_RIGHT.fullmatch(name) for each in option.iter() for name in _classes(each)) or _is_told(option) for option in options]
    texts = [_shown(option) for option in options]
    shown: list[Any] = (
        texts if not any(marked) else [{"text": text, "right": int(right)} for text, right in zip(texts, marked, strict=True)]
    )
    attributes = {
        f"@{key}": value
        for each in top.iter(etree.Element)
        if each not in inside
        for key, value in each.attrib.items()
        if key.startswith("data-")
    }
    stem = " ".join("".join(before).split())
    number = _NUMBER.match(stem)
    return {"stem": stem[number.end() :] if number else stem, "options": shown} | attributes | _said("".join(after))


def _shown(element: Any) -> str:
    return text_of(etree.tostring(element, encoding="unicode", with_tail=False, method="html"))


def _classes(element: Any) -> list[str]:
    return (element.get("class") or "").lower().split() if isinstance(element.tag, str) else []


def _is_told(option: Any) -> bool:
    names = ("data-correct", "data-right", "data-is-correct", "data-answer")
    return any((option.get(name) or "").lower() in ("1", "true") for name in names)


def _said(text: str) -> dict[str, str]:
    """Return answer and explanation as words below a question say them."""
    found: dict[str, str] = {}
    lines = [" ".join(line.split()) for line in text.split("\n")]
    name = ""
    for line in filter(None, lines):
        if label := _SAID.match(line):
            name = "答案" if label["answer"] else "解析"
            line = line[label.end() :]
        if name and line:
            found[name] = f"{found[name]}\n{line}" if name in found else line
    return found
