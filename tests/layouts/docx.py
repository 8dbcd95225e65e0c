"""Lines of a paper -> a Word document: paragraphs, line breaks, automatic numbers, pieces of text with formats of their own, tables."""

import io
from random import Random
from typing import Any

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from msgspec import Struct, structs

from tests.layouts import text
from tests.layouts.gold import Gold, Section

BUILT = ("paragraphs", "breaks", "pieces", "automatic", "table")
_NUMBERING = """<w:numbering {}><w:abstractNum w:abstractNumId="90">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1{}"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%2{}"/></w:lvl></w:abstractNum>
<w:num w:numId="90"><w:abstractNumId w:val="90"/></w:num></w:numbering>"""
_PROPERTIES = '<w:numPr {}><w:ilvl w:val="{}"/><w:numId w:val="90"/></w:numPr>'


class Build(Struct, frozen=True):
    """How a document is put together; its words are laid out as in a text."""

    built: str
    sign: str
    """Behind automatic numbers and letters."""
    header: bool
    """The document has a page header and a footer."""


def build(rng: Random) -> Build:
    return Build(rng.choice(BUILT), rng.choice((".", "、", "．", ")")), rng.choice((False, True)))


def document_of(sections: tuple[Section, ...], form: text.Layout, how: Build, rng: Random) -> tuple[bytes, list[str]]:
    """Return a document, and its lines as a reader sees them."""
    document = Document()
    if how.header:
        document.sections[0].header.paragraphs[0].text = "护理学基础模拟试卷"
        document.sections[0].footer.paragraphs[0].text = "第 1 页"
    if how.built == "automatic":
        shown = _numbered(document, sections, form, how)
    elif how.built == "table":
        shown = _tabled(document, sections, form)
    else:
        plain = structs.replace(form, wrapped="none", pages="none")  # Word wraps lines and counts pages itself
        shown = text.lines_of(sections, plain, rng)
        _paragraphs(document, shown, how, rng)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue(), shown


def _paragraphs(document: Any, lines: list[str], how: Build, rng: Random) -> None:
    paragraph = None
    for line in lines:
        goes_on = paragraph is not None and how.built == "breaks" and rng.random() < 0.5
        if goes_on:
            paragraph.add_run().add_break()
        else:
            paragraph = document.add_paragraph()
        cut = rng.randrange(len(line)) if how.built == "pieces" and line else 0
        paragraph.add_run(line[:cut]).bold = True
        paragraph.add_run(line[cut:])


def _numbered(document: Any, sections: tuple[Section, ...], form: text.Layout, how: Build) -> list[str]:
    """Write questions whose numbers and letters Word keeps outside the text."""
    part = document.part.numbering_part.element
    part.clear()
    part.extend(parse_xml(_NUMBERING.format(nsdecls("w"), how.sign, how.sign)))
    shown = []

    def add(words: str, level: int = -1) -> None:
        shown.append(f"{'    ' * level}# {words}" if level >= 0 else words)
        paragraph = document.add_paragraph(words)
        if level >= 0:
            paragraph._p.get_or_add_pPr().append(parse_xml(_PROPERTIES.format(nsdecls("w"), level)))

    for place, section in enumerate(sections):
        add(text.heading(place, section.kind, structs.replace(form, headed="numeral")))
        for at, gold in enumerate(section.questions):
            if gold.group and (at == 0 or section.questions[at - 1].group != gold.group):
                for line in text.shared(gold, _numbers(sections, gold.group), form):
                    add(line)
            add(gold.stem, 0)
            for option in gold.options if gold.kind != "shared" else ():
                add(option, 1)
            add(form.mark.format(text.told(gold, form)))
    return shown


def _numbers(sections: tuple[Section, ...], group: int) -> tuple[int, int]:
    places = [place for place, gold in enumerate((one for section in sections for one in section.questions), 1) if gold.group == group]
    return places[0], places[-1]


def _tabled(document: Any, sections: tuple[Section, ...], form: text.Layout) -> list[str]:
    """Write questions that stand in a table, one a row, with the options in columns."""
    golds = [gold for section in sections for gold in section.questions]
    width = max(len(gold.options) for gold in golds)
    header = ["题号", "题型", "题干", *text.LETTERS[:width], "答案"]
    table = document.add_table(rows=0, cols=len(header))
    rows = [header, *(_row(number, gold, width, form) for number, gold in enumerate(golds, 1))]
    for row in rows:
        for cell, words in zip(table.add_row().cells, row, strict=True):
            cell.text = words
    return [" | ".join(row) for row in rows]


def _row(number: int, gold: Gold, width: int, form: text.Layout) -> list[str]:
    options = [*gold.options, *[""] * (width - len(gold.options))]
    case = f"{gold.case}\n" if gold.case else ""
    return [str(number), text.NAMES[gold.kind][0], case + gold.stem, *options, text.told(gold, form)]
