"""Superscripts, subscripts and formulas of Word: an element in, its text out, in which 10⁹ differs from 109."""

from lxml import etree

from crawlers.text.fields import lowered, raised

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULA = f"{_M}oMath"
_TEXTS = (f"{_M}t", f"{_W}t")
_UNSEEN = (f"{_W}del", f"{_W}moveFrom", f"{_W}rPr", f"{_W}pPr")
_SHIFTS = {"superscript": raised, "subscript": lowered}


def shifted(run: etree._Element, text: str) -> str:
    """Return the text of a run: superscript, subscript or normal."""
    alignment = run.find(f"{_W}rPr/{_W}vertAlign")
    return _SHIFTS.get("" if alignment is None else alignment.get(f"{_W}val", ""), str)(text)


def is_shifted(run: etree._Element | None) -> bool:
    """Return whether a run is superscript or subscript."""
    alignment = None if run is None else run.find(f"{_W}rPr/{_W}vertAlign")
    return alignment is not None and alignment.get(f"{_W}val") in _SHIFTS


def formula(element: etree._Element) -> str:
    """Return a formula on one line: superscripts and subscripts as such, fractions with a slash."""
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
    """Return a text that can be beside a slash or under a root: in brackets if it contains operators."""
    return text if text.isalnum() or (text.startswith("(") and text.endswith(")")) else f"({text})"
