"""Facts that monographs of medicines and reference ranges state with certainty, and those that must be rejected."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.clean.facts.entries import read_entity
from curation.clean.facts.kinds import misfit
from curation.clean.facts.prose import SYNTAXES, monograph_tails
from curation.clean.facts.tails import tails
from tests.curation.records import entry

MONOGRAPHS: dict[str, tuple] = {
    "uses of western medicines": (
        "indications",
        "western",
        "",
        [
            (
                "1.适用于治疗特发性血小板减少性紫癜(原发性血小板减少性紫癜)、过敏性紫癜。2.对银屑病也有一定疗效。",
                ["特发性血小板减少性紫癜", "过敏性紫癜", "银屑病"],
            ),
            ("主要用于急、慢性支气管炎、肺炎等。", ["急性支气管炎", "慢性支气管炎", "肺炎"]),
            ("用于支气管哮喘和肺气肿。", ["支气管哮喘", "肺气肿"]),
            ("用于预防脑血栓形成，治疗脑梗死。", ["预防脑血栓形成", "脑梗死"]),
            ("1.单用于多发性肌炎。2.用于慢性肾炎引起的水肿。", []),
            ("用于骨髓瘤，对急性痛风无效。", []),
            ("与其他药物联合治疗肺癌。", []),
            ("参见氢氯噻嗪。", []),
            ("用于各种感染。", []),
            ("治疗高血压、降低肥胖型糖尿病患者的血糖。", ["治疗高血压", "降低肥胖型糖尿病患者的血糖"]),
            ("用于肺炎、支气管哮…[详细]", []),
        ],
    ),
    "uses without labels and conditions": (
        "indications",
        "western",
        "",
        [
            ("中枢神经系统脑梗死、脑出血。", ["脑出血"]),
            ("用于消化系统肿瘤、呼吸系统感染。", ["消化系统肿瘤", "呼吸系统感染"]),
            ("本品为放射增敏药，适用于对头颈部肿瘤、食管癌、肺癌等实体肿瘤。", []),
            ("用于流行性感冒，头昏发热，咽喉肿痛。", ["流行性感冒"]),
            ("用于转移性乳腺癌、慢性粒细胞(0.2±0.5)L/kg，总铂为(4.8±2.6)L/kg。本品主要经肾脏排出。白血病。", []),
            ("用于感冒发热、感冒咳嗽。", ["感冒发热", "感冒咳嗽"]),
        ],
    ),
    "a noun behind a list may be of all of it": (
        "indications",
        "western",
        "",
        [
            ("用于肺结核、胃溃疡等的出血", []),
            ("用于肺结核、支气管扩张、胃溃疡等出血", []),
            ("用于肩周炎、颈肩腕综合征等之疼痛；也用于扁桃体炎", ["扁桃体炎"]),
            ("用于头痛、牙痛、神经痛等疼痛", ["头痛", "牙痛", "神经痛"]),
            ("用于严重的过敏性疾病、风湿病", ["风湿病"]),
            ("用于原发性高血压、心绞痛的治疗", ["原发性高血压", "心绞痛"]),
        ],
    ),
    "what shares a cause is no use of its own": (
        "indications",
        "western",
        "",
        [
            ("缓解过敏性鼻炎引起的喷嚏、流涕。", []),
            ("用于感冒所致的头痛、鼻塞。", []),
            ("缓解流涕、过敏性鼻炎引起的喷嚏", []),
        ],
    ),
    "diseases in which a result is found": (
        "findings",
        "western",
        "",
        [
            ("可能见于：真性红细胞增多症、脱水、高原居住者、慢性肺病等。", ["真性红细胞增多症", "慢性肺病"]),
            ("　大于正常值，见于血小板减少性紫癜，药物引起的骨髓抑制，手术，运动后；", ["血小板减少性紫癜"]),
            ("增高常见于频繁呕吐、慢性肾小球肾炎等；", ["慢性肾小球肾炎"]),
            ("增加动脉粥样硬化和心脑血管疾病风险。", []),
            ("少见，可能与某些遗传病或药物有关。", []),
            ("一般无临床意义。", []),
            ("6.1-7.0 为空腹血糖受损（糖尿病前期）；≥7.0 可能为糖尿病。", []),
        ],
    ),
    "effects alone of Chinese medicines": (
        "indications",
        "chinese",
        "",
        [
            ("补气养血，健脾固肾。用于气血两亏，四肢酸软。", ["补气养血", "健脾固肾"]),
            ("用于肺燥干咳。本品系润肺止咳、利咽润肠之剂。", ["润肺止咳", "利咽润肠"]),
            ("本方有宣疏肌表、调畅气血之功，故疮疡初起亦可用本方治疗。", ["宣疏肌表", "调畅气血"]),
            ("理气和中、和胃止痛。", ["理气和中", "和胃止痛"]),
            ("用于感冒，发热，咳嗽。", []),
            ("发热、咳嗽。", []),
            ("支气管炎、百日咳。", []),
        ],
    ),
    "effects are judged part by part": (
        "effects",
        "chinese",
        "",
        [
            ("癃闭、水肿", []),
            ("水肿，腰痛", []),
            ("温肾利水，癃闭", ["温肾利水"]),
            ("发汗解肌，温通经脉，助阳化气，平冲降气。", ["发汗解肌", "温通经脉", "助阳化气", "平冲降气"]),
            ("泻下攻积，清热泻火，百病", ["泻下攻积", "清热泻火"]),
            ("不能清热，解毒，百病", []),
            ("目痛泪出，除痹，寒热邪气", []),
            ("泻痢，生疮", []),
            ("活血、化瘀、消癥", ["活血", "化瘀", "消癥"]),
            ("化浊降脂", ["化浊降脂"]),
            ("清瘟解毒", ["清瘟解毒"]),
            ("芳香温通", ["芳香温通"]),
        ],
    ),
    "adverse reactions": (
        "adverse",
        "western",
        "",
        [
            ("少数患者出现恶心、呕吐、皮疹，停药后消失。", ["恶心", "呕吐", "皮疹"]),
            ("1.骨髓抑制：白细胞和血小板减少。2.其他：偶见脱发。", ["骨髓抑制", "白细胞减少", "血小板减少", "脱发"]),
            ("可出现心悸(6%)、头痛(3%)。", ["心悸", "头痛"]),
            ("过敏反应如荨麻疹等。", ["过敏反应", "荨麻疹"]),
            ("注射部位疼痛较常见。", ["注射部位疼痛"]),
            ("口服无明显不良反应。", []),
            ("未见肝损害。", []),
            ("大剂量时可引起溃疡、出血。", []),
            ("动物实验表明可致白血病。", []),
            ("与阿霉素合用可致心衰。", []),
            ("尚不明确。", []),
            ("与氢氯噻嗪相似。", []),
            ("恶心、呕吐的发生率低于安慰剂组。", []),
            ("个别病例有不适。", []),
            ("消化道出血、QT间期延长、双硫仑样反应。", ["消化道出血", "QT间期延长", "双硫仑样反应"]),
        ],
    ),
    "a sign of the place before it is none by itself": (
        "adverse",
        "western",
        "",
        [
            ("可有肌肉痉挛、关节肿胀及疼痛。", ["肌肉痉挛", "关节肿胀"]),
            ("有乳房胀痛、刺痛，少数患者有恶心。", ["乳房胀痛", "恶心"]),
            ("在皮损内局部注射可引起皮肤萎缩、出血或溃疡。", []),
            ("会引起血压下降、注射部位疼痛、硬结等。", ["血压下降", "注射部位疼痛"]),
            ("头痛、肢体麻木、刺痛、焦虑。", ["头痛", "肢体麻木", "焦虑"]),
            ("皮疹、胸痛或紧张、心动过速。", ["皮疹", "胸痛", "心动过速"]),
            ("注射部位发红、疼痛、硬结。", ["注射部位发红"]),
            ("1.偶见皮疹。2.肾功能不全患者可出现恶心、肌肉抽搐。", ["皮疹"]),
            ("恶心、疼痛、出血。", ["恶心", "疼痛", "出血"]),
            ("如手脚麻木感、刺痛或疼痛、乏力等。", ["乏力"]),
            ("理论上可出现胃肠道反应、过敏反应。偶见皮疹。", ["皮疹"]),
            ("皮肤瘙痒、恶心、疼痛。", ["皮肤瘙痒", "恶心", "疼痛"]),
        ],
    ),
    "a caution is no adverse reaction": (
        "adverse",
        "chinese",
        "",
        [
            ("偶见恶心。慎用：(1)肾气虚弱；(2)头晕。", ["恶心"]),
            ("偶见恶心。肾气虚弱\n者慎用。", ["恶心"]),
            ("肾气虚弱、恶心", ["恶心"]),
            ("如遇恶心，应停药。可见头痛。", ["头痛"]),
            ("消化系统：1.恶心；2.呕吐。", ["恶心", "呕吐"]),
            ("恶心 呕吐", []),
            ("恶心、呕吐、头痛。肾气虚弱者慎用。", ["恶心", "呕吐", "头痛"]),
            ("遇有头晕时停用。", []),
            ("恶心、尿失禁。", ["恶心", "尿失禁"]),
        ],
    ),
    "reactions to another preparation than 鱼腥草 are none of it": (
        "adverse",
        "chinese",
        "鱼腥草",
        [
            ("鱼腥草注射液不良反应的临床表现为：皮疹、呼吸困难等。", []),
            ("鱼腥草注射液的主要不良反应有皮疹。偶见心悸。", []),
            ("偶见皮疹、呼吸困难。", ["皮疹", "呼吸困难"]),
        ],
    ),
    "reactions to another preparation than 双黄连 are none of it": (
        "adverse",
        "chinese",
        "双黄连",
        [
            ("双黄连注射剂副作用包括皮疹、心悸。", []),
        ],
    ),
    "reactions to another preparation than 鱼腥草注射液 are none of it": (
        "adverse",
        "chinese",
        "鱼腥草注射液",
        [
            ("鱼腥草注射液不良反应的临床表现为：皮疹、呼吸困难等。", ["皮疹", "呼吸困难"]),
        ],
    ),
}
"""Rule -> syntax, kind and name of the medicine, and what each text says."""


def said(text: str, syntax: str, kind: str, name: str = "") -> list[str]:
    return [piece.text for piece in monograph_tails(text, syntax, kind, name=name) if piece.reason is None]


@pytest.mark.parametrize(
    ("rule", "syntax", "kind", "name", "row"), [(rule, *about, row) for rule, (*about, rows) in MONOGRAPHS.items() for row in rows]
)
def test_facts_of_a_monograph(rule: str, syntax: str, kind: str, name: str, row: tuple[str, list[str]]) -> None:
    assert said(row[0], syntax, kind, name) == row[1]


_ITEMS = ["皮疹", "关节肿胀", "疼痛", "出血", "注射部位硬结", "恶心", "皮肤萎缩", "溃疡", "刺痛"]


@given(st.lists(st.sampled_from(_ITEMS), min_size=1, max_size=6, unique=True))
def test_first_item_keeps_its_meaning(items: list[str]) -> None:
    """A bare sign after a body site, with nothing else in between, is never kept; all other items are."""
    bare, placed = {"疼痛", "出血", "溃疡", "刺痛"}, {"关节肿胀", "注射部位硬结", "皮肤萎缩"}
    kept, within = [], False
    for item in items:
        within = item in placed or (within and item in bare)
        if not (within and item in bare):
            kept.append(item)
    assert said(f"偶见{'、'.join(items)}。", "adverse", "western") == kept


@settings(deadline=None)  # the first text loads the tables
@given(st.text(max_size=80), st.sampled_from(SYNTAXES), st.sampled_from(["western", "chinese"]))
def test_reads_any_text_and_gives_each_rejection_a_reason(text: str, syntax: str, kind: str) -> None:
    for piece in monograph_tails(text, syntax, kind):
        assert piece.reason is not None or (piece.text and misfit("western_medicine_effect", "某药", piece.text) is None)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("男：4.0～5.5×10^12/L；女：3.5～5.0×10^12/L", [("男", "4.0~5.5×10^12/L"), ("女", "3.5~5.0×10^12/L")]),
        ("男53～106；女44~97μmol/L", [("男", "53~106μmol/L"), ("女", "44~97μmol/L")]),
        ("新生儿：170～200g/L；成人：110-160", [("新生儿", "170~200g/L"), ("成人", "110-160")]),  # the second range may have another unit
        ("成人：1~2g/L；儿童：3~4；老年人：30%", [("成人", "1~2g/L"), ("儿童", "3~4"), ("老年人", "30%")]),
    ],
)
def test_completes_a_unit_only_if_the_last_figure_has_it(text: str, ranges: list[tuple[str, str]]) -> None:
    assert [(piece.who, piece.text) for piece in tails(text, "range")] == ranges


def test_prose_of_a_monograph_gives_facts_and_a_passage() -> None:
    text = "1.胃肠道：常见恶心、呕吐、腹泻，停药后消失。2.大剂量时可引起出血。"
    text += "3.少数患者用药数周以后出现皮疹和荨麻疹一类的过敏表现，应立即停药并对症处理。"
    reading = read_entity(entry({"药品类型": "抗肿瘤药物", "不良反应": text}, "medicine", "甲药"))
    assert {fact.tail for fact in reading.facts} == {"恶心", "呕吐", "腹泻"}
    assert reading.passages
    assert {row.reason for row in reading.rejected} == {"prose_unsure"}


def test_label_is_no_name() -> None:
    reading = read_entity(entry({"药品类型": "西药", "不良反应": "恶心"}, "medicine", "【别名】甲"))
    assert reading.facts == []
    assert reading.empty is not None


@pytest.mark.slow
def test_real_monographs_give_every_type(real_data: Path) -> None:
    records = json.loads((real_data / "medicines/monographs.json").read_text(encoding="utf-8"))
    readings = [
        read_entity(entry({key: str(value) for key, value in one.items() if key != "name"}, "medicine", str(one["name"])))
        for one in records
    ]
    counts = Counter(fact.relation for reading in readings for fact in reading.facts)
    assert counts["western_medicine_effect"] > 700
    assert counts["western_medicine_side_effect"] > 1_500
    assert counts["chinese_medicine_effect"] > 200
    assert counts["chinese_medicine_side_effect"] > 10
    tails_said = {fact.tail for reading in readings for fact in reading.facts}
    assert not [tail for tail in tails_said if "患者出现" in tail or "停药" in tail or "不良反应" in tail]
