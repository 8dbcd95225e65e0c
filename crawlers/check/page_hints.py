"""Hints: a page that gave no output -> selectors of its links and text, and whether scripts build the page."""

from collections import defaultdict

from lxml.html import HtmlElement
from msgspec import Struct
from scrapy.http import Response, TextResponse

from crawlers.check.block_selectors import selectors_of
from crawlers.html.links import address_of
from crawlers.html.readable import is_json

_MAX_HINTS = 3
_MOST_LINKS = 5000
_NO_TEXT = {"script", "style", "noscript", "template", "head", "title"}
_FEW_CHARS = 120
_SHARES = (0.5, 0.2)  # share of a page's text that a block contains


class Hint(Struct, frozen=True):
    """A part of a page, with its selector."""

    selector: str
    count: int
    """Number of links or characters."""


class PageHints(Struct, frozen=True, kw_only=True):
    """Parts of a page that `check` gives advice on."""

    links: list[Hint] = []
    texts: list[Hint] = []
    blocks: dict[str, str] = {}
    """Selectors of pages with one container per question, by the names that `--kind exam-blocks` uses."""
    is_scripted: bool = False
    """Whether the HTML contains scripts but hardly any text."""


def hints_of(response: Response) -> PageHints:
    """Return the hints for a page; nothing for a picture or JSON, where CSS selectors match nothing."""
    if not isinstance(response, TextResponse) or is_json(response) or response.selector.type != "html":
        return PageHints()
    root: HtmlElement | None = response.selector.root
    if root is None:
        return PageHints()
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    lengths = _lengths(elements)
    whole = lengths.get(root, 0)
    has_scripts = any(element.tag == "script" for element in elements)
    return PageHints(
        links=_link_groups(response.url, elements),
        texts=_texts(elements, lengths, whole),
        blocks=selectors_of(response),
        is_scripted=has_scripts
        and len("".join(root.xpath("//body//text()[not(ancestor::script or ancestor::style)]")).strip()) < _FEW_CHARS,
    )


def _lengths(elements: list[HtmlElement]) -> dict[HtmlElement, int]:
    """Return the number of characters outside links below each element, counted in one pass from the leaves up."""
    lengths: dict[HtmlElement, int] = defaultdict(int)
    for element in reversed(elements):
        parent = element.getparent()
        if element.tag in _NO_TEXT or element.tag == "a":
            lengths[element] = 0
        else:
            lengths[element] += len((element.text or "").strip())
        if parent is not None:
            lengths[parent] += lengths[element] + len((element.tail or "").strip())
    return lengths


def _texts(elements: list[HtmlElement], lengths: dict[HtmlElement, int], whole: int) -> list[Hint]:
    """Return the smallest elements that contain a large part of the text."""
    lengths_by_selector: dict[str, int] = {}
    for share in _SHARES:
        holders = [element for element in elements if element.tag not in ("html", "body") and lengths[element] >= max(share * whole, 1)]
        if holders:  # the last in document order is the innermost
            lengths_by_selector.setdefault(_selector(holders[-1]), lengths[holders[-1]])
    return [Hint(selector, count) for selector, count in lengths_by_selector.items()]


def _link_groups(url: str, elements: list[HtmlElement]) -> list[Hint]:
    """Return the groups of links with the longest texts: content lists have long titles, navigation has short ones."""
    addresses: dict[str, set[str]] = defaultdict(set)
    words: dict[str, int] = defaultdict(int)
    for element in [element for element in elements if element.tag == "a"][:_MOST_LINKS]:
        if (address := address_of(url, element.get("href") or "")) and element.get("href", "").strip("# "):
            selector = f"{_selector(element.getparent(), up=True)} a"
            addresses[selector].add(address)
            words[selector] += len("".join(element.itertext()).strip())
    best = sorted(words, key=lambda selector: (-words[selector], selector))
    return [Hint(selector, len(addresses[selector])) for selector in best[:_MAX_HINTS]]


def _selector(element: HtmlElement | None, up: bool = False) -> str:
    """Return a selector by class or id: of the element, or of its nearest ancestor that has either."""
    path: list[str] = []
    while element is not None and element.tag not in ("body", "html"):
        name = str(element.tag)
        if words := (element.get("class") or "").split():
            return " ".join([f"{name}.{words[0]}", *path[:1]]) if up or path else f"{name}.{words[0]}"
        if element.get("id"):
            return " ".join([f"{name}#{element.get('id')}", *path[:1]])
        path.insert(0, name)
        element = element.getparent()
    return " ".join(["body", *path[-1:]])
