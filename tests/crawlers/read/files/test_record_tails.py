"""Lines at the end of a question that belong to the next ones; records in files with an uninformative suffix."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, QuestionItem
from crawlers.read.formats import read_file
from crawlers.read.tables.records.reading import FileReading
from tests.crawlers.read.bodies import SEEN, result_of

HORNS = ["A.四岔", "B.三岔", "C.单门"]
ROOTS = ["A.苦参", "B.续断", "C.白芍"]
CASE = "某男，53岁。近日出现食欲不振、嗳气吞酸、腹胀泄泻。医师处以开胃健脾丸。"


def row(number: int | None, question: str, options: list[str], answer: str = "B") -> dict[str, Any]:
    return {"number": number, "question": question, "options": options, "answer": answer}


def read(*rows: dict[str, Any]) -> FileReading:
    return read_file("toy.json", json.dumps(rows, ensure_ascii=False).encode(), "table", SEEN)


def questions(*rows: dict[str, Any]) -> list[QuestionItem]:
    return [item for item in read(*rows).items if isinstance(item, QuestionItem)]


def test_a_range_applies_the_options_before_it_to_its_questions() -> None:
    found = questions(
        row(40, "图示药材为栀子的是 二、配伍选择题 【41-42】", HORNS),
        row(41, "具有1个侧枝的马鹿茸习称", [], "C"),
        row(42, "具有2个分枝的花鹿茸习称 【43-44】", ROOTS, "A"),
        row(43, "断面灰白色的饮片是", [], "A"),
        row(44, "表面淡棕红色的饮片是", [], "C"),
        row(45, "不在范围内的是", [], "C"),
    )
    assert [(item.doubt, item.options_raw, item.shared_options_raw, item.section_raw) for item in found] == [
        ("options_unreadable", None, None, None),
        (None, None, HORNS, "二、配伍选择题"),
        (None, None, HORNS, "二、配伍选择题"),
        (None, None, ROOTS, "二、配伍选择题"),
        (None, None, ROOTS, "二、配伍选择题"),
        ("options_unreadable", None, None, None),
    ]
    assert found[2].stem_raw == "具有2个分枝的花鹿茸习称"


def test_keeps_options_if_the_next_records_have_their_own() -> None:
    found = questions(row(42, "具有2个分枝的花鹿茸习称 【43-44】", HORNS), row(43, "断面灰白色的饮片是", ROOTS))
    assert [(item.stem_raw, item.options_raw) for item in found] == [("具有2个分枝的花鹿茸习称", HORNS), ("断面灰白色的饮片是", ROOTS)]


def test_drops_the_next_records_options_after_a_records_own() -> None:
    found = questions(
        row(42, "具有2个分枝的花鹿茸习称", [*HORNS, *ROOTS]), row(43, "断面灰白色的饮片是", ROOTS), row(44, "淡棕红色的是", ROOTS)
    )
    assert [item.options_raw for item in found] == [HORNS, ROOTS, ROOTS]


def test_rejects_two_runs_of_options_if_the_next_record_differs() -> None:
    found = questions(
        row(42, "具有2个分枝的花鹿茸习称", [*HORNS, *ROOTS]), row(43, "断面灰白色的饮片是", HORNS), row(44, "淡棕红色的是", ROOTS)
    )
    assert [item.doubt for item in found] == ["options_unreadable", None, None]


def test_ignores_a_range_that_does_not_follow() -> None:
    found = questions(row(42, "人体体温的正常范围见 【36-37】", HORNS), row(43, "断面灰白色的饮片是", [], "感觉"))
    assert (found[0].stem_raw, found[0].options_raw) == ("人体体温的正常范围见 【36-37】", HORNS)


def test_rejects_a_record_with_its_own_and_its_groups_options() -> None:
    reading = read(row(41, "甲是 【42-44】", HORNS), row(42, "乙是", []), row(43, "丙是", ROOTS), row(44, "丁是", [], "甲"))
    doubts = [item.doubt for item in reading.items if isinstance(item, QuestionItem)]
    assert doubts == ["options_unreadable", None, "options_unreadable", None]


def test_a_case_after_a_question_applies_to_the_next_ones() -> None:
    found = questions(
        row(100, f"图示饮片为川木通的是 三、综合分析题 案例：{CASE}", HORNS),
        row(101, "处方中黄连的结构类型是", ROOTS),
        row(102, f"炮制作用是（ ）\n案例二：{CASE[::-1]}", ROOTS),
        row(103, "其药用部位是 四、多项选择题", ROOTS),
        row(104, "贮藏的因素有", ROOTS, "AB"),
    )
    assert [item.case_raw for item in found] == [None, CASE, CASE, CASE[::-1], None]
    assert [item.section_raw for item in found] == [None, *["三、综合分析题"] * 3, "四、多项选择题"]
    assert found[0].stem_raw == "图示饮片为川木通的是" and found[2].stem_raw == "炮制作用是（ ）"


def test_a_question_with_a_patient_of_its_own_ends_a_case() -> None:
    found = questions(
        row(1, f"甲是（ ） 案例：{CASE}", HORNS), row(2, "乙是", HORNS), row(3, "某女，30岁，头痛3天。首选", HORNS), row(4, "丁是", HORNS)
    )
    assert [item.case_raw for item in found] == [None, CASE, None, None]


def test_a_case_in_front_of_its_question_stays() -> None:
    stem = f"阅读 案例：{CASE}下列说法正确的是"
    assert [(item.stem_raw, item.case_raw) for item in questions(row(1, stem, HORNS), row(2, "感觉是", ROOTS))] == [
        (stem, None),
        ("感觉是", None),
    ]


@given(st.lists(st.tuples(st.text("甲是 【】1234-、题案例：（）\n一选", max_size=24), st.booleans()), max_size=8))
def test_no_record_is_lost(rows: list[tuple[str, bool]]) -> None:
    reading = read(row(0, "甲是什么", HORNS), *(row(n, stem, HORNS if own else []) for n, (stem, own) in enumerate(rows, 1)))
    assert reading.record_count == len(reading.items) == len(rows) + 1


_DISEASES = [
    {"name": name, "desc": f"{name}是一种疾病。", "symptom": signs, "cure_way": ["药物治疗"], "cure_department": ["内科"], "get_prob": "1%"}
    for name, signs in (("胃炎", ["腹痛", "恶心"]), ("肺炎", ["咳嗽", "发热"]), ("肝炎", ["黄疸", "乏力"]))
]
_REFERENCES = """/* sheet */
module.exports = {
  name: '生化1',
  references: [
    { short_name: 'TP', name: '总蛋白', reference: '65-85', unit: 'g/L' },
    { short_name: 'ALB', name: '白蛋白', reference: '40-55', unit: 'g/L' },
    { short_name: 'G', name: '球蛋白', reference: '20-40', unit: 'g/L' },
    { short_name: 'UREA', name: '尿素', reference: '2.9-8.2', unit: 'mmol/L' },
  ]
};
"""


@pytest.mark.parametrize("end", ["", "\n"])
def test_reads_one_record_per_line_under_any_suffix(end: str) -> None:
    lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in _DISEASES) + end
    result, named = result_of("a.json", lines), result_of("a.jsonl", lines)
    assert [item.name_raw for item in result.reading.items if isinstance(item, EntityItem)] == ["胃炎", "肺炎", "肝炎"]
    assert result == named and result.account.unread_characters == 0


def test_a_broken_line_among_records_is_rejected() -> None:
    lines = [json.dumps(one, ensure_ascii=False) for one in _DISEASES]
    result = result_of("a.json", "\n".join([*lines, '{"name": "断', ""]))
    assert len(result.reading.items) == 4 and result.reading.faults[0].startswith("line 4: record_unreadable")


def test_reference_ranges_in_literals_are_read() -> None:
    result = result_of("bio.js", _REFERENCES)
    items = [item for item in result.reading.items if isinstance(item, EntityItem)]
    assert [(item.name_raw, item.alias_raw, item.values[0].value) for item in items][::3] == [
        ("总蛋白", "TP", "65-85g/L"),
        ("尿素", "UREA", "2.9-8.2mmol/L"),
    ]
    assert [one.text for one in result.account.unread] == ["生化1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.js",
            "const a = [{name: '纱布', unit: '包', price: 3}, {name: '棉签', unit: '袋', price: 2}, {name: '针', unit: '支', price: 1}];",
        ),
        ("a.js", "function reference(name) { return name + 1; }\nvar unit = [1, 2, 3];"),
        ("log.json", '{"time": "08:00", "level": "info"}\n{"time": "08:01", "level": "warn"}\n{"time": "08:02", "level": "info"}\n'),
        ("a.json", '{"name": "胃炎",\n{"name": "肺炎"}\n'),
    ],
)
def test_refuses_files_without_entries(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"neither questions nor named entries|no fields of a question|expected JSON|Expecting"):
        result_of(name, text)
