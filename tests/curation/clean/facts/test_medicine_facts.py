"""What monographs of medicines and reference ranges surely say, and what a strict reader would refuse."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.provenance import Provenance
from curation.clean.facts.entries import read_entity
from curation.clean.facts.kinds import misfit, split_candidates
from curation.clean.facts.prose import SYNTAXES, monograph_tails
from curation.clean.facts.tails import tails


def said(text: str, syntax: str, kind: str = "western") -> list[str]:
    return [piece.text for piece in monograph_tails(text, syntax, kind) if piece.reason is None]


@pytest.mark.parametrize(("text", "uses"), [
    ("1.适用于治疗特发性血小板减少性紫癜(原发性血小板减少性紫癜)、过敏性紫癜。2.对银屑病也有一定疗效。",
     ["特发性血小板减少性紫癜", "过敏性紫癜", "银屑病"]),
    ("主要用于急、慢性支气管炎、肺炎等。", ["急性支气管炎", "慢性支气管炎", "肺炎"]),
    ("用于支气管哮喘和肺气肿。", ["支气管哮喘", "肺气肿"]), ("用于预防脑血栓形成，治疗脑梗死。", ["预防脑血栓形成", "脑梗死"]),
    ("1.单用于多发性肌炎。2.用于慢性肾炎引起的水肿。", []), ("用于骨髓瘤，对急性痛风无效。", []), ("与其他药物联合治疗肺癌。", []),
    ("参见氢氯噻嗪。", []), ("用于各种感染。", []),
    ("治疗高血压、降低肥胖型糖尿病患者的血糖。", ["治疗高血压", "降低肥胖型糖尿病患者的血糖"]), ("用于肺炎、支气管哮…[详细]", []),
])  # fmt: skip
def test_uses_of_western_medicines(text: str, uses: list[str]) -> None:
    assert said(text, "indications") == uses


@pytest.mark.parametrize(("text", "diseases"), [
    ("可能见于：真性红细胞增多症、脱水、高原居住者、慢性肺病等。", ["真性红细胞增多症", "慢性肺病"]),
    ("　大于正常值，见于血小板减少性紫癜，药物引起的骨髓抑制，手术，运动后；", ["血小板减少性紫癜"]),
    ("增高常见于频繁呕吐、慢性肾小球肾炎等；", ["慢性肾小球肾炎"]),
    ("增加动脉粥样硬化和心脑血管疾病风险。", []),
    ("少见，可能与某些遗传病或药物有关。", []),
    ("一般无临床意义。", []),
    ("6.1-7.0 为空腹血糖受损（糖尿病前期）；≥7.0 可能为糖尿病。", []),
])  # fmt: skip
def test_diseases_in_which_a_result_is_found(text: str, diseases: list[str]) -> None:
    assert said(text, "findings") == diseases


@pytest.mark.parametrize(("text", "effects"), [
    ("补气养血，健脾固肾。用于气血两亏，四肢酸软。", ["补气养血", "健脾固肾"]),
    ("用于肺燥干咳。本品系润肺止咳、利咽润肠之剂。", ["润肺止咳", "利咽润肠"]),
    ("本方有宣疏肌表、调畅气血之功，故疮疡初起亦可用本方治疗。", ["宣疏肌表", "调畅气血"]),
    ("理气和中、和胃止痛。", ["理气和中", "和胃止痛"]),
    ("用于感冒，发热，咳嗽。", []),
    ("发热、咳嗽。", []),
    ("支气管炎、百日咳。", []),
])  # fmt: skip
def test_only_effects_of_chinese_medicines(text: str, effects: list[str]) -> None:
    assert said(text, "indications", "chinese") == effects


@pytest.mark.parametrize(("text", "reactions"), [
    ("少数患者出现恶心、呕吐、皮疹，停药后消失。", ["恶心", "呕吐", "皮疹"]),
    ("1.骨髓抑制：白细胞和血小板减少。2.其他：偶见脱发。", ["骨髓抑制", "白细胞减少", "血小板减少", "脱发"]),
    ("可出现心悸(6%)、头痛(3%)。", ["心悸", "头痛"]), ("过敏反应如荨麻疹等。", ["过敏反应", "荨麻疹"]),
    ("注射部位疼痛较常见。", ["注射部位疼痛"]), ("口服无明显不良反应。", []), ("未见肝损害。", []), ("大剂量时可引起溃疡、出血。", []),
    ("动物实验表明可致白血病。", []), ("与阿霉素合用可致心衰。", []), ("尚不明确。", []), ("与氢氯噻嗪相似。", []),
    ("恶心、呕吐的发生率低于安慰剂组。", []), ("个别病例有不适。", []),
    ("消化道出血、QT间期延长、双硫仑样反应。", ["消化道出血", "QT间期延长", "双硫仑样反应"]),
])  # fmt: skip
def test_adverse_reactions(text: str, reactions: list[str]) -> None:
    assert said(text, "adverse") == reactions


@settings(deadline=None)  # the first text waits for the tables
@given(st.text(max_size=80), st.sampled_from(SYNTAXES), st.sampled_from(["western", "chinese"]))
def test_any_text_is_read_and_each_refusal_has_its_reason(text: str, syntax: str, kind: str) -> None:
    for piece in monograph_tails(text, syntax, kind):
        assert piece.reason is not None or (piece.text and misfit("western_medicine_effect", "某药", piece.text) is None)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("男：4.0～5.5×10^12/L；女：3.5～5.0×10^12/L", [("男", "4.0~5.5×10^12/L"), ("女", "3.5~5.0×10^12/L")]),
        ("男53～106；女44~97μmol/L", [("男", "53~106μmol/L"), ("女", "44~97μmol/L")]),
        ("新生儿：170～200g/L；成人：110-160", [("新生儿", "170~200g/L"), ("成人", "110-160")]),  # the first unit may not be the second's
        ("成人：1~2g/L；儿童：3~4；老年人：30%", [("成人", "1~2g/L"), ("儿童", "3~4"), ("老年人", "30%")]),
    ],
)
def test_a_unit_is_completed_only_where_the_last_figure_states_it(text: str, ranges: list[tuple[str, str]]) -> None:
    assert [(piece.who, piece.text) for piece in tails(text, "range")] == ranges


@pytest.mark.parametrize(("head", "tail", "sound"), [
    ("血肌酐（成人）", "110-160", False), ("动脉血pH值", "7.35~7.45", True), ("尿比重", "1.015~1.025", True),
    ("血肌酐", "53~106μmol/L", True), ("血钾", "小于5.5mmol/L", True), ("胆红素", "直接法3~5mmol/L", False), ("尿蛋白", "阴性", True),
])  # fmt: skip
def test_a_range_has_its_unit_and_nothing_before_the_figure(head: str, tail: str, sound: bool) -> None:
    assert (misfit("examination_range", head, tail) is None) == sound


def test_effects_lose_the_word_that_their_sentence_has_already() -> None:
    pieces = tails("健脾的功效、润肺作用", "list")
    assert [piece.text for piece in split_candidates("food_effect", pieces)] == ["健脾", "润肺"]


def entity(record: dict[str, str]) -> EntityItem:
    values = [LabelledValue(label=label, value=value, position=label) for label, value in record.items() if label != "name"]
    seen = Provenance(source="read", url="file:m.json", snapshot="2026-01-01", page_id="page-1", position="record:1")
    return EntityItem(url="file:m.json", provenance=seen, entity_type="medicine", name_raw=record["name"], values=values)


def test_prose_of_a_monograph_gives_facts_and_stays_a_passage() -> None:
    text = "1.胃肠道：常见恶心、呕吐、腹泻，停药后消失。2.大剂量时可引起出血。"
    text += "3.少数患者用药数周以后出现皮疹和荨麻疹一类的过敏表现，应立即停药并对症处理。"
    reading = read_entity(entity({"name": "甲药", "药品类型": "抗肿瘤药物", "不良反应": text}))
    assert {fact.tail for fact in reading.facts} == {"恶心", "呕吐", "腹泻"}
    assert reading.passages
    assert {row.reason for row in reading.rejected} == {"prose_unsure"}


def test_a_label_is_no_name() -> None:
    reading = read_entity(entity({"name": "【别名】甲", "药品类型": "西药", "不良反应": "恶心"}))
    assert reading.facts == []
    assert reading.empty is not None


@pytest.mark.slow
def test_real_monographs_give_every_type(real_data: Path) -> None:
    records = json.loads((real_data / "medicines/monographs.json").read_text(encoding="utf-8"))
    readings = [read_entity(entity({label: str(value) for label, value in record.items()})) for record in records]
    counts = Counter(fact.relation for reading in readings for fact in reading.facts)
    assert counts["western_medicine_effect"] > 700
    assert counts["western_medicine_side_effect"] > 1_500
    assert counts["chinese_medicine_effect"] > 200
    assert counts["chinese_medicine_side_effect"] > 10
    tails_said = {fact.tail for reading in readings for fact in reading.facts}
    assert not [tail for tail in tails_said if "患者出现" in tail or "停药" in tail or "不良反应" in tail]


@pytest.mark.parametrize(("text", "found"), [
    ("用于肺结核、胃溃疡等的出血", []), ("用于肺结核、支气管扩张、胃溃疡等出血", []),
    ("用于肩周炎、颈肩腕综合征等之疼痛；也用于扁桃体炎", ["扁桃体炎"]), ("用于头痛、牙痛、神经痛等疼痛", ["头痛", "牙痛", "神经痛"]),
    ("用于严重的过敏性疾病、风湿病", ["风湿病"]), ("用于原发性高血压、心绞痛的治疗", ["原发性高血压", "心绞痛"]),
])  # fmt: skip
def test_a_noun_behind_a_list_may_be_of_all_of_it(text: str, found: list[str]) -> None:
    assert [piece.text for piece in monograph_tails(text, "indications", "western") if piece.reason is None] == found


@pytest.mark.parametrize(("text", "found"), [
    ("偶见恶心。慎用：(1)肾气虚弱；(2)头晕。", ["恶心"]), ("偶见恶心。肾气虚弱\n者慎用。", ["恶心"]), ("肾气虚弱、恶心", ["恶心"]),
    ("如遇恶心，应停药。可见头痛。", ["头痛"]), ("消化系统：1.恶心；2.呕吐。", ["恶心", "呕吐"]), ("恶心 呕吐", []),
    ("恶心、呕吐、头痛。肾气虚弱者慎用。", ["恶心", "呕吐", "头痛"]), ("遇有头晕时停用。", []), ("恶心、尿失禁。", ["恶心", "尿失禁"]),
])  # fmt: skip
def test_a_caution_is_no_adverse_reaction(text: str, found: list[str]) -> None:
    assert [piece.text for piece in monograph_tails(text, "adverse", "chinese") if piece.reason is None] == found


@pytest.mark.parametrize(("text", "found"), [
    ("缓解过敏性鼻炎引起的喷嚏、流涕。", []), ("用于感冒所致的头痛、鼻塞。", []),
    ("缓解流涕、过敏性鼻炎引起的喷嚏", ["缓解流涕", "过敏性鼻炎引起的喷嚏"]),
])  # fmt: skip
def test_what_shares_a_cause_is_no_use_of_its_own(text: str, found: list[str]) -> None:
    kept = [piece.text for piece in monograph_tails(text, "indications", "western") if piece.reason is None]
    assert not {"流涕", "鼻塞"} & set(kept) and set(kept) <= set(found)


@pytest.mark.parametrize(("text", "found"), [
    ("癃闭、水肿", []), ("水肿，腰痛", []), ("温肾利水，癃闭", ["温肾利水"]),
    ("发汗解肌，温通经脉，助阳化气，平冲降气。", ["发汗解肌", "温通经脉", "助阳化气", "平冲降气"]),
    ("泻下攻积，清热泻火，百病", ["泻下攻积", "清热泻火"]), ("不能清热，解毒，百病", []), ("目痛泪出，除痹，寒热邪气", []),
    ("泻痢，生疮", []),
])  # fmt: skip
def test_effects_of_a_chinese_medicine_are_judged_part_by_part(text: str, found: list[str]) -> None:
    assert [piece.text for piece in monograph_tails(text, "effects", "chinese") if piece.reason is None] == found


@pytest.mark.parametrize("text", ["活血、化瘀、消癥", "化浊降脂", "清瘟解毒", "芳香温通"])
def test_effects_of_patent_medicines_stay(text: str) -> None:
    assert all(piece.reason is None for piece in monograph_tails(text, "effects", "chinese"))
