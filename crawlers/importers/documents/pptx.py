"""Importer of slides (.pptx): bytes in, one HTML page out: the texts of each slide in reading order, then its notes.

Colour, bold, automatic numbers, superscripts and subscripts are kept; hidden slides, page numbers, dates and footers are left out.
"""

import html
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO

from lxml import etree

from atomexam.text.refusal import Refusal
from crawlers.importers.documents.docx_formulas import FORMULA, formula
from crawlers.importers.documents.docx_numbers import FORMATS
from crawlers.importers.files.zipped import BROKEN_PARTS, check_zipped, root_of

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_ASIDE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
"""Kinds of placeholders whose words are not part of a slide's content."""
_NUMBERS = re.compile(r"(?P<kind>arabic|alphaUc|alphaLc)(?P<form>Period|ParenR|ParenBoth|Plain)")
_COUNTED = {"arabic": FORMATS["decimal"], "alphaUc": FORMATS["upperLetter"], "alphaLc": FORMATS["lowerLetter"]}
_FORMS = {"Period": "{}. ", "ParenR": "{}) ", "ParenBoth": "({}) ", "Plain": "{} "}
_COLOUR = re.compile("[0-9A-Fa-f]{6}")
_MOST_SLIDES = 5000
_LEVELS = "012345678"
_ON = ("1", "true")


def page_of_slides(name: str, body: bytes) -> str:
    """Return the slides of a presentation, one below the other.

    Raises:
        ValueError: the file is not a valid pptx.
    """
    check_zipped(name, body, "ppt/", "pptx")
    try:
        with zipfile.ZipFile(BytesIO(body)) as parts:
            known = set(parts.namelist())
            slides = list(_slides(parts, known))
    except BROKEN_PARTS as error:
        raise Refusal(f"{name}: not a readable pptx ({type(error).__name__}: {error}); open and save it in PowerPoint") from None
    return "\n".join(["<html><body>", *slides, "</body></html>"])


def _slides(parts: zipfile.ZipFile, known: set[str]) -> Iterator[str]:
    """Yield the paragraphs and tables of each slide in the order of the presentation, followed by its notes.

    Each part is read once: a small file that names one slide thousands of times would fill any memory.
    """
    known = set(known)
    main = "ppt/presentation.xml"
    targets = _related(parts, known, main)
    for entry in list(root_of(parts, main).iter(f"{_P}sldId"))[:_MOST_SLIDES]:
        path = targets.get(entry.get(f"{_R}id", ""), "")
        if path not in known:
            continue
        known.remove(path)
        slide = root_of(parts, path)
        if slide.get("show") in ("0", "false"):
            continue
        yield from _shapes(slide)
        for notes in sorted({each for each in _related(parts, known, path).values() if "notesSlide" in each and each in known}):
            known.remove(notes)
            yield from _shapes(root_of(parts, notes))


def _related(parts: zipfile.ZipFile, known: set[str], path: str) -> dict[str, str]:
    """Return the parts that a part refers to, by relationship id."""
    folder, file = posixpath.split(path)
    listed = f"{folder}/_rels/{file}.rels"
    if listed not in known:
        return {}
    return {
        entry.get("Id", ""): posixpath.normpath(posixpath.join(folder, entry.get("Target", ""))).lstrip("/")
        for entry in root_of(parts, listed)
        if isinstance(entry.tag, str) and entry.get("TargetMode") != "External"
    }


def _shapes(slide: etree._Element) -> Iterator[str]:
    """Yield the texts of a slide's shapes, with groups of shapes in order."""
    waiting = [slide]
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_P}sp":
            kind = element.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
            text = element.find(f"{_P}txBody")
            if text is not None and (kind is None or kind.get("type") not in _ASIDE):
                yield from _paragraphs(text)
        elif element.tag == f"{_A}tbl":
            yield "<table>"
            for row in element.iterchildren(f"{_A}tr"):
                cells = ("<br>".join(_paragraphs(cell, "{}")) for cell in row.iterchildren(f"{_A}tc"))
                yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
            yield "</table>"
        elif element.tag == f"{_P}pic":
            yield "<p><img></p>"
        elif isinstance(element.tag, str) and element.tag != _FALLBACK:
            waiting += reversed(element)


def _paragraphs(text: etree._Element, form: str = "<p>{}</p>") -> Iterator[str]:
    counts: Counter[int] = Counter()
    for paragraph in text.iter(f"{_A}p"):
        words = "".join(_pieces(paragraph))
        number = _number(paragraph, counts) if words.strip() else ""
        if words.strip():
            yield form.format(number + words)


def _number(paragraph: etree._Element, counts: Counter[int]) -> str:
    """Return the number or letter before a paragraph, continuing from the previous one at its level."""
    properties = paragraph.find(f"{_A}pPr")
    level = _LEVELS.find(properties.get("lvl", "0")) if properties is not None else 0
    numbers = None if properties is None else properties.find(f"{_A}buAutoNum")
    kind = None if numbers is None else _NUMBERS.fullmatch(numbers.get("type", ""))
    for deeper in [each for each in counts if each > level or (each == level and kind is None)]:
        del counts[deeper]
    if kind is None or numbers is None:
        return ""
    start = numbers.get("startAt", "1")
    counts[level] = counts[level] + 1 if level in counts else int(start) if start.isdigit() and len(start) < 5 else 1
    return _FORMS[kind["form"]].format(_COUNTED[kind["kind"]](counts[level]))


def _pieces(paragraph: etree._Element) -> Iterator[str]:
    waiting = [*reversed(paragraph)]
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_A}br":
            yield "<br>"
        elif element.tag == FORMULA:
            yield html.escape(formula(element))
        elif element.tag in (f"{_A}r", f"{_A}fld"):
            yield _run(element)
        elif isinstance(element.tag, str) and element.tag not in (f"{_A}pPr", f"{_A}endParaRPr", _FALLBACK):
            waiting += reversed(element)


def _run(run: etree._Element) -> str:
    """Return a run within tags for its emphasis."""
    text = run.find(f"{_A}t")
    words = html.escape((text.text or "") if text is not None else "").replace("\x0b", "<br>")
    properties = run.find(f"{_A}rPr")
    if properties is None or not words.strip() or run.tag == f"{_A}fld":
        return "" if run.tag == f"{_A}fld" else words
    raised = properties.get("baseline", "0")
    colour = properties.find(f"{_A}solidFill/{_A}srgbClr")
    value = "" if colour is None else colour.get("val", "")
    if raised.lstrip("-").isdigit() and int(raised):
        words = f"<sub>{words}</sub>" if raised.startswith("-") else f"<sup>{words}</sup>"
    for tag, is_on in (("b", properties.get("b") in _ON), ("u", properties.get("u", "none") != "none")):
        words = f"<{tag}>{words}</{tag}>" if is_on else words
    marked = properties.find(f"{_A}highlight/{_A}srgbClr")
    style = f"color:#{value}" if _COLOUR.fullmatch(value) else f"background:#{marked.get('val', '')}" if marked is not None else ""
    return f'<span style="{html.escape(style)}">{words}</span>' if style else words
