"""PDFs to lines and tables: reading order, columns, drawn tables, marks, watermarks, scans, and damaged files. All are hand-written."""

import math
import zlib
from collections.abc import Sequence

import pytest

from atomexam.runtime import budgets
from crawlers.read.containers.documents import pdf
from crawlers.read.containers.documents.pdf import read_pdf, read_pdf_guarded
from crawlers.read.containers.documents.pdf_rows import Glyph, glyphs_of, rows_of
from crawlers.read.vocabulary.labels import IMAGE


def tiny(*contents: bytes, filters: bytes = b"", extra: bytes = b"") -> bytes:
    """Return a PDF with Latin text, a page for each content; F2 is bold, and Im an image."""
    pages = range(6, 6 + 2 * len(contents), 2)
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(b"%d 0 R" % page for page in pages), len(contents)),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        4: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>",
        5: b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>stream\n0\nendstream",
    }
    resources = b"<</Font<</F1 3 0 R/F2 4 0 R>>/XObject<</Im 5 0 R>>>>"
    for page, content in zip(pages, contents, strict=True):
        objects[page] = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources%s>>" % (page + 1, resources)
        objects[page + 1] = b"<</Length %d%s>>stream\n" % (len(content), filters) + content + b"\nendstream"
    out, places = b"%PDF-1.4\n", []
    for number, body in objects.items():
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, extra, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def said(*texts: tuple[float, float, str], font: str = "F1", size: float = 10, colour: str = "0 g") -> bytes:
    """Return texts at distances from the left and the top of a page."""
    parts = (f"BT /{font} {size} Tf {colour} {x} {842 - y} Td ({text.replace('(', '[').replace(')', ']')}) Tj ET" for x, y, text in texts)
    return " ".join(parts).encode() + b"\n"


def drawn(xs: Sequence[float], ys: Sequence[float]) -> bytes:
    """Return the lines of a table."""
    lines = [(x, ys[0], x, ys[-1]) for x in xs] + [(xs[0], y, xs[-1], y) for y in ys]
    return b"".join(b"%g %g m %g %g l S\n" % (x0, 842 - y0, x1, 842 - y1) for x0, y0, x1, y1 in lines)


def question(number: int, x: float, y: float) -> list[tuple[float, float, str]]:
    return [(x, y + 14 * at, text) for at, text in enumerate((f"{number}. Which one is number {number}?", "A. this", "B. that", "C. none"))]


def lines(*contents: bytes) -> list[str]:
    return read_pdf("a.pdf", tiny(*contents)).lines


TEXT = b"BT /F1 12 Tf 72 700 Td (1. Which one?) Tj 0 -20 Td (A. this) Tj 0 -20 Td (B. that) Tj ET"


def test_a_tiny_pdf_is_read() -> None:
    assert lines(TEXT) == ["1. Which one?", "A. this", "B. that"]
    assert read_pdf("a.pdf", tiny(zlib.compress(TEXT), filters=b"/Filter/FlateDecode")).lines == lines(TEXT)
    assert lines(b"") == []


def test_reads_two_columns_in_order_after_a_title_across_them() -> None:
    left = [each for number in range(1, 6) for each in question(number, 50, 100 + 70 * number)]
    right = [each for number in range(6, 11) for each in question(number, 320, 100 + 70 * (number - 5))]
    page = said((120, 60, "A very long title of a paper that runs across the gutter of its columns"), *right, *left)
    assert [line for line in lines(page) if line[0].isdigit()] == [f"{n}. Which one is number {n}?" for n in range(1, 11)]
    last = said(*question(11, 50, 60), (320, 60, "C. none of the above"))
    assert lines(page, last)[-1] == "C. none of the above"


def test_options_side_by_side_are_not_page_columns() -> None:
    rows = [
        each for n in range(1, 9) for each in ((50, 80 * n, f"{n}. Which?"), (50, 80 * n + 20, "A. this"), (300, 80 * n + 20, "B. that"))
    ]
    assert lines(said(*rows))[:4] == ["1. Which?", "A. this\tB. that", "2. Which?", "A. this\tB. that"]


@pytest.mark.parametrize(
    "rest", [[(50, 94, "rest of this"), (300, 94, "rest of that")], [(50, 94, "rest of this")]], ids=["of both", "of either"]
)
def test_wrapped_options_side_by_side_are_ambiguous(rest: list[tuple[float, float, str]]) -> None:
    full = (50, 60, "1. Which of these is a sentence that fills a whole line of its page, or nearly so, up to its end?")
    text = read_pdf("a.pdf", tiny(said(full, (50, 80, "A. this"), (300, 80, "B. that"), *rest, (50, 120, "2. Which?"))))
    assert [line[:9] for line in text.lines] == ["1. Which ", "2. Which?"]
    assert [lost.reason for lost in text.lost] == ["cells_unclear"] and not text.rows


_XS, _WORDS = (50, 90, 300, 400, 500), ("this", "that")


def _table(numbers: Sequence[int], top: float, header: bool = True) -> bytes:
    rows = [["No", "Stem", "A", "B"]] * header + [[str(n), f"Which one is {n}?", *_WORDS] for n in numbers]
    cells = [(x + 4, top + 20 * at + 14, text) for at, row in enumerate(rows) for x, text in zip(_XS[:-1], row, strict=True)]
    return drawn(_XS, [top + 20 * at for at in range(len(rows) + 1)]) + said(*cells)


def _rows(numbers: Sequence[int]) -> list[list[str]]:
    return [["No", "Stem", "A", "B"], *([str(n), f"Which one is {n}?", *_WORDS] for n in numbers)]


def test_continues_a_table_on_the_next_page_without_its_header() -> None:
    text = read_pdf("a.pdf", tiny(said((50, 40, "A bank")) + _table(range(1, 9), 60), _table(range(9, 15), 60)))
    assert [cells for _, cells in text.rows] == [["A bank"], *_rows(range(1, 15))]
    assert text.dropped == ["No Stem A B"] and text.rows[1][0] == "page:1:row:1"


def test_joins_a_row_divided_by_a_page_break() -> None:
    rest = drawn(_XS, (60, 80)) + said((94, 74, "go on")) + _table([9], 80, header=False)
    text = read_pdf("a.pdf", tiny(_table(range(1, 9), 60), rest))
    assert [cells for _, cells in text.rows] == [*_rows(range(1, 8)), ["8", "Which one is 8?\ngo on", *_WORDS], *_rows([9])[1:]]


def test_a_cell_that_covers_rows_is_in_each_of_them() -> None:
    grid = drawn((50, 150, 300), (60, 100)) + b"150 762 m 300 762 l S\n"
    assert [cells for _, cells in read_pdf("a.pdf", tiny(grid + said((54, 84, "case"), (154, 74, "one"), (154, 94, "two")))).rows] == [
        ["case", "one"],
        ["case", "two"],
    ]


def test_rejects_text_across_a_table_line() -> None:
    text = read_pdf("a.pdf", tiny(_table(range(1, 5), 60) + said((100, 114, "a very long stem that is written far into the next cell"))))
    assert [lost.reason for lost in text.lost] == ["cells_unclear"] and len(text.lines) == 4 and not text.rows


def test_a_table_without_lines_is_ambiguous() -> None:
    cells = [(x, 80 + 20 * n, text) for n in range(12) for x, text in zip(_XS[:-1], (str(n), f"Which one is {n}", *_WORDS), strict=True)]
    text = read_pdf("a.pdf", tiny(said(*cells)))
    assert not text.lines and [lost.reason for lost in text.lost] == ["cells_unclear"]
    key = [(50 + 60 * n, 80 + 20 * row, text) for row, texts in enumerate(("12345", "ABCDA", "67890")) for n, text in enumerate(texts)]
    assert lines(said(*key)) == ["1\t2\t3\t4\t5", "A\tB\tC\tD\tA", "6\t7\t8\t9\t0"]


def test_text_printed_over_text_in_another_style_is_a_watermark() -> None:
    page = said(*(each for n in range(1, 9) for each in question(n, 50, 80 * n)))
    mark = said(*((40, 80 * n + 10, "INTERNAL") for n in range(1, 9)), size=30, colour="0.9 g")
    assert lines(mark + page) == lines(page)


def test_an_image_at_one_place_of_many_pages_is_a_background() -> None:
    image = b"q 50 0 0 50 300 700 cm /Im Do Q\n"
    assert lines(*[image + said((50, 100, "a line")) for _ in range(3)]) == ["a line"] * 3
    assert lines(image + said((50, 100, "a line"))).count(IMAGE) == 1


@pytest.mark.parametrize(
    ("font", "colour", "kind"), [("F2", "0 g", "bold"), ("F1", "1 0 0 rg", "colour #ff0000"), ("F1", "0 1 1 0 k", "colour #ff0000")]
)
def test_marks_emphasized_text(font: str, colour: str, kind: str) -> None:
    page = said((50, 60, "1. Which?"), (50, 80, "A. this")) + said((50, 100, "B. that"), font=font, colour=colour)
    text = read_pdf("a.pdf", tiny(page))
    assert text.lines == ["1. Which?", "A. this", "B. that"] and text.marked == ["1. Which?", "A. this", f"<{kind}>B. that</>"]
    assert not read_pdf("a.pdf", tiny(page + said((50, 114, "that goes on"), (50, 140, "2. Which?")))).marked


def test_refuses_a_scan_and_rejects_a_scanned_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "can_read", lambda: False)
    scan = b"q 595 0 0 842 0 0 cm /Im Do Q"
    with pytest.raises(ValueError, match=r"a\.pdf: 1 of 1 pages are images without text: page 1 .* to read it, run `pip install rapidocr"):
        read_pdf("a.pdf", tiny(scan))
    text = read_pdf("a.pdf", tiny(scan, TEXT))
    assert [(lost.position, lost.reason) for lost in text.lost] == [("page:1", "page_without_text")] and len(text.lines) == 3
    monkeypatch.setattr(pdf, "_MAX_PIXELS", 0)
    with pytest.raises(ValueError, match="page 1: an image of 1 pixels; at most 0 are read"):
        read_pdf("a.pdf", tiny(scan))


@pytest.mark.parametrize("text, meant", [("㬵", "胶"), ("⻓", "长"), ("⼀", "一"), ("ﬁ", "fi"), ("⸺", "——")])
def test_maps_a_glyph_to_the_usual_character(text: str, meant: str) -> None:
    char = {"text": text, "upright": True, "x0": 0.0, "x1": 10.0, "top": 0.0, "bottom": 10.0}
    assert [glyph.text for glyph in glyphs_of([char], [])] == [meant]


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
def test_refuses_damaged_pdfs(body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"a.pdf: ({message})"):
        read_pdf("a.pdf", body)


def test_stops_at_an_endless_page_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The length of a stream is an object that refers to itself; closing the file does not list its pages again."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    body = tiny(TEXT, filters=b"/Length 3 0 R").replace(font, b"3 0 R".ljust(len(font)))
    monkeypatch.setattr(budgets, "_is_guarded", [True])
    monkeypatch.setattr("crawlers.read.containers.documents.pdf.FILE_SECONDS", 0.1)
    with pytest.raises(ValueError, match=r"a\.pdf: the list of its pages takes more than 0\.1 seconds of computing"):
        read_pdf("a.pdf", body)


@pytest.mark.slow
def test_an_endless_or_slow_pdf_affects_no_other_file() -> None:
    packer = zlib.compressobj(9)
    a_gigabyte = b"".join(packer.compress(bytes(10_000_000)) for _ in range(100)) + packer.flush()
    bomb = tiny(zlib.compress(a_gigabyte, 9), filters=b"/Filter[/FlateDecode/FlateDecode]")
    assert len(bomb) < 20_000
    with pytest.raises(ValueError, match=r"a\.pdf: exceeds the memory limit"):
        read_pdf_guarded("a.pdf", bomb)
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
def test_rows_keep_the_blanks_of_the_page(placed: list[Glyph], texts: list[str]) -> None:
    assert [row.text for row in rows_of(placed)] == texts


@pytest.mark.parametrize("degrees", [12, 30, 45, -35, 60])
def test_ignores_a_slanted_watermark(degrees: float) -> None:
    assert read_pdf("a.pdf", tiny(_with_stamp(degrees))).lines == ["1. First question"]


@pytest.mark.parametrize("degrees", [0, 2, -4])
def test_a_line_slightly_askew_is_text(degrees: float) -> None:
    assert "W" in "".join(read_pdf("a.pdf", tiny(_with_stamp(degrees, "90 600"))).lines)


def _with_stamp(degrees: float, place: str = "90 690") -> bytes:
    along, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = " ".join(f"{part:.4f}" for part in (along, up, -up, along))
    return f"BT /F1 12 Tf 72 700 Td (1. First question) Tj ET BT /F1 30 Tf {matrix} {place} Tm (WXYZ) Tj ET".encode()


def test_an_italic_letter_is_text() -> None:
    char = {"text": "a", "upright": True, "x0": 0, "x1": 9, "top": 0, "bottom": 10, "y1": 20, "matrix": (1, 0, 0.33, 1, 0, 12)}
    assert [glyph.text for glyph in glyphs_of([char], [])] == ["a"]


def test_ligatures_are_letters() -> None:
    chars = [{"text": text, "upright": True, "x0": x, "x1": x + 9, "top": 0, "bottom": 10} for x, text in ((0, "ﬁ"), (9, "l"), (18, "ﬃ"))]
    assert [row.text for row in rows_of(glyphs_of(chars, []))] == ["filffi"]


def test_a_page_and_a_file_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "can_read", lambda: False)
    """In a guarded process; rectangles of a page, 700 packed bytes, take more than a second."""
    monkeypatch.setattr(budgets, "_is_guarded", [True])
    slow = tiny(zlib.compress(b"1 1 2 2 re f " * 20_000), filters=b"/Filter/FlateDecode")
    assert len(slow) < 2000
    for name, words in (("PAGE_SECONDS", "page 1 takes"), ("FILE_SECONDS", "a file of 1 pages takes")):
        with monkeypatch.context() as patched:
            patched.setattr(pdf, name, 0.2)
            with pytest.raises(ValueError, match=rf"^a\.pdf: {words} more than 0\.[25] seconds of computing; print"):
                read_pdf("a.pdf", slow)
