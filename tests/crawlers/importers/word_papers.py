"""Papers for Word, as a docx made here and as a .doc beside it in word/ that an office program made of the same docx.

`python -m tests.crawlers.importers.word_papers FOLDER` writes the docx; `soffice --headless --convert-to doc *.docx` makes the others.
"""

import io
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Inches, RGBColor

FOLDER = Path(__file__).parent / "word"
_SPACE = nsdecls("w")
_LEVEL = '<w:lvl w:ilvl="{}"><w:start w:val="{}"/><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
_LISTS = {
    1: (_LEVEL.format(0, 1, "decimal", "%1."), _LEVEL.format(1, 1, "upperLetter", "%2."), _LEVEL.format(2, 1, "decimal", "%1.%3)")),
    2: (_LEVEL.format(0, 1, "chineseCountingThousand", "%1、"),),
    3: (_LEVEL.format(0, 1, "bullet", "•"),),
    4: (_LEVEL.format(0, 7, "decimal", "（%1）"),),
}
_THINGS = ("木尺", "铜镜", "陶罐", "纸伞")


def _document() -> Any:
    document = Document()
    part = document.part.numbering_part.element
    part.clear()
    shapes = "".join(
        f'<w:abstractNum w:abstractNumId="{n}"><w:multiLevelType w:val="multilevel"/>{"".join(each)}</w:abstractNum>'
        for n, each in _LISTS.items()
    )
    uses = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in _LISTS)
    part.extend(parse_xml(f"<w:numbering {_SPACE}>{shapes}{uses}</w:numbering>"))
    return document


def _number(holder: Any, number: int, level: int = 0) -> None:
    xml = f'<w:numPr {_SPACE}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    holder.get_or_add_pPr().append(parse_xml(xml))


def _numbered(document: Any, words: str, number: int, level: int = 0) -> Any:
    paragraph = document.add_paragraph(words)
    _number(paragraph._p, number, level)
    return paragraph


def numbered() -> Any:
    """Return a paper with automatic numbers and letters, and red answers."""
    document = _document()
    document.add_paragraph("自编练习卷")
    _numbered(document, "请在每题后面写上字母", 3)
    _numbered(document, "单项选择题", 2)
    for at in range(6):
        _numbered(document, f"第{at + 1}间仓库里放在窗边的物件是（　）", 1)
        for place, thing in enumerate(_THINGS):
            run = _numbered(document, "", 1, 1).add_run(f"{thing}{at + 1}号")
            if place == at % 4:
                run.font.color.rgb = RGBColor(255, 0, 0)
    _numbered(document, "判断题", 2)
    for at in range(4):
        _numbered(document, f"第{at + 1}条小路通往河边的磨坊。（{'√×'[at % 2]}）", 4)
    return document


def tables() -> Any:
    """Return a table of questions, one with merged cells and a table within, and a key."""
    document = _document()
    document.add_paragraph("表格练习卷")
    rows = [("题号", "题干", "A", "B", "C", "D", "答案")]
    rows += [(str(n), f"第{n}个木箱里装的是什么？", *(f"{thing}{n}" for thing in _THINGS), "ABCD"[n % 4]) for n in range(1, 6)]
    _filled(document.add_table(rows=6, cols=7), rows)
    document.add_paragraph("另一张表")
    table = document.add_table(rows=4, cols=3)
    _filled(table, [[f"格{row}{column}" for column in range(3)] for row in range(4)])
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 2).merge(table.cell(2, 2))
    _filled(table.cell(3, 1).add_table(rows=2, cols=2), [["内甲", "内乙"], ["内丙", "内丁"]])
    table.cell(3, 1).add_paragraph("表后")
    document.add_paragraph("参考答案")
    _filled(document.add_table(rows=2, cols=5), ["12345", "BCDAB"])
    return document


def _filled(table: Any, rows: Any) -> None:
    for at, row in enumerate(rows):
        for column, words in enumerate(row):
            table.cell(at, column).text = words


def mixed() -> Any:
    """Return what Word keeps beside the words: raised and hidden text, blanks, images, symbols, fields, changes, a text box, a style."""
    document = _document()
    add = document.add_paragraph
    add("杂项练习卷")
    paragraph = add("1. 每平方米10")
    for words, face in (
        ("9", "superscript"),
        ("粒沙，水写作H", ""),
        ("2", "subscript"),
        ("O的杯子是（", ""),
        ("    ", "underline"),
        ("）", ""),
    ):
        run = paragraph.add_run(words)
        if face:
            setattr(run if face == "underline" else run.font, face, True)
    add("A. 红杯")
    add("B. ").add_run("蓝杯").bold = True
    add("C. 灯").add_run("藏起来的字").font.hidden = True
    add("D. 看图").add_run().add_picture(_image(), width=Inches(0.3))
    paragraph = add("答案：B")
    paragraph.add_run().add_break()
    paragraph.add_run("解析：换行后的话\t制表")
    paragraph = add("2. 下列说法")
    paragraph.add_run("标黄").font.highlight_color = WD_COLOR_INDEX.YELLOW
    paragraph.add_run("的是？")
    _put(paragraph, '<w:r><w:t>连字</w:t><w:noBreakHyphen/><w:t>符𠮷😀</w:t><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>')
    change = 'w:author="x" w:date="2026-01-01T00:00:00Z"'
    removed = f'<w:del w:id="1" {change}><w:r><w:delText>删去的字</w:delText></w:r></w:del>'
    _put(add("A. "), removed, f'<w:ins w:id="2" {change}><w:r><w:t>添上的字</w:t></w:r></w:ins>')
    signs = {kind: f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")}
    code = '<w:r><w:instrText xml:space="preserve"> HYPERLINK "http://example.org/" </w:instrText></w:r>'
    _put(add("B. 见"), signs["begin"], code, signs["separate"], "<w:r><w:t>那一页</w:t></w:r>", signs["end"])
    add("C. 英文 letters & <tags> “引号” – é")
    add("D. 末项")
    add("答案：C")
    document.add_section()
    add("新的一节")
    document.sections[0].header.paragraphs[0].text = "页眉的字"
    box = "".join(f"<w:p><w:r><w:t>框里的第{n}行</w:t></w:r></w:p>" for n in "一二")
    shape = (
        f'<v:shape type="#_x0000_t202" style="position:absolute;width:100pt;height:40pt"><v:textbox><w:txbxContent>{box}</w:txbxContent>'
    )
    _put(add("图旁"), f'<w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml">{shape}</v:textbox></v:shape></w:pict></w:r>')
    add("最后一行")
    style = document.styles["List Number"].element
    style.remove(style.pPr)
    _number(style, 4)
    for sign in "甲乙丙":
        add(f"样式编号{sign}", style="List Number")
    return document


def _put(paragraph: Any, *parts: str) -> None:
    for xml in parts:
        tag, rest = xml.split(">", 1)
        closed = "/" if tag.endswith("/") else ""
        paragraph._p.append(parse_xml(f"{tag.rstrip('/')} {_SPACE}{closed}>{rest}"))


def _image() -> io.BytesIO:
    def part(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + b"\x80\x10\x10" * 8 for _ in range(8))
    head = part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))


PAPERS = {"numbered": numbered, "tables": tables, "mixed": mixed}


def docx_bytes(name: str) -> bytes:
    """Return one of the papers as a docx."""
    file = io.BytesIO()
    PAPERS[name]().save(file)
    return file.getvalue()


if __name__ == "__main__":
    for paper in PAPERS:
        (Path(sys.argv[1]) / f"{paper}.docx").write_bytes(docx_bytes(paper))
