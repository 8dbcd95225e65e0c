"""Exam and subject by the table of categories; what it does not know is told."""

import pytest

from curation.classifying.places import Place, Places, place_of
from curation.vocabulary import read_vocabulary


@pytest.mark.parametrize(
    ("raw", "exam", "subject"),
    [
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷一（心理诊断）"), "PCE", "心理诊断"),
        (("职业资格 > 心理咨询师", "心理咨询师", "心理咨询师案例分析模拟卷三（心理咨询）"), "PCE", "心理咨询"),
        (("心理咨询师 > 模拟试题", None, "三级心理咨询师理论知识模拟试题二"), "PCE", "心理咨询师三级"),
        (("学历类 > 心理学考研", "心理学考研", "考研心理学统计与测量计算分析卷"), "GEE", "心理统计与测量"),
        (("医学类 > 中医执业医师 > 方剂学", "方剂学", "中医执业医师资格考试方剂学模拟试卷"), "TCM", "方剂学"),
        (("教师资格考试", "　小学教师心理学\xa0", "模拟试卷（一）"), "TQE", "小学教师心理学"),
        (("自学考试 > 自考教育类", None, "自学考试学前教育心理学模拟试题及答案"), "SSE", "学前教育心理学"),
        (("SSE", "医学类医学心理学", None), "SSE", "医学心理学"),
        (("SSE", "医学类医学类心理学导论", None), "SSE", "心理学导论"),
        (("SSE", "教育类发展与教育类发展与教育心理学", None), "SSE", "发展与教育心理学"),
        (("SSE", "医学类心理学", None), "SSE", "心理学"),
        (("CA", "心理理论", None), "PCE", "心理理论"),
        ((None, "考研心理学", None), "GEE", "心理学"),
        ((None, "自考心理学", None), "SSE", "心理学"),
        ((None, "心理学基础心理学", None), "GEE", "基础心理学"),
        ((None, "心理学心理学(一级学科)", None), "GEE", "心理学"),
        (("医师考试", "中医内科学", None), "TCM", "中医内科学"),
    ],
)
def test_the_table_knows_exam_and_subject(raw: tuple[str | None, str | None, str | None], exam: str, subject: str) -> None:
    assert place_of(*raw, "toy") == Place(exam, subject)


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (("水利安全员", "水利安全", None), Place("水利安全员", "水利安全", "水利安全员 | 水利安全")),
        (("教师资格", None, "数学试卷一"), Place("TQE", "教师资格", "教师资格 | 数学试卷一")),
        (("公务员考试", "社会心理学", None), Place("公务员考试", "社会心理学", "公务员考试 | 社会心理学")),
        ((None, "医学类牙科", None), Place("toy", "牙科", "医学类牙科")),
        ((None, None, None), Place("toy", "toy", "toy")),
    ],
)
def test_what_the_table_does_not_know_keeps_its_name_and_is_told(raw: tuple[str | None, str | None, str | None], place: Place) -> None:
    assert place_of(*raw, "toy") == place


@pytest.mark.parametrize(
    ("raw", "exam"), [((None, None, "考研中医综合卷"), "GEE"), (("自学考试", "中医学", None), "SSE"), (("CMMLU", "中医中药", None), "TCM")]
)
def test_the_examination_stands_above_the_field(raw: tuple[str | None, str | None, str | None], exam: str) -> None:
    """Graduate entrance in Chinese medicine is no licensing examination."""
    assert place_of(*raw, "toy").exam == exam


def test_a_user_adds_a_line() -> None:
    lines = [
        {"said": "第一编(上)", "exam": "TQE", "subject": "教育学"},
        {"said": "第一编(上)", "source": "book", "exam": "GEE", "subject": "统计学"},
        {"source": "book", "exam": "GEE", "subject": "数学"},
    ]
    places = Places(read_vocabulary("subjects") | {"categories": lines})
    assert places.place("第一编（上）", None, None, "other", None) == Place("TQE", "教育学")
    assert places.place("第一编（上）", None, None, "book", None) == Place("GEE", "统计学"), "a source's own line stands above"
    assert places.place(None, None, "卷三", "book", None) == Place("GEE", "数学"), "a line without words is for what nothing else tells"
    assert places.place(None, None, "自学考试教育心理学", "book", None) == Place("SSE", "教育心理学")


def test_the_table_is_in_order() -> None:
    """A name that holds an earlier one would never be found."""
    table = read_vocabulary("subjects")
    entries = [((entry["name"], *entry.get("also", ())), entry.get("but_not", "\0")) for entry in table["subjects"]]
    hidden = [
        (name, earlier)
        for at, (names, _) in enumerate(entries)
        for earliers, but_not in entries[:at]
        for name in names
        for earlier in earliers
        if earlier in name.replace(but_not, "")
    ]
    assert hidden == []
    said = [(line.get("said"), line.get("source")) for line in table["categories"]]
    assert len(said) == len(set(said))
    assert {entry["exam"] for entry in table["subjects"]} <= set(table["exams"])
