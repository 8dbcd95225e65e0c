"""Questions of a page that are built alike around a list of options -> rows: stem, options, which are right, what is said below.

Each stands in an element of its own, or in the run of elements beside each other from one stem to the next.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree
from lxml.html import HtmlElement
from msgspec import Struct

from atomexam.text.option_letters import LETTERS, WIDE
from crawlers.papers.passes.emphasis import RIGHT_CLASS, face_of, styled_classes
from crawlers.papers.sections.signals import is_worded_as_question
from crawlers.papers.signs.answer_marks import flat
from crawlers.rows.markup import document_of_page, shown
from crawlers.rows.tree import Rows

_FEWEST, _MOST_OPTIONS = 3, 10
_SHARE, _SAID_SHARE = 0.8, 0.1
"""Of the questions: with some options that stand out in a way that tells; with an answer in words, from which on type says nothing."""
_ASKING = 0.3
"""Share of the parts that must ask where no words say an answer."""
_OPTION_TAGS = ("li", "label", "dd", "p", "div", "span", "button")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt")
_LINE_TAGS = ("p", "div", "br", "li", "dd", *_HEADINGS, "details", "summary", "blockquote")
_RIGHT = re.compile(RIGHT_CLASS)
_LETTER = re.compile(r"\s{0,9}[(（\[]?(?P<letter>[A-JＡ-Ｊ])\s?[)）\]]?[.．、:：)）\s]")
_NAMES = (
    r"[【\[]?(?:(?P<answer>(?:正确|参考|标准)?答案|正解|(?:correct\s)?answer|key)"
    r"|(?P<explanation>(?:答案)?解析|详解|analysis|explanation))[】\]]?"
)
_SAID = re.compile(rf"{_NAMES}\s?[:：]?\s?", re.IGNORECASE)
_SURELY_SAID = re.compile(rf"{_NAMES}(?:\s?[:：]|(?<=[】\]])|\s?[A-J]{{1,6}}\W{{0,3}}$)", re.IGNORECASE)
"""What is said of a question, where it might be an option or a stem."""
_NUMBER = re.compile(r"\s{0,3}(?:第\s?\d{1,5}\s?题\s?[.．、:：)）]?|\d{1,5}\s?[.．、:：)）])\s{0,3}(?=\D)")
"""The number of a question, at the start alone: others are part of it (`女，32岁`)."""


_SIGN = r"[√✓✔☑✅]\ufe0f?|[(（\[【]\s?(?:[√✓✔]\ufe0f?|正确答案?|对|correct|right)\s?[)）\]】]"
_TICKED = re.compile(
    rf"\s{{0,9}}(?:{_SIGN})\s{{0,9}}(?P<behind>\S.*)|(?P<before>.*?\S)\s{{0,9}}(?:{_SIGN})\s{{0,9}}", re.IGNORECASE | re.DOTALL
)
"""An option whose words say that it is right."""
_CROSSED = re.compile(r"\s{0,9}[×✗✘✖❌]\ufe0f?\s{0,9}(?P<behind>\S.*)|(?P<before>.*\S)\s{0,9}[×✗✘✖❌]\ufe0f?\s{0,9}", re.S)


class _Part(Struct):
    """One question: what stands before its options, these, and what stands behind."""

    before: str
    options: list[Any]
    after: str
    attributes: dict[str, str]


def questions_of_page(text: str) -> Rows | None:
    """Return the parts of a page that are built alike around a list of options; None where there are not several."""
    document = document_of_page(text)
    _part_terms(document)
    groups = [group for group in (_options_in(element) for element in document.iter(etree.Element)) if group]
    held = Counter(above for parent, _ in groups for above in [parent, *parent.iterancestors()])
    tops: dict[HtmlElement, list[HtmlElement]] = {}
    for parent, options in groups:
        top = parent
        while (above := top.getparent()) is not None and held[above] == 1:
            top = above
        tops[top] = options
    alike = Counter((top.getparent(), top.tag) for top in tops)
    sets = {top: options for top, options in tops.items() if alike[top.getparent(), top.tag] >= _FEWEST}
    parts = [_part_of(top, options) for top, options in sets.items()]
    if not any(part.before.strip() for part in parts):
        parts = [part for parent in dict.fromkeys(top.getparent() for top in sets) for part in _parts_between(parent, sets)]
    if len(parts) < _FEWEST:
        return None
    rows = [(f"part:{number}", _row(part)) for number, part in enumerate(parts)]
    _mark_right(rows, parts, styled_classes(text))
    if any("答案" in row for _, row in rows) or sum(is_worded_as_question(flat(row["stem"])) for _, row in rows) >= _ASKING * len(rows):
        return Rows((), rows)
    return None  # a list of things to do, or points some of which are bold


def _part_terms(document: HtmlElement) -> None:
    """Put each term of a list of definitions into an element of its own, and what is said of it into a list: a question and its options."""
    for terms in list(document.iter("dl")):
        children = [child for child in terms if isinstance(child.tag, str)]
        starts = [place for place, child in enumerate(children) if child.tag == "dt"]
        runs = [children[start:end] for start, end in zip(starts, [*starts[1:], len(children)], strict=True)]
        if (
            len(runs) < _FEWEST
            or sum(len(run) > 2 for run in runs) * 2 < len(runs)
            or any(child.tag not in ("dt", "dd") for child in children)
        ):
            continue
        for term, *said in runs:
            part, options = etree.SubElement(terms, "div"), etree.Element("ul")
            part.append(term)
            part.append(options)
            options.extend(said)


def _options_in(parent: Any) -> tuple[Any, list[Any]] | None:
    """Return an element and those of its children that are options: entries of a list of answers, or texts with letters in turn."""
    for tag in _OPTION_TAGS:
        children = [child for child in parent if child.tag == tag]
        while len(children) > 2 and _SURELY_SAID.match(_words(children[-1])):  # the answer as the last entry of the list
            children.pop()
        if not 2 <= len(children) <= _MOST_OPTIONS:
            continue
        texts = [_words(child) for child in children]
        letters = [found["letter"] if (found := _LETTER.match(text)) else "" for text in texts]
        lettered = "".join(letters).translate(WIDE) == LETTERS[: len(letters)]
        listed = parent.tag in ("ol", "ul") and all(not child.xpath(".//a[@href]|.//ul|.//ol") for child in children)
        if (lettered or listed) and all(text.strip() for text in texts):
            return parent, children
    return None


def _words(element: Any) -> str:
    return "".join(element.itertext()).strip()


def _part_of(top: Any, options: list[Any]) -> _Part:
    """Return the question of one element."""
    inside = {each for option in options for each in option.iter()}
    sides = _sides([top], options, inside)
    attributes = {
        f"@{key}": value
        for each in top.iter(etree.Element)
        if each not in inside
        for key, value in each.attrib.items()
        if key.startswith("data-")
    }
    return _Part(*sides, attributes)


def _parts_between(parent: Any, sets: dict[HtmlElement, list[HtmlElement]]) -> Iterator[_Part]:
    """Yield the questions whose stem, options and answer stand beside each other in one element; none where a stem cannot be told."""
    gaps: list[list[Any]] = [[]]
    lists: list[Any] = []
    for child in parent:
        if child in sets:
            lists.append(child)
            gaps.append([])
        elif isinstance(child.tag, str):
            gaps[-1].append(child)
    if len(lists) < _FEWEST or not gaps[0]:
        return
    starts = _starts(gaps[:-1])
    for place, top in enumerate(lists):
        if starts[place] is None:
            continue
        behind = gaps[place + 1]
        end = starts[place + 1] if place + 1 < len(lists) and starts[place + 1] is not None else len(behind)
        if place + 1 == len(lists):
            end = next((at for at, each in enumerate(behind) if each.tag in _HEADINGS or each.tag == "table"), len(behind))
        inside = {each for option in sets[top] for each in option.iter()}
        yield _Part(*_sides([*gaps[place][starts[place] :], top, *behind[:end]], sets[top], inside), {})


def _starts(gaps: Sequence[Sequence[Any]]) -> list[int | None]:
    """Return for the elements before each list where its question begins: at a tag that each has once, else behind the last's answer."""
    names = dict.fromkeys(each.tag for gap in gaps for each in gap)
    for name in sorted(names, key=lambda name: name not in _HEADINGS):
        counts = [sum(each.tag == name for each in gap) for gap in gaps]
        if counts[0] and all(count == 1 for count in counts[1:]) and (name in _HEADINGS or all(len(gap) == 1 for gap in gaps[1:])):
            return [max(at for at, each in enumerate(gap) if each.tag == name) for gap in gaps]
    found: list[int | None] = []
    for gap in gaps:
        said = [at for at, each in enumerate(gap) if _SURELY_SAID.match(_words(each))]
        start = said[-1] + 1 if said else len(gap) - 1
        found.append(start if start == len(gap) - 1 else None)
    return found


def _sides(elements: Sequence[Any], options: list[Any], inside: set[Any]) -> tuple[str, list[Any], str]:
    """Return the words before the options of elements, the options, and the words behind."""
    before: list[str] = []
    after: list[str] = []
    seen = False
    for top in elements:
        for kind, element in etree.iterwalk(top, events=("start", "end")):
            if element in inside:
                seen = True
                if element in options and kind == "end" and (element.tail or "").strip():
                    after.append(element.tail)
                continue
            side = after if seen else before
            words = element.text if kind == "start" else element.tail if element is not top else None
            if not isinstance(element.tag, str):
                words = element.tail if kind == "end" and element is not top else None
            side += ["\n"] * (element.tag in _LINE_TAGS)
            side += [words] if words else []
    return "".join(before), options, "".join(after)


def _row(part: _Part) -> dict[str, Any]:
    marked = [_is_told(option) for option in part.options]
    texts = [shown(option) for option in part.options]
    stem = " ".join(part.before.split())
    number = _NUMBER.match(stem)
    said = _said(part.after)
    if "答案" not in said:
        texts, ticked = _told_by_signs(texts)
        marked = marked if any(marked) else ticked
    options = _with_marks(texts, marked) if any(marked) else texts
    return {"stem": stem[number.end() :] if number else stem, "options": options} | part.attributes | said


def _told_by_signs(texts: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Return options without the ticks and crosses in their words, and which have a tick; none where all or none have."""
    found = [_TICKED.fullmatch(text) for text in texts]
    if not 0 < sum(map(bool, found)) < len(texts):
        return list(texts), [False] * len(texts)
    signs = [tick or _CROSSED.fullmatch(text) for tick, text in zip(found, texts, strict=True)]
    bare = [sign["behind"] or sign["before"] if sign else text for sign, text in zip(signs, texts, strict=True)]
    return bare, list(map(bool, found))


def _with_marks(texts: Sequence[str], marked: Sequence[bool]) -> list[dict[str, Any]]:
    return [{"text": text, "right": int(right)} for text, right in zip(texts, marked, strict=True)]


def _mark_right(rows: Sequence[tuple[str, dict[str, Any]]], parts: Sequence[_Part], styles: dict[str, str]) -> None:
    """Mark the options that alone stand out, question after question, where no words and no class say which are right."""
    if any(isinstance(row["options"][0], dict) for _, row in rows) or sum("答案" in row for _, row in rows) > _SAID_SHARE * len(rows):
        return
    faces = [[_faces(option, styles) for option in part.options] for part in parts]
    some: Counter[str] = Counter()
    for each in faces:
        counts = Counter(face for option in each for face in option)
        some.update(face for face, count in counts.items() if count < len(each))
    told = [face for face, count in some.items() if count >= _SHARE * len(parts)]
    marks = [[[face in option for option in each] for each in faces] for face in told]
    if not marks or any(other != marks[0] for other in marks) or any(all(each) for each in marks[0]):
        return
    for (_, row), marked in zip(rows, marks[0], strict=True):
        row["options"] = _with_marks(row["options"], marked)


def _faces(option: Any, styles: dict[str, str]) -> set[str]:
    """Return how all words of an option but its letter stand out."""
    words = _bare(option)
    found = set()
    for element in option.iter(etree.Element):
        if _bare(element) == words:
            rest = "".join(f' {key}="{value}"' for key, value in element.attrib.items())
            found.add(face_of(element.tag, rest, styles))
    return found - {""}


def _bare(element: Any) -> str:
    """Return the words of an option without its letter."""
    return re.sub(r"\s+", "", _LETTER.sub("", _words(element), count=1))


def _classes(element: Any) -> list[str]:
    return (element.get("class") or "").lower().split() if isinstance(element.tag, str) else []


def _is_told(option: Any) -> bool:
    """Tell whether a class or an attribute says that an option is right."""
    names = ("data-correct", "data-right", "data-is-correct", "data-answer")
    named = any(_RIGHT.fullmatch(name) for each in option.iter() for name in _classes(each))
    return named or any((option.get(name) or "").lower() in ("1", "true") for name in names)


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
