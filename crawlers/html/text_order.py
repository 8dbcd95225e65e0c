"""Regularities of a page's text groups, by field, derived from the page and the items read from it.

A text group contains texts of one kind: those of elements with equal names and equally named ancestors, or of one JSON key. If most texts
of a group are read, all of them should be. An unread text, an empty element or an image among texts, or a sentence that continues in the
next element suggests that the page has changed, even if parts of it are still read.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import Any

from lxml.html import HtmlElement
from msgspec import Struct
from scrapy import Request
from scrapy.http import Response, TextResponse

from atomexam.records.item import EntityItem, Item, QuestionItem
from crawlers.html.page_state import named_parts
from crawlers.html.readable import is_json

_INVISIBLE_TAGS = {"script", "style", "noscript", "template", "head"}
_HOLDERS = 2
"""Number of ancestors included in the name of a group."""
_WORDS = re.compile(r"[\u4e00-\u9fff]{2,}|[A-Za-z]{4,}")
_GRAM = 3
_READ_SHARE = 0.8
"""Minimum share of a text's n-grams that must have been read for the text to count as read."""
_MOST_SHARE = 0.5
"""Minimum share of a group's texts to read; below it, the spider selects among them by content."""
_DIGITS = re.compile(r"\d+")
_TAG = re.compile(r"<[^<>]*>")
_CHINESE_END = re.compile(r"[\u4e00-\u9fff]$")
_ENDS_OPEN = re.compile(r"[，、（(]$")
_BEGINS_BEHIND = re.compile(r"[，。、；：！？）)]")
_MARKED = re.compile(r"[A-Z\d①-⑳（(【〔]|[一二三四五六七八九十]{1,2}[、.．]|[\u4e00-\u9fff]{1,6}[：:]")
_SENTENCE_END = re.compile(r"[。！？；：.!?;:）)”】]$")
_FEW = 3
_BOUNDS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_MOST_TURNS = 60
_MOST_ROWS = 200
_MOST_TEXTS = 20_000
"""Maximum number of texts per page; the rest of a longer page is not checked."""
Name = tuple[str, ...]


class PageText(Struct):
    """One text of a page."""

    words: str
    follows: "PageText | None" = None
    """The text of the previous element, if that has the same name and nothing is in between."""


class TextGroup(Struct):
    """All texts of one group."""

    texts: list[PageText] = []
    unread: int = 0
    empty: int = 0
    """Number of elements without text, and of JSON rows without this key."""
    pictures: int = 0
    """Number of elements with an image and no text."""
    around: list[tuple[set[str], set[str]]] = []
    """For each element, the names of the siblings before it and after it."""


def at_most(number: int, what: str) -> Iterator[str]:
    """Yield every bound that a number does not exceed; counted over many pages, the bounds give the number's distribution."""
    yield from (f"at most {bound} {what}" for bound in _BOUNDS if number <= bound)


def texts_in_order(response: Response, values: Sequence[Any], items: Sequence[Item], requests: Sequence[Request]) -> Iterator[str]:
    """Yield the regularities of a page's texts, such as `stem_raw without empty elements` or, for all fields together, `at most 2 empty
    elements`.

    Args:
        values: the JSON values of the page.
    """
    fields = {name: grams for name, grams in _read(items, requests).items() if grams}
    everything: set[str] = set().union(*fields.values())
    used: dict[str, list[TextGroup]] = defaultdict(list)
    for group in _text_groups(response, values).values() if fields else ():
        known = [each for text in group.texts if (each := set(_grams(text.words)))]
        group.unread = sum(not _is_in(each, everything) for each in known)
        if not known or group.unread > (1 - _MOST_SHARE) * len(known):
            continue
        used[""].append(group)
        for field, own in fields.items():
            if any(_is_in(each, own) for each in known):
                used[field].append(group)
    for field, groups in used.items():
        faults = {what: sum(count(group) for group in groups) for what, count in _FAULTS.items()}
        if field:
            yield from (f"{field} without {what}" for what, count in faults.items() if not count)
        else:
            yield from (bound for what, count in faults.items() for bound in at_most(count, what))


def _grams(text: str) -> Iterator[str]:
    for words in _WORDS.findall(text):
        if words.isascii() or len(words) < _GRAM:
            yield words
        else:
            yield from (words[at : at + _GRAM] for at in range(len(words) - _GRAM + 1))


def _known_grams(text: str) -> Iterator[str]:
    """Yield all n-grams that any part of a text may have."""
    for words in re.findall(r"[\u4e00-\u9fff]+|[A-Za-z]+", text):
        if words.isascii():
            yield words
        else:
            yield from (words[at : at + size] for size in (2, _GRAM) for at in range(len(words) - size + 1))


def _is_in(grams: set[str], known: set[str]) -> bool:
    return len(grams & known) >= _READ_SHARE * len(grams)


def _read(items: Sequence[Item], requests: Sequence[Request]) -> dict[str, set[str]]:
    """Return the n-grams of the read texts by field; texts passed on with requests count as one field."""
    grams_by_field: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for field, text in _fields(item):
            grams_by_field[field].update(_known_grams(text))
    for request in requests:
        for field, text in _passed_on(request.cb_kwargs):
            grams_by_field[field].update(_known_grams(text))
    return grams_by_field


def _fields(item: Item) -> Iterator[tuple[str, str]]:
    if isinstance(item, EntityItem):
        yield from (("values", text) for one in item.values for text in (one.label, one.value))
        yield from (("sections", text) for one in item.sections for text in (one.title, one.text))
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if name.endswith("_raw") and value:
            yield name, "\n".join(value) if isinstance(value, list) else str(value)


def _passed_on(value: Any) -> Iterator[tuple[str, str]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, QuestionItem | EntityItem):
            yield from _fields(one)
        elif isinstance(one, str):
            yield "what is passed on", one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, Struct):
            waiting += [getattr(one, name) for name in one.__struct_fields__]


def _text_groups(response: Response, values: Sequence[Any]) -> dict[Name, TextGroup]:
    groups: dict[Name, TextGroup] = {}
    _add_elements(groups, visible_elements(response))
    for value in values:
        _add_values(groups, value)
    return groups


def _add_elements(groups: dict[Name, TextGroup], elements: Iterable[HtmlElement]) -> None:
    last: dict[HtmlElement, PageText] = {}
    worded: set[HtmlElement] = set()
    for count, element in enumerate(elements):
        if not count:
            worded = _with_words(element)
        if count == _MOST_TEXTS:
            break
        own = [text.strip() for text in (element.text, *(child.tail for child in element)) if text and text.strip()]
        has_inner = len(element) > 0 and element in worded
        is_picture = not own and not has_inner and (element.tag == "img" or element.find(".//img") is not None)
        if element.tag in ("br", "hr", "input", "img", "body", "html") or (has_inner and not own):
            continue
        name = group_name(element)
        group = groups.setdefault(name, TextGroup())
        group.pictures += is_picture
        group.empty += not own and not is_picture
        if len(group.around) < _MOST_TURNS:
            before, behind = element.itersiblings(preceding=True), element.itersiblings()
            group.around.append((_names_of(before), _names_of(behind)))
        texts = [PageText(words) for words in own]
        before = element.getprevious()
        if texts and not len(element) and before is not None and before in last and not (before.tail or "").strip():
            texts[0].follows = last[before] if name_of(before) == name_of(element) else None
        if texts and not len(element):
            last[element] = texts[-1]
        group.texts += texts


def _with_words(root: HtmlElement) -> set[HtmlElement]:
    """Return the elements of a page that contain text, directly or in inner elements; each is visited once, whatever its depth."""
    worded: set[HtmlElement] = set()
    for element in root.iter():
        own = element.text if isinstance(element.tag, str) else None  # not the text of a comment
        for holder, text in ((element, own), (element.getparent(), element.tail)):
            while text and text.strip() and holder is not None and holder not in worded:
                worded.add(holder)
                holder = holder.getparent()
    return worded


def visible_elements(response: Response) -> Iterator[HtmlElement]:
    """Yield the visible elements of an HTML page in document order."""
    if not isinstance(response, TextResponse) or not response.body.strip() or is_json(response) or response.selector.type != "html":
        return
    waiting = [] if response.selector.root is None else [response.selector.root]
    while waiting:
        element = waiting.pop()
        if isinstance(element.tag, str) and element.tag not in _INVISIBLE_TAGS:
            yield element
            waiting += reversed(element)


def group_name(element: HtmlElement) -> Name:
    names = [name_of(element)]
    for above in element.iterancestors():
        if len(names) > _HOLDERS:
            break
        names.append(name_of(above))
    return tuple(names)


def name_of(element: HtmlElement) -> str:
    """Return the tag and classes, without the id, which only one element has."""
    return _name(str(element.tag), element.get("class") or "")


@lru_cache(maxsize=1 << 12)  # most elements of a page have few names
def _name(tag: str, classes: str) -> str:
    return ".".join([tag, *sorted({_DIGITS.sub("N", word) for word in classes.split()})])


def _names_of(elements: Iterable[HtmlElement]) -> set[str]:
    return {name_of(each) for each in islice(elements, _MOST_TURNS) if isinstance(each.tag, str)}


def _add_values(groups: dict[Name, TextGroup], value: Any) -> None:
    for name, one in named_parts(value):
        if isinstance(one, list):
            rows = [row for row in one[:_MOST_ROWS] if isinstance(row, dict)]
            for key in {str(key) for row in rows for key in row}:
                groups.setdefault((*name, "[]", key), TextGroup()).empty += sum(not row.get(key) for row in rows)
        elif isinstance(one, str) and one.strip():
            groups.setdefault(name, TextGroup()).texts.append(PageText(unescape(_TAG.sub("\n", one))))


def _out_of_order(group: TextGroup) -> int:
    """Return how many kinds of elements come before one element of the group but after another."""
    loose = set().union(*(before & behind for before, behind in group.around))  # names on both sides of one element have no order
    before, behind = (set().union(*each) for each in zip(*group.around, strict=True)) if group.around else (set(), set())
    return len((before & behind) - loose)


def _broken_off(group: TextGroup) -> int:
    """Return how many texts of a group are incomplete, because they end with a comma or the next text begins with closing punctuation."""
    return sum(
        bool(_ENDS_OPEN.search(first) or _BEGINS_BEHIND.match(second) or (first.endswith("；") and not _MARKED.match(second)))
        for first, second in _pairs(group)
    )


def _going_on(group: TextGroup) -> int:
    """Return how many texts of a group seem to continue in the next one, if most of the group's texts do not."""
    pairs = _pairs(group)
    if 0 < len(pairs) <= len(group.texts) // (2 * _FEW):  # only these follow another text
        return len(pairs)
    others = len(group.texts) - 2
    marked = sum(bool(_MARKED.match(text.words)) for text in group.texts)
    ended = sum(bool(_SENTENCE_END.search(text.words)) for text in group.texts)
    return sum(
        bool(_CHINESE_END.search(first))
        and not _MARKED.match(second)
        and (not others or (ended - bool(_SENTENCE_END.search(second))) * 2 > others or (marked - 1) * 2 > others)
        for first, second in pairs
    )


def _pairs(group: TextGroup) -> list[tuple[str, str]]:
    return [(text.follows.words, text.words) for text in group.texts if text.follows is not None]


_FAULTS: dict[str, Callable[[TextGroup], int]] = {
    "texts that were not read": lambda group: group.unread,
    "empty elements": lambda group: group.empty,
    "pictures for text": lambda group: group.pictures,
    "elements out of turn": _out_of_order,
    "texts that are broken off": _broken_off,
    "texts that may go on": _going_on,
}
