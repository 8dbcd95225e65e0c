"""Automatic numbers, superscripts, subscripts and formulas of Word: a paragraph or element in, the text that Word shows out."""

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from atomexam.text.numerals import to_chinese, to_roman
from crawlers.text.fields import lowered, raised

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULA = f"{_M}oMath"
_TEXTS = (f"{_M}t", f"{_W}t")
_UNSEEN = (f"{_W}del", f"{_W}moveFrom", f"{_W}rPr", f"{_W}pPr")
_SHIFTS = {"superscript": raised, "subscript": lowered}


def shifted(run: etree._Element, text: str) -> str:
    """Return the text of a run, in superscript or subscript characters if the run is superscript or subscript."""
    alignment = run.find(f"{_W}rPr/{_W}vertAlign")
    return _SHIFTS.get("" if alignment is None else alignment.get(f"{_W}val", ""), str)(text)


def is_shifted(run: etree._Element | None) -> bool:
    """Return whether a run is superscript or subscript."""
    alignment = None if run is None else run.find(f"{_W}rPr/{_W}vertAlign")
    return alignment is not None and alignment.get(f"{_W}val") in _SHIFTS


def formula(element: etree._Element) -> str:
    """Return a formula on one line, with superscript and subscript characters and slashes for fractions."""
    if element.tag in _TEXTS:
        return element.text or ""
    if not isinstance(element.tag, str) or element.tag in _UNSEEN:
        return ""
    if element.tag == f"{_M}f":
        return f"{_one(_child(element, 'num'))}/{_one(_child(element, 'den'))}"
    if element.tag == f"{_M}rad":
        return f"{raised(_child(element, 'deg'))}√{_one(_child(element, 'e'))}"
    if element.tag == f"{_M}sPre":
        return f"{raised(_child(element, 'sup'))}{lowered(_child(element, 'sub'))}{_child(element, 'e')}"
    inner = "".join(map(formula, element))
    if element.tag == f"{_M}d":
        return f"{_sign(element, 'dPr', 'begChr', '(')}{inner}{_sign(element, 'dPr', 'endChr', ')')}"
    if element.tag == f"{_M}nary":
        return f"{_sign(element, 'naryPr', 'chr', '∫')}{inner}"
    return raised(inner) if element.tag == f"{_M}sup" else lowered(inner) if element.tag == f"{_M}sub" else inner


def _child(element: etree._Element, name: str) -> str:
    child = element.find(f"{_M}{name}")
    return "" if child is None else formula(child)


def _sign(element: etree._Element, properties: str, name: str, usual: str) -> str:
    child = element.find(f"{_M}{properties}/{_M}{name}")
    return usual if child is None else child.get(f"{_M}val", "")


def _one(text: str) -> str:
    """Return a text that goes next to a slash or under a root, in brackets if it contains operators."""
    return text if text.isalnum() or (text.startswith("(") and text.endswith(")")) else f"({text})"


_LEVELS = 9
_MOST_CHARS, _MOST_DIGITS = 255, 9
"""Maximum length of a level's text, and of its start number. Each paragraph repeats them, and a 3 kB document once produced 120 MB of
text."""
_REFERENCE = re.compile("%([1-9])")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)


def _letters(number: int) -> str:
    """Return a number as letters, in the way Word counts: 1 as A and 27 as AA."""
    return chr(ord("A") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number < 700 else str(number)


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if 0 < number <= 20 else str(number)


FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda number: f"{number:02d}",
    **dict.fromkeys(("decimalFullWidth", "decimalFullWidth2"), lambda number: "".join(chr(ord(sign) + 0xFEE0) for sign in str(number))),
    "decimalHalfWidth": str,
    "upperLetter": _letters,
    "lowerLetter": lambda number: _letters(number).lower(),
    "upperRoman": to_roman,
    "lowerRoman": lambda number: to_roman(number).lower(),
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "chineseLegalSimplified", "japaneseCounting"), to_chinese),
    **dict.fromkeys(("taiwaneseCounting", "taiwaneseCountingThousand", "ideographDigital"), to_chinese),
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), _circled),
}


class Numbering:
    """The running numbers of one document; `prefix` must be called for its paragraphs in order."""

    def __init__(self, document: Any) -> None:
        numbers, styles = part_root(document, "/numbering"), part_root(document, "/styles")
        self._abstract = _by_id(numbers, "abstractNum", "abstractNumId")
        self._lists = _by_id(numbers, "num", "numId")
        self._styles = _by_id(styles, "style", "styleId")
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()
        self._shapes: dict[str, dict[int, etree._Element]] = {}
        self._levels_of: dict[str, dict[int, etree._Element]] = {}

    def prefix(self, paragraph: etree._Element) -> str:
        """Return the number that Word shows before a paragraph; empty if it shows no number or a bullet."""
        list_level = self._list_level(paragraph)
        if list_level is None:
            return ""
        number, level = list_level
        abstract, levels = self._levels(number)
        if level not in levels:
            return ""
        counts = self._count(number, abstract, level, levels)
        kind = _value(levels[level], "numFmt") or "decimal"
        if kind in ("bullet", "none"):
            return ""
        # Show an unknown number format in digits: a wrong form loses less than no number.
        text = _REFERENCE.sub(
            lambda match: _formatted(int(match[1]) - 1, counts, levels), (_value(levels[level], "lvlText") or "")[:_MOST_CHARS]
        )
        return f"{text} " if text and text[-1].isalnum() else text

    def _list_level(self, paragraph: etree._Element) -> tuple[str, int] | None:
        """Return the list and level of a paragraph: its own, or else those of its style or of the styles on which that is based."""
        style, level, holder = _value(paragraph.find(f"{_W}pPr"), "pStyle"), None, paragraph
        for _ in range(_LEVELS + 2):  # styles may form a cycle
            properties = holder.find(f"{_W}pPr/{_W}numPr")
            level = level or _value(properties, "ilvl")
            if number := _value(properties, "numId"):
                return (number, self._level(number, level, style)) if number in self._lists else None
            if holder is not paragraph:
                style = _value(holder, "basedOn")
            if style not in self._styles:
                return None
            holder = self._styles[style]
        return None

    def _level(self, number: str, level: str | None, style: str | None) -> int:
        if level and level.isdigit():
            return int(level)
        _, levels = self._levels(number)
        return next((index for index, shape in levels.items() if style and _value(shape, "pStyle") == style), 0)

    def _levels(self, number: str) -> tuple[str, dict[int, etree._Element]]:
        """Return the id of a list's numbering, which lists that are counted together share, and its levels."""
        abstract = _value(self._lists[number], "abstractNumId") or ""
        if number not in self._levels_of:
            if abstract not in self._shapes:
                self._shapes[abstract] = self._shape(abstract)
            changes = ((_level_of(change), change.find(f"{_W}lvl")) for change in self._lists[number].iterfind(f"{_W}lvlOverride"))
            own = {index: level for index, level in changes if level is not None and index < _LEVELS}
            self._levels_of[number] = self._shapes[abstract] | own
        return abstract, self._levels_of[number]

    def _shape(self, abstract: str) -> dict[int, etree._Element]:
        shape = self._abstract.get(abstract)
        if linked := _value(shape, "numStyleLink"):
            style = self._styles.get(linked)
            other = _value(None if style is None else style.find(f"{_W}pPr/{_W}numPr"), "numId")
            shape = self._abstract.get(_value(self._lists.get(other or ""), "abstractNumId") or "")
        levels = [] if shape is None else shape.iterfind(f"{_W}lvl")
        return {index: level for level in levels if (index := _level_of(level)) < _LEVELS}

    def _count(self, number: str, abstract: str, level: int, levels: dict[int, etree._Element]) -> dict[int, int]:
        counts = self._counts.setdefault(abstract, {})
        if number not in self._begun:
            self._begun.add(number)
            for change in self._lists[number].iterfind(f"{_W}lvlOverride"):
                if (start := _value(change, "startOverride")) and start.isdigit() and len(start) <= _MOST_DIGITS:
                    counts[_level_of(change)] = int(start) - 1
        counts[level] = counts[level] + 1 if level in counts else _start(levels[level])
        for deeper in [index for index in counts if index > level]:
            if _value(levels.get(deeper), "lvlRestart") != "0":
                del counts[deeper]
        return counts


def _formatted(level: int, counts: dict[int, int], levels: dict[int, etree._Element]) -> str:
    shape = levels.get(level)
    number = counts.get(level, 1 if shape is None else _start(shape))
    return FORMATS.get(_value(shape, "numFmt") or "decimal", str)(number)


def _start(level: etree._Element) -> int:
    start = _value(level, "start")
    return int(start) if start and start.isdigit() and len(start) <= _MOST_DIGITS else 1


def _level_of(element: etree._Element) -> int:
    level = element.get(f"{_W}ilvl", "")
    return int(level) if level.isdigit() else 0


def _value(element: etree._Element | None, child: str) -> str | None:
    node = None if element is None else element.find(f"{_W}{child}")
    return None if node is None else node.get(f"{_W}val")


def _by_id(root: etree._Element | None, tag: str, key: str) -> dict[str, etree._Element]:
    return {} if root is None else {entry.get(f"{_W}{key}", ""): entry for entry in root.iterfind(f"{_W}{tag}")}


def part_root(document: Any, kind: str) -> etree._Element | None:
    """Return the XML of a part that the document refers to; None if there is none."""
    from docx.opc.part import XmlPart

    for relation in document.part.rels.values():
        if str(relation.reltype).endswith(kind) and not relation.is_external:
            part = relation.target_part
            return part.element if isinstance(part, XmlPart) else etree.fromstring(part.blob, _PARSER)
    return None
