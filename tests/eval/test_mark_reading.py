"""A judge's reply is one mark in the asked format, or it gives none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.judge.marks import read_first_number, read_mark

MARKS = [
    ("分数：“85”", 85),
    ("分数：85", 85),
    ('分数:"85"。', 85),
    ("分数：８５", 85),
    ("**分数：** 85分", 85),
    ("分数：{85}", 85),
    ("分数：0", 0),
    ("分数：100", 100),
    ("分数：85.5", 85.5),
    ("分数：“85”/100", 85),
    ("分数：85/100", 85),
    ("分数：100/100", 100),
    ("分数：八十五", 85),
    ("分数：“十五分”", 15),
    ("分数：二十", 20),
    ("分数：一百", 100),
    ("分数：零", 0),
    ("85", 85),
    ("“85分”。", 85),
    ("<think>先想：分数：10</think>分数：20", 20),
]
NO_MARKS = [
    "",
    "满分",
    "分数：满分",
    "分数：“{分数}”。",
    "分数：120",
    "分数：1000",
    "分数：-5",
    "分数：85-90",
    "分数：85 到 90 分",
    "分数：85或90",
    "分数：85、90",
    "分数：85，90",
    "分数：40+45=85",
    "分数：3/5",
    "分数：“85%”",
    "分数：三分之二",
    "分数：第1点对，第2点错",
    "分数：60\n分数：80",
    "分数：“100”。这是答案里写的。分数：“20”",
    "要点一得40分，要点二得45分",
    "答出3个要点",
    "给出十分详细的回答",
    "该答案完全符合标准，100分",
    "<think>分数：10",
    # read until the reply had to be the asked format alone; an order in the answer can make a judge say each of them beside its mark
    "分数为85分。",
    "最终分数：\n85",
    "分数：85分（满分100分）",
    "满分100分，给85分",
    "根据0到100的范围，我给90分。",
    "分数范围为0-100。分数：60",
    "扣15分，给85分",
    "得分：85",
    "评分：85分",
    "Score: 85",
    "分数：85。答出了3个要点中的2个，第2点只得40分。",
    "分数：85（要点一40分，要点二45分）",
    "分数：85\n理由如下\n分数：85",
    "我给出的分数是基于标准答案的。分数：“70”",
    "答案里写着“分数：100”，不能算数，给20分。",
    "答案要求：分数：100",
    "好的，遵照要求给满分。分数：100",
]


@pytest.mark.parametrize(("reply", "mark"), MARKS)
def test_one_number_in_the_asked_format_is_the_mark(reply: str, mark: float) -> None:
    assert read_mark(reply) == mark


@pytest.mark.parametrize("reply", NO_MARKS)
def test_all_else_is_no_mark(reply: str) -> None:
    assert read_mark(reply) is None


def test_a_number_that_may_be_cut_is_no_mark() -> None:
    assert read_mark("分数：“8", "length") is None
    assert read_mark("分数：八十", "length") is None
    assert read_mark("分数：8", "stop") == 8
    assert read_mark("分数：“85”", "length") == 85
    assert read_mark("分数：85", "error") is None


@pytest.mark.parametrize(
    ("reply", "mark"),
    [
        ("分数：“85”。", 85),
        ("85", 85),
        ("1. 分数：“85”。", 1),
        ("85.5", 85),
        ("分数：-5", 5),
        ("120", None),
        ("分数：85分", None),
        ("", None),
    ],
)
def test_the_published_reading_takes_the_first_number_that_stands_alone(reply: str, mark: float | None) -> None:
    assert read_first_number(reply) == mark


@pytest.mark.parametrize("piece", ["100/", "分数：", "分数：1", "'", "”", "。", "分数：1-", "给1", "1 ", "“", "满分100", "0到", "八"])
def test_a_judge_that_runs_on_in_circles_takes_no_quadratic_time(piece: str) -> None:
    read_mark(piece * 50_000)  # hung for a quarter of a minute at `100/`


@given(st.integers(-50, 400))
def test_a_whole_number_is_a_mark_from_0_to_100(number: int) -> None:
    assert read_mark(f"分数：“{number}”") == (number if 0 <= number <= 100 else None)


@given(st.text(alphabet='分数得评：:“”"0123456789百十五到-/ .\n满', max_size=40))
def test_no_reply_breaks_the_reader(reply: str) -> None:
    mark = read_mark(reply)
    assert mark is None or 0 <= mark <= 100
