"""Word documents to lines: the text, what Word stores apart from it, and damaged documents."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from atomexam.text.refusal import Refusal
from crawlers.read.containers.documents.docx import read_docx
from crawlers.read.containers.documents.docx_numbers import FORMATS
from crawlers.read.containers.files.archives import check_zipped
from crawlers.read.lines.paper import read_paper
from crawlers.read.vocabulary.labels import IMAGE
from tests.crawlers.read.bodies import saved

NUMBERING = """<w:numbering {}>
<w:abstractNum w:abstractNumId="90"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%2."/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%3)"/></w:lvl></w:abstractNum>
<w:num w:numId="90"><w:abstractNumId w:val="90"/></w:num>
<w:num w:numId="91"><w:abstractNumId w:val="90"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>"""


def lines(document: Any) -> list[str]:
    return [line for line in read_docx("a.docx", saved(document)).lines if line]


def with_xml(*paragraphs: str) -> Any:
    document = Document()
    for xml in paragraphs:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(xml.replace("<w:p>", f"<w:p {nsdecls('w')}>", 1)))
    return document


def numbered(form: str = "decimal", text: str = "%1.") -> tuple[Any, Callable[..., None]]:
    document = Document()
    part = document.part.numbering_part.element
    part.clear()
    part.extend(parse_xml(NUMBERING.format(nsdecls("w"), form, text)))

    def add(words: str, level: int = 0, number: int = 90) -> None:
        paragraph = document.add_paragraph(words)
        properties = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        paragraph._p.get_or_add_pPr().append(parse_xml(properties))

    return document, add


def test_automatic_numbers_become_text() -> None:
    document, add = numbered()
    for question in range(2):
        add(f"题干{question}（ ）。")
        for option in ("甲", "乙"):
            add(option, level=1)
    add("又一节的题干", number=91)
    add("再一题", number=91)
    add("不编号", number=0)
    add("小题", level=2)
    assert lines(document) == [
        *("1.题干0（ ）。", "A.甲", "B.乙", "2.题干1（ ）。", "A.甲", "B.乙"),
        *("1.又一节的题干", "2.再一题", "不编号", "2.1)小题"),
    ]


@pytest.mark.parametrize(
    ("form", "text", "first"),
    [
        ("chineseCounting", "%1、", "一、题"),
        ("decimalZero", "%1 ", "01 题"),
        ("decimal", "第%1题", "第1题 题"),
        ("upperRoman", "%1.", "I.题"),
        ("lowerLetter", "(%1)", "(a)题"),
        ("bullet", "•", "题"),
        ("none", "", "题"),
        ("decimalEnclosedCircle", "%1", "①题"),
        ("ordinalInATongueNotKnownHere", "%1.", "1.题"),
    ],
)
def test_forms_of_numbers(form: str, text: str, first: str) -> None:
    document, add = numbered(form, text)
    add("题")
    assert lines(document)[0].replace("① ", "①") == first


@pytest.mark.parametrize(
    ("form", "number", "shown"),
    [
        *[("chineseCounting", number, shown) for number, shown in ((1, "一"), (10, "十"), (12, "十二"), (20, "二十"), (35, "三十五"))],
        *[
            ("chineseCounting", number, shown)
            for number, shown in ((100, "一百"), (101, "一百零一"), (111, "一百一十一"), (120, "一百二十"))
        ],
        *[("upperLetter", number, shown) for number, shown in ((1, "A"), (26, "Z"), (27, "AA"), (0, "0"))],
        *[("lowerRoman", number, shown) for number, shown in ((4, "iv"), (1999, "mcmxcix"), (4000, "4000"))],
        *[("decimalFullWidth", 12, "１２"), ("decimalEnclosedCircle", 20, "⑳"), ("decimalEnclosedCircle", 21, "21")],
    ],
)
def test_numbers_as_word_shows_them(form: str, number: int, shown: str) -> None:
    assert FORMATS[form](number) == shown


def test_limits_the_length_of_a_number() -> None:
    """Each of 2,000 paragraphs repeated a text of 60,000 characters: 3 kB took more than 30 s."""
    document, add = numbered(text="%1." * 20_000)
    for _ in range(200):
        add("甲")
    assert max(map(len, lines(document))) < 600


def test_numbers_of_a_style_count_too() -> None:
    document = Document()
    for words in ("一题", "二题"):
        document.add_paragraph(words, style="List Number")
    document.add_paragraph("项", style="List Bullet")
    assert lines(document) == ["1.一题", "2.二题", "项"]


RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        (RUN.format("前 ") + RUN.format(" 后"), "前  后"),
        ("<w:r><w:t>甲</w:t><w:tab/><w:t>乙</w:t><w:br/><w:t>丙</w:t><w:noBreakHyphen/><w:t>丁</w:t></w:r>", "甲\t乙\n丙-丁"),
        ('<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t xml:space="preserve">      </w:t></w:r><w:r><w:t>是</w:t></w:r>', "______是"),
        ('<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:tab/></w:r>', "____"),
        ('<w:r><w:rPr><w:u w:val="none"/></w:rPr><w:t xml:space="preserve">甲  </w:t></w:r>', "甲  "),
        ('<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>心理</w:t></w:r>', "心理"),
        ("<w:del><w:r><w:delText>删</w:delText></w:r></w:del><w:ins><w:r><w:t>增</w:t></w:r></w:ins>", "增"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>藏</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>显</w:t></w:r>", "显"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FB"/></w:r>', "√×"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>3</w:t></w:r>', "3"),
        ("<w:hyperlink><w:r><w:t>链</w:t></w:r></w:hyperlink><w:smartTag><w:r><w:t>签</w:t></w:r></w:smartTag>", "链签"),
        ("<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent><w:r><w:t>控件</w:t></w:r></w:sdtContent></w:sdt>", "控件"),
        ("<w:r><w:ruby><w:rt><w:r><w:t>pin</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>拼</w:t></w:r></w:rubyBase></w:ruby></w:r>", "拼"),
        ('<w:r><w:footnoteReference w:id="2"/><w:t>正文</w:t></w:r>', "正文"),
    ],
    ids=range(14),
)
def test_reads_the_text_of_a_paragraph(inner: str, line: str) -> None:
    assert "\n".join(read_docx("a.docx", saved(with_xml(f"<w:p>{inner}</w:p>"))).lines) == line


BOX = f"""<w:p {nsdecls("w", "wp", "a", "pic")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><w:r><w:t>1．看图：</w:t></w:r><w:r><mc:AlternateContent>
<mc:Choice Requires="wps">
<w:drawing><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp>
</w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>框里</w:t></w:r></w:p></w:txbxContent></w:pict></mc:Fallback>
</mc:AlternateContent></w:r><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>
<w:r><w:t>选（ ）。</w:t></w:r></w:p>"""


def test_text_boxes_follow_their_paragraph_once_and_images_leave_a_placeholder() -> None:
    document = Document()
    document.element.body.insert(0, parse_xml(BOX))
    assert lines(document) == [f"1．看图：{IMAGE}选（ ）。", "框里"]


def table(rows: list[list[str]]) -> Any:
    document = Document()
    grid = document.add_table(len(rows), len(rows[0]))
    for row, cells in zip(grid.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    return document


def zipped(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name, body in parts.items():
            out.writestr(name.replace("__", "/").replace("_xml", ".xml"), body)
    return file.getvalue()


WHOLE = saved(Document())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not a readable docx"),
        (b"plain text", "not a readable docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old or locked Office file"),
        (WHOLE[: len(WHOLE) // 2], "not a readable docx .*; is it complete"),
        (dict(other=b""), "a zip file without word/"),
        (dict(word__document_xml=b"<a/>"), "not a readable docx"),
        (dict(word__document_xml=b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), "declares a document type"),
        (dict(word__document_xml="<!DOCTYPE a><a/>".encode("utf-16")), "declares a document type"),
        (dict(word__document_xml=bytes(50_000_000)), "grows from .* to 50000000 bytes"),
        (dict(word__a_bin=bytes(0), **{f"word__{n}": b"" for n in range(20_001)}), "20002 parts"),
    ],
    ids=range(10),
)
def test_refuses_damaged_documents(body: bytes | dict[str, bytes], message: str) -> None:
    with pytest.raises(Refusal, match=f"a.docx: .*{message}|a.docx: {message}"):
        read_docx("a.docx", zipped(**body) if isinstance(body, dict) else body)


def test_reports_a_locked_zip() -> None:
    body = bytearray(zipped(word__document_xml=b"<a/>"))
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(sign) + place] |= 1
    with pytest.raises(ValueError, match=r"a\.docx: not a readable docx"):
        check_zipped("a.docx", bytes(body), "word/", "docx")


def run_of(text: str, place: str = "") -> str:
    placed = f'<w:rPr><w:vertAlign w:val="{place}"/></w:rPr>' if place else ""
    return f'<w:r>{placed}<w:t xml:space="preserve">{text}</w:t></w:r>'


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ((("12×10", ""), ("9", "superscript"), ("/L", "")), "12×10⁹/L"),
        ((("10", ""), ("-", "superscript"), ("1", "superscript"), ("2", "superscript")), "10⁻¹²"),
        ((("H", ""), ("2", "subscript"), ("O 与 Na", ""), ("+", "superscript")), "H₂O 与 Na⁺"),
        ((("x", ""), ("2", "superscript"), ("3", "subscript")), "x²₃"),
        ((("10", ""), ("9", "baseline")), "109"),
    ],
)
def test_keeps_superscripts_and_subscripts(runs: tuple[tuple[str, str], ...], text: str) -> None:
    assert lines(with_xml(f"<w:p>{''.join(run_of(*run) for run in runs)}</w:p>")) == [text]


M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<m:sSup><m:e>{10}</m:e><m:sup>{9}</m:sup></m:sSup>{/L}", "10⁹/L"),
        ("<m:sSub><m:e>{H}</m:e><m:sub>{2}</m:sub></m:sSub>{O}", "H₂O"),
        ("<m:f><m:num>{1}</m:num><m:den>{2}</m:den></m:f>", "1/2"),
        ("<m:f><m:num>{a+b}</m:num><m:den>{c}</m:den></m:f>", "(a+b)/c"),
        ("<m:rad><m:deg/><m:e>{2}</m:e></m:rad>", "√2"),
        ("<m:d><m:e>{a+b}</m:e></m:d>", "(a+b)"),
        ("{x=1}", "x=1"),
    ],
)
def test_keeps_powers_and_fractions_of_formulas(formula: str, text: str) -> None:
    body = formula.replace("{", "<m:r><m:t>").replace("}", "</m:t></m:r>")
    assert lines(with_xml(f"<w:p>{run_of('值为')}<m:oMath {M}>{body}</m:oMath>{run_of('。')}</w:p>")) == [f"值为{text}。"]


def test_separates_a_list_number_from_a_figure() -> None:
    rows = [[str(n), f"{n}岁儿童有这一特点。", "√×"[n % 2]] for n in range(1, 6)]
    questions = read_paper(lines(table(rows))).questions
    assert [(draft.number, draft.stem, draft.answer) for draft in questions] == [
        (n, f"{n}、{n}岁儿童有这一特点。", "√×"[n % 2]) for n in range(1, 6)
    ]
