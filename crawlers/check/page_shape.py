"""A page -> its shape: nesting and order of elements, keys of its JSON, its encoding. Shapes of one kind are compared."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement
from msgspec import Struct, field
from scrapy.http import Response, TextResponse
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from crawlers.html.base64_text import EXCERPT_CHARS, base64_in
from crawlers.html.readable import is_json

_INVISIBLE_TAGS = {"script", "style", "noscript", "template", "head", "meta", "link", "title"}
_DIGITS = re.compile(r"\d+")
_KEY = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
"""A name; other keys are addresses and numbers, which differ from page to page."""
_ASSIGNED = re.compile(r"=\s*(?=[{\[])")
_PAGER = re.compile(r"^\W*(?:上一页|下一页|首页|尾页|末页|上页|下页|\S{0,2}更多\S{0,4}|\d{1,3})\W*$")
_MOST_SCRIPT_CHARS = 2_000_000
Edge = tuple[str, str]


class Shape(Struct, kw_only=True):
    """The structure of a page. A name is a tag with its classes and id; all numbers in names are equal."""

    nodes: Counter[str] = field(default_factory=Counter)
    edges: Counter[Edge] = field(default_factory=Counter)
    """An element and one of its children."""
    orders: Counter[Edge] = field(default_factory=Counter)
    """An element and its next sibling."""
    names: dict[str, Counter[str]] = {}
    """`class` and `id` -> each of their words and how many elements have it."""
    rows: dict[tuple[str, str, str], int] = {}
    """An element, an element in it, and the name of the latter's children that contain links -> how many."""
    texts: set[str] = set()
    """Names of elements with text of their own."""
    paths: set[str] = set()
    """Of keys in its JSON."""
    is_json: bool = False
    encoding: tuple[str, str] = ("", "")
    """The declared and the actual encoding."""
    hidden: list[str] = []
    """Beginnings of texts in base64."""
    pager: int = 0
    """Links to other pages of a list."""
    cut: list[str] = []
    """Names of elements that end within a sentence which the next element of the same name continues."""

    @property
    def landmarks(self) -> set[Any]:
        """All that two pages can have in common."""
        return {*self.nodes, *self.edges, *self.paths}


def shape_of(response: Response) -> Shape:
    """Return the shape of a page; empty for a picture."""
    shape = Shape(encoding=encoding_of(response), names={"class": Counter(), "id": Counter()})
    if not isinstance(response, TextResponse) or not response.body.strip():
        return shape
    text = response.text
    try:
        value = json.loads(text)
        shape.is_json = isinstance(value, dict | list)
    except (ValueError, RecursionError):
        value = None
    if shape.is_json:
        _add_json(shape, value)
        return shape
    if is_json(response) or response.selector.type != "html" or response.selector.root is None:
        return shape
    root: HtmlElement = response.selector.root
    elements = [each for each in root.iter() if isinstance(each.tag, str)]
    for value in _values_in(elements):
        _add_json(shape, value)
    for each in elements:
        _add_element(shape, each)
    shape.hidden += _base64_excerpt("\n".join(each for each in root.itertext() if each.strip()))
    return shape


def name_of(element: HtmlElement) -> str:
    """Return tag, classes and id."""
    classes = "".join(f".{word}" for word in sorted(set((element.get("class") or "").split())))
    identity = f"#{element.get('id')}" if element.get("id") else ""
    return f"{element.tag}{_DIGITS.sub('N', classes + identity)}"


def encoding_of(response: Response) -> tuple[str, str]:
    """Return the family of the declared encoding, and the actual one."""
    header = (response.headers.get("Content-Type") or b"").decode("latin-1")
    declared = http_content_type_encoding(header) or html_body_declared_encoding(response.body) or ""
    if response.body.isascii():
        return "", ""
    try:
        response.body.decode("utf-8")
        actual = "utf-8"
    except UnicodeDecodeError:
        actual = "gb18030"
    family = "gb18030" if declared.startswith("gb") or declared in ("hz", "cp936") else declared
    return family, actual


def _add_element(shape: Shape, element: HtmlElement) -> None:
    is_landmark = element.tag == "script" and element.get("id")  # it contains the initial state of a page
    if not is_landmark and (element.tag in _INVISIBLE_TAGS or any(above.tag in _INVISIBLE_TAGS for above in element.iterancestors())):
        return
    name, parent = name_of(element), element.getparent()
    shape.nodes[name] += 1
    for kind in ("class", "id"):
        shape.names[kind].update({_DIGITS.sub("N", word) for word in (element.get(kind) or "").split()})
    above = name_of(parent) if parent is not None else ""
    shape.edges[above, name] += 1
    following = next((each for each in element.itersiblings() if isinstance(each.tag, str)), None)
    if following is not None:
        shape.orders[name, name_of(following)] += 1
        if not len(element) and name_of(following) == name and not (element.tail or "").strip() and _goes_on(element, following):
            shape.cut.append(name)
    if not is_landmark and ((element.text or "").strip() or any((child.tail or "").strip() for child in element)):
        shape.texts.add(name)
    if element.tag == "a" and _PAGER.match("".join(element.itertext()).strip() or element.get("title") or ""):
        shape.pager += 1
    children = Counter(
        name_of(each) for each in element if isinstance(each.tag, str) and (each.tag == "a" or each.find(".//a") is not None)
    )
    for child, count in children.items():
        key = above, name, child
        shape.rows[key] = max(shape.rows.get(key, 0), count)


def _goes_on(element: HtmlElement, following: HtmlElement) -> bool:
    first, second = (element.text or "").strip(), (following.text or "").strip()
    return (
        bool(first and second) and bool(re.search(r"[\u4e00-\u9fff]$", first)) and not re.match(r"[A-Z\d（(【一二三四五六七八九十]", second)
    )


def _values_in(elements: list[HtmlElement]) -> Iterator[Any]:
    """Yield the JSON values in scripts."""
    for each in elements:
        script = (each.text or "")[:_MOST_SCRIPT_CHARS] if each.tag == "script" else ""
        starts = [0] if each.get("type") == "application/json" else [match.end() for match in _ASSIGNED.finditer(script)]
        end = 0
        for start in starts:
            if start < end:  # within one that was already read
                continue
            try:
                value, end = json.JSONDecoder().raw_decode(script, start)
            except (ValueError, RecursionError):
                continue
            if value:
                yield value


def _add_json(shape: Shape, value: Any) -> None:
    waiting = [("", value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, dict):
            inner = [(f"{path}.{key if _KEY.fullmatch(key) else '*'}", each) for key, each in one.items()]
            shape.paths.update(name for name, _ in inner)
            waiting += inner
        elif isinstance(one, list):
            waiting += [(f"{path}[]", each) for each in one]
        elif isinstance(one, str):
            shape.hidden += _base64_excerpt(one)


def _base64_excerpt(text: str) -> list[str]:
    decoded = base64_in(text)
    return [decoded[:EXCERPT_CHARS]] if decoded else []


class Expected(Struct, kw_only=True):
    """What pages of a kind have: the pages most similar to a given page, and all pages."""

    nearest: list[Shape]
    pages: list[Shape]

    @property
    def nodes(self) -> set[str]:
        """Elements that all of the most similar pages have."""
        return set.intersection(*(set(shape.nodes) for shape in self.nearest))

    @property
    def paths(self) -> set[str]:
        """Keys of JSON that all of the most similar pages have."""
        return set.intersection(*(shape.paths for shape in self.nearest))

    def known(self, what: str) -> set[Any]:
        """Return nodes, edges, orders, texts or paths that any page has."""
        return set().union(*(getattr(shape, what) for shape in self.pages))

    def words(self, kind: str, common: bool) -> Counter[str]:
        """Return classes or ids: of all of the most similar pages, or of any page."""
        if not common:
            return sum((shape.names.get(kind, Counter()) for shape in self.pages), Counter())
        counts = [shape.names.get(kind, Counter()) for shape in self.nearest]
        return Counter({word: min(count[word] for count in counts) for word in counts[0] if all(count[word] for count in counts)})


def expected(shape: Shape, pages: list[Shape], most: int = 3) -> Expected:
    """Return the pages that a page is compared with."""
    own = shape.landmarks

    def likeness(other: Shape) -> float:
        theirs = other.landmarks
        return len(own & theirs) / (len(own | theirs) or 1)

    return Expected(nearest=sorted(pages, key=likeness, reverse=True)[:most], pages=pages)
