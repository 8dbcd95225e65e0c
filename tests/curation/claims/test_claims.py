"""Facts to claim pairs."""

from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import msgspec
import pytest

from atomexam.records.annotation import Verdict
from atomexam.records.claim import ClaimPair
from atomexam.records.fact import RELATIONS, Alias, Fact
from atomexam.records.params import Claims
from atomexam.records.reasons import OF_CLAIMS
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation.claims.__main__ import main
from curation.claims.claim_context import ClaimContext, Synonyms, judgements
from curation.claims.claim_pairs import make_claims
from curation.claims.templates import Template, claim_ids, denies, read_templates
from tests.curation.records import fact, seen

PARAMS = Claims(per_type=1000, template="paper", seed=1)


# SdAK, Table 2: head, tail, factual claim, non-factual claim. The paper's inconsistency is kept: only the first has a full stop.
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


def test_reproduces_the_seventeen_pairs_of_the_paper_exactly() -> None:
    assert set(TABLE_2) == set(RELATIONS)
    claims, rejected = make_claims([fact(relation, row[0], row[1]) for relation, row in TABLE_2.items()], PARAMS)
    assert not rejected
    assert {claim.atomic_type: (claim.factual, claim.non_factual) for claim in claims} == {k: row[2:] for k, row in TABLE_2.items()}


@pytest.mark.parametrize("name", ["paper", "released", "varied"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_sentences_of_a_pair_differ_only_in_the_negation(relation: str, name: str) -> None:
    for template in read_templates(name)[relation]:
        said, denied = template.fill("头甲", "尾乙")
        steps = [(said[a:b], denied[c:d]) for tag, a, b, c, d in SequenceMatcher(None, said, denied, False).get_opcodes() if tag != "equal"]
        assert steps in ([("", "不")], [("正", "异")], [("宜", "忌")], [("有", "无")])
        assert all(part in sentence for part in ("头甲", "尾乙") for sentence in (said, denied))


def test_wording_of_the_released_data_is_a_separate_set() -> None:
    claims, _ = make_claims([fact("disease_cause", "乳核", "痰浊凝结所致")], Claims(per_type=9, template="released", seed=1))
    assert [(c.factual, c.non_factual) for c in claims] == [("乳核的病因可能包括痰浊凝结所致", "乳核的病因不可能包括痰浊凝结所致")]


def test_first_varied_wording_is_the_papers() -> None:
    assert {name: wordings[0] for name, wordings in read_templates("varied").items()} == {
        name: wordings[0] for name, wordings in read_templates("paper").items()
    }
    facts = [fact("disease_symptom", "某病", f"症{number}") for number in range(40)]
    claims, _ = make_claims(facts, Claims(per_type=99, template="varied", seed=1))
    assert {claim.template_id for claim in claims} == {"varied/disease_symptom/0", "varied/disease_symptom/1"}


def test_false_polarity_makes_the_denial_the_factual_claim() -> None:
    claims, _ = make_claims([fact("disease_infectivity", "高血压", "传染性", False), fact("disease_food", "痛风", "啤酒", False)], PARAMS)
    assert {(c.factual, c.non_factual) for c in claims} == {
        ("高血压不具有传染性", "高血压具有传染性"),
        ("痛风忌吃啤酒", "痛风宜吃啤酒"),
    }


REFUSED: dict[str | None, list[str]] = {
    "head_unfit": ["disease_prevention ……&& 洗手"],
    "double_negation": [
        "disease_symptom 丙型肝炎 无症状",
        "disease_cause 发热待查 不明原因",
        *(f"disease_symptom 胃炎 {tail}" for tail in ("否认发热", "并非感染", "毫无反应", "免于感染")),
    ],
    "tail_unfit": [
        "disease_cause 感冒 受凉以后身体抵抗力下降使得呼吸道里原有的病毒或者细菌迅速繁殖起来的时候",
        "disease_cause 感冒 受凉。劳累",
        "disease_complication 肺炎 （）",
        "disease_symptom 肺炎 胸痛（深呼吸时",
        "disease_food 痛风 多喝水",
        "metric_effect 血糖 糖尿病患者",
        "disease_department 痛风 关节",
        "food_effect 雪梨 润肺作用",
        "western_medicine_side_effect 某片 偶见皮疹",
        f"disease_symptom 胃炎 {'痛' * 31}",
        *(f"disease_symptom 胃炎 {tail}" for tail in ("腹痛（左侧", "左侧）腹痛", "腹痛[左侧）")),
        *(f"disease_symptom 胃炎 {tail}" for tail in ("咯血[查看详细]", "咯血更多", "咯血>>", "<b>痛</b>")),
    ],
    "names_itself": [
        "disease_complication 肺炎 肺炎",
        "disease_complication 肺癌 晚期肺癌",
        "disease_complication 肺炎 肺炎加重",
        "disease_symptom 产后发热 发热",
        "disease_prevention 感冒 预防感冒",
    ],
    None: [
        "disease_complication 糖尿病 糖尿病肾病",
        "disease_complication 甲状腺功能亢进症 甲状腺功能亢进症危象",
        "disease_complication 胃溃疡 应激性溃疡",
        "disease_cause 病毒性肠炎 病毒",
        "disease_examination 肝炎 总胆红素（TBIL,STB）",
        "disease_method 肺炎 一般支持治疗",
        "disease_cause 血友病 因子Ⅷ缺乏",
        "disease_medicine 铅中毒 2,3-二巯基丙醇",
        "disease_prevention 肺炎 保持心态平和",
        "disease_food 痛风 食用油",
        f"disease_symptom 胃炎 {'痛' * 30}",
        *(f"disease_medicine 某病 {tail}" for tail in ("非诺贝特", "不孕症", "无花果", "非甾体抗炎药")),
        *(f"disease_cause 胃炎 {tail}" for tail in ("免疫缺陷", "否定性妄想", "毫毛脱落")),
    ],
}
"""Why a fact gives no claim; of None, those that only look unfit."""


@pytest.mark.parametrize(("reason", "row"), [(reason, row) for reason, rows in REFUSED.items() for row in rows])
def test_each_rejection_has_its_reason(reason: str | None, row: str) -> None:
    claims, rejected = make_claims([fact(*row.split(" "))], PARAMS)
    assert (len(claims), [row.reason for row in rejected]) == ((0, [reason]) if reason else (1, []))


def test_every_reason_has_a_case() -> None:
    elsewhere = {"contradicted", "duplicate_claim", "over_cap", "contaminated", "refuted", "neutral", "overruled", "pair_unwanted"}
    assert {*OF_CLAIMS, "contaminated", "overruled"} == REFUSED.keys() - {None} | elsewhere


def eaten(food: str, avoided: str) -> list[Fact]:
    return [fact("disease_food", "痛风", food), fact("disease_food", "痛风", avoided, False)]


def ranges(one: str, other: str) -> list[Fact]:
    return [fact("examination_range", *text.split(" ")) for text in (one, other)]


CLASHING = [
    eaten("豆腐", "豆腐"),
    eaten("鸡蛋", "蛋类"),
    eaten("啤酒", "酒类"),
    eaten("辣椒", "辛辣食物"),
    eaten("干辣椒", "辛辣"),
    eaten("海带", "海产品"),
    eaten("牡蛎", "海产品"),
    eaten("肥肉", "油腻食物"),
    eaten("冰淇淋", "生冷食物"),
    ranges("血红蛋白（男） 120~160g/L", "血红蛋白（男性） 130~175g/L"),
    ranges("尿蛋白 阴性", "尿蛋白 阳性"),
    ranges("甲胎蛋白 <20μg/L", "甲胎蛋白 >20μg/L"),
    [fact("chinese_medicine_side_effect", "某丸", "皮疹"), fact("western_medicine_side_effect", "某丸", "皮疹", False)],
]
COMPATIBLE = [
    eaten("土豆", "豆类"),
    eaten("料酒", "酒类"),
    eaten("蛋类", "咸鸭蛋"),
    eaten("蛋类", "鹌鹑蛋"),
    eaten("苹果", "辛辣"),
    eaten("带鱼", "油腻食物"),
    eaten("彩椒", "辛辣"),
    eaten("海参", "海鲜"),
    ranges("血红蛋白（男） 120~160g/L", "血红蛋白（女） 110~150g/L"),
    ranges("胆红素 3.4~17.1μmol/L", "胆红素 0.2~1.0mg/dl"),
    ranges("尿蛋白 阴性", "尿蛋白 <150mg/24h"),
    ranges("甲胎蛋白 <20μg/L", "甲胎蛋白 0~20μg/L"),
    ranges("血糖 3.9~6.10mmol/L", "血糖 3.90~6.1mmol/L"),
]


@pytest.mark.parametrize("facts", CLASHING)
def test_rejects_both_contradicting_facts_with_each_others_id(facts: list[Fact]) -> None:
    claims, refused = make_claims(facts, PARAMS)
    assert claims == [] and [(row.reason, row.detail) for row in refused] == [("contradicted", one.id) for one in facts[::-1]]


@pytest.mark.parametrize("facts", COMPATIBLE)
def test_uncertain_facts_contradict_nothing(facts: list[Fact]) -> None:
    assert len(make_claims(facts, PARAMS)[0]) == 2


def alias(name: str, other: str) -> Alias:
    return Alias(name=name, alias=other, entity_type="disease", provenance=seen())


def test_rejects_a_tail_that_is_an_alias_of_its_head() -> None:
    known = ClaimContext(synonyms=Synonyms([alias("惊风", "惊厥")]))
    _, rejected = make_claims([fact("disease_symptom", "惊风", "惊厥"), fact("disease_symptom", "惊厥", "惊风")], PARAMS, known)
    assert [row.reason for row in rejected] == ["names_itself"] * 2


def test_aliases_neither_contradict_nor_repeat_each_other() -> None:
    known = ClaimContext(synonyms=Synonyms([alias("军团菌病", "军团病")]))
    denied = [fact("disease_infectivity", "军团菌病", "传染性"), fact("disease_infectivity", "军团病", "传染性", False)]
    claims, rejected = make_claims(denied, PARAMS, known)
    assert not claims and {row.detail for row in rejected if row.reason == "contradicted"} == {one.id for one in denied}
    claims, rejected = make_claims([fact("disease_symptom", "军团菌病", "发热"), fact("disease_symptom", "军团病", "发热")], PARAMS, known)
    assert (len(claims), [row.reason for row in rejected]) == (1, ["duplicate_claim"])


def test_ignores_an_alias_of_punctuation_only() -> None:
    names = Synonyms([alias("肺炎", "……"), alias("……", "肺结核")])
    assert [names.of(name) for name in ("肺炎", "肺结核")] == ["肺炎", "肺结核"]
    assert make_claims([fact("disease_symptom", "肺炎", "发热")], PARAMS, ClaimContext(synonyms=names))[0]


def test_shared_alias_makes_no_synonyms() -> None:
    names = Synonyms([alias("风寒感冒", "感冒"), alias("风热感冒", "感冒")])
    assert len({names.of(name) for name in ("感冒", "风寒感冒", "风热感冒")}) == 3
    assert names.are_one("风寒感冒", "感冒") and names.are_one("感冒", "风寒感冒") and not names.are_one("风寒感冒", "风热感冒")


def test_mutual_aliases_are_one_name() -> None:
    names = Synonyms([alias("甲", "乙"), alias("乙", "甲"), alias("乙", "丙")])
    assert len({names.of(name) for name in "甲乙丙"}) == 1


def test_marks_or_drops_facts_in_a_reference(tmp_path: Path) -> None:
    one, other = fact("disease_symptom", "肺炎", "发热"), fact("disease_symptom", "肺炎", "咳嗽")
    told = fact("disease_complication", "肺 炎", "发热")  # under any relation
    write_jsonl(tmp_path / "facts.jsonl", [one, other], key=lambda row: row.id)
    write_jsonl(tmp_path / "references.jsonl", [told], key=lambda row: row.id)
    for way, left in (("mark", 2), ("drop", 1)):
        run_stage_in(tmp_path, "--contaminated", way)
        assert len(list(read_jsonl(tmp_path / "claims/claims.jsonl", ClaimPair))) == left
        rows = [msgspec.json.decode(line) for line in (tmp_path / "claims/contaminated.jsonl").read_bytes().splitlines()]
        assert [(row["fact_id"], row["reference"], row["relation"]) for row in rows] == [(one.id, "toy", "disease_complication")]
    assert [row.reason for row in read_jsonl(tmp_path / "claims/rejected.jsonl", Rejected)] == ["contaminated"]


def verdict(claim: ClaimPair, annotator: str, answer: str) -> Verdict:
    return Verdict(claim_id=claim.id, annotator=annotator, verdict=answer, claim=claim.factual, atomic_type=claim.atomic_type)


@pytest.mark.parametrize(
    ("answers", "kept", "strictly"),
    [
        ("support", True, True),
        ("refute", False, False),
        ("neutral", True, False),
        ("support refute", True, False),
        ("refute refute support", False, False),
        ("support support refute", True, True),
    ],
)
def test_drops_refuted_claims_and_optionally_neutral_ones(answers: str, kept: bool, strictly: bool) -> None:
    facts = [fact("disease_symptom", "肺炎", "发热")]
    given = [verdict(make_claims(facts, PARAMS)[0][0], str(number), answer) for number, answer in enumerate(answers.split())]
    known = ClaimContext(judged=judgements({given[0].claim_id: given}))
    for template in ("paper", "released"):  # it was judged in the paper's wording
        params = Claims(per_type=9, template=template, seed=1)
        assert bool(make_claims(facts, params, known)[0]) == kept
        assert bool(make_claims(facts, msgspec.structs.replace(params, neutral="drop"), known)[0]) == strictly


def test_recognizes_a_claim_in_every_wording() -> None:
    one = fact("disease_symptom", "肺炎", "发热")
    assert {make_claims([one], Claims(per_type=9, template=name, seed=1))[0][0].id for name in ("paper", "released", "varied")} <= set(
        claim_ids(one)
    )


def test_two_facts_with_one_sentence_make_one_claim() -> None:
    twin = msgspec.structs.replace(fact("disease_cause", "哮喘", "花粉"), id="fact-other")
    claims, rejected = make_claims([fact("disease_cause", "哮喘", "花粉"), twin], PARAMS)
    assert (len(claims), [row.reason for row in rejected]) == (1, ["duplicate_claim"])


def chosen_of(claims: list[ClaimPair]) -> frozenset[str]:
    return frozenset(key for claim in claims for key in claim.fact_ids)


def test_spreads_the_cap_over_heads_and_new_facts_do_not_reshuffle() -> None:
    facts = [fact("disease_symptom", f"病{h}", f"症{h}之{t}") for h in range(20) for t in range(h + 1)]
    params = Claims(per_type=40, template="paper", seed=1)
    claims, rejected = make_claims(facts, params)
    assert len(claims) == 40
    assert Counter(row.reason for row in rejected) == {"over_cap": len(facts) - 40}
    per_head = Counter(claim.head for claim in claims)
    assert max(per_head.values()) <= 3
    assert len(per_head) == 20
    more, _ = make_claims([*facts, fact("disease_symptom", "新病", "新症")], params, ClaimContext(chosen=chosen_of(claims)))
    assert {c.id for c in claims} == {c.id for c in more}


def test_common_tails_wait_for_the_others() -> None:
    facts = [fact("disease_department", f"病{number}", "内科" if number % 10 else f"第{number}科") for number in range(2_000)]
    claims, _ = make_claims(facts, Claims(per_type=210, template="paper", seed=1))
    tails = Counter(claim.tail for claim in claims)
    assert (tails["内科"], len(tails)) == (10, 201)  # all the rare ones, and the common one for the remaining claims


def test_tail_gets_a_two_hundredth_of_the_cap_before_it_waits() -> None:
    facts = [fact("disease_department", f"病{number}", "内科" if number % 2 else f"第{number}科") for number in range(2_000)]
    claims, _ = make_claims(facts, Claims(per_type=400, template="paper", seed=1))
    assert Counter(claim.tail for claim in claims)["内科"] == 2


def test_affirmed_and_denied_facts_take_turns() -> None:
    facts = [fact("disease_infectivity", f"病{number}", "传染性", number % 10 == 0) for number in range(1_000)]
    claims, _ = make_claims(facts, Claims(per_type=100, template="paper", seed=1))
    assert Counter("不" in claim.factual for claim in claims) == {True: 50, False: 50}


def test_lower_cap_keeps_the_spread_and_higher_cap_the_choice() -> None:
    facts = [fact("disease_symptom", f"病{h}", f"症{h}之{t}") for h in range(10) for t in range(10)]
    first = chosen_of(make_claims(facts, Claims(per_type=50, template="paper", seed=1))[0])
    less, _ = make_claims(facts, Claims(per_type=10, template="paper", seed=1), ClaimContext(chosen=first))
    assert len({claim.head for claim in less}) == 10 and chosen_of(less) < first
    assert first < chosen_of(make_claims(facts, Claims(per_type=60, template="paper", seed=1), ClaimContext(chosen=first))[0])


def test_unknown_template_set_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown template set 'papr'; known: .*paper"):
        read_templates("papr")


def test_braces_in_a_fact_are_text() -> None:
    claims, _ = make_claims([fact("disease_symptom", "{tail}", "{head}")], PARAMS)
    assert claims[0].factual == "{tail}的常见症状包括{head}"


def test_template_has_head_and_tail_once_each() -> None:
    assert Template(factual="{tail}在{head}", non_factual="{tail}不在{head}").fill("{tail}", "乙") == ("乙在{tail}", "乙不在{tail}")


def run_stage_in(folder: Path, *more: str) -> dict[str, bytes]:
    named = [f"--{name}={folder / name}.jsonl" for name in ("facts", "aliases", "references", "verdicts", "decisions", "chosen")]
    main([*named, f"--out={folder}/claims", f"--metrics={folder}/m.json", "--per_type=5", "--template=paper", "--seed=1", *more])
    return {path.name: path.read_bytes() for path in [*(folder / "claims").iterdir(), folder / "chosen.jsonl", folder / "m.json"]}


def test_the_stage_writes_claims_rejected_and_metrics(tmp_path: Path) -> None:
    facts = [fact(relation, row[0], row[1]) for relation, row in TABLE_2.items()] + [fact("disease_symptom", "丙型肝炎", "无症状")]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda f: f.id)
    first = run_stage_in(tmp_path)
    assert run_stage_in(tmp_path) == first
    assert len(list(read_jsonl(tmp_path / "claims/claims.jsonl", ClaimPair))) == 17
    assert [row.reason for row in read_jsonl(tmp_path / "claims/rejected.jsonl", Rejected)] == ["double_negation"]
    measured = msgspec.json.decode((tmp_path / "m.json").read_bytes())
    assert measured["facts"] == {"in": 18, "out": 17, "rejected": 1}


@pytest.mark.parametrize(("design", "pairs", "rows"), [("both", 4, 4), ("paper", 4, 0), ("fourfold", 0, 4)])
def test_each_design_gives_its_sets(design: str, pairs: int, rows: int, tmp_path: Path) -> None:
    medicines = (("痛风", "非布司他"), ("痛风", "苯溴马隆"), ("癫痫", "卡马西平"), ("癫痫", "丙戊酸钠"))
    facts = [fact("disease_medicine", *names) for names in medicines]
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda f: f.id)
    first = run_stage_in(tmp_path, f"--design={design}")
    assert run_stage_in(tmp_path, f"--design={design}") == first
    assert [len(first[name].splitlines()) for name in ("claims.jsonl", "fourfold.jsonl")] == [pairs, rows]
    measured = msgspec.json.decode(first["m.json"])
    assert measured["facts"] == {"in": 4, "out": pairs, "rejected": 4 - pairs}
    reasons = {row.reason for row in read_jsonl(tmp_path / "claims/rejected.jsonl", Rejected)}
    assert reasons == (set() if pairs else {"pair_unwanted"})


def test_choice_survives_a_merge_a_kill_and_a_new_draw(tmp_path: Path) -> None:
    facts = [fact("disease_symptom", f"病{number}", f"症{number}") for number in range(60)]
    write_jsonl(tmp_path / "facts.jsonl", facts[:50], key=lambda f: f.id)
    first = run_stage_in(tmp_path)
    lines = first["chosen.jsonl"].splitlines(keepends=True)
    gone = msgspec.json.encode({"atomic_type": "disease_symptom", "fact_id": "fact-that-went"}) + b"\n"
    (tmp_path / "chosen.jsonl").write_bytes(b"".join([*reversed(lines), gone, lines[0]]))  # as after a merge by lines
    write_jsonl(tmp_path / "facts.jsonl", facts, key=lambda f: f.id)
    more = run_stage_in(tmp_path)
    assert more["chosen.jsonl"] == first["chosen.jsonl"] and more["claims.jsonl"] == first["claims.jsonl"]
    (tmp_path / "claims/claims.jsonl").unlink()  # as after a killed run
    assert run_stage_in(tmp_path) == more
    (tmp_path / "chosen.jsonl").unlink()
    assert len(run_stage_in(tmp_path)["chosen.jsonl"].splitlines()) == 5


DENIALS = [
    *[("四肢无力", False), ("无力", False), ("无尿", False), ("切勿搔抓", True), ("严禁饮酒", True), ("可无症状", True)],
    *[("早期多无症状", True), ("病因不明", True), ("尚未发现", True), ("不能站立", True), ("缺乏维生素D", True), ("维生素D缺乏", False)],
    *[
        ("不孕症", False),
        ("非甾体抗炎药", False),
        ("无创通气", False),
        ("白细胞减少", False),
        ("非手术治疗", True),
        ("非感染性发热", False),
    ],
    *[("不完全性肠梗阻", False), ("无菌性脑膜炎", False), ("未分化癌", False), ("没药", False), ("没有发热", True), ("吞咽不能", False)],
    *[("神志不清", False), ("食欲不振", False), ("无痛性肿块", False), ("无痛", True), ("无脑儿", False), ("不可逆性休克", False)],
    *[("非那雄胺", False), ("避免受凉", True), ("禁食", False), ("禁酒", True), ("不良反应", False), ("绝对不应期", False)],
]


@pytest.mark.parametrize(("tail", "denied"), DENIALS)
def test_distinguishes_denials_from_names(tail: str, denied: bool) -> None:
    assert denies(tail) == denied
