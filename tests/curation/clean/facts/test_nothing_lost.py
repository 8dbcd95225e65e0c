"""What an entry says is told somewhere: as facts, as a passage or as a row of what was refused, and each value in its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, LabelledValue, Section
from atomexam.records.provenance import Provenance
from curation.clean.facts.entries import ParsedEntry, read_entity

_WORDS = [
    *["合理膳食", "戒酒", "慎用药物", "咳嗽", "心律不", "1、", "2、", "（", "）", "，", "、", "。", "：", "…", "[详细]", "详见说明书",
     "3.9", "暂无", "【"],
    " ", "\n",
]  # fmt: skip
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=8).map("".join)
_LABELS = ["症状", "预防", "病因", "治疗方法", "传染性", "科室", "宜", "忌", "常用药物", "检查项目", "并发症"]


def _read(label: str, value: str, kind: str = "disease", name: str = "脂肪肝", section: bool = False) -> ParsedEntry:
    seen = Provenance(source="toy", url="file:1", snapshot="2026-01-01", page_id="1", position="1")
    values = [] if section else [LabelledValue(label=label, value=value, position="1")]
    sections = [Section(title=label, text=value, position="1")] if section else []
    return read_entity(EntityItem(url="file:1", provenance=seen, entity_type=kind, name_raw=name, values=values, sections=sections))


def _tails(reading: ParsedEntry) -> list[str]:
    return [fact.tail for fact in reading.facts]


@given(st.sampled_from(_LABELS), _TEXTS)
def test_no_value_goes_without_a_trace(label: str, text: str) -> None:
    reading = _read(label, text)
    assert reading.facts or [row for row in reading.rejected if row.kind == "fact"] or not text.strip()


@given(st.sampled_from(["预防", "病因", "概述"]), _TEXTS)
def test_no_section_goes_without_a_trace(title: str, text: str) -> None:
    reading = _read(title, text, section=True)
    assert reading.facts or reading.rejected or reading.passages or reading.empty
    if title != "概述":
        assert reading.facts or [row for row in reading.rejected if row.kind == "fact"] or reading.passages or not text.strip()


@pytest.mark.parametrize(("text", "found"), [
    ("合理膳食，控制体重，慎用药物，戒酒。", ["合理膳食", "控制体重", "慎用药物", "戒酒"]),
    ("注意保暖、避免受凉；戒烟。", ["注意保暖", "避免受凉", "戒烟"]), ("合理膳食，本病尚无疫苗。", []), ("戒烟。", ["戒烟"]),
    ("预防措施\n戒烟\n避免受凉", ["戒烟", "避免受凉"]), ("预防措施： 1.接种疫苗。", ["接种疫苗"]),
    ("预防措施：1.接种EV71疫苗；\n2.勤洗手；\n3.不与患者同床。", ["接种EV71疫苗", "勤洗手", "不与患者同床"]),
])  # fmt: skip
def test_a_section_that_is_a_list_of_short_advice_is_read_as_one(text: str, found: list[str]) -> None:
    reading = _read("预防", text, section=True)
    assert _tails(reading) == found and (found or reading.rejected)


@pytest.mark.parametrize(("value", "ranges"), [
    ("空腹：3.9-6.1mmol/L；餐后2小时：<7.8mmol/L", [("空腹", "3.9-6.1mmol/L"), ("餐后2小时", "<7.8mmol/L")]),
    ("餐后1小时6.7~9.4mmol/L，餐后2小时<7.8mmol/L", [("餐后1小时", "6.7~9.4mmol/L"), ("餐后2小时", "<7.8mmol/L")]),
    ("2小时：<7.8mmol/L", []), ("餐后1～2小时：<7.8mmol/L", []), ("运动后30分钟：<7.8mmol/L", [("运动后30分钟", "<7.8mmol/L")]),
    ("抗体滴度<1:80", []), ("<1:80", [(None, "<1:80")]),
])  # fmt: skip
def test_the_time_of_a_range_stands_behind_its_head(value: str, ranges: list[tuple[str | None, str]]) -> None:
    reading = _read("正常值", value, "examination", "效价比值")
    assert [(fact.head, fact.tail) for fact in reading.facts] == [
        (f"效价比值（{who}）" if who else "效价比值", text) for who, text in ranges
    ]
    assert ranges or reading.rejected


@pytest.mark.parametrize(("kind", "label", "value", "found"), [
    ("examination", "适用疾病", "详见检查报告", []),
    ("disease", "症状", "参见说明书、见正文", []),
    ("disease", "症状", "早期症状：尿频、尿急；晚期症状：血尿等", ["尿频", "尿急", "血尿"]),
    ("disease", "常用药物", "碳酸钙D3片（每日1片）、维生素B12片", ["碳酸钙D3片", "维生素B12片"]),
    ("disease", "常用药物", "格列美脲片2mg", ["格列美脲片"]),
    ("disease", "预防措施", "多吃含钙丰富的食物，如牛奶、豆制品", ["多吃含钙丰富的食物"]),
    ("disease", "预防", "避免诱因，如受凉、饮酒；注意保暖", ["避免诱因", "注意保暖"]),
    ("disease", "预防措施", "戒烟限酒、勤洗手", ["戒烟", "限酒", "勤洗手"]),
    ("disease", "症状", "【典型症状】咳嗽、咯血", ["咳嗽", "咯血"]),
    ("disease", "治疗方法", "药物治疗（5-羟色胺再摄取抑制剂）、中医治疗（板蓝根）", ["药物治疗", "中医治疗"]),
    ("disease", "治疗方法", "放化疗", ["放疗", "化疗"]),
    ("disease", "治疗方法", ".药物治疗", ["药物治疗"]),
    ("disease", "治疗方法", "手术治疗（催吐、洗胃）", []),
    ("disease", "并发症", "肾盂肾炎、膀胱结石[详细]", ["肾盂肾炎", "膀胱结石"]),
])  # fmt: skip
def test_a_value_gives_its_own_items_and_nothing_beside_them(kind: str, label: str, value: str, found: list[str]) -> None:
    assert _tails(_read(label, value, kind, "骨质疏松症")) == found


@pytest.mark.parametrize(("kind", "label", "value", "found"), [
    ("西药", "不良反应", "腹泻（3.7%）", ["腹泻"]),
    ("西药", "不良反应", "头痛（2.4%）、便秘", ["头痛", "便秘"]),
    ("中成药", "功能主治", "【功能主治】清热，利尿，通淋。用于小便短赤。", ["清热", "利尿", "通淋"]),
    ("中成药", "不良反应", "【不良反应】可见腹泻、腹痛", ["腹泻", "腹痛"]),
    ("中成药", "功能主治", "润燥止咳化痰", ["润燥", "止咳", "化痰"]),
    ("中成药", "功能主治", "清暑祛湿解表，活血祛瘀", ["清暑", "祛湿", "解表", "活血祛瘀"]),
    ("中成药", "功能主治", "解表清热透疹", ["解表", "清热", "透疹"]),
    ("中成药", "功能主治", "养阴润肺扶正、健脾益气", ["养阴", "润肺", "扶正", "健脾益气"]),
    ("西药", "不良反应", "可出现肝肾功能障碍", ["肝功能障碍", "肾功能障碍"]),
    ("西药", "不良反应", "肝肾损害、皮疹", ["肝损害", "肾损害", "皮疹"]),
    ("西药", "不良反应", "常见头痛；罕见牙龈增生。", ["头痛", "牙龈增生"]),
    ("西药", "适应症", "高血压；高血压危象。", ["高血压", "高血压危象"]),
    ("西药", "适应症", "用于缓解疼痛如头痛、肌肉痛、痛经。", ["头痛", "肌肉痛", "痛经"]),
    ("西药", "适应症", "治疗变应性鼻炎（过敏性鼻炎）", ["治疗变应性鼻炎"]),
    ("西药", "适应症", "治疗变应鼻炎性（过敏性鼻炎）", []),
    ("西药", "适应症", "可用作抗白血病、抗肿瘤的辅助治疗。", []),
])  # fmt: skip
def test_a_monograph_gives_its_own_items(kind: str, label: str, value: str, found: list[str]) -> None:
    seen = Provenance(source="toy", url="file:1", snapshot="2026-01-01", page_id="1", position="1")
    values = [LabelledValue(label="药品类型", value=kind, position="0"), LabelledValue(label=label, value=value, position="1")]
    reading = read_entity(EntityItem(url="file:1", provenance=seen, entity_type="medicine", name_raw="某药", values=values))
    assert _tails(reading) == found and (found or reading.rejected)
