"""Records without a layout: entries of an encyclopedia are recognized by words and values; nothing else is mistaken for one."""

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.item import EntityItem, QuestionItem
from atomexam.records.provenance import Provenance
from crawlers.read.__main__ import main
from crawlers.read.files import account_of
from crawlers.read.formats import guess_format, read_file
from crawlers.read.layouts.layout_files import layouts_with
from crawlers.read.proposed import proposed_layout
from crawlers.read.tables.records.entities import flat_record, kind_words, plain_text, range_text
from crawlers.read.tables.records.reading import FileReading
from curation.clean.facts.labels import use_of

HERBS = [("甘草", "甘、平", "补脾益气、清热解毒"), ("黄芪", "甘、微温", "补气升阳、固表止汗"), ("陈皮", "辛、温", "理气健脾、燥湿化痰")]
DISEASES = [("胃炎", "消化内科", "腹痛、呕吐"), ("肺结核", "呼吸内科", "咳嗽、咯血"), ("偏头痛", "神经内科", "头痛、恶心")]
TESTS = [
    ("血红蛋白", "120-160", "g/L"),
    ("白细胞计数", "4-10", "10^9/L"),
    ("血肌酐", "<115", "μmol/L"),
    ("丙氨酸氨基转移酶", "9-50", "U/L"),
]


def read(name: str, text: str) -> FileReading:
    body = text.encode()
    seen = Provenance(source="read", url=f"file:{name}", snapshot="2026-01-01", page_id="p", position="")
    format_name = guess_format(name, body)
    reading = read_file(name, body, format_name, seen)
    account_of(name, body, format_name, reading)  # every character is somewhere
    return reading


def entities(name: str, text: str) -> list[EntityItem]:
    return [item for item in read(name, text).items if isinstance(item, EntityItem)]


def as_csv(header: str, rows: list[tuple[str, ...]]) -> str:
    return "\n".join([header, *(",".join(f'"{cell}"' for cell in row) for row in rows)])


def as_objects(keys: str, rows: list[tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip(keys.split(), row, strict=True)) for row in rows]


LAYOUTS = {
    "words of a header.csv": as_csv("名称,性味,功效", HERBS),
    "a mark before the header.csv": "\ufeff" + as_csv("藥名,药性,功用", HERBS),
    "english.csv": as_csv("name_zh,nature,primary_functions", HERBS),
    "list.json": json.dumps(as_objects("name nature efficacy", HERBS), ensure_ascii=False),
    "below a key.json": json.dumps({"_metadata": {"total": 3}, "herbs": as_objects("name nature efficacy", HERBS)}, ensure_ascii=False),
    "two deep.json": json.dumps({"data": {"page": {"list": as_objects("中文名 性味 功效", HERBS)}}}, ensure_ascii=False),
    "names as keys.json": json.dumps(
        {name: {"别名": [name + "草"], "性味": taste, "功效": effect} for name, taste, effect in HERBS}, ensure_ascii=False
    ),
    "below names.json": json.dumps({"v": "1", "data": {name: {"性味": taste, "功效": effect} for name, taste, effect in HERBS}}),
    "names of both.json": json.dumps({"name": "清热药", "references": as_objects("name 性味 功效", HERBS)}, ensure_ascii=False),
    "objects inside.json": json.dumps([{"title": n, "attrs": {"性味": t, "功效": e.split("、")}} for n, t, e in HERBS], ensure_ascii=False),
    "lines.jsonl": "\n".join(json.dumps(one) for one in as_objects("名称 四气五味 功效", HERBS)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_reads_one_fact_in_many_layouts(name: str) -> None:
    found = entities(name, LAYOUTS[name])
    said = [{value.label: value.value for value in item.values} for item in found]
    assert [item.name_raw for item in found] == [name for name, _, _ in HERBS]
    assert {item.entity_type for item in found} == {"medicine"}
    assert [(one["性味"], one["功效"]) for one in said] == [(taste, effect) for _, taste, effect in HERBS]


def test_the_kind_of_a_record() -> None:
    diseases = entities("a.csv", as_csv("病名,所属科室,临床表现", DISEASES))
    assert (diseases[0].entity_type, diseases[0].values[0].label, diseases[0].values[0].value) == ("disease", "就诊科室", "消化内科")
    tests = entities("b.json", json.dumps(as_objects("name reference unit", TESTS)))
    assert [(one.entity_type, [(each.label, each.value) for each in one.values]) for one in tests] == [
        ("examination", [("参考区间", f"{figures}{'×' if unit.startswith('10') else ''}{unit}")]) for _, figures, unit in TESTS
    ]
    foods = [(*row, "食材" if row[0] == "陈皮" else "中药材") for row in HERBS * 4]
    rows = [(f"{name}{number}", *rest) for number, (name, *rest) in enumerate(foods)]
    kinds = {one.name_raw: one.entity_type for one in entities("c.csv", as_csv("name,nature,功效,category", rows))}
    assert kinds["甘草0"] == "medicine" and kinds["陈皮2"] == "food"


NO_RECORDS = {
    "prices.csv": as_csv("名称,规格,单价,数量", [("电饭煲", "4L", "199", "3"), ("台灯", "个", "88", "2")]),
    "medicine prices.csv": as_csv("药品名称,规格,单价", [("阿司匹林片", "100mg", "9.9"), ("布洛芬", "0.3g", "12")]),
    "wares.csv": as_csv("商品名称,功能,用途", [("电饭煲", "煮饭、煲汤", "厨房使用"), ("台灯", "照明", "书房照明")]),
    "faults.csv": as_csv("名称,症状,原因,检查", [("水泵", "不出水", "电机损坏", "检查电源"), ("空调", "不制冷", "缺氟", "检查管路")]),
    "stocks.json": json.dumps(as_objects("name high low", [("平安银行", "12.1", "11.8"), ("万科A", "9.7", "9.2")])),
    "package.json": json.dumps({"name": "app", "description": "一个应用", "scripts": {"check": "ruff"}, "effects": ["无"]}),
    "one.json": json.dumps(as_objects("名称 性味 功效", HERBS[:1]), ensure_ascii=False),
    "novel.json": json.dumps([{"title": "第一章", "content": "夜里下了雨，他头痛得厉害，便去敲医生的门。"}] * 3),
    "people.csv": as_csv("姓名,年龄,部门", [("张三", "30", "销售科"), ("李四", "41", "财务科"), ("王五", "28", "人事科")]),
    "limits.csv": as_csv("项目名称,参考值,单位", [("外壳温度", "20-40", "℃"), ("电源电压", "210-230", "V"), ("转速", "900-1100", "r/min")]),
    "nodes.csv": as_csv(":ID,name,:LABEL", [("d1", "胃炎", "Disease"), ("d2", "肺炎", "Disease"), ("d3", "肝炎", "Disease")]),
    "edges.csv": as_csv(":START_ID,:END_ID,:TYPE", [("disease1", "symptom2", "has_symptom")] * 9),
}


@pytest.mark.parametrize("name", NO_RECORDS)
def test_refuses_records_that_are_not_entries(name: str) -> None:
    with pytest.raises(ValueError, match=name.split(".")[0]):
        read(name, NO_RECORDS[name])


def test_triples_of_a_text_are_grouped_by_their_heads() -> None:
    lines = [
        "胃炎 症状 腹痛",
        "胃炎 症状 嗳气 反酸",
        "肺炎 症状 咳嗽",
        "胃炎 就诊科室 消化内科",
        "肺炎 并发症 脓胸",
        *(f"病{n} 症状 头痛" for n in range(90)),
    ]
    reading = read("t.txt", "\n".join([*lines, "页脚"]))
    first = reading.items[0]
    assert isinstance(first, EntityItem)
    assert (first.name_raw, first.entity_type) == ("胃炎", "disease")
    assert [(one.label, one.value, one.position) for one in first.values] == [
        ("症状", "腹痛", "line:1"),
        ("症状", "嗳气 反酸", "line:2"),
        ("就诊科室", "消化内科", "line:4"),
    ]
    assert [(item.provenance.position, item.doubt) for item in reading.items if isinstance(item, QuestionItem)] == [
        ("line:96", "record_unreadable")
    ]


def test_strips_brackets_around_a_triple() -> None:
    said = (("有症状", "咳嗽"), ("归经", "肺经"))
    lines = [f"（{name}，{label}，{value}）" for name in ("胃炎", "肺炎", "黄芪") for label, value in said]
    items = [item for item in read("t.txt", "\n".join(lines)).items if isinstance(item, EntityItem)]
    assert {(item.name_raw, each.label, each.value) for item in items for each in item.values} >= {("胃炎", "症状", "咳嗽")}


def test_other_texts_are_not_triples() -> None:
    for text in (
        "2026-11-23 INFO started\n" * 9,
        "他 说 好\n" * 9,
        "1. 下列哪项 症状 正确\nA. 甲 B. 乙 C. 丙\n" * 9,
        "",
        "胃炎 症状 腹痛\n",
    ):
        assert guess_format("a.txt", text.encode()) == "paper"


RANGES = [
    ("65-85", "g/L", "65-85g/L"),
    ("3.97 - 9.15", "X10E9/L", "3.97-9.15X10E9/L"),
    ("<115", "μmol/L", "<115μmol/L"),
    ({"min": 4, "max": 10}, "×10^9/L", "4-10×10^9/L"),
    ({"max": 5.2}, "mmol/L", "≤5.2mmol/L"),
    ({"male": "120-160", "female": "110-150"}, "g/L", "男性：120-160g/L；女性：110-150g/L"),
    ({"male": {"min": 57, "max": 111}, "female": {"min": 44, "max": 97}}, "μmol/L", "男性：57-111μmol/L；女性：44-97μmol/L"),
    ({"desirable": "<5.2", "borderline": "5.2-6.2", "high": "≥6.2"}, "mmol/L", "<5.2mmol/L"),
    ([3.9, 6.1], "mmol/L", "3.9-6.1mmol/L"),
    ("4.0-6.0%", "%", "4.0-6.0%"),
    ("阴性", None, "阴性"),
    ("", "g/L", None),
    (None, None, None),
]


@pytest.mark.parametrize(("value", "unit", "text"), RANGES)
def test_ranges_of_any_form(value: object, unit: str | None, text: str | None) -> None:
    assert range_text(value, unit) == text


def test_placeholders_mean_no_value() -> None:
    assert [plain_text(value) for value in ("——", " ", "-", "N/A", None, [], ["", "——"], "\ufeff")] == [None] * 8
    assert plain_text(["甲", " ", "乙"]) == "甲、乙" and plain_text(True) == "是" and plain_text(3) == "3"
    assert flat_record({"a": {"b": {"c": 1}}, "r": {"min": 1, "max": 2}}) == {"a.b.c": 1, "r": {"min": 1, "max": 2}}


def test_a_proposed_layout_reads_its_own_file(tmp_path: Path) -> None:
    rows = [{"病名": name, "所属科室": ward, "x1: #": signs, "y\n2": number} for number, (name, ward, signs) in enumerate(DISEASES)]
    path = tmp_path / "layout.yaml"
    proposed = proposed_layout("mine.json", json.dumps(rows).encode())
    path.write_text(proposed, encoding="utf-8")
    with pytest.raises(ValueError, match="line 3: mine has `confirmed: no`"):  # 症状 is proposed by its values alone
        layouts_with(path, [])
    path.write_text(proposed.replace("confirmed: no", "confirmed: yes"), encoding="utf-8")
    known = layouts_with(path, [])
    body = json.dumps(rows).encode()
    seen = Provenance(source="read", url="file:a.json", snapshot="2026-01-01", page_id="p", position="")
    assert guess_format("a.json", body, known) == "mine"
    items = read_file("a.json", body, "mine", seen, (), known).items
    assert [[value.label for value in item.values] for item in items if isinstance(item, EntityItem)] == [["就诊科室", "症状", "y\n2"]] * 3


def test_the_command_writes_a_layout_beside_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "herbs.csv").write_text(LAYOUTS["english.csv"], encoding="utf-8")
    (tmp_path / "prices.csv").write_text(NO_RECORDS["prices.csv"], encoding="utf-8")
    assert main([str(tmp_path / "herbs.csv"), "--propose"]) == 0
    assert main([str(tmp_path / "herbs.csv"), "--propose"]) == 1  # a person's corrections stay
    assert main([str(tmp_path / "prices.csv"), "--propose"]) == 1
    place = tmp_path / "herbs.layout.yaml"
    proposed = place.read_text(encoding="utf-8")
    assert "confidence of 80%" in proposed and "confirmed: no" in proposed
    place.write_text(proposed.replace("confirmed: no", "confirmed: yes"), encoding="utf-8")
    assert next(iter(layouts_with(place, []))) == "herbs"
    assert "already exists" in capsys.readouterr().err


def test_every_label_is_one_that_curation_knows() -> None:
    for kind, label in {(kind, label) for word in _all_words() for kind, label, _ in kind_words(word)}:
        assert use_of("any", kind, label) is not None, (kind, label)


def _all_words() -> list[str]:
    table = YAML(typ="safe", pure=True).load(Path(__file__).parents[4] / "crawlers/read/vocabulary/entities.yaml")
    return [word for kind in table["kinds"].values() for some in kind.values() for label, words in some.items() for word in (label, *words)]
