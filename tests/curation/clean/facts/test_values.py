"""Values and sections as pages write, truncate and join them: each item is read verbatim or rejected with a reason."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curation.clean.__main__ import clean
from curation.clean.facts.entries import ParsedEntry, read_entity, reference_facts
from curation.clean.facts.kinds import misfit
from curation.clean.facts.prose import section_tails
from curation.clean.facts.tails import is_prose, tails
from tests.curation.records import CLEAN, entry

TAILS: dict[str, tuple] = {
    "signs of one place are completed or refused": (
        "list",
        [
            ("局部红、肿、热、痛", ["局部红", "局部肿", "局部热", "局部痛"]),
            ("发热、关节红、肿、痛、乏力", ["发热", "关节红", "关节肿", "关节痛", "乏力"]),
            ("红、肿、热、痛", []),
            ("头痛、痒", ["头痛"]),
        ],
    ),
    "openings of lists go": (
        "list",
        [
            ("可并发脑梗死、心力衰竭", ["脑梗死", "心力衰竭"]),
            ("常见并发症有脑梗死、心力衰竭", ["脑梗死", "心力衰竭"]),
            ("早期症状：头痛、耳鸣", ["头痛", "耳鸣"]),
            ("主要症状包括头痛、耳鸣", ["头痛", "耳鸣"]),
            ("主要表现为头痛、耳鸣等", ["头痛", "耳鸣"]),
            ("易并发脑梗死", ["脑梗死"]),
        ],
    ),
    "a range in two units is never a wrong one": (
        "range",
        [
            ("3.9～6.1mmol/L（70～110mg/dl）", ["3.9~6.1mmol/L"]),
            ("3.9～6.1mmol/L或70～110mg/dl", ["3.9~6.1mmol/L"]),
            ("3.9～6.1mmol/L，70～110mg/dl", ["3.9~6.1mmol/L", "70~110mg/dl"]),
            ("3.9～6.1mmol/L（空腹）", ["3.9~6.1mmol/L"]),
        ],
    ),
    "a test of several organs is none of the last": (
        "list",
        [
            ("肝、胆、脾CT检查、血液检查", ["血液检查"]),
            ("肝 胆 胰 脾MRI、腹部平片", ["肝胆胰脾MRI", "腹部平片"]),
            ("肝、肾功能衰竭", ["肾功能衰竭"]),
            ("心电图、脾CT检查", ["心电图", "脾CT检查"]),
        ],
    ),
    "each syntax of a value alone": (
        "list",
        [
            ("['手术治疗', '药物治疗']", ["手术治疗", "药物治疗"]),
            ('["手术治疗","药物治疗"]', ["手术治疗", "药物治疗"]),
            ("['手术治疗', '药物治", ["手术治疗"]),
            ('["手术治疗", "药物治疗", ', ["手术治疗", "药物治疗"]),
            ("('手术治疗', '药物治疗')", ["手术治疗", "药物治疗"]),
            ("[手术治疗, 药物治疗]", ["手术治疗", "药物治疗"]),
            ("1. 手术治疗 2. 药物治疗", ["手术治疗", "药物治疗"]),
            ("1、手术治疗 2、药物治疗", ["手术治疗", "药物治疗"]),
            ("1.手术治疗 3.药物治疗", ["手术治疗", "药物治疗"]),
            ("(1)手术治疗(2)药物治疗", ["手术治疗", "药物治疗"]),
            ("①手术治疗 ②药物治疗", ["手术治疗", "药物治疗"]),
            ("手术治疗　药物治疗", ["手术治疗", "药物治疗"]),
            ("手术治疗 药物治疗 [详细]", ["手术治疗", "药物治疗"]),
            ("手术治疗、药物治疗 详情>>", ["手术治疗", "药物治疗"]),
            ("手术治疗、药物治疗更多>>", ["手术治疗", "药物治疗"]),
            ("手术治疗、药物治疗查看全部", ["手术治疗", "药物治疗"]),
            ("枸橼酸西地那非... 枸橼酸西地那非... 他达拉非片 [详细]", ["他达拉非片"]),
            ("手术治疗... 药物治疗", ["药物治疗"]),
            ("手术治疗……药物治疗", []),
            ("…手术治疗、药物治疗", ["药物治疗"]),
            ("尺骨1/3骨折", ["尺骨1/3骨折"]),
            ("白蛋白/球蛋白比值", ["白蛋白/球蛋白比值"]),
            ("慢性 支气管炎", []),
            ("症状： 头痛", ["头痛"]),
            ("转氨酶 （ALT）", ["转氨酶（ALT）"]),
            ("手术治疗\\n药物治疗", ["手术治疗", "药物治疗"]),
            ("头痛、发热等等", ["头痛", "发热"]),
            ("头痛、呼吸困——", ["头痛"]),
            ("痰培养+药敏试验", ["痰培养+药敏试验"]),
            ("甲胎蛋白+癌胚抗原+铁蛋白", []),
        ],
    ),
    "a list becomes atomic tails": (
        "list",
        [
            ("头晕、头痛，心悸；耳鸣。", ["头晕", "头痛", "心悸", "耳鸣"]),
            ("1.限制钠盐摄入；\n2.规律运动。", ["限制钠盐摄入", "规律运动"]),
            ("1、避免劳累2、戒烟", ["避免劳累", "戒烟"]),
            ("（1）避免劳累（2）戒烟", ["避免劳累", "戒烟"]),
            ("并发症：脑水肿、心衰等疾病", ["脑水肿", "心衰"]),
            ("脑出血、肾功能衰竭等并发症", ["脑出血", "肾功能衰竭"]),
            ("二氧化碳分压（PCO2,PCO2）、血沉", ["二氧化碳分压（PCO2,PCO2）", "血沉"]),
            ("药物、手术治疗", ["药物治疗", "手术治疗"]),
            ("药物治疗 支持性治疗", ["药物治疗", "支持性治疗"]),
            ("药物治疗和手术治疗", ["药物治疗", "手术治疗"]),
            ("脓毒症和菌血症、贫血", ["脓毒症", "菌血症", "贫血"]),
            ("頭暈[详细]", ["头晕"]),
            ("注射用1,6-二磷酸果糖", ["注射用1,6-二磷酸果糖"]),
        ],
    ),
    "a department becomes atomic tails": (
        "department",
        [
            ("内科-心血管内科、内科-内分泌科", ["心血管内科", "内科", "内分泌科"]),
        ],
    ),
    "a range becomes atomic tails": (
        "range",
        [
            ("３．９～６．１ｍｍｏｌ／Ｌ", ["3.9~6.1mmol/L"]),
            ("成年男性 120~160g/L；成年女性：110~150g/L", ["120~160g/L", "110~150g/L"]),
            ("(4~10)×10⁹/L", ["(4~10)×10⁹/L"]),
            ("阴性", ["阴性"]),
            ("阴性（-）；（±）", ["阴性（-）", "（±）"]),
            ("成人：阴性", ["阴性"]),
        ],
    ),
}
"""Rule -> syntax, and the tails that are kept of each value."""


def _read(label: str, value: str, kind: str = "disease", name: str = "高血压", section: bool = False) -> ParsedEntry:
    return read_entity(entry({} if section else {label: value}, kind, name, {label: value} if section else None))


def _kept(value: str, syntax: str = "list") -> list[str]:
    return [piece.text for piece in tails(value, syntax) if piece.reason is None]


def _tails(reading: ParsedEntry) -> list[str]:
    return [fact.tail for fact in reading.facts]


@pytest.mark.parametrize(("rule", "syntax", "row"), [(rule, syntax, row) for rule, (syntax, rows) in TAILS.items() for row in rows])
def test_values_become_atomic_tails(rule: str, syntax: str, row: tuple[str, list[str]]) -> None:
    assert _kept(row[0], syntax) == row[1]


_LINKS = [
    "[详细]", "【详细】", "[查看详细]", " 更多", " 详细>>", "[更多>>]", "<详细>", "（查看更多）", "[详情]", "...查看全部", "。[详细]",
    "…点击查看更多»",
]  # fmt: skip


_EXAMINATIONS = "心电图、冠状动脉造影、心肌酶谱、血脂、肌钙蛋白、动态心电图、超声心动图、胸部CT、血压、心肌灌注"


@pytest.mark.parametrize("link", _LINKS)
def test_removes_links_from_tails(link: str) -> None:
    cut = ["咯血"] if "." in link or "…" in link else []
    pieces = tails(f"咳嗽、咯血{link}", "list")
    assert [piece.text for piece in pieces if piece.reason is None] == ["咳嗽", *(["咯血"] if not cut else [])]
    assert [piece.text for piece in pieces if piece.reason] == cut


@pytest.mark.parametrize("link", _LINKS)
def test_long_list_before_a_link_is_not_prose(link: str) -> None:
    assert not is_prose(_EXAMINATIONS + link)
    assert len(_read("需做检查", _EXAMINATIONS + link).facts) >= 9


@given(st.sampled_from(["更多", "详细", "全部"]))
def test_keeps_link_words_inside_a_tail(word: str) -> None:
    assert [piece.text for piece in tails(f"{word}检查、血常规", "list")] == [f"{word}检查", "血常规"]


LONG = "头痛，头晕，恶心，心悸，耳鸣，失眠，乏力，胸闷，气短，水肿，盗汗，劳累以后更加明显的呼吸困难，咳嗽，发热"


def test_reads_a_long_comma_list_with_one_long_item() -> None:
    reading = _read("典型症状", LONG)
    assert {"头痛", "恶心", "发热"} <= {fact.tail for fact in reading.facts}
    assert len(reading.facts) + len(reading.rejected) == LONG.count("，") + 1


def test_keeps_and_reports_prose_under_a_label_of_facts() -> None:
    prose = "本病起病隐匿，早期往往没有什么感觉，直到血压升得很高时才会感到头痛，病情严重的人还可以感到胸部憋闷和喘不上气，活动以后更重。"
    reading = _read("典型症状", prose)
    assert reading.facts == [] and reading.passages and [row.reason for row in reading.rejected] == ["prose_unsure"]


@pytest.mark.parametrize(
    "value",
    [
        "头痛、耳鸣、心…",
        "头痛、耳鸣、心...",
        "头痛、耳鸣、心（",
        "头痛、耳鸣、心【",
        "头痛、耳鸣、阵发性",
        "头痛、耳鸣、心[详细]",
        "头痛、耳鸣、剧烈的",
        "头痛、耳鸣、心…[详细]",
    ],
)
def test_rejects_a_truncated_last_item(value: str) -> None:
    pieces = tails(value, "list")
    assert _kept(value) == ["头痛", "耳鸣"] and pieces[-1].reason == "tail_not_atomic"


@given(st.lists(st.sampled_from(["头痛", "耳鸣", "心悸", "血尿"]), min_size=1, unique=True), st.sampled_from(["…", "...", "…[详细]", "……"]))
def test_no_truncated_text_becomes_a_fact(items: list[str], cut: str) -> None:
    assert _kept("、".join(items) + cut) == items[:-1]


@pytest.mark.parametrize(
    ("value", "ranges"),
    [
        (
            "成年男性120～160g/L；成年女性110～150g/L；新生儿170～200g/L",
            [("成年男性", "120~160g/L"), ("成年女性", "110~150g/L"), ("新生儿", "170~200g/L")],
        ),
        ("男性 208~428μmol/L 女性 155~357μmol/L", [("男性", "208~428μmol/L"), ("女性", "155~357μmol/L")]),
        ("36.3～37.2℃（口腔），36.5～37.7℃（直肠）", [("口腔", "36.3~37.2℃"), ("直肠", "36.5~37.7℃")]),
        ("1,000～2,000U/L", [(None, "1,000~2,000U/L")]),
        ("成年 男性 120~160g/L", [("成年男性", "120~160g/L")]),
    ],
)
def test_each_range_of_a_value_is_a_fact(value: str, ranges: list[tuple[str | None, str]]) -> None:
    found = _read("正常值", value, "examination", "血红蛋白").facts
    assert [(fact.head, fact.tail) for fact in found] == [(f"血红蛋白（{who}）" if who else "血红蛋白", text) for who, text in ranges]


@pytest.mark.parametrize(
    ("value", "ranges"),
    [
        ("空腹：3.9-6.1mmol/L；餐后2小时：<7.8mmol/L", [("空腹", "3.9-6.1mmol/L"), ("餐后2小时", "<7.8mmol/L")]),
        ("餐后1小时6.7~9.4mmol/L，餐后2小时<7.8mmol/L", [("餐后1小时", "6.7~9.4mmol/L"), ("餐后2小时", "<7.8mmol/L")]),
        ("2小时：<7.8mmol/L", []),
        ("餐后1～2小时：<7.8mmol/L", []),
        ("运动后30分钟：<7.8mmol/L", [("运动后30分钟", "<7.8mmol/L")]),
        ("抗体滴度<1:80", []),
        ("<1:80", [(None, "<1:80")]),
    ],
)
def test_time_of_a_range_follows_its_head(value: str, ranges: list[tuple[str | None, str]]) -> None:
    reading = _read("正常值", value, "examination", "效价比值")
    assert [(fact.head, fact.tail) for fact in reading.facts] == [
        (f"效价比值（{who}）" if who else "效价比值", text) for who, text in ranges
    ]
    assert ranges or reading.rejected


@pytest.mark.parametrize("value", ["魏氏法男0～15mm/h", "5～10g/L 8～12mg/dl 儿童"])
def test_rejects_a_range_with_people_inside(value: str) -> None:
    assert {piece.reason for piece in tails(value, "range")} == {"tail_not_atomic"}


def test_ranges_in_sentences_are_prose() -> None:
    reading = _read(
        "正常值", "正常成年人的血红蛋白含量一般为120～160g/L，女性略低一些。低于110g/L时可以诊断为贫血，应当查明原因。", "examination"
    )
    assert reading.facts == [] and reading.passages


@pytest.mark.parametrize(("label", "value"), [("病因", "吸烟或粉尘刺激"), ("治疗方法", "药物或手术治疗")])
def test_rejects_alternatives(label: str, value: str) -> None:
    reading = _read(label, value, name="慢性咽炎")
    assert reading.facts == [] and [row.reason for row in reading.rejected] == ["tail_not_atomic"]


@pytest.mark.parametrize("word", ["或", "或者", "和", "以及"])
def test_splits_two_methods_joined_by_a_conjunction(word: str) -> None:
    assert [fact.tail for fact in _read("治疗方法", f"药物治疗{word}手术治疗").facts] == ["药物治疗", "手术治疗"]


def test_rejects_and_counts_a_medicine_of_unknown_kind() -> None:
    reading = _read("不良反应", "恶心、呕吐、腹泻", "medicine", "阿莫西林")
    assert reading.facts == [] and [row.reason for row in reading.rejected] == ["wrong_kind"] * 3


@pytest.mark.parametrize(
    ("label", "value", "facts"),
    [
        ("忌", "忌食甜食、不宜吃辣椒、禁饮白酒", [("甜食", False), ("辣椒", False), ("白酒", False)]),
        ("宜", "小米粥、南瓜，忌辣椒、白酒", [("小米粥", True), ("南瓜", True), ("辣椒", False)]),
        ("忌", "辣椒，宜小米粥、南瓜", [("辣椒", False), ("小米粥", True)]),
        ("宜", "小米粥、少吃辣椒、白酒", [("小米粥", True)]),
        ("忌", "食用油、忌食用油", [("食用油", False)]),
        ("忌", "禁食", []),
    ],
)
def test_advice_in_an_item_overrules_the_label_of_a_food(label: str, value: str, facts: list[tuple[str, bool]]) -> None:
    found = [(fact.tail, fact.polarity) for fact in _read(label, value, name="胃炎").facts if not fact.tail.startswith(("少吃", "禁食"))]
    assert list(dict.fromkeys(found)) == facts


_WORDS = [
    *[
        "合理膳食",
        "戒酒",
        "慎用药物",
        "咳嗽",
        "心律不",
        "1、",
        "2、",
        "（",
        "）",
        "，",
        "、",
        "。",
        "：",
        "…",
        "[详细]",
        "详见说明书",
        "3.9",
        "暂无",
        "【",
    ],
    " ",
    "\n",
]


_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=8).map("".join)


_LABELS = ["症状", "预防", "病因", "治疗方法", "传染性", "科室", "宜", "忌", "常用药物", "检查项目", "并发症"]


@given(st.sampled_from(_LABELS), _TEXTS)
@example("症状", "2、【")
def test_no_value_goes_without_a_trace(label: str, text: str) -> None:
    reading = _read(label, text)
    assert reading.facts or [row for row in reading.rejected if row.kind == "fact"] or not text.strip()


@given(st.sampled_from(["预防", "病因", "概述"]), _TEXTS)
def test_no_section_is_lost(title: str, text: str) -> None:
    reading = _read(title, text, section=True)
    assert reading.facts or reading.rejected or reading.passages or reading.empty
    if title != "概述":
        assert reading.facts or [row for row in reading.rejected if row.kind == "fact"] or reading.passages or not text.strip()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("合理膳食，控制体重，慎用药物，戒酒。", ["合理膳食", "控制体重", "慎用药物", "戒酒"]),
        ("注意保暖、避免受凉；戒烟。", ["注意保暖", "避免受凉", "戒烟"]),
        ("合理膳食，本病尚无疫苗。", []),
        ("戒烟。", ["戒烟"]),
        ("预防措施\n戒烟\n避免受凉", ["戒烟", "避免受凉"]),
        ("预防措施： 1.接种疫苗。", ["接种疫苗"]),
        ("预防措施：1.接种EV71疫苗；\n2.勤洗手；\n3.不与患者同床。", ["接种EV71疫苗", "勤洗手", "不与患者同床"]),
    ],
)
def test_reads_a_section_of_short_advice_as_a_list(text: str, found: list[str]) -> None:
    reading = _read("预防", text, section=True)
    assert _tails(reading) == found and (found or reading.rejected)


@pytest.mark.parametrize(
    ("kind", "label", "value", "found"),
    [
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
    ],
)
def test_value_gives_exactly_its_items(kind: str, label: str, value: str, found: list[str]) -> None:
    assert _tails(_read(label, value, kind, "骨质疏松症")) == found


@pytest.mark.parametrize(
    ("kind", "label", "value", "found"),
    [
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
    ],
)
def test_monograph_gives_exactly_its_items(kind: str, label: str, value: str, found: list[str]) -> None:
    reading = read_entity(entry({"药品类型": kind, label: value}, "medicine", "某药"))
    assert _tails(reading) == found and (found or reading.rejected)


@pytest.mark.parametrize(
    ("relation", "text", "found"),
    [
        ("disease_cause", "1、肠套叠。\n2、肠粘连：常因腹腔手术后引起。\n3、很多情况下原因并不清楚。", ["肠套叠", "肠粘连"]),
        ("disease_cause", "（一）发病原因\n（1）缺氧：窒息，肺炎等。\n（二）发病机制\n1、血管损伤", ["缺氧"]),
        ("disease_cause", "1.完全性肠梗阻\n2.诱发因素\n3.感染和中毒", []),
        ("disease_prevention", "1、增强体质，提高自身的免疫力。\n2、疫苗 注射于上臂外侧皮下，只需注射一次。", ["增强体质"]),
        ("disease_prevention", "1、戒烟；\n2、花粉季戴口罩。", ["戒烟", "花粉季戴口罩"]),
        ("disease_prevention", "1.及时添加辅食；\n2.晒太阳。", ["及时添加辅食", "晒太阳"]),
        ("disease_prevention", "本病无有效预防措施，早诊断早治疗是关键。", []),
    ],
)
def test_headings_become_tails(relation: str, text: str, found: list[str]) -> None:
    pieces = section_tails(relation, "肠梗阻", text)
    assert [piece.text for piece in pieces if piece.reason is None] == found
    assert {piece.reason for piece in pieces} <= {None, "prose_unsure"}


@given(st.text("1、2.（一）感染：\n肠套叠。，注意卫生戒烟", max_size=60), st.sampled_from(["disease_cause", "disease_prevention"]))
def test_every_item_occurs_once(text: str, relation: str) -> None:
    pieces = section_tails(relation, "感冒", text)
    assert len({piece.text for piece in pieces}) == len(pieces)


def test_section_gives_facts_rejections_and_a_passage() -> None:
    text = "1、肠套叠。\n2、肠粘连：常因腹腔或盆腔手术后，或腹腔内慢性炎症性病变所致。\n3、此外还有许多别的情况，需要逐一鉴别。"
    reading = read_entity(entry({}, name="肠梗阻", sections={"cause": text}))
    assert [(row.relation, row.tail, row.provenance[0].position) for row in reading.facts] == [
        ("disease_cause", "肠套叠", "s0:1"),
        ("disease_cause", "肠粘连", "s0:2"),
    ]
    assert [row.reason for row in reading.rejected] == ["prose_unsure"] and reading.passages


def test_reads_aliases_without_brackets_and_labels() -> None:
    reading = read_entity(entry({"别名": "又称肠结、肠梗阻", "症状": "腹痛"}, name="肠梗阻", alias_raw="（别名：肠阻塞，肠不通）"))
    assert [(row.name, row.alias) for row in reading.aliases] == [("肠梗阻", "肠阻塞"), ("肠梗阻", "肠不通"), ("肠梗阻", "肠结")]


def test_reads_a_reference_under_any_label() -> None:
    found = reference_facts([entry({"has_symptom": "腹痛", "症状": "腹胀、呕吐"})])
    assert {(row.relation, row.tail) for row in found} == {("disease_symptom", tail) for tail in ("腹痛", "腹胀", "呕吐")}
    assert any(row.provenance[0].position.endswith("has_symptom") for row in found)


def test_reference_facts_are_compared_but_not_part_of_the_data() -> None:
    items = [entry({"has_symptom": "腹痛", "症状": "腹胀"}, alias_raw="肠阻塞")]
    found = clean([("graph", items)], CLEAN, references={"graph"})
    assert (found.facts, found.rejected, found.aliases, found.passages) == ([], [], [], [])
    assert {row.tail for row in found.reference_facts} == {"腹痛", "腹胀"} and found.metrics["references"] == {"toy": 2}
    assert {row.tail for row in clean([("data", items)], CLEAN).facts} == {"腹胀"}


@pytest.mark.parametrize(
    ("head", "text", "causes"),
    [
        ("腹膜炎", "病因尚不清楚，主要与以下环节有关。\n1.细菌感染\n多为大肠埃希菌。\n2.免疫功能异常\n见于老年人。", []),
        ("肾小球肾炎", "与丙型肝炎有关。分类如下：\n1、膜性肾病\n少数患者为此。\n2、脂质肾病", []),
        ("胆囊息肉", "病理分类为两大类。\n1.炎症\n(1)良性间叶组织肿瘤：来源于支持组织。", []),
        ("胆管炎", "1.机体应答反应\n(1)机体应答反应异常：临床常见。", ["机体应答反应异常"]),
        ("胆管炎", "1.细菌感染\n2.内毒素血症和细胞因子的作用\n(1)内毒素激活补体反应：补体过度激活。\n3.胆道梗阻", ["细菌感染", "胆道梗阻"]),
        ("肝衰竭", "根据病原可分为感染性和毒素性。\n1.肝炎病毒感染\n2.毒性反应：最常见。", ["肝炎病毒感染"]),
        ("高血压", "(1)肾脏疾病：占大多数。\n(2)内分泌疾病。", ["肾脏疾病", "内分泌疾病"]),
    ],
)
def test_kinds_and_mechanisms_are_no_causes(head: str, text: str, causes: list[str]) -> None:
    found = [piece for piece in section_tails("disease_cause", head, text) if piece.reason is None]
    assert [piece.text for piece in found if misfit("disease_cause", head, piece.text) is None] == causes


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("一旦患了本病，精神不必过于紧张，可采取下列措施：\n一、适当参加体育活动。\n二、保持心情舒畅。因为情绪很重要。", []),
        ("1.增强体质。\n2.注意饮水\n宝宝待症状消失后再恢复活动，以免复发。", ["增强体质"]),
        ("1、预防肝出血，既要重视疾病，积极配合治疗。\n2、注意个人卫生。", ["注意个人卫生"]),
        ("1、注意个人卫生：很重要。\n2、增强体质，提高免疫力。", ["注意个人卫生", "增强体质"]),
    ],
)
def test_patient_care_is_not_prevention(text: str, advice: list[str]) -> None:
    assert [piece.text for piece in section_tails("disease_prevention", "某病", text) if piece.reason is None] == advice
