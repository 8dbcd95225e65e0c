"""A page of questions -> the selectors that a spider of `crawlers.new --kind exam-blocks` needs for it."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

from lxml.etree import iterwalk
from lxml.html import HtmlElement
from scrapy.http import Response, TextResponse

from crawlers.html.nesting import outermost_elements
from crawlers.html.readable import is_json

_FEW = 2
_MOST_AROUND = 12
"""Number of ancestors of the first option to search for the container of a page's only question."""
_MOST = 0.5
"""Share of the containers that must have a part; it is below 1 because open-ended questions have no options."""
_MOST_READ = 5_000_000
"""Maximum number of elements and of characters read; an element's text counts again for each element that encloses it."""
_INLINE = {"a", "span", "b", "i", "em", "strong"}
_INVISIBLE_TAGS = {"script", "style", "noscript", "template", "head", "title"}
_FIRST = re.compile(r"(?<![A-Za-z])[AＡ]\s*[.．、:：)）]")
_OPTION = re.compile(r"^\s*[(（]?[A-HＡ-Ｈ]\s*[.．、:：)）]?\s*(?![A-Za-z])\S")
_ANSWER = re.compile(r"^\s*[【\[]?(?:参考|正确|标准|本题)?答案(?!解析|详解)")
_ANALYSIS = re.compile(r"^\s*[【\[]?(?:答案|试题|参考|名师)?(?:解析|详解)")
_PATH = re.compile(r"首页|您?的?(?:当前)?位置")
_BETWEEN = re.compile(r"[>›»]|\s[/→]\s")
_KIND = re.compile(r"[\[【(（]?(?:单项?选?择?|多项?选?择?|不定项选?择?|选择|判断|填空|简答|论述|[AB][1-4]型)题?[\]】)）]?")
_WORD = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_MOST_PATH_CHARS = 80
_PARTS = ("STEM", "OPTIONS", "ANSWER", "ANALYSIS", "TYPE")


def selectors_of(response: Response) -> dict[str, str]:
    """Return the name and selector of each part of a page that has one container per question or a single question; otherwise nothing."""
    if not isinstance(response, TextResponse) or is_json(response) or response.selector.type != "html" or response.selector.root is None:
        return {}
    elements = [one for one in response.selector.root.iter() if isinstance(one.tag, str)]
    if _read_in(elements) > _MOST_READ:
        return {}
    elements = [one for one in elements if one.tag not in _INVISIBLE_TAGS]
    name, blocks = _containers(elements)
    if not blocks:
        name, blocks = _only_container(elements)
    if not blocks:
        return {}
    selectors = {"QUESTION": name} | dict(_parts(blocks))
    if path := next((named for one in elements if _is_path(one) and (named := _named(one))), None):
        selectors["EXAM"] = path
    return selectors


def _read_in(elements: Sequence[HtmlElement]) -> int:
    """Return the number of elements, and of characters in their texts; each character counts once per ancestor."""
    depths: dict[HtmlElement, int] = {}
    read = 0
    for one in elements:
        depths[one] = depth = depths.get(one.getparent(), 0) + 1
        read += depth * (1 + len(one.text or "") + len(one.tail or ""))
    return read


def _containers(elements: Sequence[HtmlElement]) -> tuple[str, list[HtmlElement]]:
    """Return the name shared by the most elements that contain one question each, and those elements; if they are nested, only the
    outermost."""
    groups: dict[str, list[HtmlElement]] = defaultdict(list)
    for one in elements:
        if one.tag not in _INLINE and (named := _named(one) or _below_named(one)):
            groups[named].append(one)
    told = _told(elements)
    best: tuple[int, bool, int, str] = (0, False, 0, "")
    for number, (named, members) in enumerate(groups.items()):
        asking = sum(_asks(_asked(one, told)) and len(one) > 1 for one in members)
        if asking >= _FEW and asking >= len(members) * _MOST:
            best = max(best, (asking, ">" not in named, -number, named))  # of equal groups, the first is the outermost
    return best[3], outermost_elements(groups[best[3]]) if best[0] else []


def _told(elements: Iterable[HtmlElement]) -> set[HtmlElement]:
    """Return the elements with answers and explanations, which may repeat the letter of an option: `答案：A.`."""
    return {one for one in elements if _ANSWER.match(text := _text(one)) or _ANALYSIS.match(text)}


def _asked(one: HtmlElement, told: Container[HtmlElement]) -> str:
    """Return the text of an element without answers and explanations."""
    parts, walk = list[str](), iterwalk(one, events=("start", "end", "comment", "pi"))
    for event, below in walk:
        if event == "start" and below in told:
            walk.skip_subtree()
        elif event == "start":
            parts.append(below.text or "")
        elif below is not one:
            parts.append(below.tail or "")
    return "".join(parts)


def _asks(text: str) -> bool:
    """Return whether a text contains one question; options alone do not count."""
    firsts = [*_FIRST.finditer(text)]
    return len(firsts) == 1 and len(text[: firsts[0].start()].strip()) > _FEW


def _only_container(elements: Sequence[HtmlElement]) -> tuple[str, list[HtmlElement]]:
    """Return the innermost element that contains all parts of a page's only question and whose name no other element has."""
    names = Counter(filter(None, map(_named, elements)))
    option = next((one for one in elements if all(below.tag in _INLINE for below in one) and _FIRST.match(_text(one).strip())), None)
    told = _told(elements)
    best: tuple[int, str, list[HtmlElement]] = (0, "", [])
    for above in islice(option.iterancestors(), _MOST_AROUND) if option is not None else ():
        if len(_FIRST.findall(_asked(above, told))) > 1:
            break
        named = _named(above) or (above.tag if above.tag == "body" else "")
        parts = {part for part, _ in _parts_of(above)}
        if names[named] <= 1 and named and {"STEM", "OPTIONS"} <= parts and len(parts) > best[0]:
            best = (len(parts), named, [above])
    return best[1], best[2]


def _parts(blocks: Sequence[HtmlElement]) -> Iterator[tuple[str, str]]:
    """Yield the name and selector of each part in a container."""
    counts_by_part: dict[str, Counter[str]] = {part: Counter() for part in _PARTS}
    for block in blocks:
        for part, named in _parts_of(block):
            counts_by_part[part][named] += 1
    used: set[str] = set()
    for part in ("OPTIONS", "ANSWER", "ANALYSIS", "TYPE", "STEM"):
        least = min(_FEW, len(blocks)) if part == "STEM" else max(1, round(len(blocks) * _MOST / 2))
        for named, count in counts_by_part[part].most_common():
            if count >= least and named not in used:
                used.add(named)
                yield part, named
                break


def _parts_of(block: HtmlElement) -> Iterator[tuple[str, str]]:
    """Yield each outermost element of a container with the part it appears to be; the first one, before all recognized parts, is the
    stem."""
    yielded: set[str] = set()
    for one in block.iterdescendants():
        if not isinstance(one.tag, str) or one.tag in _INVISIBLE_TAGS:
            continue
        text, named = _text(one), _within(one, block)
        if not named:
            continue
        part = "ANSWER" if _ANSWER.match(text) else "ANALYSIS" if _ANALYSIS.match(text) else _option_or_stem(one, text)
        if part and part not in yielded and not (part == "STEM" and yielded - {"TYPE"}):
            yielded.add(part)
            yield part, named


def _option_or_stem(one: HtmlElement, text: str) -> str | None:
    if _KIND.fullmatch(text.strip()):
        return "TYPE"
    if _OPTION.match(text):
        return "OPTIONS" if (len(_FIRST.findall(text)) <= 1 and not _holds_options(one)) or not len(one) else None
    return "STEM" if len(text.strip()) > _FEW and not _FIRST.search(text) and not _holds_options(one) else None


def _holds_options(one: HtmlElement) -> bool:
    return sum(bool(_OPTION.match(_text(below))) for below in one if isinstance(below.tag, str)) >= _FEW


def _is_path(one: HtmlElement) -> bool:
    text = _text(one)
    return len(text) <= _MOST_PATH_CHARS and bool(_PATH.search(text)) and bool(_BETWEEN.search(text))


def _within(one: HtmlElement, block: HtmlElement) -> str:
    """Return the selector of an element within its container: its own name, or its tag below the nearest named element."""
    if named := _named(one):
        return named
    above = one.getparent()
    while above is not None and above is not block:
        if named := _named(above):
            return f"{named} {one.tag}"
        above = above.getparent()
    return str(one.tag)


def _named(one: HtmlElement) -> str:
    """Return the tag and class of an element; "" if its kind has no class in common."""
    words = [word for word in (one.get("class") or "").split() if _WORD.fullmatch(word) and not any(map(str.isdigit, word))]
    return f"{one.tag}.{words[0]}" if words else ""


def _below_named(one: HtmlElement) -> str:
    """Return the selector of an unnamed element, built from its parent's name; "" if the parent has no name either."""
    above = one.getparent()
    return f"{named} > {one.tag}" if above is not None and (named := _named(above)) else ""


def _text(one: HtmlElement) -> str:
    return "".join(one.itertext())
