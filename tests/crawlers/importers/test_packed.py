"""Files that hold pages: slides, books, pages saved in one file, rich text. The same bank in each reads back equal."""

import email.mime.multipart
import email.mime.text
import html
import io
import re
import zipfile
from collections.abc import Callable

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.column_roles.values import bare
from crawlers.coverage.files import account_of
from crawlers.importers.documents.packed_pages import packed_page
from crawlers.importers.files.kinds import true_name
from crawlers.importers.formats import guess_format, read_guessed
from tests.crawlers.importers.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_KEYS = "ABCD"


def _zip(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _shape(paragraphs: list[str], kind: str = "") -> str:
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    return f"<p:sp>{place}<p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def _paragraph(text: str, said: str = "", before: str = "") -> str:
    return f"<a:p>{before}<a:r><a:rPr>{said}</a:rPr><a:t>{html.escape(text)}</a:t></a:r></a:p>"


def _slides(slides: list[list[str]], notes: dict[int, str] | None = None) -> bytes:
    """Return a presentation; its slides are numbered backwards, so that the files' names say nothing of their order."""
    names = [f"slides/slide{len(slides) - place}.xml" for place in range(len(slides))]
    related = "".join(f'<r Id="r{n}" Target="{name}"/>' for n, name in enumerate(names))
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(slides)))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f"<R>{related}</R>",
    }
    for n, (name, shapes) in enumerate(zip(names, slides, strict=True)):
        parts[f"ppt/{name}"] = f"<p:sld {_A} {_P}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"
        if notes and n in notes:
            parts[f"ppt/slides/_rels/{name[7:]}.rels"] = f'<R><r Id="r1" Target="../notesSlides/notesSlide{n}.xml"/></R>'
            inner = _shape([_paragraph(notes[n])], "body") + _shape([_paragraph("7")], "sldNum")
            parts[f"ppt/notesSlides/notesSlide{n}.xml"] = f"<p:notes {_A} {_P}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:notes>"
    return _zip(parts)


def _lettered(options: list[str]) -> list[str]:
    return [f"{letter}. {text}" for letter, text in zip(_KEYS, options, strict=True)]


def _plain_slides() -> bytes:
    slides = [[_shape([_paragraph("课堂练习")])]]
    for n, (stem, options, right) in enumerate(GOLD, 1):
        slides.append([_shape([_paragraph(f"{n}. {stem}")]), _shape([_paragraph(each) for each in _lettered(options)])])
        slides.append([_shape([_paragraph(f"答案：{_KEYS[right]}")])])
    return _slides(slides)


def _numbered_slides() -> bytes:
    """Return slides whose options have automatic letters, and whose notes say the answers."""
    auto = '<a:pPr><a:buAutoNum type="alphaUcPeriod"/></a:pPr>'
    slides = [
        [_shape([_paragraph(f"{n}. {stem}")]), _shape([_paragraph(each, before=auto) for each in options])]
        for n, (stem, options, _) in enumerate(GOLD, 1)
    ]
    return _slides(slides, {n: f"答案：{_KEYS[right]}" for n, (_, _, right) in enumerate(GOLD)})


def _red_slides() -> bytes:
    red = '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>'
    slides = []
    for n, (stem, options, right) in enumerate(GOLD, 1):
        said = [_paragraph(each, red if at == right else "") for at, each in enumerate(_lettered(options))]
        slides.append([_shape([_paragraph(f"{n}. {stem}"), *said])])
    return _slides(slides)


def _list_page(right: str) -> str:
    page = ""
    for n, (stem, options, key) in enumerate(GOLD, 1):
        entries = "".join((right if at == key else "<li>{}</li>").format(each) for at, each in enumerate(options))
        page += f"<div class='q'><h3>{n}. {stem}</h3><ol>{entries}</ol></div>"
    return page


def _line_page() -> str:
    return "".join(
        f"<p>{n}. {stem}</p>{''.join(f'<p>{each}</p>' for each in _lettered(options))}<p>答案：{_KEYS[right]}</p>"
        for n, (stem, options, right) in enumerate(GOLD, 1)
    )


def _book(pages: list[str], style: str = "") -> bytes:
    """Return a book; its pages stand in its spine against the order of their names."""
    names = [f"text/{len(pages) - place}.xhtml" for place in range(len(pages))]
    items = "".join(f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(names))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(names)))
    css = '<item id="css" href="a.css" media-type="text/css"/>' if style else ""
    head = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head>'
    return _zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
            "OEBPS/content.opf": f"<package><manifest>{items}{css}</manifest><spine>{spine}</spine></package>",
            "OEBPS/a.css": style,
            **{f"OEBPS/{name}": f"{head}<body>{page}</body></html>" for name, page in zip(names, pages, strict=True)},
        }
    )


def _saved(page: str, charset: str) -> bytes:
    message = email.mime.multipart.MIMEMultipart("related", type="text/html")
    message.attach(email.mime.text.MIMEText(f"<html><body>{page}</body></html>", "html", charset))
    message.attach(email.mime.text.MIMEText("<html><body><p>1. 广告？</p></body></html>", "html", charset))
    return message.as_bytes()


def _rich(text: str, head: str, escape: Callable[[str], str]) -> bytes:
    body = "".join(escape(sign) if sign > "~" else {"\n": "\\par\n"}.get(sign, sign) for sign in text)
    return f"{{\\rtf1\\ansi{head}{{\\*\\generator x;}}{{\\pict\\bin5 {{{{}}}}a}}\\f0\\fs24 {body}}}".encode("ascii")


def _by_code(sign: str) -> str:
    return f"\\u{ord(sign) if ord(sign) < 32768 else ord(sign) - 65536}?"


def _by_byte(sign: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in sign.encode("gb18030"))


_OASIS = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "style": "style", "table": "table", "fo": "xsl-fo-compatible",
    }.items()
)  # fmt: skip
_STYLES = """<office:automatic-styles>
<style:style style:name="Red"><style:text-properties fo:color="#c00000"/></style:style>
<style:style style:name="High"><style:text-properties style:text-position="super 58%"/></style:style>
<text:list-style style:name="Letters">
<text:list-level-style-number text:level="1" style:num-format="A" style:num-suffix="."/></text:list-style>
</office:automatic-styles>"""


def _odt(inner: str) -> bytes:
    body = f"<office:body><office:text>{inner}</office:text></office:body>"
    content = f"<office:document-content {_OASIS}>{_STYLES}{body}</office:document-content>"
    return _zip({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _odt_page(option: str, right: str, form: str = "{}", answer: str = "") -> bytes:
    said = ""
    for n, (stem, options, key) in enumerate(GOLD, 1):
        entries = "".join((right if at == key else option).format(each, letter=_KEYS[at]) for at, each in enumerate(options))
        said += f"<text:h>{n}.<text:s/>{stem}</text:h>{form.format(entries)}{answer.format(_KEYS[key])}"
    return _odt(said)


def _odt_table() -> bytes:
    rows = [["题号", "题目", "A", "B", "C", "D", "答案"]]
    rows += [[str(n), stem, *options, _KEYS[right]] for n, (stem, options, right) in enumerate(GOLD, 1)]
    cells = ("".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row) for row in rows)
    return _odt(f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in cells)}</table:table>")


_TEXT = "".join(
    f"{n}. {stem}\n" + "\n".join(_lettered(options)) + f"\n答案：{_KEYS[right]}\n" for n, (stem, options, right) in enumerate(GOLD, 1)
)
_RED = "".join(
    f"{n}. {stem}\n" + "".join(f"{{\\cf1 {each}}}\n" if at == right else f"{each}\n" for at, each in enumerate(_lettered(options)))
    for n, (stem, options, right) in enumerate(GOLD, 1)
)
_FONTS = "{\\fonttbl{\\f0\\fnil\\fcharset134 \\'cb\\'ce\\'cc\\'e5;}}"
FORMS: dict[str, bytes] = {
    "plain.pptx": _plain_slides(),
    "notes.pptx": _numbered_slides(),
    "red.pptx": _red_slides(),
    "lines.epub": _book([_line_page()[: _line_page().index("<p>4. ")], _line_page()[_line_page().index("<p>4. ") :]]),
    "lists.epub": _book([_list_page('<li class="zq">{}</li>')], ".zq {color: #c00}"),
    "lines.mht": _saved(_line_page(), "utf-8"),
    "lists.mhtml": _saved(_list_page('<li class="correct">{}</li>'), "gb2312"),
    "lines.odt": _odt_page(line := "<text:p>{letter}. {}</text:p>", line, answer="<text:p>答案：{}</text:p>"),
    "lists.odt": _odt_page(
        entry := "<text:list-item><text:p>{}</text:p></text:list-item>",
        entry,
        '<text:list text:style-name="Letters">{}</text:list>',
        "<text:p>答案：{}</text:p>",
    ),
    "red.odt": _odt_page(line, '<text:p><text:span text:style-name="Red">{letter}. {}</text:span></text:p>'),
    "table.odt": _odt_table(),
    "codes.rtf": _rich(_TEXT, "\\ansicpg936\\uc1", _by_code),
    "bytes.rtf": _rich(_TEXT, "\\ansicpg936", _by_byte),
    "fonts.rtf": _rich(_TEXT, "\\ansicpg1252" + _FONTS, _by_byte),
    "red.rtf": _rich(_RED, "\\ansicpg936{\\colortbl ;\\red200\\green0\\blue0;}", _by_byte),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_bank_is_read_right(name: str) -> None:
    found = [
        (re.sub(r"^\d{1,2}\.\s?", "", stem), [bare(option) for option in options], key if key in _KEYS else _KEYS[options.index(key)])
        for stem, options, key in triples_of(read(name, FORMS[name]))
    ]
    assert found == [(stem, options, _KEYS[right]) for stem, options, right in GOLD]


@pytest.mark.parametrize("name", FORMS)
def test_each_character_is_counted(name: str) -> None:
    kind, reading = read_guessed(name, FORMS[name], guess_format(name, FORMS[name]), SEEN)
    assert account_of(name, FORMS[name], kind, reading).difference == 0


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("a.pptx", b"no zip", "not a readable pptx"),
        ("a.pptx", _zip({"word/document.xml": "<a/>"}), "not in pptx format"),
        ("a.pptx", _zip({"ppt/slides/slide1.xml": "<a/>"}), "not a readable pptx"),
        ("a.pptx", _zip({"ppt/presentation.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}), "document type"),
        ("a.epub", _zip({"META-INF/container.xml": "<container/>"}), "not in it"),
        ("a.epub", _book([]), "no pages"),
        ("a.odt", _zip({"content.xml": "<a/>"}), "not a readable odt"),
        ("a.odt", _zip({"word/document.xml": "<a/>"}), "not in odt format"),
        ("a.mht", b"Content-Type: image/png\n\nx", "no page in it"),
        ("a.rtf", b"text", "not rich text"),
        ("a.rtf", b"{\\rtf1\\ansicpg99999 a}", "code page 99999"),
    ],
)
def test_a_file_that_is_none_is_refused_by_name(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        packed_page(name, body)
    assert name in str(caught.value)


def test_automatic_letters_go_on_behind_z() -> None:
    auto = '<a:pPr><a:buAutoNum type="alphaLcPeriod"/></a:pPr>'
    assert "<p>aa. 第27点</p>" in packed_page("a.pptx", _slides([[_shape([_paragraph(f"第{n}点", before=auto) for n in range(1, 28)])]]))
    entries = "".join(f"<text:list-item><text:p>第{n}点</text:p></text:list-item>" for n in range(1, 28))
    assert "<p>AA. 第27点</p>" in packed_page("a.odt", _odt(f'<text:list text:style-name="Letters">{entries}</text:list>'))


def test_hidden_slides_and_footers_are_left_out() -> None:
    shapes = [_shape([_paragraph("1. 题")]), _shape([_paragraph("第3页")], "sldNum"), _shape([_paragraph("某学院")], "ftr")]
    page = packed_page("a.pptx", _slides([shapes]))
    assert "1. 题" in page and "第3页" not in page and "某学院" not in page


@pytest.mark.parametrize("name", [name for name in FORMS if name.endswith((".pptx", ".epub"))])
def test_a_file_cut_short_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        packed_page(name, FORMS[name][: len(FORMS[name]) // 2])


@pytest.mark.parametrize("tail", ["", "\\", "{", "}}}}", "\\u99999999999 a", "\\bin-5 a", "\\bin9999999 a", "\\'z", "{" * 2000])
def test_rich_text_with_a_broken_end_is_read_to_there(tail: str) -> None:
    assert "<p>甲" in packed_page("a.rtf", b"{\\rtf1\\ansicpg936 \\u30002? " + tail.encode())


_NOTES = ["第三章 循环系统", "1. 心的位置和外形", "2. 血管的分布", "A. 动脉", "B. 静脉", "3. 小结：复习课本第40页"]
FOREIGN = {
    "lecture.pptx": _slides([[_shape([_paragraph(line) for line in _NOTES])] for _ in range(6)]),
    "novel.epub": _book([f"<h2>第{n}回</h2><p>话说那年秋天，“你往哪里去？”他问。</p><p>众人都不言语。</p>" for n in range(8)]),
    "news.mht": _saved("".join(f"<p>{n}. 本市第{n}条公交线路调整，乘客可到车站询问。</p>" for n in range(1, 9)), "utf-8"),
    "contract.rtf": _rich("".join(f"第{n}条 甲方应当按期付款，乙方应当按期交货。\n" for n in range(1, 9)), "\\ansicpg936", _by_byte),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_that_are_no_banks_give_nothing(name: str) -> None:
    try:
        _, reading = read_guessed(name, FOREIGN[name], guess_format(name, FOREIGN[name]), SEEN)
    except ValueError as error:
        assert name in str(error)
        return
    assert not [item for item in reading.items if isinstance(item, QuestionItem) and not item.doubt]


def test_a_text_of_libreoffice_says_what_a_reader_sees() -> None:
    inner = (
        '<text:p>10<text:span text:style-name="High">9</text:span>/L&lt;5<text:note><text:p>注</text:p></text:note>个'
        "<text:tab/>甲<text:line-break/>乙</text:p><text:tracked-changes><text:p>已删</text:p></text:tracked-changes>"
    )
    assert packed_page("a.odt", _odt(inner)) == "<html><body>\n<p>10<sup>9</sup>/L&lt;5个\t甲<br>乙</p>\n</body></html>"


def test_a_text_of_libreoffice_is_told_by_what_stands_in_it() -> None:
    assert true_name("a.bin", _odt("<text:p>甲</text:p>"), (".txt",)) == "a.bin.odt"
