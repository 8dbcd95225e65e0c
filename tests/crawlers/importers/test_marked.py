"""Answers that stand as colour, and papers that stand in tables: the same bank in each form reads back equal."""

import base64
import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from docx import Document
from docx.shared import RGBColor
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.colors import Color

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import account_of
from crawlers.importers.formats import guess_format, read_guessed

_SEEN = Provenance(source="s", url="file:f", snapshot="2026-01-01", page_id="p", position="")
_OPTIONS = [["心", "肝", "脾", "肺"], ["胃", "胆", "肾", "肠"], ["脑", "骨", "皮", "眼"], ["耳", "鼻", "舌", "齿"]] * 3
_GOLD = [(f"第{n}例患者最先受到影响的器官是（ ）", options, n % 4) for n, options in enumerate(_OPTIONS, 1)]


def _book(stand_out: Callable[[Any], None] | None) -> bytes:
    book = Workbook()
    book.active.append(["序号", "题干", "A", "B", "C", "D"] if stand_out else [])
    for n, (stem, options, right) in enumerate(_GOLD, 1):
        if stand_out:
            book.active.append([n, stem, *options])
            stand_out(book.active.cell(n + 1, 3 + right))
            continue
        for line in (
            f"{n}、{stem}",
            *(f"{letter}、{text}" for letter, text in zip("ABCD", options, strict=True)),
            f"答案：{'ABCD'[right]}",
        ):
            book.active.append([line])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _filled(cell: Any) -> None:
    cell.fill = PatternFill("solid", fgColor="FFFF00")


def _red(cell: Any) -> None:
    cell.font = Font(color="FFFF0000", bold=True)


def _of_theme(cell: Any) -> None:
    cell.fill = PatternFill("solid", fgColor=Color(theme=9, tint=0.4))


def _of_palette(cell: Any) -> None:
    cell.font = Font(color=Color(indexed=10))


def _left_unstruck(cell: Any) -> None:
    for column in range(3, 7):
        if column != cell.column:
            cell.parent.cell(cell.row, column).font = Font(strike=True)


_STYLES = {
    "cell": ('table:style-name="ok"', "", "<text:p>{}</text:p>"),
    "parent": ('table:style-name="heir"', "", "<text:p>{}</text:p>"),
    "span": ("", "", '<text:p><text:span text:style-name="red">{}</text:span></text:p>'),
    "struck": ("", 'table:style-name="through"', "<text:p>{}</text:p>"),
    "comment": ("", "", "<office:annotation><text:p>正确答案</text:p></office:annotation><text:p>{}</text:p>"),
}


def _ods(kind: str) -> bytes:
    """Return the bank as .ods, with its right options marked by a style of the cell, of its parent or of its text, or by a comment."""
    right, wrong, inner = _STYLES[kind]
    names = ("office:office", "table:table", "text:text", "style:style", "fo:xsl-fo-compatible")
    spaces = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for key, name in (each.split(":") for each in names)
    )
    styles = (
        '<style:style style:name="ok" style:family="table-cell"><style:table-cell-properties fo:background-color="#92d050"/></style:style>'
        '<style:style style:name="heir" style:family="table-cell" style:parent-style-name="ok"/>'
        '<style:style style:name="red" style:family="text"><style:text-properties fo:color="#ff0000"/></style:style>'
        '<style:style style:name="through" style:family="table-cell">'
        '<style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    plain_text = "<text:p>{}</text:p>"
    plain = f"<table:table-cell>{plain_text}</table:table-cell>"
    rows = ["".join(map(plain.format, ("题干", "A", "B", "C", "D")))]
    for stem, options, at in _GOLD:
        cells = [
            f"<table:table-cell {right if place == at else wrong}>{(inner if place == at else plain_text).format(text)}</table:table-cell>"
            for place, text in enumerate(options)
        ]
        rows.append(plain.format(stem) + "".join(cells))
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>"
        f'<table:table table:name="a">{table}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        parts.writestr("content.xml", content)
    return out.getvalue()


_FILLED_XLS = zlib.decompress(
    base64.b85decode(
        "c-rk*Yitx%6h1S%vpf5s-4+U^Kv}B1OKH12iac5<Nbv<yM56>KWtUb;TT4ZVQHIwag{Y7qYcNRU2Z;%4Of*rWB_@U+CGv+DjV8b^4gOe-21%sjchB4zX6j<Pg_t0{&3E"
        "sdbMN`?y=U%Y_VmIx1(!~KSaO;ArTOHeJ~KoCmrenO*+Ps+mAXFDG;Osxl<ul@Lzdzl`tklWK)mxHpaUTw3`BsaeAjuh97=b8T1_4J>!vs@qjr>Cw2N{{Be7!Kd;_uR8"
        "(_PErlI}^-@iD&#X0T+2D1Of`7ic=zI6pq0Z<4G2Sxxzye5c70mZ;*pad8Lj0MI4rNDR~4om>bfct>^fr-E*U@|ZTm<mh-rUT``44?v-2~+}AKsAs6W&yK-Ilx??2ABs"
        "t!1o!^0$?GqNcx~omIC#7UJ5Ley5%Sv?tybIq~k3HH2Q2<uXyGB?k{6SeBeLJ>*5NqjylEKsBda(j{jF_36G&k5o74VB3+0lg^oj;NAI)tbIup?>O-odc#T}qPpNf0_C"
        "uVPah^xQ{u8$Oo;6iihd=Ntf1NjhLP4dTny8IhX%o)DR<tOgb7Ft(<`!aiD2us9w7R|8N>AU|OUh$>4tHQzG@?yAZO2nRJwy+)rk+auQ932|<?>{Eva6}>67RQD^oJRD"
        "?d_hp&<j%5|2{CinxmfXIsGa4E}NgHTkSLb^;2)5FTaI;+AZ{<ta{BJkA4e%gH-#gBS%#1U4u+f#ta{q1xA3&Lc`DHa3jd&2tzXuW6#&v_X_bvAv1Anum%r?P|3_NI4A"
        "MY)6;{(pmf@#bRvbOz0`~LDg2qDVG44u$#$mXwD=53XILGgjj-#5y=kT?4cSb?7QAL}ni46K61}~2_`)j4ut)<b(5KRL^ypDs2q{XWQ+zQbfHVWT1Z<($$S1)8+-IlRh"
        "Z;4uB$M3-anLFFJFDmb(V9aFU8SeRb(dMqP6=d+$+|1;pFeISD3TEe(wBHMI_*(#ed;|5E*ia#N`H-67pRVlRL2FWU&Frti~dxX$V(7M)NAXnHKI6ntZO~^76VIwdSGc"
        "Gg?v>0Vimo*^4*P^L0cLg|F*Gm^>Z7}ui3w&W$m$NW~Owkm5?cBV;w7^RKD7P>}><tqCLnyH6&4W&P0OaYmt2+vUhBvM6N^yVjQR6LUv{cvIQ?lqFK2TCB!)9pFkGfi)"
        "{A^Ni;hrB55>dFh+9+V^lL3qj@<Q4YwCd<$%q6ZnLVvnN{axX5!Pbj1Fnmr)9HV1l&Agi)5*a?@#MHCFc1~iDIUku{FibUclQihD|r4e(cpNb4qGAu->?NMAAfY5>mOc"
        "2Q_E?)7WA<=X<%W{r$R+b^AG=<k<gIJK6O-#d*%uPIWz>#Dqc^74b2mqPKFTI2zb@cH^a5yHw~2)adjQPn(oi^n5wfJT9yli<qIV#^iIk^%bGyvrfsPQ?uxNS#<s^IxU"
        "MXkVO~FqSLeJLRoa-EV@V*U9_L>23y+8!IBh6iX*AK25iX($>&IZNPb7sAc?uYj5Ve3ub6<WQ<(Fnq(TZhk`KRWbVu@|F62lWq_E^vnKLZwROXC0lHiOwk`K}_NAjbGJ"
        "Vz3o`I6JeoOYd$Ib)6_I13y}a27g}80T<D($K>Q$?0cKyQQBwiyTQs%aM*GI7c~>;4F3|G0xGFQ)5osPGimzM{@g9^Y~Nq_*3)vGr*iSOMp4YIFj3+0gpce9)AWr{tPl"
        "_sjLe!=U7K_`!neAXVBx%pvRv&bC$_EojJ!jlG~rU$Dg{#pSs7NA?BPU>q5*~>PT*XhCKcZdHfmj_%qC$(_~$kImbJa+n-^NKf@k>hCTj_FlU9Vi!f*0k=*`_c>Edh_%"
        "q`1XOuasWnGjxCpePZpHYuLqaJ@o9e@5ptHc?RX|V2yj4nUd#74krk*VbV{Fy1N4`pImq9!VZ*-qGqwZ2F#q>lsEPfrnB*vzfQ$<xQ~0BH-p^|t74BE^o>gl{|cqfnpe"
        "3tKUun66sC1+1zE#ZGy&wYjTfdq=7}zHDc6vMoMu?u<1}o04s9N#0ybT2rZ-+v}gy+p+I6iBH=symaZniQlfTY>B=1hECHbfApPrOUGnvN|Ao|%Q#Jl;}n)hTV%YdTgI"
        "#md8Zzfv96zQSTQJJ)6to1@7%SsjbvO(m2ssy*I54XynANj`ImoG+|PG<{z9W(Jb&?c#hBQUH!=V6>t{rKO6#XvC*y4P50IE^j*rN=9?4jnB4c8zoQECz6TVv9*||2^w"
        "Y{~Y-RmRa-$X?f4W<8Qx|8vLUVr`0plmi`P1eb<-IM6Oi?-4x9>><4$6v_bRn|H+bBL?&&9~2)di1-EI%y@w@a&-a_qk&51F@+ERygO}N@}Czpx>XkwR4UCFP5=-8TX*"
        ")G5>AU#P5CuRzZs2iO_UYE1ui`g=>oJU(3P&BHVG#>3=DDXy!2_c?IS+o|-|-Uo6VgL;wHb^f!S4;=K"
    )
)
"""The bank with fills as old Excel stores them, written by LibreOffice."""


def _paper(kind: str) -> bytes:
    document = Document()
    for n, (stem, options, right) in enumerate(_GOLD, 1):
        if kind == "cards":
            rows = [["题号", str(n)], ["题干", stem], *([f"选项{letter}", text] for letter, text in zip("ABCD", options, strict=True))]
            _table(document, [*rows, ["答案", "ABCD"[right]]])
            continue
        document.add_paragraph(f"{n}. {stem}")
        for place, text in enumerate(options):
            run = document.add_paragraph().add_run(f"{'ABCD'[place]}. {text}")
            if kind == "red" and place == right:
                run.font.color.rgb = RGBColor(255, 0, 0)
            run.underline = kind == "underlined" and place == right
    if kind == "key":
        for start in (0, 6):
            part = range(start, start + 6)
            _table(document, [[str(n + 1) for n in part], ["ABCD"[_GOLD[n][2]] for n in part]])
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _table(document: Any, rows: list[list[str]]) -> None:
    table = document.add_table(len(rows), len(rows[0]))
    for row, words in zip(table.rows, rows, strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    document.add_paragraph("")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("fill.xlsx", _book(_filled)),
        ("red.xlsx", _book(_red)),
        ("theme.xlsx", _book(_of_theme)),
        ("palette.xlsx", _book(_of_palette)),
        ("struck.xlsx", _book(_left_unstruck)),
        ("fill.xls", _FILLED_XLS),
        *((f"{kind}.ods", _ods(kind)) for kind in _STYLES),
        ("lines.xlsx", _book(None)),
        ("red.docx", _paper("red")),
        ("underlined.docx", _paper("underlined")),
        ("key.docx", _paper("key")),
        ("cards.docx", _paper("cards")),
    ],
)
def test_answers_that_no_column_holds(name: str, body: bytes) -> None:
    told, reading = read_guessed(name, body, guess_format(name, body), _SEEN)
    assert account_of(name, body, told, reading).unread_share < 0.05
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    found = [([option.lstrip("ABCD.、 ") for option in item.options_raw or []], item.answer_raw) for item in items]
    assert found == [(options, "ABCD"[right]) for _, options, right in _GOLD]


def test_colours_on_every_option_say_nothing() -> None:
    book = Workbook()
    book.active.append(["题干", "A", "B", "C", "D"])
    for stem, options, _ in _GOLD:
        book.active.append([stem, *options])
        for column in range(2, 6):
            _red(book.active.cell(book.active.max_row, column))
    out = io.BytesIO()
    book.save(out)
    _, reading = read_guessed("b.xlsx", out.getvalue(), "table", _SEEN)
    assert not any(item.answer_raw for item in reading.items if isinstance(item, QuestionItem))
