"""Options run together behind words that end with a letter, and options in columns that have a letter and no sign."""

import pytest

from crawlers.papers.signs.options import find_options


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
def test_no_option_holds_the_next(text: str, options: list[str]) -> None:
    found = find_options(text, 2)
    assert found and found.texts(text) == options and found.sure


def test_a_last_letter_behind_a_letter_is_sure_where_others_have_as_many_options() -> None:
    text = "1.题（ ）\nA、甲B、乙C、12×10⁹/LD、丁"
    assert [find_options(text, 2, usual).sure for usual in (0, 4)] == [False, True]
