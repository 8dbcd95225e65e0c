"""A page whose stems begin, on the same line, with a subject or source in an element of its own -> the page without them."""

import re
from collections import defaultdict
from typing import Any

from lxml import etree

from crawlers.papers.signs.answer_marks import flat
from crawlers.tables.markup import document_of_page
from crawlers.tables.page_labels import asks, is_recurring_label

_INLINE = ("span", "small", "label", "kbd", "cite", "i", "em", "b", "strong", "font", "mark", "a")
_PLAIN = ("small", "label", "kbd", "cite")
"""Tags that set a text apart without a class; others only emphasise a part of it."""
_MAY_LABEL = re.compile(rf"<(?:{'|'.join(_INLINE)})\b[^<>]{{0,200}}>[^<>]{{2,40}}</\w{{1,6}}>\s?[^<>\s]", re.IGNORECASE)
_CONTINUES = re.compile(r"\s?(?:[,，、。;；:：的和与及]|是(?!否)|属于|位于|具有|包括|可以|能够|用于|主要|一般|通常|又称|发生)")
_TERM = re.compile(
    r"(?:^|[\s_-])(?:kw|key|keyword|term|word|hl|highlight|em|emph|emphasis|bold|strong|red|blue|name)(?:$|[\s_-])", re.IGNORECASE
)
"""A class of emphasised words, which are part of their sentence."""
_FEWEST = 3


def without_inline_labels(html: str) -> str:
    """Return a page without the labels before its stems: the same element with the same few short words in question after question."""
    if len(_MAY_LABEL.findall(html)) < _FEWEST:
        return html
    document = document_of_page(html)
    groups: dict[tuple[str, str, str], list[tuple[Any, str, str]]] = defaultdict(list)
    for element in document.iter(*_INLINE):
        above = element.getparent()
        if above is None or (above.text or "").strip() or element.getprevious() is not None or len(element):
            continue
        if (element.tag not in _PLAIN and not element.get("class")) or _TERM.search(element.get("class") or ""):
            continue
        words, whole = (" ".join(flat("".join(each.itertext())).split()) for each in (element, above))
        if len(whole) > len(words):
            groups[str(above.tag), str(element.tag), element.get("class") or ""].append((element, words, whole[len(words) :]))
    labels = [
        element
        for group in groups.values()
        if is_recurring_label([words for _, words, _ in group])
        and not any(_CONTINUES.match(rest) for _, _, rest in group)
        and 2 * sum(asks(rest) for _, _, rest in group) > len(group)
        for element, _, _ in group
    ]
    for element in labels:
        element.drop_tree()
    return etree.tostring(document, encoding="unicode", method="html") if labels else html
