"""Figures, denials and opposites as they stand in questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.text.canonical import canonical
from curation.near_duplicates.wording import (
    WordingDifference,
    denials,
    difference,
    figures,
    in_digits,
    same_figures,
    stray_letter,
    without_idle,
    without_synonyms,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("症状持续2周", ["2周"]),
        ("症状持续两周", ["2周"]),
        ("症状持续二星期", ["2周"]),
        ("三个月内", ["3月"]),
        ("半年以上", ["0.5年"]),
        ("一周之内", ["1周"]),
        ("一般来说，这是一种现象，有一个特点", []),
        ("第三大势力", ["3"]),
        ("第1个", ["1"]),
        ("百分之五十", ["50%"]),
        ("50％", ["50%"]),
        ("百分之50", ["50%"]),
        ("十一至十五岁", ["11", "15岁"]),
        ("11～15岁", ["11", "15岁"]),
        ("一百二十三个", ["123"]),
        ("两万三千元", ["23000"]),
        ("2.5mg", ["2.5", "mg"]),
        ("维生素B12", ["12", "b"]),
        ("α波与β波", ["α", "β"]),
        ("-1 与 1", ["1", "−1"]),
        ("l90B年", ["1908年"]),
        ("l7岁", ["17岁"]),
    ],
)
def test_figures(text: str, found: list[str]) -> None:
    assert sorted(figures(canonical(text))) == sorted(found)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("下列说法正确的是", []),
        ("下列说法不正确的是", ["wrong"]),
        ("下列说法错误的是", ["wrong"]),
        ("下列属于气质的是", []),
        ("下列不属于气质的是", ["except"]),
        ("除哪项外均是", ["except"]),
        ("不断出现的非常明显的症状", []),
        ("无需说明而不说明", ["not", "not"]),
    ],
)
def test_denials(text: str, kinds: list[str]) -> None:
    assert list(denials(canonical(text))) == kinds


@pytest.mark.parametrize(
    ("text", "other", "differs"),
    [
        ("心理学的特点有", "心理学的特点包括", WordingDifference(False, False, False)),
        ("老师得知", "教师得知", WordingDifference(True, False, False)),
        ("归因理论", "三维归因理论", WordingDifference(False, True, False)),
        ("最高层次的需要", "最低层次的需要", WordingDifference(True, False, True)),
        ("递增系列大于递减系列", "递减系列大于递增系列", WordingDifference(True, False, True)),
        ("什么是强化", "什么是负强化", WordingDifference(False, True, True)),
        ("交感神经的作用", "副交感神经的作用", WordingDifference(False, True, True)),
    ],
)
def test_difference(text: str, other: str, differs: WordingDifference) -> None:
    assert difference(text, other) == differs


@given(st.text("甲乙高低不的是12", max_size=12), st.text("甲乙高低不的是12", max_size=12))
def test_a_difference_has_no_direction(text: str, other: str) -> None:
    assert difference(text, other) == difference(other, text)
    assert difference(text, text) == WordingDifference(False, False, False)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert all(figures(canonical(text)))
    assert in_digits(in_digits(text)) == in_digits(text)
    assert all(kind in ("wrong", "except", "not") for kind in denials(text))


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("20世纪60年代", "20世纪60代", True),
        ("症状持续2周", "症状持续两周", True),
        ("症状持续2周", "症状持续6周", False),
        ("症状持续2周", "症状持续2天", False),
        ("症状持续2周", "症状持续", False),
        ("60年代和2周", "60代和2天", False),
        ("甲组10人，乙组20人", "甲组20人，乙组10人", False),
    ],
)
def test_same_figures(text: str, other: str, same: bool) -> None:
    assert same_figures(text, other) is same_figures(other, text) is same


@pytest.mark.parametrize(("text", "other"), [("第一天", "第1天"), ("第二至三周", "第2至3周"), ("一般", "一般"), ("两周", "2周")])
def test_numerals_in_digits(text: str, other: str) -> None:
    assert in_digits(text) == in_digits(other)


def test_a_stray_letter_is_one_letter_in_one_text() -> None:
    assert stray_letter("对r一个过程", "对一个过程")
    assert not stray_letter("t检验", "f检验")
    assert not stray_letter("维生素b12", "维生素")


def test_what_makes_no_difference_goes() -> None:
    assert without_idle("综合症的特点") == without_idle("综合征特点")
    assert without_synonyms("病人的看法") == without_synonyms("患者的观点")
