"""Answers of a PDF that stand as the colour or weight of options: drawn glyph by glyph, option by option."""

from itertools import count

import pytest

from crawlers.importers.documents.pdf_marks import signed_text, with_shown_answers
from crawlers.importers.documents.pdf_rows import TextRow, glyphs_of, rows_of
from crawlers.papers.paper import read_paper

ASKED = (
    ("下列属于非特异性免疫的是", ("皮肤屏障", "抗体", "记忆细胞", "浆细胞"), "A"),
    ("正常成人体温的范围是", ("三十五度", "三十六度五", "三十八度", "三十九度"), "B"),
    ("下列不属于消化腺的是", ("肝", "胰", "唾液腺", "甲状腺"), "D"),
    ("参与体液调节的有", ("甲状腺激素", "胰岛素", "二氧化碳", "抗利尿激素"), "ABC"),
    ("维持酸碱平衡的器官有", ("心", "肺", "胃", "肾"), "BD"),
)
WIDE = "，这是在临床工作中最常用来判断这一类疾病的严重程度以及预后的并且已经写入各种指南的一项"
WIDTH = 34
RED, PLAIN = {"non_stroking_color": (1.0, 0.0, 0.0)}, {"non_stroking_color": (0.1, 0.1, 0.1)}
BOLD = {"fontname": "ABCDEF+NotoSerifCJK-Bold", "non_stroking_color": (0,)}
CMYK = {"non_stroking_color": (0.0, 0.9, 0.9, 0.0)}
BLACK = {"non_stroking_color": (0.0, 0.0, 0.0, 1.0), "fontname": "ABCDEF+NotoSerifCJK"}


def _row(text: str, top: float, look: dict[str, object]) -> TextRow:
    chars = [
        {"text": sign, "upright": True, "x0": 50 + 10 * at, "x1": 60 + 10 * at, "top": top, "bottom": top + 10, **look}
        for at, sign in enumerate(text)
    ]
    [row] = rows_of(glyphs_of(chars, []))
    return row


def _rows(right: dict[str, object], other: dict[str, object], tail: str = "") -> list[TextRow]:
    tops = count(20, 15)
    rows = []
    for number, (stem, options, answer) in enumerate(ASKED, 1):
        rows.append(_row(f"{number}．{stem}（）", next(tops), other))
        for letter, words in zip("ABCD", options, strict=True):
            look = right if letter in answer else other
            option = f"{letter}．{words}{tail}"
            rows += [_row(option[at : at + WIDTH], next(tops), look) for at in range(0, len(option), WIDTH)]
    return rows


def _read(rows: list[TextRow]) -> list[tuple[int, str | None]]:
    paper = read_paper(with_shown_answers([row.text for row in rows], rows))
    return [(len(draft.options), draft.answer) for draft in paper.questions]


@pytest.mark.parametrize(("right", "other"), [(RED, PLAIN), (CMYK, BLACK), (BOLD, BLACK)], ids=["red", "inks", "bold"])
@pytest.mark.parametrize("tail", ["", WIDE], ids=["on a line each", "on two lines each"])
def test_options_that_stand_out_are_the_answer(right: dict[str, object], other: dict[str, object], tail: str) -> None:
    assert _read(_rows(right, other, tail)) == [(4, answer) for _, _, answer in ASKED]


@pytest.mark.parametrize("right", [PLAIN, BLACK, {"non_stroking_color": None}, {"non_stroking_color": ("P1",)}])
def test_greys_and_patterns_show_nothing(right: dict[str, object]) -> None:
    rows = _rows(right, PLAIN)
    assert with_shown_answers(texts := [row.text for row in rows], rows) == texts


def test_colours_of_two_kinds_show_nothing() -> None:
    rows = _rows(RED, {"non_stroking_color": (0.0, 0.0, 0.9)})
    rows[2] = _row("B．抗体", rows[2].top, RED)
    rows[6] = _row("A．三十五度", rows[6].top, {"non_stroking_color": (0.0, 0.6, 0.0)})
    assert all(len(answer or "") < 4 for _, answer in _read(rows))


def test_marks_are_around_the_characters_that_stand_out() -> None:
    assert signed_text(_row("A．a<b", 10, RED)).startswith("<colour #ff0000>A．a")
    assert signed_text(_row("A．甲", 10, PLAIN)) == "A．甲"
