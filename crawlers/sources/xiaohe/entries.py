"""Read entries of xiaohe (name, values and sections) from the state of a page or from its HTML.

No page of the real site was available; an entry is recognised by the shape of a state (titles with text, labels with values).
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import Any, NamedTuple

from lxml.etree import iterwalk
from lxml.html import HtmlElement, tostring
from parsel import Selector
from scrapy.http import Response

from atomexam.records.item import LabelledValue, Section
from crawlers.html.nesting import following_parts, inner_parts, outermost, take_out
from crawlers.html.page_state import states
from crawlers.html.readable import shallow
from crawlers.sources.xiaohe.state import Part, entry_of_state
from crawlers.text.fields import labelled, text_of

_ALIAS_LABEL = re.compile(r"^\s*(?:别名|又名|别称)\s*[:：]\s*")
_HEADINGS = {"h3", "h4", "h5", "h6"}
_ENDS = frozenset({"h1", "h2"})
_MAX_HEADING_PIECES = 40  # beginnings and ends of tags
_BOILERPLATE = re.compile(r"小荷医典内容仅供[^\n]{0,120}?请?遵医嘱[。！]?|【(?:温馨)?提示】[^\n]*")


class EntryContent(NamedTuple):
    """The content of a page."""

    name: str
    alias: str
    values: list[LabelledValue]
    sections: list[Section]
    from_state: bool = True
    """False if it was read from the HTML."""


def read_entry(response: Response) -> EntryContent | None:
    """Return the entry of a page: from the first state that contains one, else from the HTML."""
    wanted = page_heading(response)
    for state in states(response):
        if entry := entry_in(state, wanted):
            return entry
    return entry_from_html(response)


def page_heading(response: Response) -> str:
    return text_of(response.css("h1")[0]).strip() if response.css("h1") else ""


def entry_in(state: Any, wanted: str = "") -> EntryContent | None:
    """Return the state's entry with the same name as the page's heading, or else its first entry."""
    state_entry = entry_of_state(state, wanted)
    return (
        EntryContent(state_entry.name, state_entry.alias, *_values_and_sections(state_entry.pairs, state_entry.parts))
        if state_entry
        else None
    )


def entry_from_html(response: Response) -> EntryContent | None:
    """Return the entry in a page's HTML; None if it has no heading or nothing under it."""
    name = page_heading(response)
    page = Selector(text=response.text, type="html")  # a copy, since reading modifies it
    parts = _sections_of_html(page) or _headings_of_html(page)
    if not name or not parts:
        return None
    alias = _ALIAS_LABEL.sub("", "".join(text_of(one) for one in response.css("p.alias, .alias")[:1]))
    pairs = [(text_of(label), text_of(_next_value(label.root))) for label in outermost(response.css("dl dt"))]
    intro = response.css("div.summary").get() or ""
    return EntryContent(name, alias, *_values_and_sections(pairs, [("概述", intro), *parts]), from_state=False)


def _sections_of_html(page: Selector) -> list[Part]:
    sections = page.css("section")
    titles = [text_of(section.xpath("(h2|h3)[1]")) for section in sections]
    for read in page.xpath("//section/h2 | //section[not(h2 or h3)]/dl[dt]"):  # a card is read by its labels
        take_out(read.root)
    return list(zip(titles, inner_parts([section.root for section in sections]), strict=True))


def _headings_of_html(page: Selector) -> list[Part]:
    """Return the content after each second-level heading, up to the next heading on its level."""
    headings = page.css("h2")
    titles = [_short_text(heading.root) for heading in headings]
    return list(zip(titles, following_parts([heading.root for heading in headings], _ENDS), strict=True))


def _next_value(label: HtmlElement) -> str:
    behind = label.getnext()
    return tostring(behind, encoding="unicode", with_tail=False) if behind is not None and behind.tag == "dd" else ""


def _values_and_sections(pairs: list[tuple[str, str]], parts: list[Part]) -> tuple[list[LabelledValue], list[Section]]:
    """Return the card's pairs and the list entries as values, and every part with text as a section."""
    values = labelled(((label, _BOILERPLATE.sub("", value)) for label, value in pairs), "card")
    sections = []
    for number, (title, html) in enumerate(parts, 1):
        lines = (_BOILERPLATE.sub("", line) for line in text_of(html).split("\n"))
        if text := "\n".join(line for line in lines if line.strip()).strip():
            sections.append(Section(title=title.strip(), text=text, position=f"module:{number}"))
            values += labelled(_list_entries(html, title), f"module:{number}")
    return values, sections


def _list_entries(html: str, title: str) -> Iterator[Part]:
    """Yield the entries of lists under the nearest heading above them, else under the module's title."""
    label = title
    entries: list[HtmlElement] = []
    labels: list[str] = []
    for tag in Selector(text=shallow(html), type="html").root.iter("li", *_HEADINGS):
        if tag.tag in _HEADINGS:
            label = _short_text(tag)
        else:
            entries.append(tag)
            labels.append(label)
    for label, own in zip(labels, inner_parts(entries), strict=True):
        yield label, _BOILERPLATE.sub("", text_of(own))


def _short_text(heading: HtmlElement) -> str:
    """Return the first text of a heading; nested headings would repeat the entire page."""
    walk = islice(iterwalk(heading, events=("start", "end", "comment", "pi")), _MAX_HEADING_PIECES)
    words = [tag.text if event == "start" else tag.tail if tag is not heading else "" for event, tag in walk]
    return text_of(escape("".join(filter(None, words))))
