"""Options directly after words that end with a letter, and options in columns with a letter and no sign."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawlers.read.lines.pages.page import Line
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.assembly import read_block
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import number_of
from crawlers.read.vocabulary.options import find_options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("1、题（ ）。\nA、甲B、维生素B12C、12×10⁹/LD、乙E、丙", ["A、甲", "B、维生素B12", "C、12×10⁹/L", "D、乙", "E、丙"]),
        ("1、题（ ）。\nA．甲B．肾上腺素C．α受体D．叶酸", ["A．甲", "B．肾上腺素", "C．α受体", "D．叶酸"]),
        ("1、题（ ）。\n(A)甲(B)12×10⁹/L(C)pH值", ["(A)甲", "(B)12×10⁹/L", "(C)pH值"]),
        ("1.题（ ）\nA β受体        C 血常规检查\nB 血压        D 乏力", ["A β受体", "B 血压", "C 血常规检查", "D 乏力"]),
        ("1.题（ ）\nA、维生素A、B\nB、维生素C、钙\nC、维生素D、钙", ["A、维生素A、B", "B、维生素C、钙", "C、维生素D、钙"]),
        ("1.题（ ）\nA.HLA-B B.DNA C.甲", ["A.HLA-B", "B.DNA", "C.甲"]),
        (
            "1、题（ ）。\nA、疑病（Hs）\nB、偏执（Pa）\nC、抑郁（D）\nD、轻躁狂（Ma）",
            ["A、疑病（Hs）", "B、偏执（Pa）", "C、抑郁（D）", "D、轻躁狂（Ma）"],
        ),
    ],
)
def test_no_option_contains_the_next(text: str, options: list[str]) -> None:
    found = find_options(text, 2)
    assert found and found.texts(text) == options and found.sure


def test_a_last_letter_after_a_letter_is_certain_if_the_count_is_usual() -> None:
    text = "1.题（ ）\nA、甲B、乙C、12×10⁹/LD、丁"
    assert [find_options(text, 2, usual).sure for usual in (0, 4)] == [False, True]


_PIECES = [*"ABCDE", *"abc", ".", "、", "）", "(", " ", "  ", "\n", "\t", "甲", "乙丙", "素", "8.", "1"]


@given(st.lists(st.sampled_from(_PIECES), max_size=24).map("".join), st.integers(0, 9))
def test_unambiguous_options_do_not_depend_on_the_usual_number(words: str, usual: int) -> None:
    text = f"1.题（ ）\nA.甲\nB.{words}"
    options = find_options(text, 2)
    assert options is None or not options.unambiguous or find_options(text, 2, usual) == options


_LINES = [
    *("A.甲", "B.乙", "C.丙", "D.丁", "E.戊", "C.丙 D.丁", "D.丁（B）", "答案：B", "答案：B。因为甲", "解析：故选B", "（B）"),
    *("小李：我选A", "（休息一下）", "患者，男，30岁"),
]


@given(st.lists(st.sampled_from(_LINES), max_size=8), st.integers(2, 6), st.sampled_from(["choice", "multiple"]))
@example(["A.甲", "B.乙", "C.丙 D.丁", "患者，男，30岁"], 5, "choice")  # another patient, if four options are usual
def test_an_unambiguous_question_does_not_depend_on_the_usual_number(below: list[str], usual: int, kind: str) -> None:
    lines = [Line(index, text, flat(text)) for index, text in enumerate(["1.题（ ）", *below])]
    number = number_of(lines[0].flat)
    block = read_block(lines, number, 0, "")
    assert not block.unambiguous or read_block(lines, number, usual, kind) == block


@pytest.mark.parametrize("remark", ["（今天先到这儿，休息一下）", "——休息一下——", "小李：我选A"])
def test_a_remark_below_the_last_option_is_doubted(remark: str) -> None:
    lines = [
        text
        for n in range(1, 13)
        for text in (f"{n}. 下列第{n}类东西的主要特点是（ ）。", *["A.甲", "B.乙", "C.丙", "D.丁"], *[remark] * (n in (5, 9)), "")
    ]
    reading = read_paper(lines)
    assert [draft.number for draft in reading.rejected] == [5, 9] and len(reading.questions) == 10


@pytest.mark.parametrize("tail", ["（心得安）", "(卧床休息)", "（以上各项）"])
def test_keeps_words_in_brackets_below_the_last_option(tail: str) -> None:
    lines = [line for n in range(1, 7) for line in (f"{n}. 第{n}种药是（ ）", "A. 甲", "B. 乙", "C. 丙", "D. 丁", *[tail] * (n == 3), "")]
    third = next(draft for draft in read_paper(lines).drafts if draft.number == 3)
    assert third.doubts or tail in third.options[-1]
