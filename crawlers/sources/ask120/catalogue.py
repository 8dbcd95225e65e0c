"""Examinations and medicines of ask120: labelled values and prose on their pages."""

import re
from html import escape
from typing import Any

from lxml.html import tostring
from parsel import Selector
from scrapy.http import Response

from atomexam.records.item import LabelledValue, Section
from crawlers.html.nesting import outermost
from crawlers.sources.ask120.text import divided, first_text, one, texts
from crawlers.text.fields import labelled, text_of

CLINICAL = {"3F": "临床意义", "4F": "注意事项", "5F": "检查过程", "6F": "不适宜人群", "7F": "不良反应与风险"}
"""Parts of an examination's page: name of the anchor -> the words that the part should begin with."""
RELATED = "div.w_cr1 div.clears a"
"""Links to the diseases for which an examination is used."""
_NORMAL = re.compile(r"\s*(正常值\s*[：:])?(.*)", re.DOTALL)
_TAG_SEARCH = re.compile(r"tagSearch\([^'\"()]{0,40}['\"](.+?)['\"]\s*[,)]")
_TABS = ("tab-dm-1", "tab-dm-2")
_NAME = "div.details-right-drug > p:not([class*=Explain])"
_LEAFLET_ROW, _LEAFLET_NAME = ".tabrow", "h1"
MEDICINE_NAMES = (_NAME, f"{_LEAFLET_NAME} above {_LEAFLET_ROW}")
"""Location of the name on the shop's page, and on the page with only the leaflet."""
_LEAFLET_TITLE = re.compile("的?(?:药品)?说明书$")


def examination_name(response: Response) -> str:
    return first_text(response.css("div.ys-head h1"))


def examination(response: Response) -> tuple[list[LabelledValue], list[Section]]:
    """Return the content of an examination's page."""
    # A span with a class is a button or an ornament.
    values = labelled((divided(first_text(pair)) for pair in outermost(response.css("div.ys-brief li span:not([class])"))), "brief")
    normal = _NORMAL.match("\n".join(texts(response.css("div.ys-normal p") or response.css("div.ys-normal"))))
    values += one(normal[1] or "正常值", normal[2], "normal:1") if normal else []
    findings = "\n".join(text_of(image) for image in response.css("#ys-img img::attr(data-data)").getall())
    pairs = (divided(line) for line in findings.split("\n"))
    values += labelled(((label or "分析结果", value) for label, value in pairs), "findings")
    values += one("相关疾病", "、".join(dict.fromkeys(texts(response.css(RELATED)))), "related:1")
    intro = "\n".join(texts(response.css("div.ys-head div.intro p") or response.css("div.ys-head div.intro")))
    sections = [Section(title="概述", text=intro, position="intro")] if intro else []
    parts = enumerate(outermost(response.css("div.ys-clinical")), 1)
    return values, sections + [section for number, part in parts for section in _clinical(part, number)]


def _clinical(part: Selector, number: int) -> list[Section]:
    label, text = divided(text_of(part))
    name = part.root.get("name", "")  # not `part.attrib`, which fails on an attribute with a broken name
    title = label.rstrip("：:").strip()
    known = CLINICAL.get(name, "")
    if known and title != known:  # the colon belongs to the text
        title, text = known, text_of(part).strip()
    return [Section(title=title or "临床意义", text=text, position=name or f"clinical:{number}")] if text else []


def medicine_name(response: Response) -> str:
    named = next(iter(texts(response.css(_NAME)) or (texts(response.css(_LEAFLET_NAME)) if response.css(_LEAFLET_ROW) else [])), "")
    return _LEAFLET_TITLE.sub("", named)


def medicine(response: Response) -> tuple[list[LabelledValue], list[Section]]:
    """Return the content of a medicine's page: head, price, details, and leaflet in a table, in rows or in prose."""
    values: list[LabelledValue] = []
    for number, row in enumerate(outermost(response.css("div.details-right-drug ul li")), 1):
        label, value = divided(first_text(row))
        values += one(label, "、".join(_searches(row, label)) or value, f"head:{number}")
    values += one("价格", first_text(response.css(".Drugs-Price span")), "price:1")
    sections = []
    for tab in _TABS:
        tab_body = outermost(response.css(f"div.cont-Drug-details .{tab}"))
        rows = labelled(_table(tab_body), tab)
        values += rows
        if tab == "tab-dm-2":  # a leaflet that is not a table is prose
            sections = _leaflet(rows, texts(tab_body), tab)
    if not sections:
        rows = labelled(map(_row, outermost(response.css(_LEAFLET_ROW))), "tabrow")
        values, sections = values + rows, _leaflet(rows, [], "tabrow")
    return values, sections


def _searches(row: Selector, label: str) -> list[str]:
    """Return the names in a row of search links, taken from the scripts or the links, since they run together in the row's plain text."""
    if not row.css("li [onclick]") and "疾病" not in label:
        return []
    links = outermost(row.css("li [onclick], var, a"))
    scripts = [_TAG_SEARCH.search(link.root.get("onclick", "")) for link in links]
    names = [script[1] if script else first_text(link) for script, link in zip(scripts, links, strict=True)]
    return list(dict.fromkeys(filter(None, names)))


def _leaflet(rows: list[LabelledValue], prose: list[str], position: str) -> list[Section]:
    lines = [f"{row.label.rstrip('：:')}：{row.value}" for row in rows] or prose
    return [Section(title="说明书", text="\n".join(lines), position=position)] if lines else []


def _row(row: Selector) -> tuple[str, str]:
    """Return the label and value of a row: its first element and the rest, or, if it has only one element, a line split at its colon."""
    cells = row.xpath("*")
    return (first_text(cells[0]), "\n".join(texts(cells[1:]))) if len(cells) > 1 else divided(first_text(row))


def _table(tab: list[Selector]) -> list[tuple[str, str]]:
    """Return labels with their values; a value extends to the next label, since line breaks may be within or after it."""
    cells = outermost(cell for part in tab for cell in part.css("span.td, var"))
    labels = [cell for cell in cells if _is_label(cell.root)]
    details = [cell for cell in cells if not _is_label(cell.root)]
    rows = [(first_text(label), text_of(_behind(label.root))) for label in labels]
    if len(labels) == len(details) and not any(value.strip() for _, value in rows):  # in separate blocks
        return [(label, first_text(detail)) for (label, _), detail in zip(rows, details, strict=True)]
    return rows


def _behind(label: Any) -> str:
    """Return the markup between a label and the next one on the same level."""
    pieces = [escape(label.tail or "")]
    for piece in label.itersiblings():
        if any(map(_is_label, piece.iter("span"))):  # or one that contains others: its content would be written twice
            break
        pieces.append(tostring(piece, encoding="unicode"))
    return "".join(pieces)


def _is_label(tag: Any) -> bool:
    return tag.tag == "span" and "td" in (tag.get("class") or "").split()
