"""Answers in footnotes, endnotes and comments of documents; notes that are remarks stay out of the text."""

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import pytest
from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from crawlers.importers.documents.docx import read_docx
from crawlers.importers.documents.odt import page_of_odt
from crawlers.importers.documents.rtf import page_of_rtf
from crawlers.papers.paper import lines_of, read_paper
from tests.crawlers.importers.test_packed import _odt

STEMS = ("感觉的基本单位是什么", "知觉恒常性不包括哪一项", "下列属于内部动机的是", "短时记忆的容量是多少")
KEY = "BDAC"
Rows = list[tuple[str, str]]
"""Lines, each with the note that is anchored to it."""


def paper(form: str, at: str = "stem", extra: Sequence[str] = ()) -> Rows:
    """Return a paper whose answers are in notes on the stem, on the correct option or on the last one."""
    rows: Rows = []
    for number, (stem, letter) in enumerate(zip(STEMS, KEY, strict=True), 1):
        note = form.format(letter=letter, number=number)
        rows.append((f"{number}. {stem}", note if at == "stem" else ""))
        for each in "ABCD":
            is_place = (at == "right" and each == letter) or (at == "last" and each == "D")
            rows.append((f"{each}. 选项{each}{number}", note if is_place else ""))
    return [*rows, *((f"又一段{index}", note) for index, note in enumerate(extra))]


def docx_of(rows: Rows, kind: str = "comment") -> bytes:
    document: Any = Document()
    notes = []
    for index, (words, note) in enumerate(rows):
        paragraph = document.add_paragraph(words)
        if note:
            paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:{kind}Reference w:id="{index}"/></w:r>'))
            inner = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in note.split("\n"))
            notes.append(f'<w:{kind} w:id="{index}">{inner}</w:{kind}>')
    xml = f"<w:{kind}s {nsdecls('w')}>{''.join(notes)}</w:{kind}s>".encode()
    content = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    part = Part(PackURI(f"/word/{kind}s.xml"), content, xml, document.part.package)
    document.part.relate_to(part, getattr(RELATIONSHIP_TYPE, f"{kind.upper()}S"))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def odt_of(rows: Rows, kind: str) -> bytes:
    forms = {
        "annotation": "<office:annotation><text:p>{}</text:p></office:annotation>",
        "note": "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note>",
    }
    return _odt("".join(f"<text:p>{words}{forms[kind].format(note) if note else ''}</text:p>" for words, note in rows))


def rtf_of(rows: Rows, kind: str) -> bytes:
    forms = {
        "footnote": r"{{\super\chftn}}{{\footnote\pard {{\super\chftn}} {}\par}}",
        "annotation": r"{{\*\atnid x}}\chatn{{\*\annotation{{\*\atndate 7}}\pard {}}}",
    }
    text = "".join(rf"{words}{forms[kind].format(note) if note else ''}\par " for words, note in rows)
    coded = "".join(char if char.isascii() else rf"\u{ord(char)}?" for char in text)
    return rf"{{\rtf1\ansi\uc1 {coded}}}".encode("ascii")


def lines_from(rows: Rows, kind: str) -> list[str]:
    if kind.startswith("odt "):
        return lines_of(page_of_odt("a.odt", odt_of(rows, kind[4:])))
    if kind.startswith("rtf "):
        return lines_of(page_of_rtf("a.rtf", rtf_of(rows, kind[4:])))
    return read_docx("a.docx", docx_of(rows, kind)).lines


KINDS = ("comment", "footnote", "endnote", "odt annotation", "odt note", "rtf footnote", "rtf annotation")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("form", "at"),
    [
        ("答案：{letter}", "stem"),
        ("第{number}题答案：{letter}。本题考查定义。", "stem"),
        ("答案 {letter}。本题考查定义，其余各项不对。", "stem"),
        ("正确答案为{letter}。本题考查定义，其余各项不对。", "stem"),
        ("正确答案是{letter}", "stem"),
        ("{letter}", "stem"),
        ("{number}. {letter}", "last"),
        ("【答案】{letter}", "last"),
        ("选{letter}", "stem"),
        ("Answer: {letter}", "right"),
        ("正确答案", "right"),
        ("√", "right"),
    ],
)
def test_answers_in_notes(kind: str, form: str, at: str) -> None:
    read = read_paper(lines_from(paper(form, at), kind))
    assert [(draft.answer, len(draft.options or ())) for draft in read.questions] == [(letter, 4) for letter in KEY]
    assert [draft.options[0] for draft in read.questions if draft.options] == [f"A. 选项A{number}" for number in range(1, 5)]


@pytest.mark.parametrize("kind", KINDS)
def test_remarks_in_notes_stay_out(kind: str) -> None:
    rows = [*paper("", ""), ("答案：1-4 BDAC", "")]
    remarked = [(words, "参见教材第3页，选项B可再推敲" if words.startswith(("1.", "3.", "C. 选项C2")) else "") for words, _ in rows]
    assert [line for line in lines_from(remarked, kind) if line] == [line for line in lines_from(rows, kind) if line]


def test_remarks_among_answers_are_left_out() -> None:
    lines = lines_from(paper("答案：{letter}", extra=["下次删去"]), "comment")
    assert not any("删去" in line for line in lines)
    assert len(read_paper(lines).questions) == 4


def test_verdicts_in_notes() -> None:
    rows = [(f"{number}. {stem}的说法见第一章。", "正确" if number % 2 else "错误") for number, stem in enumerate("甲乙丙丁", 1)]
    read = read_paper(lines_from(rows, "comment"))
    assert [draft.answer for draft in read.questions] == ["正确", "错误", "正确", "错误"]


def test_a_note_of_several_paragraphs_has_its_explanation() -> None:
    read = read_paper(lines_from(paper("答案：{letter}\n解析：见第一章"), "comment"))
    assert [(draft.answer, draft.explanation) for draft in read.questions] == [(letter, "见第一章") for letter in KEY]


def test_a_damaged_part_of_notes_is_not_read() -> None:
    body = docx_of(paper("答案：{letter}"), "footnote")
    file, out = io.BytesIO(body), io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<w:footnotes" if name.endswith("footnotes.xml") else old.read(name))
    assert any(STEMS[0] in line for line in read_docx("a.docx", out.getvalue()).lines)
