"""Figures, denials and opposites in questions, and linear time for long stems."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.params import NearDuplicates
from atomexam.text.canonical import canonical
from curation.near_duplicates.same_question import compared_question, relation
from curation.near_duplicates.wording import (
    LONG_CHARS,
    WordingDifference,
    changes_words,
    denials,
    difference,
    differing,
    figures,
    in_digits,
    is_slip,
    same_figures,
    stray_letter,
    without_idle,
    without_synonyms,
)
from tests.curation.records import question


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
def test_difference_is_symmetric(text: str, other: str) -> None:
    assert difference(text, other) == difference(other, text)
    assert difference(text, text) == WordingDifference(False, False, False)


@given(st.text())
def test_reads_any_text(text: str) -> None:
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


def test_stray_letter_is_one_letter_in_one_text() -> None:
    assert stray_letter("对r一个过程", "对一个过程")
    assert not stray_letter("t检验", "f检验")
    assert not stray_letter("维生素b12", "维生素")


def test_removes_idle_characters_and_variants() -> None:
    assert without_idle("综合症的特点") == without_idle("综合征特点")
    assert without_synonyms("病人的看法") == without_synonyms("患者的观点")


@pytest.mark.parametrize(
    ("text", "other", "slip"),
    [
        ("前运算阶级", "前运算阶段", True),
        ("雅各布松", "雅格布松", True),
        ("作出判断", "做出判断", True),
        ("归因理论", "成败归因理论", True),
        ("感情交流阶段", "情感交流阶段", True),
        ("规定每周看电视的适当时间", "规定每周看电视得适当时", True),
        ("胃炎", "肝炎", False),
        ("操作模仿", "操作整合", False),
        ("诊断性评价", "配置性评价", False),
        ("记忆", "感觉记忆的一种特殊形式", False),
    ],
)
def test_slips_of_options(text: str, other: str, slip: bool) -> None:
    assert is_slip(text, other) is is_slip(other, text) is slip


@pytest.mark.parametrize(
    ("text", "other", "loosely", "strictly"),
    [
        ("高血压合并糖尿病首选的药物是", "高血压合并哮喘首选的药物是", True, True),
        ("高血压合并糖尿病首选的药物是", "高血压首选的药物是", True, True),
        ("慢性胃炎的表现是", "慢性肝炎的表现是", True, True),
        ("在维纳的归因模式中", "在韦纳的归因模式中", False, False),
        ("患者的表现是", "病人的症状是", False, False),
        ("不断闪回当时的场面", "反复闪回当时的场面", False, False),
        ("老师知道学生的成绩", "老师批评学生的成绩", True, True),
        ("在期中考试结束之后的班会上，老师知道学生的成绩", "在期中考试结束之后的班会上，老师批评学生的成绩", True, True),
        ("据此估算，此时图像记忆中可用的字母数约为多少个", "据此推算，此时图像记忆中可用的字母数约为多少个", False, False),
        ("引起小儿肺炎最常见的病原体是", "导致小儿肺炎最常见的病原体是", False, False),
        ("信度是指测验结果的", "效度是指测验结果的", True, True),
        ("心室颤动最有效的处理措施是", "心室扑动最有效的处理措施是", True, True),
        ("下丘脑的作用是", "丘脑的作用是", True, True),
        ("亚急性心内膜炎常见的致病菌是", "急性心内膜炎常见的致病菌是", True, True),
        ("焦虑症与恐怖症的鉴别要点是", "焦虑症与强迫症的鉴别要点是", True, True),
        ("创造思维的主要特点是", "创造性思维的主要特点是", False, False),
        ("检验一元线性回归方程的有效性通常使用的方法是", "栓验一元线性回归方程的有效性通常使用的方法是", False, False),
        ("在一门课程或教学活动结束后对完整的教学过程进行的评价", "在一门课程或教学话动结束后对完整的教学过程进行的评价", False, False),
    ],
)
def test_replaced_names(text: str, other: str, loosely: bool, strictly: bool) -> None:
    assert changes_words(text, other) is changes_words(other, text) is loosely
    assert changes_words(text, other, strict=True) is changes_words(other, text, strict=True) is strictly


@given(st.text("胃肝炎病的高低学习者1ab", max_size=9), st.text("胃肝炎病的高低学习者1ab", max_size=9))
def test_changes_are_symmetric_and_equal_texts_have_none(text: str, other: str) -> None:
    assert is_slip(text, other) == is_slip(other, text)
    assert changes_words(text, other) == changes_words(other, text)
    assert not changes_words(text, text)


PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)


LONG = "".join(chr(0x4E00 + (k * k + 7 * k) % 3000) for k in range(200_000))


@pytest.mark.parametrize("other", [LONG[:99_999] + "㐀" + LONG[100_000:], "㐀" + LONG + "㐁", LONG + LONG[:9]])
def test_stems_of_two_hundred_thousand_characters_are_compared(other: str) -> None:
    """Would not finish if each character of one were looked up in the other."""
    assert relation(
        compared_question(question(LONG, question_type="qa"), 3), compared_question(question(other, question_type="qa"), 3), PARAMS
    ) in ("same", "conflict", None)


def test_finds_one_character_of_a_long_text() -> None:
    assert differing(LONG, LONG[:99_999] + "㐀" + LONG[100_000:]) == [("replace", 99_999, 100_000, 99_999, 100_000)]
    assert differing(LONG, LONG + "㐀") == [("insert", 200_000, 200_000, 200_000, 200_001)]


@settings(deadline=None, max_examples=40)
@given(st.text("甲乙", max_size=40), st.text("甲乙", max_size=40), st.sampled_from(["", "丙" * LONG_CHARS]))
def test_variants_are_equal(text: str, other: str, before: str) -> None:
    text, other = before + text, before + other
    place = other_place = 0
    for kind, i1, i2, j1, j2 in [*differing(text, other), ("end", len(text), 0, len(other), 0)]:
        assert text[place:i1] == other[other_place:j1]
        assert kind != "equal"
        place, other_place = i2, j2
