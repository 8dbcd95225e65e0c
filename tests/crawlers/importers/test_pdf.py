"""PDFs to lines: reading order, columns, headers and footers, images, scans, and what is no sound PDF. Printed by a real browser."""

import base64
import math
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from atomexam.runtime import budgets
from crawlers.importers.documents import pdf
from crawlers.importers.documents.pdf import read_pdf, read_pdf_guarded
from crawlers.importers.documents.pdf_margins import PageGlyphs, without_margins
from crawlers.importers.documents.pdf_rows import Glyph, glyphs_of, rows_of
from crawlers.papers.paper import read_paper
from crawlers.papers.signs.answer_marks import IMAGE

STYLE = '<meta charset="utf-8"><style>body{font-family:"Noto Serif CJK SC",serif;font-size:11pt} p{margin:3pt 0}</style>'
LONG = "下列关于心理现象及其发生发展规律的各种说法之中，最为符合现代心理科学基本观点而与{}有关的一项是（ ）。"
WORDS = (
    "感觉",
    "知觉",
    "记忆",
    "思维",
    "想象",
    "情绪",
    "情感",
    "意志",
    "需要",
    "动机",
    "能力",
    "气质",
    "性格",
    "注意",
    "言语",
    "意识",
    "兴趣",
)
SHORT = "属于{}的是（ ）。"


def png(width: int, height: int) -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xc8\x64\x32" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    whole = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return f'<img width={width} height={height} src="data:image/png;base64,{base64.b64encode(whole).decode()}">'


def words(number: int) -> tuple[str, ...]:
    """Return four options that differ from question to question, as those of a paper do."""
    return tuple(
        f"{letter}.{first}{WORDS[(number * step) % len(WORDS)]}"
        for letter, first, step in zip("ABCD", "甲乙丙丁", (1, 3, 7, 9), strict=True)
    )


def question(number: int, stem: str, side_by_side: bool) -> str:
    a, b, c, d = words(number)
    options = f"<table width=100%><tr><td>{a}<td>{b}<tr><td>{c}<td>{d}</table>" if side_by_side else f"<p>{a}<p>{b}<p>{c}<p>{d}"
    return f"<p>{number}．{stem.format(WORDS[number % len(WORDS)])}</p>{options}<p>答案：{'ABCD'[number % 4]}</p>"


def wanted(count: int, stem: str) -> str:
    """Return what the lines of so many questions are when put together."""
    questions = (
        f"{number}．{stem.format(WORDS[number % len(WORDS)])}{''.join(words(number))}答案：{'ABCD'[number % 4]}"
        for number in range(1, count + 1)
    )
    return "".join(questions).replace(" ", "")


def together(lines: list[str]) -> str:
    return re.sub(r"\s", "", "".join(lines))


@pytest.fixture(scope="module")
def printed(browser) -> Iterator[Callable[..., bytes]]:
    """Print a page to PDF; `margins` gives every sheet a header and a numbered footer."""
    fonts = shutil.which("fc-list")
    if fonts is None or not subprocess.run([fonts, ":lang=zh"], capture_output=True, check=True).stdout:
        pytest.skip("no Chinese font on this machine (Debian: fonts-noto-cjk), so no paper was printed")
    page = browser.new_page()
    center = 'style="font-size:8px;width:100%;text-align:center"'
    around = {
        "display_header_footer": True,
        "header_template": f"<div {center}>某大学期末考试</div>",
        "footer_template": f"<div {center}>第<b class=pageNumber></b>页 共<b class=totalPages></b>页</div>",
        "margin": {"top": "60px", "bottom": "60px", "left": "50px", "right": "50px"},
    }

    def to_pdf(html: str, margins: bool = False) -> bytes:
        page.set_content(STYLE + html)
        return page.pdf(format="A4", **(around if margins else {}))

    yield to_pdf
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("stem", [LONG, SHORT])
@pytest.mark.parametrize("side_by_side", [True, False])
@pytest.mark.parametrize("columns", [1, 2])
def test_a_printed_paper_gives_its_questions(printed: Callable[..., bytes], stem: str, side_by_side: bool, columns: int) -> None:
    body = "".join(question(number, stem, side_by_side) for number in range(1, 41))
    head = '<h1 style="text-align:center">心理学基础知识考试试卷</h1>'
    html = f'{head}<div style="columns:{columns};column-gap:30px"><p>一、单项选择题</p>{body}</div>'
    text = read_pdf("a.pdf", printed(html, margins=True))
    assert together(text.lines) == "心理学基础知识考试试卷一、单项选择题" + wanted(40, stem)
    assert set(text.dropped) == {"某大学期末考试"} | {row for row in text.dropped if row.startswith("第")}
    assert "某大学期末考试" not in text.lines and text.lines[0] == "心理学基础知识考试试卷"


def _columns(body: str, style: str = "column-gap:30px") -> str:
    return f'<h2 style="text-align:center">心理学基础知识考试试卷</h2><div style="columns:2;{style}">{body}</div>'


@pytest.mark.slow
@pytest.mark.parametrize("style", ["column-gap:10px", "column-gap:30px;column-rule:1px solid", "column-gap:90px"])
def test_columns_are_told_by_any_gutter(printed: Callable[..., bytes], style: str) -> None:
    body = "".join(question(number, LONG, side_by_side=False) for number in range(1, 13))
    assert together(read_pdf("a.pdf", printed(_columns(body, style))).lines) == "心理学基础知识考试试卷" + wanted(12, LONG)


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["border:1px solid #888", ""])
@pytest.mark.parametrize("answer", ["答案 {}", "【答案】{}", "答案：{}"])
def test_cards_with_their_answers_beside_them_are_rows(printed: Callable[..., bytes], frame: str, answer: str) -> None:
    why = "这种说法把心理现象和它的物质基础分开了，所以不对。" * 3
    cards = "".join(
        f'<div style="display:flex;{frame};margin:5pt 0;break-inside:avoid"><div style="width:65%">'
        + "".join(f"<p>{line}</p>" for line in (f"{number}. {LONG.format(WORDS[number])}", *words(number)))
        + f'</div><div style="width:30%;padding-left:5%"><p>{answer.format("ABCD"[number % 4])}</p>'
        + f"{f'<p>{why}</p>' if number % 3 == 0 else ''}</div></div>"
        for number in range(1, 13)
    )
    drafts = read_paper(read_pdf("a.pdf", printed(f"<h3>卡片</h3>{cards}")).lines).drafts
    assert [(draft.number, draft.answer, draft.doubt) for draft in drafts] == [(n, "ABCD"[n % 4], None) for n in range(1, 13)]
    assert all(len(draft.options) == 4 for draft in drafts)


def test_a_short_right_column_goes_on_with_the_numbers_of_the_left(printed: Callable[..., bytes]) -> None:
    body = "".join(question(number, SHORT, side_by_side=True) for number in range(1, 11))
    text = read_pdf("a.pdf", printed(_columns(body, "column-fill:auto;height:235mm")))
    assert together(text.lines) == "心理学基础知识考试试卷" + wanted(10, SHORT)


@pytest.mark.slow
def test_two_cells_of_a_table_side_by_side_are_columns(printed: Callable[..., bytes]) -> None:
    halves = ("".join(question(number, LONG, side_by_side=False) for number in part) for part in (range(1, 6), range(6, 11)))
    cells = "".join(f"<td style='width:50%;vertical-align:top'>{half}" for half in halves)
    assert together(read_pdf("a.pdf", printed(f"<table width=100%><tr>{cells}</table>")).lines) == wanted(10, LONG)


@pytest.mark.slow
def test_a_short_list_of_answers_below_two_columns_stands_behind_both(printed: Callable[..., bytes]) -> None:
    body = "".join(f"<p>{number}．属于{WORDS[number]}的是（ ）。</p>{'<p>'.join(words(number))}" for number in range(1, 11))
    text = read_pdf("a.pdf", printed(f"{_columns(body)}<p>参考答案</p><p>1.A 2.B 3.C 4.D 5.A</p><p>6.B 7.C 8.D 9.A 10.B</p>"))
    assert text.lines[-3:] == ["参考答案", "1.A 2.B 3.C 4.D 5.A", "6.B 7.C 8.D 9.A 10.B"]
    assert [draft.answer for draft in read_paper(text.lines).drafts] == [*"ABCDABCDAB"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [9, 10])
def test_answers_below_two_columns_may_have_a_blank_at_their_gutter(printed: Callable[..., bytes], count: int) -> None:
    """The last options of nine questions of five lines are in the right column."""
    body = "".join(f"<p>{number}．属于{WORDS[number]}的是（ ）。</p>{'<p>'.join(words(number))}" for number in range(1, count + 1))
    keys = [f"{number}.{'ABCD'[(number - 1) % 4]}" for number in range(1, count + 1)]
    line = f"<p>{' '.join(keys[:5])}<span style='position:absolute;left:52%'>{' '.join(keys[5:])}</span></p>"
    text = read_pdf("a.pdf", printed(f"{_columns(body)}<p>参考答案</p>{line}"))
    assert together(text.lines[-1:]) == "".join(keys)
    drafts = read_paper(text.lines).drafts
    assert [draft.answer for draft in drafts] == [*"ABCDABCDAB"[:count]] and all(len(draft.options) == 4 for draft in drafts)


def test_a_printed_paper_is_read_to_the_end_of_its_wrapped_stems(printed: Callable[..., bytes]) -> None:
    html = "<p>一、单项选择题</p>" + "".join(question(number, LONG, False) for number in range(1, 31))
    questions = read_paper(read_pdf("a.pdf", printed(html, margins=True)).lines).questions
    assert [re.sub(r"\s", "", draft.stem) for draft in questions] == [
        re.sub(r"\s", "", f"{number}．{LONG.format(WORDS[number % len(WORDS)])}") for number in range(1, 31)
    ]
    assert [(tuple(draft.options), draft.answer) for draft in questions] == [(words(number), "ABCD"[number % 4]) for number in range(1, 31)]


def test_columns_whose_lines_do_not_stand_level(printed: Callable[..., bytes]) -> None:
    left = "".join(question(number, LONG, False) for number in range(1, 6))
    right = "".join(question(number, LONG, False) for number in range(6, 11))
    html = (
        f'<div style="display:flex;gap:40px"><div style="width:46%">{left}</div><div style="width:46%;padding-top:9px">{right}</div></div>'
    )
    assert together(read_pdf("a.pdf", printed(html)).lines) == wanted(10, LONG)


def test_a_line_parts_columns_that_stand_near_to_each_other(printed: Callable[..., bytes]) -> None:
    cells = [f"<td width=50% valign=top>{question(number, LONG, False)}</td>" for number in range(1, 17)]
    rows = "".join(f"<tr style=break-inside:avoid>{left}{right}</tr>" for left, right in zip(cells[::2], cells[1::2], strict=True))
    title = '<h2 style="text-align:center">心理学知识 模拟试卷</h2>'  # whose middle is the line's
    text = together(read_pdf("a.pdf", printed(f"{title}<table border=1>{rows}</table>")).lines)
    assert text.startswith("心理学知识模拟试卷1．")
    for number in range(1, 17):
        stem = re.sub(r"\s", "", LONG.format(WORDS[number % len(WORDS)]))
        assert f"{number}．{stem}{''.join(words(number))}答案：" in text


def test_a_short_last_column_is_read_as_the_page_before(printed: Callable[..., bytes]) -> None:
    parts = ["".join(question(number, LONG, False) for number in range(*ends)) for ends in ((1, 6), (6, 11), (11, 16), (16, 17))]
    row = '<div style="display:flex;gap:30px;break-after:page"><div style="width:48%">{}</div><div style="width:48%">{}</div></div>'
    html = row.format(*parts[:2]) + row.format(*parts[2:])
    assert together(read_pdf("a.pdf", printed(html)).lines) == wanted(16, LONG)


@pytest.mark.parametrize("text, meant", [("㬵", "胶"), ("⻓", "长"), ("⼀", "一"), ("ﬁ", "fi"), ("⸺", "——")])
def test_a_glyph_is_the_usual_character_that_looks_so(text: str, meant: str) -> None:
    char = {"text": text, "upright": True, "x0": 0.0, "x1": 10.0, "top": 0.0, "bottom": 10.0}
    assert [glyph.text for glyph in glyphs_of([char], [])] == [meant]


def test_words_signs_and_images_of_a_line(printed: Callable[..., bytes]) -> None:
    image = png(60, 40)
    html = f"<p>1．看图{image}回答，H<sub>2</sub>O 与 big  data 的 <b>关系</b>是（ ）。<p>A.甲{'&emsp;' * 4}B.乙"
    html += f"<p>{png(200, 90)}<p>2．长 见 门 页 马 骨 风 心 一"
    text = read_pdf("a.pdf", printed(html))
    assert text.lines[0].replace(" ", "") == f"1．看图{IMAGE}回答，H₂O与bigdata的关系是（）。"
    assert "big data" in text.lines[0]
    assert text.lines[2] == IMAGE
    assert text.lines[3] == "2．长 见 门 页 马 骨 风 心 一"  # not the radicals ⻓ ⻅ ⻔ that fonts name them


def test_a_scan_says_so_and_a_scanned_page_among_others_is_lost(printed: Callable[..., bytes]) -> None:
    scan = f'<style>@page{{margin:0}}</style><div style="break-after:page;height:1000px">{png(794, 1000)}</div>'
    with pytest.raises(ValueError, match=r"a\.pdf: 1 of 1 pages are images without text: a scan; run OCR"):
        read_pdf("a.pdf", printed(scan))
    text = read_pdf("a.pdf", printed(f"{scan}<p>1．{SHORT.format('感觉')}<p>A.甲<p>B.乙<p>答案：A"))
    assert [(lost.position, lost.reason) for lost in text.lost] == [("page:1", "page_without_text")]
    assert len(read_paper(text.lines).questions) == 1


def tiny(content: bytes, filters: bytes = b"", extra: bytes = b"") -> bytes:
    """Return a PDF of one page with Latin text, written by hand."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n" % (len(content), filters) + content + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer<</Size 6/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (extra, start)


TEXT = b"BT /F1 12 Tf 72 700 Td (1. Which one?) Tj 0 -20 Td (A. this) Tj 0 -20 Td (B. that) Tj ET"


def test_a_tiny_pdf_is_read() -> None:
    assert read_pdf("a.pdf", tiny(TEXT)).lines == ["1. Which one?", "A. this", "B. that"]
    assert read_pdf("a.pdf", tiny(zlib.compress(TEXT), b"/Filter/FlateDecode")).lines == ["1. Which one?", "A. this", "B. that"]
    assert read_pdf("a.pdf", tiny(b"")).lines == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "does not begin like a PDF"),
        (b"PK\x03\x04 a zip", "does not begin like a PDF"),
        (b"%PDF-1.4\nnothing more", "not a readable PDF"),
        (tiny(TEXT)[:200], "not a readable PDF"),
        (tiny(TEXT, extra=b"/Encrypt<</Filter/Unheard/V 9>>/ID[(a)(a)]"), "the PDF is locked|not a readable PDF"),
    ],
    ids=range(5),
)
def test_what_is_no_sound_pdf_is_told(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"a.pdf: ({message})"):
        read_pdf("a.pdf", body)


@pytest.mark.slow
def test_a_pdf_that_unpacks_without_end_or_takes_too_long_ends_alone() -> None:
    packer = zlib.compressobj(9)
    a_gigabyte = b"".join(packer.compress(bytes(10_000_000)) for _ in range(100)) + packer.flush()
    bomb = tiny(zlib.compress(a_gigabyte, 9), b"/Filter[/FlateDecode/FlateDecode]")
    assert len(bomb) < 20_000
    with pytest.raises(ValueError, match=r"a\.pdf: takes more memory"):
        read_pdf_guarded("a.pdf", bomb, budgets.Budget(bytes=600 * 1024 * 1024))
    assert read_pdf_guarded("b.pdf", tiny(TEXT)).lines[1] == "A. this"  # the next file finds a reader
    with pytest.raises(ValueError, match=r"c\.pdf: it takes more than 0\.5 seconds of computing; print it to a new PDF"):
        read_pdf_guarded("c.pdf", tiny(b"0 0 m\n" * 200_000), budgets.Budget(seconds=0.5))
    assert read_pdf_guarded("d.pdf", tiny(TEXT)).lines[1] == "A. this"


def glyphs(text: str, x: float, y: float, height: float = 10.0) -> list[Glyph]:
    return [Glyph(x + place * height, x + (place + 1) * height, y, y + height, glyph) for place, glyph in enumerate(text)]


@pytest.mark.parametrize(
    ("placed", "texts"),
    [
        (glyphs("甲乙", 0, 0) + glyphs("丙", 22, 0), ["甲乙丙"]),
        (glyphs("甲乙", 0, 0) + glyphs("丙", 29, 0), ["甲乙 丙"]),
        (glyphs("甲乙", 0, 0) + glyphs("丙", 60, 0), ["甲乙\t丙"]),
        (glyphs("丙", 0, 20) + glyphs("甲", 0, 0), ["甲", "丙"]),
        (glyphs("甲", 0, 0) + glyphs("2", 10, 5, 6) + glyphs("乙", 16, 0), ["甲2乙"]),
        ([*glyphs("甲", 0, 0), Glyph(10, 20, 0, 10, " "), Glyph(20, 30, 0, 10, "B")], ["甲 B"]),
    ],
)
def test_rows_have_the_blanks_that_the_page_shows(placed: list[Glyph], texts: list[str]) -> None:
    assert [row.text for row in rows_of(placed)] == texts


def sheet(*texts: tuple[float, str]) -> PageGlyphs:
    return PageGlyphs([glyph for top, text in texts for glyph in glyphs(text, 50, top)], 595.0, 842.0)


def test_only_what_repeats_in_its_place_is_a_margin() -> None:
    sheets = [
        sheet(
            (20, "某考试"),
            (60, f"{number}．{WORDS[number]}"),
            (400, "A.甲"),
            (745, "D.都对" if number != 3 else "D.都错"),
            (800, f"- {number} -"),
        )
        for number in range(1, 5)
    ]
    kept, dropped = without_margins(sheets)
    assert [row.text for row in rows_of(kept[2].glyphs)] == ["3．思维", "A.甲", "D.都错"]
    assert dropped == [text for number in range(1, 5) for text in ("某考试", f"- {number} -")]
    assert without_margins([sheet((20, "心理学试卷"), (60, "1．题"), (790, "D.丁"))])[1] == []


def cards(number_of_card: str, a_page: int, header: str) -> list[PageGlyphs]:
    """Return eight pages of cards below a header, each card a number above a word."""
    tops = [60 + 200 * card for card in range(a_page)]
    return [
        sheet(
            (20, header),
            *((top + dy, text) for card, top in enumerate(tops, page * a_page + 1) for dy, text in _card(number_of_card, card)),
        )
        for page in range(8)
    ]


def _card(number_of_card: str, card: int) -> list[tuple[int, str]]:
    return [
        (0, number_of_card.format(card)),
        (40, WORDS[card % len(WORDS)]),
        (80, f"A.{WORDS[card % 5]}"),
        (120, f"答案：{'ABCD'[card % 4]}"),
    ]


@pytest.mark.parametrize("number_of_card", ["NO.{:02}", "第{}题", "卡片{}", "Card {}"])
@pytest.mark.parametrize("header", ["某考试", "2023年考试第1册"])
def test_a_number_that_counts_on_within_pages_is_no_header(number_of_card: str, header: str) -> None:
    assert without_margins(cards(number_of_card, 3, header))[1] == [header] * 8


@pytest.mark.parametrize("number_of_card", ["NO.{:02}", "第{}题", "Q{}"])
def test_the_number_of_a_question_on_a_page_of_its_own_is_no_header(number_of_card: str) -> None:
    assert without_margins(cards(number_of_card, 1, "某考试"))[1] == ["某考试"] * 8


def test_a_header_that_names_the_chapter_is_one_though_chapters_have_it_as_title() -> None:
    sheets = [
        sheet((20, f"Unit {page // 3 + 1}"), *([(300, f"Unit {page // 3 + 1}")] if page % 3 == 0 else []), (500, WORDS[page]))
        for page in range(9)
    ]
    assert without_margins(sheets)[1] == [f"Unit {page // 3 + 1}" for page in range(9)]


@pytest.mark.parametrize("columns", [1, 2])
def test_what_is_set_high_or_low_stays_so(printed: Callable[..., bytes], columns: int) -> None:
    raised, lowered = "12×10<sup>9</sup>/L，10<sup>-12</sup>mol，Na<sup>+</sup>。", "CO<sub>2</sub>与H<sub>2</sub>SO<sub>4</sub>。"
    small = '注<span style="font-size:8pt">12</span>与<ruby>感<rt>gan</rt></ruby>。'
    body = f"<p>{raised}<p>{lowered}<p>{small}"
    text = together(read_pdf("a.pdf", printed(f'<div style="columns:{columns}">{body * 20}</div>')).lines)
    assert text.count("12×10⁹/L，10⁻¹²mol，Na⁺。") == 20 and text.count("CO₂与H₂SO₄。") == 20
    assert text.count("注12与") == 20


def test_what_a_browser_prints_around_one_page_is_no_text(browser: Any) -> None:
    page = browser.new_page()
    page.set_content(f"{STYLE}<title>题</title><div style='columns:2'>{question(1, LONG, True)}{question(2, SHORT, True)}</div>")
    small = 'style="font-size:8px;width:100%;padding:0 24px;display:flex;justify-content:space-between"'
    around = {"top": "50px", "bottom": "50px"}
    body = page.pdf(
        display_header_footer=True,
        header_template=f"<div {small}><span>2026/1/5 下午3:35</span><span>file、office 题</span></div>",
        footer_template=f"<div {small}><span>https://kaoshi.example/office/a.html?id=1</span><span>1/1</span></div>",
        margin=around,
    )
    page.close()
    text = read_pdf("a.pdf", body)
    assert together(text.lines).startswith("1．下列") and together(text.lines).endswith("答案：C")
    assert [row.split("\t")[0] for row in text.dropped] == ["2026/1/5 下午3:35", "https://kaoshi.example/office/a.html?id=1"]


def test_the_glyph_of_a_chinese_dash_is_two_signs(printed: Callable[..., bytes]) -> None:
    assert together(read_pdf("a.pdf", printed("<p>评剧——天津</p>")).lines) == "评剧——天津"


@pytest.mark.parametrize("degrees", [12, 30, 45, -35, 60])
def test_a_slanted_watermark_across_the_lines_is_no_text(degrees: float) -> None:
    assert read_pdf("a.pdf", tiny(_with_stamp(degrees))).lines == ["1. First question"]


@pytest.mark.parametrize("degrees", [0, 2, -4])
def test_a_line_slightly_askew_is_text(degrees: float) -> None:
    assert "W" in "".join(read_pdf("a.pdf", tiny(_with_stamp(degrees))).lines)


def _with_stamp(degrees: float) -> bytes:
    along, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = " ".join(f"{part:.4f}" for part in (along, up, -up, along))
    return f"BT /F1 12 Tf 72 700 Td (1. First question) Tj ET BT /F1 30 Tf {matrix} 90 690 Tm (WXYZ) Tj ET".encode()


def test_an_italic_letter_is_text() -> None:
    char = {"text": "a", "upright": True, "x0": 0, "x1": 9, "top": 0, "bottom": 10, "y1": 20, "matrix": (1, 0, 0.33, 1, 0, 12)}
    assert [glyph.text for glyph in glyphs_of([char], [])] == ["a"]


def test_ligatures_are_letters() -> None:
    chars = [{"text": text, "upright": True, "x0": x, "x1": x + 9, "top": 0, "bottom": 10} for x, text in ((0, "ﬁ"), (9, "l"), (18, "ﬃ"))]
    assert [row.text for row in rows_of(glyphs_of(chars, []))] == ["filffi"]


def test_a_page_and_a_file_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a guarded process; rectangles of a page, 700 packed bytes, take a second and more."""
    monkeypatch.setattr(budgets, "_is_guarded", [True])
    slow = tiny(zlib.compress(b"1 1 2 2 re f " * 20_000), b"/Filter/FlateDecode")
    assert len(slow) < 2000
    for name, words in (("PAGE_SECONDS", "page 1 takes"), ("FILE_SECONDS", "a file of 1 pages takes")):
        with monkeypatch.context() as patched:
            patched.setattr(pdf, name, 0.2)
            with pytest.raises(ValueError, match=rf"^a\.pdf: {words} more than 0\.[25] seconds of computing; print"):
                read_pdf("a.pdf", slow)


def test_a_second_page_repeats_the_title_of_the_first() -> None:
    first = sheet((40, "执业医师历年真题"), (90, "1.佝偻病的主要原因是"), (740, "A.缺钙"))
    second = sheet((40, "执业医师历年真题"), (90, "B.缺乏维生素"), (110, "一、单选题"))
    assert without_margins([first, second])[1] == ["执业医师历年真题"]


def test_what_is_below_the_margin_or_an_option_is_no_header() -> None:
    first = sheet((40, "历年真题"), (55, "A.上述都不是"), (90, "1.佝偻病的主要原因是"))
    assert without_margins([first, sheet((40, "A.上述都不是"), (300, "历年真题"))])[1] == []
