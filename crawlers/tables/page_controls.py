"""Links of a page that only lead a reader to answers elsewhere in it, and back: `[答案]`, `返回题目`. They are no labels of answers."""

import re
from typing import Any

from lxml import etree

from crawlers.tables.markup import document_of_page
from crawlers.tables.page_options import words_of

_MAY_LEAD = re.compile(r"<a\s[^<>]{0,200}?href\s?=\s?[\"']?#\w", re.IGNORECASE)
_TO_ANSWER = re.compile(
    r"[\[【(（<《]?\s?(?:(?:点击|点此|跳转?到?|查?看|显示|展开|see|show|view|go\sto)\s?)?(?:参考|正确|标准)?(?:答案|解析|详解|提示|answers?|keys?|solutions?)"
    r"(?:(?:与|及|和)?解析)?\s?[\]】)）>》]?\s?[↓→▼»>]?",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"[\[【(（<《]?\s?[↑↩▲^←«<]?\s?(?:(?:返回|回到?|跳回)(?:题目|原题|试题|问题|题干|顶部|目录|上[面方]|页首|第?\s?\d{0,4}\s?题)?|back(?:\sto.{0,12})?|top)?\s?[↑↩▲^]?\s?[\]】)）>》]?",
    re.IGNORECASE,
)


def without_controls(html: str) -> str:
    """Return a page without links that only lead to answers elsewhere in it, and back."""
    if not _MAY_LEAD.search(html):
        return html
    document = document_of_page(html)
    return etree.tostring(document, encoding="unicode", method="html") if drop_controls(document) else html


def drop_controls(document: Any) -> bool:
    """Remove the links to answers, all of which are below all links, and those back to questions; return whether there were any."""
    order = {element: at for at, element in enumerate(document.iter())}
    places = {
        name: order[each] for each in document.iter() for key in ("id", "name") if isinstance(each.tag, str) and (name := each.get(key))
    }
    links = [
        (each, words_of(each), places[href[1:]])
        for each in document.iter("a")
        if (href := each.get("href") or "")[:1] == "#" and href[1:] in places
    ]
    down = [(link, at) for link, words, at in links if at > order[link] and _TO_ANSWER.fullmatch(words)]
    up = [link for link, words, at in links if at < order[link] and words and _BACK.fullmatch(words)]
    apart = len(down) > 1 and min(at for _, at in down) > max(order[link] for link, _ in down)
    controls = [*up, *(link for link, _ in down if apart)]
    for link in controls:
        link.drop_tree()
    return bool(controls)
