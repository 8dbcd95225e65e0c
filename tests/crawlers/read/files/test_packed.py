"""Files that hold pages: slides, books, pages saved in one file, rich text. The same bank in each reads back equal."""

import io
import re
import zipfile
from collections.abc import Callable

import pytest

from atomexam.records.provenance import Provenance
from crawlers.read.containers.documents.by_suffix import rich_page as packed_page
from crawlers.read.containers.files.archives import true_name
from crawlers.read.tables.roles.values import bare
from tests.crawlers.read.files.test_shapes import GOLD, read, triples_of

SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_KEYS = "ABCD"


def _zip(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _lettered(options: list[str]) -> list[str]:
    return [f"{letter}. {text}" for letter, text in zip(_KEYS, options, strict=True)]


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


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("a.odt", _zip({"content.xml": "<a/>"}), "not a readable odt"),
        ("a.odt", _zip({"word/document.xml": "<a/>"}), "not in odt format"),
        ("a.rtf", b"text", "not rich text"),
        ("a.rtf", b"{\\rtf1\\ansicpg99999 a}", "code page 99999"),
    ],
)
def test_a_file_that_is_none_is_refused_by_name(name: str, body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        packed_page(name, body)
    assert name in str(caught.value)


def test_automatic_letters_go_on_behind_z() -> None:
    entries = "".join(f"<text:list-item><text:p>第{n}点</text:p></text:list-item>" for n in range(1, 28))
    assert "<p>AA. 第27点</p>" in packed_page("a.odt", _odt(f'<text:list text:style-name="Letters">{entries}</text:list>'))


@pytest.mark.parametrize("tail", ["", "\\", "{", "}}}}", "\\u99999999999 a", "\\bin-5 a", "\\bin9999999 a", "\\'z", "{" * 2000])
def test_rich_text_with_a_broken_end_is_read_to_there(tail: str) -> None:
    assert "<p>甲" in packed_page("a.rtf", b"{\\rtf1\\ansicpg936 \\u30002? " + tail.encode())


def test_a_text_of_libreoffice_says_what_a_reader_sees() -> None:
    inner = (
        '<text:p>10<text:span text:style-name="High">9</text:span>/L&lt;5<text:note><text:p>注</text:p></text:note>个'
        "<text:tab/>甲<text:line-break/>乙</text:p><text:tracked-changes><text:p>已删</text:p></text:tracked-changes>"
    )
    assert packed_page("a.odt", _odt(inner)) == "<html><body>\n<p>10<sup>9</sup>/L&lt;5个\t甲<br>乙</p>\n</body></html>"


def test_a_text_of_libreoffice_is_told_by_what_stands_in_it() -> None:
    assert true_name("a.bin", _odt("<text:p>甲</text:p>"), (".txt",)) == "a.bin.odt"
