"""Fourfold sets: laws for any facts, why a tail is not used as false, and altered ranges."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from atomexam.records.claim import Passage, claim_id, passage_id
from atomexam.records.fact import RELATIONS, Alias, Fact
from atomexam.records.params import Claims
from atomexam.records.reasons import REASONS
from curation.claims.claim_context import Synonyms
from curation.claims.fourfold import FourfoldSet, altered_range, make_fourfold, measure_fourfold
from curation.claims.tail_objections import CANDIDATE_REASONS, KnownFacts
from curation.claims.templates import claim_ids, fourfold_templates
from splits.leaks.knowledge_free import lines_of, open_to_wording
from tests.curation.records import fact

TEMPLATES = fourfold_templates("paper")


def made(facts: list[Fact], chosen: dict[str, str] | None = None, supported: frozenset[str] = frozenset()) -> FourfoldSet:
    known = KnownFacts(facts, (), Synonyms(), supported)
    return make_fourfold(facts, known, TEMPLATES, Claims(per_type=1000, template="paper", seed=1), chosen or {})


MEDICINES = [
    fact("disease_medicine", head, tail)
    for head, tails in {
        "青光眼": ("拉坦前列素", "布林佐胺"), "痛风": ("非布司他", "苯溴马隆"), "癫痫": ("卡马西平", "丙戊酸钠"),
        "银屑病": ("阿维A", "卡泊三醇"), "哮喘": ("孟鲁司特", "沙丁胺醇"),
    }.items()
    for tail in tails
]  # fmt: skip
INFECTIVITY = [
    fact("disease_infectivity", head, "传染性", infectious)
    for head, infectious in {"天花": True, "鼠疫": True, "痛风": False, "癫痫": False, "哮喘": False}.items()
]
SIGNS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
WORDS = st.text(SIGNS, min_size=1, max_size=3)
FACTS = st.lists(st.builds(fact, st.sampled_from(RELATIONS), WORDS, WORDS, st.booleans()), max_size=60, unique_by=lambda one: one.id)


def test_a_fact_has_four_sentences() -> None:
    (row, *_) = sorted(made(MEDICINES).rows, key=lambda row: row.head)
    stated, denied = TEMPLATES["disease_medicine"][0].fill(row.head, row.tail)
    assert (row.true_affirmed, row.true_denied) == (stated, denied)
    assert (row.false_affirmed, row.false_denied) == TEMPLATES["disease_medicine"][0].fill(row.head, row.false_tail)
    assert row.false_head == row.head


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(FACTS, st.randoms())
def test_neither_tail_nor_head_reveals_the_answer(facts: list[Fact], random) -> None:
    result = made([*facts, *MEDICINES, *INFECTIVITY])
    for relation in RELATIONS:
        rows = [row for row in result.rows if row.atomic_type == relation]
        if relation != "examination_range":
            assert Counter(row.tail for row in rows) == Counter(row.false_tail for row in rows)
        assert relation == "disease_infectivity" or all(row.head == row.false_head for row in rows)
    true = {(one.relation, one.head, one.tail) for one in facts if one.polarity}
    assert not [row for row in result.rows if (row.atomic_type, row.false_head, row.false_tail) in true]
    metrics = measure_fourfold(result)["facts"]
    assert metrics["in"] == len(facts) + len(MEDICINES) + len(INFECTIVITY) == metrics["out"] + metrics["rejected"]
    assert {row.reason for row in result.rejected} <= REASONS.keys()
    again = made([*facts, *MEDICINES, *INFECTIVITY], {row.fact_ids[0]: row.false_fact_ids[0] for row in result.rows if row.false_fact_ids})
    assert sorted(row.id for row in again.rows) == sorted(row.id for row in result.rows)
    assert measure_fourfold(again) == measure_fourfold(result), "the next run, whose earlier choices these are, ends with the same"
    shuffled = [*facts, *MEDICINES, *INFECTIVITY]
    random.shuffle(shuffled)
    assert sorted(row.id for row in made(shuffled).rows) == sorted(row.id for row in result.rows)


def test_pairs_heads_with_and_without_a_single_tail() -> None:
    rows = made(INFECTIVITY).rows
    assert sorted(row.head for row in rows) == ["天花", "鼠疫"]
    assert len({row.false_head for row in rows} & {"痛风", "癫痫", "哮喘"}) == 2
    assert all(row.false_affirmed == f"{row.false_head}具有传染性" for row in rows)


def test_drops_an_earlier_false_tail_that_annotators_found_true() -> None:
    chosen = {row.fact_ids[0]: row.false_fact_ids[0] for row in made(INFECTIVITY).rows}
    denied = next(one for one in INFECTIVITY if one.id in chosen.values())
    rows = made(INFECTIVITY, chosen, frozenset(claim_ids(structs.replace(denied, polarity=True)))).rows
    assert len(rows) == 2 and denied.head not in {row.false_head for row in rows}


def test_names_that_reveal_the_tail_give_hardly_a_row() -> None:
    told = [fact("disease_infectivity", f"{sign}{number}{'热' if having else '瘤'}", "传染性", having)
            for number, sign in enumerate(SIGNS) for having in (True, False)]  # fmt: skip
    result = made(told)
    assert len(result.rows) <= 2 and {row.reason for row in result.rejected if row.fact.polarity} == {"heads_tell"}


def test_remaining_names_reveal_the_tail_to_no_model() -> None:
    draws, shares = Random(1), {"热": 0.8, "瘤": 0.1, "病": 0.4}
    facts = [fact("disease_infectivity", f"{one}{other}{end}", "传染性", draws.random() < share)
             for one in SIGNS[:8] for other in SIGNS[:10] for end, share in shares.items()]  # fmt: skip
    rows = made(facts).rows
    assert len(rows) > 20 and not open_to_wording(lines_of(rows[::2], rows[1::2]))


def test_values_and_ranges_have_own_wordings_with_verdicts() -> None:
    ranges = fact("examination_range", "血钾测定", "3.5~5.5mmol/L")
    [row] = made([ranges]).rows
    assert row.true_denied == "血钾测定的正常参考区间通常不是3.5~5.5mmol/L"
    assert claim_id(row.true_affirmed, row.true_denied) in claim_ids(ranges)
    effects = [
        fact("metric_effect", head, tail)
        for head, tails in (("血钠", "尿崩症 心衰"), ("甲胎蛋白", "肝癌 睾丸肿瘤"))
        for tail in tails.split()
    ]
    assert "血钠不可用于尿崩症的诊断或监测" in {row.true_denied for row in made(effects).rows}


def test_finds_foods_forbidden_elsewhere_among_many() -> None:
    others = [fact("disease_food", f"病{number}", f"食物{number}", number % 8 > 0) for number in range(1500)]
    others += [fact("disease_food", f"乙病{number}", food, polarity=False) for number in range(1030) for food in ("牛奶", "猪肝")]
    pairs = [
        fact("disease_food", f"{head}{kind}", food, (head == "痛风") == (food == "牛奶"))
        for kind in "甲乙丙丁"
        for head in ("痛风", "贫血")
        for food in ("牛奶", "猪肝")
    ]
    rows = sorted((row.head, row.false_tail) for row in made([*pairs, *others]).rows)
    assert rows == sorted((one.head, one.tail) for one in pairs if not one.polarity)


def test_head_gets_a_false_tail_once() -> None:
    tails = {"青光眼": ("甲", "乙"), "痛风": ("丙", "丁"), "癫痫": ("甲", "乙"), "银屑病": ("戊", "己"), "哮喘": ("丙", "戊")}
    facts = [fact("disease_medicine", head, f"{tail}{tail}素") for head, named in tails.items() for tail in named]
    rows = made(facts).rows
    assert rows and max(Counter((row.head, row.false_tail) for row in rows).values()) == 1


def test_keeps_earlier_choices_while_valid() -> None:
    first = made(MEDICINES)
    chosen = {row.fact_ids[0]: row.false_fact_ids[0] for row in first.rows}
    new = [
        fact("disease_medicine", head, tail)
        for head, tail in (("白癜风", "甲氧沙林"), ("白癜风", "吡美莫司"), ("痔", "地奥司明"), ("痔", "角菜酸酯"))
    ]
    assert {row.id for row in first.rows} <= {row.id for row in made([*MEDICINES, *new], chosen).rows}
    row = first.rows[0]
    now_true = [*MEDICINES, fact("disease_medicine", row.head, row.false_tail)]
    assert row.id not in {one.id for one in made(now_true, chosen).rows}


def test_earlier_choices_without_a_row_tie_no_heads() -> None:
    heads, draws = [chr(0x4E00 + 7 * at) * 2 for at in range(35)], Random(3)
    facts = [
        fact("disease_medicine", head, chr(0x5E00 + 7 * (4 * at + tail)) * 2)
        for at, head in enumerate(heads)
        for tail in range(draws.choice((2, 2, 3, 4)))
    ]
    last = {one.head: one.id for one in facts}
    broken = {last[one]: last[other] for at in range(0, 35, 5) for one, other in pairwise(heads[at : at + 5])}
    first = made(facts, broken).rows
    again = made(facts, {row.fact_ids[0]: row.false_fact_ids[0] for row in first}).rows
    assert sorted(row.id for row in again) == sorted(row.id for row in first)


BASE = [
    fact("disease_symptom", "胃癌", "呕血"), fact("disease_symptom", "胃癌", "上腹包块"), fact("disease_department", "胃癌", "消化内科"),
    fact("disease_symptom", "青光眼", "虹视"), fact("disease_symptom", "青光眼", "偏盲"), fact("disease_department", "青光眼", "眼科"),
    fact("disease_complication", "胃癌", "幽门梗阻"), fact("disease_food", "胃癌", "白酒", False),
]  # fmt: skip

_EFFECTS = (("甲药", "胃溃疡"), ("乙药", "胃痉挛"), ("乙药", "耳鸣"))


@pytest.mark.parametrize(
    ("reason", "relation", "head", "tail", "more"),
    [
        (None, "disease_symptom", "胃癌", "虹视", []),
        ("linked", "disease_symptom", "胃癌", "呕血", []),
        ("linked", "disease_symptom", "胃癌", "幽门梗阻", []),
        ("linked", "disease_cause", "胃癌", "青光眼", [fact("disease_complication", "青光眼", "胃癌")]),
        ("like_a_tail", "disease_symptom", "胃癌", "包块", [fact("disease_symptom", "青光眼", "包块")]),
        ("like_the_head", "disease_symptom", "青光眼", "闪光感", [fact("disease_symptom", "痛风", "闪光感")]),
        ("possible", "disease_examination", "胃癌", "便隐血试验", [fact("disease_examination", "痔", "便隐血试验")]),
        ("same_part", "disease_medicine", "胃癌", "肠溶酶", [fact("disease_medicine", "痛风", "肠溶酶")]),
        (
            "near",
            "disease_medicine",
            "胃癌",
            "甲药",
            [fact("disease_medicine", "肠结核", "甲药"), fact("disease_department", "肠结核", "消化内科")],
        ),
        ("near", "western_medicine_effect", "甲药", "耳鸣", [fact("western_medicine_effect", *one) for one in _EFFECTS]),
        ("like_a_tail", "food_effect", "鸡蛋", "润肺", [fact("food_effect", "鸡蛋", "滋阴润燥"), fact("food_effect", "蜂蜜", "润肺")]),
        ("general_head", "disease_complication", "红斑狼疮", "幽门梗阻", [fact("disease_symptom", "红斑狼疮", "蝶形皮疹")]),
        ("in_passage", "disease_symptom", "胃癌", "夜盲", [fact("disease_symptom", "角膜病", "夜盲")]),
        (None, "disease_food", "胃癌", "白酒", []),
        ("not_denied", "disease_food", "胃癌", "蜂蜜", []),
    ],
)
def test_objections_to_a_false_tail(reason: str | None, relation: str, head: str, tail: str, more: list[Fact]) -> None:
    text = "晚期偶有夜盲。"
    page = "https://toy.example/胃癌/zhengzhuang"
    passage = Passage(id=passage_id(page, text), text=text, source="s", url=page)
    known = KnownFacts(
        [*BASE, *more],
        [passage],
        Synonyms([Alias(name="胃癌", alias="胃恶性肿瘤", entity_type="disease", provenance=BASE[0].provenance[0])]),
    )
    assert known.objection(relation, head, tail) == reason
    assert known.objection(relation, head.replace("胃癌", "胃恶性肿瘤"), tail) == reason
    assert reason is None or reason in CANDIDATE_REASONS


@pytest.mark.parametrize("text", ["角膜病可用乙酰水杨酸缓解。", "帝王病多用阿司匹林。", "帝王病多用乙酰水杨酸。"])
def test_passages_count_under_any_name_of_head_and_tail(text: str) -> None:
    names = (("角膜病", "帝王病", "disease"), ("阿司匹林", "乙酰水杨酸", "medicine"))
    aliases = [Alias(name=name, alias=alias, entity_type=kind, provenance=BASE[0].provenance[0]) for name, alias, kind in names]
    facts = [*BASE, fact("disease_symptom", "角膜病", "夜盲"), fact("disease_medicine", "痛风", "阿司匹林")]
    passage = Passage(id=passage_id("u", text), text=text, source="s", url="https://other.com")
    assert KnownFacts(facts, [], Synonyms(aliases)).objection("disease_medicine", "角膜病", "阿司匹林") is None
    assert KnownFacts(facts, [passage], Synonyms(aliases)).objection("disease_medicine", "角膜病", "阿司匹林") == "in_passage"


@pytest.mark.parametrize(
    ("tail", "up", "down"),
    [
        ("35~45mmHg", "50~60mmHg", "20~30mmHg"),
        ("0~10mg/L", "0~30mg/L", "0~30mg/L"),
        ("<5μg/L", "<15μg/L", "<15μg/L"),
        ("7.35~7.45", "7.50~7.60", "7.20~7.30"),
        ("5~40U/L", "60~95U/L", "60~95U/L"),
        ("（4.0~5.5）×10¹²/L", "（6.5~8.0）×10¹²/L", "（2.0~3.5）×10¹²/L"),
        ("1~1.2g/L", "1.3~1.5g/L", "0.7~0.9g/L"),
        ("1.5~2", "2.5~3.0", "0.8~1.3"),
        ("20~30", "40~50", "5~15"),
        ("95~100%", "88~93%", "88~93%"),
        (">95%", None, None),
        ("0~50％", None, None),
        ("-5~10", None, None),
        ("<0", None, None),
        ("阴性", None, None),
    ],
)
def test_altered_ranges(tail: str, up: str | None, down: str | None) -> None:
    assert (altered_range(tail, True), altered_range(tail, False)) == (up, down)
