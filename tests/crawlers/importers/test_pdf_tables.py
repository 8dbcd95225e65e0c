"""Tables of questions in a PDF: each question is read as it was printed, or rejected; none is read wrong."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, repeat
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.coverage.files import FileResult, read_steps
from crawlers.importers.documents.pdf import read_pdf
from crawlers.importers.documents.pdf_aligned import aligned_grid, top_of_header
from crawlers.importers.documents.pdf_grids import Edge, grids_of, lines_of
from crawlers.importers.documents.pdf_options import in_option_order, without_cut_options
from crawlers.importers.documents.pdf_rows import Glyph, TextRow, rows_of
from crawlers.importers.files.reading import FileReading
from tests.crawlers.importers.printed_tables import PrintedTable, Question, bare, printed_table

_PROVENANCE = Provenance(source="a", url="file:a.pdf", snapshot="2026-01-01", page_id="page-0", position="")
_RULED = ("collapsed", "thin", "separate", "bold", "dashed", "inner")
_STYLE = '<meta charset="utf-8"><style>body{font-family:"Noto Serif CJK SC",serif;font-size:11pt}</style>'


@pytest.fixture(scope="module")
def print_pdf(browser) -> Iterator[Callable[..., bytes]]:
    """Print a page to PDF."""
    page = browser.new_page()

    def to_pdf(html: str, **settings: Any) -> bytes:
        page.set_content(_STYLE + html)
        return bytes(page.pdf(format="A4", **settings))

    yield to_pdf
    page.close()


def reading_of(body: bytes) -> FileReading:
    """Return the reading of a PDF; its account must balance, or it would raise."""
    [result] = [step for step in read_steps("a.pdf", body, None, _PROVENANCE) if isinstance(step, FileResult)]
    assert result.account.difference == 0
    return result.reading


def questions_of(reading: FileReading) -> list[Question]:
    """Return the sound questions of a reading without blanks, numbers and letters."""
    items = [item for item in reading.items if isinstance(item, QuestionItem) and item.doubt is None]
    return [
        Question(
            re.sub(r"^\d+[、.．](?!5℃)", "", bare(item.stem_raw or "")),
            tuple(re.sub(r"^[A-D][.．、]", "", bare(option)) for option in item.options_raw or ()),
            bare(item.answer_raw or ""),
        )
        for item in items
    ]


def wrong_in(read: list[Question], table: PrintedTable) -> list[Question]:
    """Return the answered questions that were not printed so; those without an answer are rejected later."""
    return [question for question in read if question.answer and question not in table.questions]


@pytest.mark.parametrize("border", ["collapsed", "dashed"])
def test_a_ruled_table_gives_its_questions(print_pdf: Callable[..., bytes], border: str) -> None:
    table = printed_table(1, border=border, header="repeated", numbered=True, rows=25, zebra=True, sections=True, watermark=True)
    assert questions_of(reading_of(print_pdf(table.html, **table.settings))) == table.questions


@pytest.mark.slow
@pytest.mark.parametrize("border", _RULED)
@pytest.mark.parametrize("seed", range(1000, 1012))
def test_any_ruled_table_gives_its_questions(print_pdf: Callable[..., bytes], border: str, seed: int) -> None:
    table = printed_table(seed, border=border)
    reading = reading_of(print_pdf(table.html, **table.settings))
    read = questions_of(reading)
    assert not wrong_in(read, table), table.choices
    missing = Counter(table.questions) - Counter(read)
    lost = sum(item.doubt == "cells_unclear" for item in reading.items if isinstance(item, QuestionItem))
    assert missing.total() <= lost, table.choices  # a row at the end of a page without a line below it


@pytest.mark.slow
@pytest.mark.parametrize("border", ["level", "none"])
@pytest.mark.parametrize("seed", range(2000, 2030))
def test_no_table_without_upright_lines_is_read_wrong(print_pdf: Callable[..., bytes], border: str, seed: int) -> None:
    table = printed_table(seed, border=border, header="repeated")
    assert not wrong_in(questions_of(reading_of(print_pdf(table.html, **table.settings))), table), table.choices


@pytest.mark.parametrize("border", ["level", "none"])
def test_a_table_without_upright_lines_gives_its_questions(print_pdf: Callable[..., bytes], border: str) -> None:
    table = printed_table(3, border=border, header="repeated", numbered=True, rows=20, padding=6, size=9, title=True, **{"break": "avoid"})
    assert questions_of(reading_of(print_pdf(table.html, **table.settings))) == table.questions


def unclear_table(rows: int) -> str:
    """Return a table without lines whose rows have no answers by which they are told apart, and a header once."""
    style = "table{border-collapse:collapse;table-layout:fixed;width:500px}td,th{padding:0 4px;text-align:left;vertical-align:middle}"
    row = "<tr><td>关于感觉的叙述，符合现代心理学的基本观点的是哪一项（ ）<td>它是个别属性的反映<br>它是整体的反映<td>略"
    return f"<style>{style}</style><table><tr><th>题干<th>选项<th width=30px>答案{row * rows}</table>"


def test_a_header_may_be_on_several_rows() -> None:
    def word(text: str, x: float, y: float) -> list[Glyph]:
        return [Glyph(x + 7 * at, x + 7 * at + 7, y, y + 7, glyph) for at, glyph in enumerate(text)]

    title, names = word("岗位培训题库", 40, 10), [*word("题干", 20, 52), *word("选项", 200, 52)]
    assert top_of_header([*title, *names, *word("标准答", 300, 48), *word("案", 300, 56), *word("规律", 20, 70)]) == 48
    assert top_of_header([*title, *word("题干", 20, 52), *word("标准答案", 300, 70)]) is None


def test_columns_without_a_header_that_go_on_from_the_page_before_are_unclear(print_pdf: Callable[..., bytes]) -> None:
    below = "<p>1．这是表格后面的一道题目，它有一个比较长的题干，所以不在表格的各列之中（ ）"
    text = read_pdf("a.pdf", print_pdf(f"<p>培训题库{unclear_table(40)}{below}"))
    assert [line[:8] for line in text.lines] == ["培训题库", "1．这是表格后面"]
    assert {lost.position for lost in text.lost} == {"page:1", "page:2"}


def test_a_paper_with_a_table_gives_its_cells_in_order(print_pdf: Callable[..., bytes]) -> None:
    rows = "<tr><td>题号<td>1<td>2<td>3<tr><td>答案<td>A<td>B<td>C"
    html = "".join(f"<p>{number}．属于感觉的是（ ）。<p>A.甲<p>B.乙<p>C.丙" for number in (1, 2, 3))
    table = f"<style>table{{border-collapse:collapse}}td{{border:1px solid}}</style><table>{rows}</table>"
    text = read_pdf("a.pdf", print_pdf(f"{html}{table}<p>请仔细检查，不要漏答"))
    assert text.lines[-3:] == ["参考答案", "1.A 2.B 3.C", "请仔细检查，不要漏答"]


def test_text_that_runs_across_a_line_is_lost_with_a_reason(print_pdf: Callable[..., bytes]) -> None:
    rows = "".join(f"<tr><td>{number}<td>属于感觉的是（ ）<td>甲<td>乙<td>A" for number in range(1, 7))
    over = "<tr><td>7<td style='white-space:nowrap'>这道题目的题干很长，写到了后面的格子（ ）<td>甲<td>乙<td>B"
    style = "table{border-collapse:collapse;table-layout:fixed;width:600px}td{border:1px solid}"
    head = "<tr><th>序号<th>题干<th>A<th>B<th>答案"
    reading = reading_of(print_pdf(f"<style>{style}</style><table>{head}{rows}{over}</table>"))
    assert [item.doubt for item in reading.items] == [None] * 6 + ["cells_unclear"]


def test_backgrounds_are_no_lines_and_strokes_are() -> None:
    def box(x0: float, top: float, x1: float, bottom: float, stroke: bool) -> dict[str, Any]:
        return {"object_type": "rect", "x0": x0, "x1": x1, "top": top, "bottom": bottom, "stroke": stroke}

    boxes = [(x, y, x + 100, y + 30) for x in (0, 100) for y in (0, 30)]
    assert lines_of(box(*each, stroke=False) for each in boxes) == ([], [])
    [grid] = grids_of(*lines_of(box(*each, stroke=True) for each in boxes))
    assert (grid.xs, grid.ys, len(grid.cells)) == ((0, 100, 200), (0, 30, 60), 4)


def test_frames_are_lines() -> None:
    def filled(x0: float, top: float, x1: float, bottom: float) -> dict[str, Any]:
        return {"object_type": "rect", "x0": x0, "x1": x1, "top": top, "bottom": bottom, "stroke": False}

    cells = [(x, y, x + 98, y + 28) for x in (0, 100) for y in (0, 30)]
    frames = [box for x0, top, x1, bottom in cells for box in (filled(x0, top, x1, bottom), filled(x0 + 1, top + 1, x1 - 1, bottom - 1))]
    for boxes in (frames, frames[::-1]):
        [grid] = grids_of(*lines_of(boxes))
        assert len(grid.cells) == 4


@pytest.mark.parametrize("style", ["", "td{border-bottom:1px solid #ccc}", "tr:nth-child(odd){background:#eee}", "td{padding:6px}"])
def test_numbers_beside_the_middle_of_cells_are_of_a_table(print_pdf: Callable[..., bytes], style: str) -> None:
    stems = [f"第{number}次测量的结果必须由两人复核并签名。" * (1 + number % 4) for number in range(1, 60)]
    rows = "".join(f"<tr><td>{number}<td>{stem}<td>{'√×'[number % 3 == 0]}" for number, stem in enumerate(stems, 1))
    items = reading_of(print_pdf(f"<style>{style}</style><p>培训判断题<table>{rows}</table>")).items
    read = {bare(item.stem_raw or ""): item.answer_raw for item in items if isinstance(item, QuestionItem) and item.doubt is None}
    gold = {bare(f"{number}、{stem}"): "√×"[number % 3 == 0] for number, stem in enumerate(stems, 1)}
    assert read.items() <= gold.items()
    assert len(read) > 0.9 * len(gold)


def test_cells_of_another_shape_than_a_rectangle_are_no_grid() -> None:
    upright = [Edge(0, 0, 60), Edge(100, 0, 30), Edge(200, 0, 60)]
    level = [Edge(0, 0, 200), Edge(30, 0, 100), Edge(60, 0, 200)]
    assert grids_of(upright, level) == []


OPTIONS = (
    "感觉是当前直接作用于感官的事物的个别属性在头脑中的反映，而知觉则是对其整体的反映",
    "知觉的整体性",
    "记忆",
    "思维是人脑对客观事物的间接的和概括的反映，它以感知为基础，又超越感知的界限，是认识的高级形式",
)


def option_table(vertical: str) -> str:
    a, b, c, d = (f"<td>{letter}.{option}" for letter, option in zip("ABCD", OPTIONS, strict=True))
    style = f"table{{table-layout:fixed;width:100%}}td{{vertical-align:{vertical}}}"
    table = f"<table><tr>{a}{b}<tr>{c}{d}</table>"
    return f"<style>{style}</style>" + "".join(f"<p>{number}．下列说法正确的是（ ）{table}<p>答案：A" for number in (1, 2, 3))


@pytest.mark.parametrize("vertical", ["top", "middle"])
def test_options_side_by_side_that_go_on_below_are_read_in_their_columns(print_pdf: Callable[..., bytes], vertical: str) -> None:
    questions = questions_of(reading_of(print_pdf(option_table(vertical))))
    assert [(question.options, question.answer) for question in questions] == [(OPTIONS, "A")] * 3


def placed(*texts: tuple[float, float, str], in_order: bool = False) -> list[TextRow]:
    """Return the rows of lines at positions; the order of the file is known or not."""
    order = count() if in_order else repeat(-1)
    return rows_of(
        Glyph(x + 10 * at, x + 10 * at + 10, y, y + 10, char, order=next(order)) for x, y, text in texts for at, char in enumerate(text)
    )


UNEVEN = ((200, 0, "B.知觉是对事物整体"), (0, 8, "A.感觉"), (200, 16, "的反映"))
EVEN = ((0, 0, "A.感觉是对事物的个别属性"), (0, 14, "的反映"), (200, 0, "B.知觉"))


@pytest.mark.parametrize("lines", [UNEVEN, EVEN])
def test_options_are_blocks_in_the_order_of_the_file(lines: tuple[tuple[float, float, str], ...]) -> None:
    by_letter = sorted(lines, key=lambda line: (line[0], line[1]))
    whole = {UNEVEN: ["A.感觉", "B.知觉是对事物整体的反映"], EVEN: ["A.感觉是对事物的个别属性的反映", "B.知觉"]}[lines]
    assert [row.text for row in in_option_order(placed(*by_letter, in_order=True)).rows] == whole


def test_options_that_begin_in_different_rows_are_unclear_where_no_order_is_known() -> None:
    above, below = (0, -20, "1．下列说法正确的是（ ）"), (0, 40, "答案：A")
    for lines in (UNEVEN, sorted(UNEVEN)):  # the order of the file goes by lines, or is unknown
        ordered = in_option_order(placed(above, *sorted(lines, key=lambda line: line[1]), below, in_order=lines is UNEVEN))
        assert [row.text for row in ordered.rows] == [above[2], below[2]]
        assert [text.replace("\t", " ") for text in ordered.unclear] == ["B.知觉是对事物整体 A.感觉 的反映"]


def test_an_option_that_is_unclear_takes_all_of_its_question_with_it() -> None:
    rows = placed(
        (0, -40, "1．题目（ ）"),
        (0, -20, "A.甲"),
        (150, 0, "C.知觉是对事物整体"),
        (0, 8, "B.感觉"),
        (150, 16, "的反映"),
        (0, 40, "D.丁"),
        (0, 60, "答案：A"),
    )
    assert [row.text for row in in_option_order(rows).rows] == ["1．题目（ ）", "答案：A"]


def test_a_line_with_an_option_behind_words_goes_on_with_the_last_one_above() -> None:
    """`D.有` is at the end of its line; in columns, the words below would be those of A."""
    rows = placed(
        (0, 0, "A.延误病情时间"), (80, 0, "B.合理"), (150, 0, "C.判断"), (220, 0, "D.有"), (0, 14, "助于流行病学"), (80, 14, "E.防止")
    )
    assert [row.text.replace("\t", "") for row in in_option_order(rows).rows] == ["A.延误病情时间B.合理C.判断D.有", "助于流行病学E.防止"]


def test_words_centred_below_options_side_by_side_are_unclear() -> None:
    rows = placed(
        (0, 0, "A.提高患者的合成能"), (120, 0, "B.调整修复的"), (240, 0, "C.矫正"), (40, 14, "力"), (165, 14, "酶类"), (0, 40, "答案：A")
    )
    ordered = in_option_order(rows)
    assert [row.text for row in ordered.rows] == ["答案：A"] and len(ordered.unclear) == 1


def test_options_that_may_go_on_on_the_next_page_are_cut() -> None:
    above = ((0, 0, "1．题目（ ）"), (0, 20, "A.感觉是对事物的个别的属性"), (150, 20, "B.知觉"))
    before = in_option_order(placed(*above, in_order=True))
    assert before.may_go_on and not in_option_order(placed(*above[::2], in_order=True)).may_go_on
    after = placed((0, 0, "的反映"), (0, 20, "C.记忆"), (150, 20, "D.思维"), (0, 40, "答案：A"))
    first, second, [text] = without_cut_options(before.rows, after)
    assert ([row.text for row in first], [row.text for row in second]) == (["1．题目（ ）"], ["答案：A"])
    assert [letter for letter in "ABCD" if f"{letter}." in text] == [*"ABCD"]
    assert without_cut_options(before.rows, after[1:]) == (before.rows, after[1:], [])


def _flowing(gap: float) -> list[tuple[float, float, str]]:
    """Return pieces of lines that flow: options `gap` apart, the last of one of them going on below."""
    pieces: list[tuple[float, float, str]] = []
    for n in range(4):
        x = 0.0
        for option in ("A.整体感觉", "B.属", "C.关系", "D.经验的总结"[: 4 + n]):
            pieces.append((x, 40.0 * n + 20, option))
            x += 10 * len(option) + gap
        pieces.insert(len(pieces) - 4, (0, 40.0 * n, f"{n + 1}．题目（ ）"))
    return [*pieces, (0, 40.0 * 3 + 40, "形成")]


@pytest.mark.parametrize("gap", [3.0, 5.0])
def test_options_apart_by_one_width_flow_and_go_on_with_the_last(gap: float) -> None:
    read = in_option_order(placed(*_flowing(gap)))
    assert not read.unclear
    assert read.rows[-1].text == "形成" and read.rows[-2].text.replace(" ", "").endswith("D.经验的总结")


def test_a_page_of_headings_alone_has_no_table() -> None:
    headings = ["一、单项选择题", "二、多项选择题", "三、判断题", "四、单项选择题"]
    glyphs = [
        Glyph(40 + 130 * column + 12 * at, 52 + 130 * column + 12 * at, 40 + 20 * row, 52 + 20 * row, sign)
        for row in range(3)
        for column, words in enumerate(headings)
        for at, sign in enumerate(words)
    ]
    assert aligned_grid(glyphs, []) is None
