"""Facts to claim pairs."""

from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.claim_templates import read_templates
from curation.claims import REASONS, main, make_claims, read_negation, refuse
from records.claim import ClaimPair
from records.fact import RELATIONS, Fact, fact_id
from records.jsonl import read_jsonl, write_jsonl
from records.params import Claims
from records.provenance import Provenance
from records.rejection import Rejected

PARAMS = Claims(per_type=1000, template="paper", seed=1)
SEEN = [Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="p")]

# SdAK, Table 2: head, tail, factual claim, non-factual claim.
TABLE_2 = {
    "metric_effect": ("抗内皮细胞抗体检查", "血管炎", "抗内皮细胞抗体检查可用于血管炎患者。", "抗内皮细胞抗体检查不可用于血管炎患者。"),
    "disease_infectivity": ("喉囊肿", "传染性", "喉囊肿具有传染性", "喉囊肿不具有传染性"),
    "disease_department": ("银屑病甲", "皮肤科", "银屑病甲常挂的科室包括皮肤科", "银屑病甲常挂的科室不包括皮肤科"),
    "disease_method": ("催乳素瘤", "放射治疗", "催乳素瘤常见治疗方法包括放射治疗", "催乳素瘤常见治疗方法不包括放射治疗"),
    "disease_cause": ("病毒性肠炎", "诺瓦克病毒", "病毒性肠炎的病因包括诺瓦克病毒", "病毒性肠炎的病因不包括诺瓦克病毒"),
    "chinese_medicine_effect": ("参茸固本片", "补气养血", "参茸固本片具有补气养血的功效", "参茸固本片不具有补气养血的功效"),
    "chinese_medicine_side_effect": ("健脾丸", "呕吐", "健脾丸的不良反应包括呕吐", "健脾丸的不良反应不包括呕吐"),
    "western_medicine_effect": ("麦角林", "抑制乳汁分泌", "麦角林可用于抑制乳汁分泌", "麦角林不可用于抑制乳汁分泌"),
    "food_effect": ("胡萝卜泥", "止泻", "胡萝卜泥具有止泻作用", "胡萝卜泥不具有止泻作用"),
    "western_medicine_side_effect": ("三乙醇胺乳膏", "过敏", "三乙醇胺乳膏的不良反应包括过敏", "三乙醇胺乳膏的不良反应不包括过敏"),
    "disease_examination": ("汗疹", "真菌血检查", "汗疹常做的检查项目包括真菌血检查", "汗疹常做的检查项目不包括真菌血检查"),
    "disease_prevention": ("疟疾感染", "疟疾疫苗", "预防疟疾感染的方法包括疟疾疫苗", "预防疟疾感染的方法不包括疟疾疫苗"),
    "disease_complication": ("急性会厌炎", "休克", "急性会厌炎可能引发的疾病包括休克", "急性会厌炎可能引发的疾病不包括休克"),
    "disease_symptom": ("胰尾癌", "腹痛", "胰尾癌的常见症状包括腹痛", "胰尾癌的常见症状不包括腹痛"),
    "examination_range": (
        "骨髓粒红比例",
        "1.5: 1~3.5: 1",
        "骨髓粒红比例的正常参考区间通常是1.5: 1~3.5: 1",
        "骨髓粒红比例的异常参考区间通常是1.5: 1~3.5: 1",
    ),
    "disease_food": ("牙周萎缩", "钙质丰富的食物", "牙周萎缩宜吃钙质丰富的食物", "牙周萎缩忌吃钙质丰富的食物"),
    "disease_medicine": ("口腔炎", "甲氰咪胍", "口腔炎的常用药物包括甲氰咪胍", "口腔炎的常用药物不包括甲氰咪胍"),
}


def fact(relation: str, head: str, tail: str, polarity: bool = True) -> Fact:
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=SEEN)


def test_the_seventeen_pairs_of_the_paper_come_out_to_the_letter() -> None:
    assert set(TABLE_2) == set(RELATIONS)
    claims, rejected = make_claims([fact(relation, row[0], row[1]) for relation, row in TABLE_2.items()], PARAMS)
    assert not rejected
    assert {claim.atomic_type: (claim.factual, claim.non_factual) for claim in claims} == {k: row[2:] for k, row in TABLE_2.items()}


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_sentences_of_a_pair_differ_by_the_negation_alone(relation: str) -> None:
    for template in read_templates("paper")[relation]:
        said, denied = template.fill("头甲", "尾乙")
        steps = [(said[a:b], denied[c:d]) for tag, a, b, c, d in SequenceMatcher(None, said, denied, False).get_opcodes() if tag != "equal"]
        assert steps in ([("", "不")], [("正", "异")], [("宜", "忌")])


def test_false_polarity_makes_the_denial_the_factual_claim() -> None:
    claims, _ = make_claims([fact("disease_infectivity", "高血压", "传染性", False), fact("disease_food", "痛风", "啤酒", False)], PARAMS)
    assert {(c.factual, c.non_factual) for c in claims} == {
        ("高血压不具有传染性", "高血压具有传染性"),
        ("痛风忌吃啤酒", "痛风宜吃啤酒"),
    }


REFUSED = [
    ("double_negation", [fact("disease_symptom", "丙型肝炎", "无症状")]),
    ("double_negation", [fact("disease_cause", "发热待查", "不明原因")]),
    ("tail_unfit", [fact("disease_cause", "感冒", "受凉以后身体抵抗力下降使得呼吸道里原有的病毒或者细菌迅速繁殖起来的时候")]),
    ("tail_unfit", [fact("disease_cause", "感冒", "受凉。劳累")]),
    ("tail_unfit", [fact("disease_complication", "肺炎", "肺炎")]),
    ("tail_unfit", [fact("disease_complication", "肺炎", "（）")]),
    ("contradicted", [fact("disease_food", "痛风", "豆腐"), fact("disease_food", "痛风", "豆腐", False)]),
]


@pytest.mark.parametrize(("reason", "facts"), REFUSED)
def test_each_refusal_has_its_reason(reason: str, facts: list[Fact]) -> None:
    claims, rejected = make_claims(facts, PARAMS)
    assert not claims
    assert {row.reason for row in rejected} == {reason}


def test_two_facts_with_one_sentence_give_one_claim() -> None:
    twin = msgspec.structs.replace(fact("disease_cause", "哮喘", "花粉"), id="fact-other")
    claims, rejected = make_claims([fact("disease_cause", "哮喘", "花粉"), twin], PARAMS)
    assert (len(claims), [row.reason for row in rejected]) == (1, ["duplicate_claim"])


@pytest.mark.parametrize("tail", ["非诺贝特", "不孕症", "无花果", "非甾体抗炎药"])
def test_a_word_that_only_looks_like_a_denial_is_kept(tail: str) -> None:
    claims, _ = make_claims([fact("disease_medicine", "某病", tail)], PARAMS)
    assert len(claims) == 1


def test_every_reason_is_explained_and_has_a_case() -> None:
    assert set(REASONS) == {reason for reason, _ in REFUSED} | {"duplicate_claim", "over_cap"}


def test_a_cap_is_spread_over_heads_and_new_facts_do_not_reshuffle() -> None:
    facts = [fact("disease_symptom", f"病{h}", f"症{h}之{t}") for h in range(20) for t in range(h + 1)]
    params = Claims(per_type=40, template="paper", seed=1)
    claims, rejected = make_claims(facts, params)
    assert len(claims) == 40
    assert Counter(row.reason for row in rejected) == {"over_cap": len(facts) - 40}
    per_head = Counter(claim.head for claim in claims)
    assert max(per_head.values()) <= 3
    assert len(per_head) == 20
    more, _ = make_claims([*facts, fact("disease_symptom", "新病", "新症")], params)
    assert len({c.id for c in claims} - {c.id for c in more}) == 1  # the newcomer takes one place


tails = st.text(alphabet="甲乙丙丁无不非。（ ）A1", max_size=6)
facts_in = st.lists(st.builds(fact, st.sampled_from(RELATIONS), st.text(alphabet="甲乙丙", min_size=1, max_size=2), tails, st.booleans()))


@given(facts_in, st.randoms(), st.integers(1, 4))
def test_in_is_out_and_rejected_whatever_the_order(facts, random, cap) -> None:
    params = Claims(per_type=cap, template="paper", seed=1)
    claims, rejected = make_claims(facts, params)
    assert len(facts) == len(claims) + len(rejected)
    assert {row.reason for row in rejected} <= set(REASONS)
    assert len({claim.id for claim in claims}) == len(claims)
    assert max(Counter(claim.atomic_type for claim in claims).values(), default=0) <= cap
    shuffled, _ = make_claims(random.sample(facts, len(facts)), params)
    assert {claim.id for claim in shuffled} == {claim.id for claim in claims}


def test_no_sentence_is_said_by_one_pair_and_denied_by_another() -> None:
    facts = [fact("disease_food", "痛风", t, p) for t, p in [("豆腐", True), ("啤酒", False), ("樱桃", True)]]
    claims, _ = make_claims(facts, PARAMS)
    assert not {c.factual for c in claims} & {c.non_factual for c in claims}


def test_an_unknown_template_set_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown template set 'papr'; known: .*paper"):
        read_templates("papr")


def test_braces_in_a_fact_are_text() -> None:
    claims, _ = make_claims([fact("disease_symptom", "{tail}", "{head}")], PARAMS)
    assert claims[0].factual == "{tail}的常见症状包括{head}"


def test_the_stage_writes_claims_rejected_and_metrics(tmp_path: Path) -> None:
    facts = [fact(relation, row[0], row[1]) for relation, row in TABLE_2.items()] + [fact("disease_symptom", "丙型肝炎", "无症状")]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda f: f.id)
    argv = ["--per_type", "5", "--facts", f"{tmp_path}/facts.jsonl", "--out", f"{tmp_path}/claims", "--metrics", f"{tmp_path}/m.json"]
    main(argv)
    first = {p.name: p.read_bytes() for p in (tmp_path / "claims").iterdir()}
    main(argv)
    assert {p.name: p.read_bytes() for p in (tmp_path / "claims").iterdir()} == first
    assert len(list(read_jsonl(tmp_path / "claims/claims.jsonl", ClaimPair))) == 17
    assert [row.reason for row in read_jsonl(tmp_path / "claims/rejected.jsonl", Rejected)] == ["double_negation"]
    measured = msgspec.json.decode((tmp_path / "m.json").read_bytes())
    assert measured["facts"] == {"in": 18, "out": 17, "rejected": 1}


@pytest.mark.parametrize(
    ("tail", "denies"), [("四肢无力", False), ("无力", False), ("无尿", False), ("切勿搔抓", True), ("严禁饮酒", True), ("可无症状", True)]
)
def test_a_denial_is_told_from_a_name(tail: str, denies: bool) -> None:
    assert (refuse(fact("disease_symptom", "某病", tail), *read_negation()) == "double_negation") == denies
