"""Nouns in the place of nouns, and slips of the pen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.near_duplicates.wording import changes_words, is_slip


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
def test_names_in_the_place_of_names(text: str, other: str, loosely: bool, strictly: bool) -> None:
    assert changes_words(text, other) is changes_words(other, text) is loosely
    assert changes_words(text, other, strict=True) is changes_words(other, text, strict=True) is strictly


@given(st.text("胃肝炎病的高低学习者1ab", max_size=9), st.text("胃肝炎病的高低学习者1ab", max_size=9))
def test_neither_has_a_direction_and_equal_texts_differ_in_nothing(text: str, other: str) -> None:
    assert is_slip(text, other) == is_slip(other, text)
    assert changes_words(text, other) == changes_words(other, text)
    assert not changes_words(text, text)
