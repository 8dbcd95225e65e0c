"""Facts against the rest of the data: stray facts are rejected, in any order, and only in large data."""

import random

import pytest

from atomexam.records.fact import Fact
from curation.clean.facts.corroboration import MIN_HEADS, Refusal, corroborate, is_allowed_head
from curation.vocab.reader import read_vocabulary
from tests.curation.records import fact

PLACES = [
    ("眼科", "眼病甲{}症", "视物模糊", "眼底检查"),
    ("呼吸内科", "肺病乙{}症", "胸痛", "胸部平片"),
    ("骨科", "骨病丙{}症", "骨痛", "四肢的骨和关节平片"),
    ("皮肤科", "皮病丁{}症", "脱屑", "皮肤病理检查"),
    ("神经内科", "脑病戊{}症", "头痛", "颅脑CT检查"),
]


def a_land_of(size: int) -> list[Fact]:
    """Diseases of five departments, each with the facts typical of its department."""
    facts = []
    for number in range(size):
        place, head, symptom, test = PLACES[number % len(PLACES)]
        facts += [
            fact("disease_department", head.format(number), place),
            fact("disease_symptom", head.format(number), symptom),
            fact("disease_examination", head.format(number), test),
            fact("disease_infectivity", head.format(number), "传染性", False),
        ]
    return facts


NOBODYS = [
    fact("disease_complication", "眼病甲5症", "肺病乙1症"),
    fact("disease_symptom", "肺病乙1症", "绿毛怪象"),
    fact("disease_symptom", "眼病甲0症", "胸痛"),
    fact("disease_food", "肺病乙1症", "南瓜子仁"),
    fact("disease_medicine", "肺病乙1症", "同某堂"),
]
"""What no other entry of the place has."""
MISPLACED = [fact("disease_examination", "眼病甲0症", "胸部平片"), fact("disease_department", "眼病甲0症", "手外科")]
"""What by the table of organs is for others, in small data, too."""
SOUND = [
    fact("disease_food", "肺病乙1症", "白酒", False),
    fact("disease_food", "肺病乙1症", "小米粥"),
    fact("disease_medicine", "大叶性肺炎", "阿奇霉素片"),
]


def ids(refusals: list[Refusal]) -> set[str]:
    return {row.id for row, _, _ in refusals}


def test_rejects_stray_facts_and_keeps_typical_ones() -> None:
    kept, refused = corroborate([*a_land_of(MIN_HEADS), *NOBODYS, *MISPLACED, *SOUND], {})
    assert ids(refused) == {row.id for row in [*NOBODYS, *MISPLACED]}
    assert {reason for _, reason, _ in refused} == {"uncorroborated"}
    assert len(kept) == len(a_land_of(MIN_HEADS)) + len(SOUND)


def test_small_data_uses_only_the_table_of_organs() -> None:
    facts = [*a_land_of(MIN_HEADS // 2), *NOBODYS, *MISPLACED, *SOUND]
    kept, refused = corroborate(facts, {})
    assert ids(refused) == {row.id for row in MISPLACED} and len(kept) + len(refused) == len(facts)


def test_common_facts_are_supported_without_being_rare() -> None:
    """If all entries are of one department, nothing is more frequent there than elsewhere."""
    land = [fact("disease_department", f"心病{number}症", "心内科") for number in range(MIN_HEADS)]
    land += [fact("disease_symptom", f"心病{number}症", "心悸") for number in range(0, MIN_HEADS, 2)]
    assert corroborate(land, {})[1] == []


def test_keeps_the_plainer_of_two_synonyms() -> None:
    facts = [fact("disease_symptom", head, tail) for head, tail in [("偏头风", "头疼"), ("偏头风", "头痛"), ("脑风", "头疼")]]
    kept, refused = corroborate(facts, {})
    assert [row.tail for row in kept] == ["头痛", "头疼"] and [(row.tail, reason) for row, reason, _ in refused] == [("头疼", "same_thing")]


def test_synonyms_of_a_tail_support_it() -> None:
    land = [fact(row.relation, row.head, "头疼", True) if row.tail == "头痛" and "4症" in row.head else row for row in a_land_of(MIN_HEADS)]
    assert sum(row.tail == "头疼" for row in land) and corroborate(land, {})[1] == []


BEFALLS: dict[tuple[str, bool | None], list[str]] = {
    ("disease_examination", True): ["二尖瓣狭窄 心电图"],
    ("disease_examination", False): ["鹅口疮 心电图", "脐带脱垂 便常规"],
    ("disease_examination", None): ["任何病 免疫荧光"],
    ("disease_department", False): [
        "银屑病甲 手外科",
        "风湿性心脏病 呼吸内科",
        "鼻息肉 普外科",
        "血管神经性水肿 神经内科",
        "荨麻疹性血管炎 血管外科",
        "脑积水 针灸科",
    ],
    ("disease_department", True): [
        "断指 手外科",
        "肺源性心脏病 呼吸内科",
        "结肠息肉 普外科",
        "三叉神经痛 神经内科",
        "血栓闭塞性脉管炎 血管外科",
    ],
    ("disease_complication", True): [
        "胃溃疡 幽门梗阻",
        "膀胱炎 肾盂肾炎",
        "狂犬病 呼吸衰竭",
        "股骨颈骨折 坠积性肺炎",
        "类风湿关节炎 间质性肺炎",
        "阴道炎 宫颈糜烂",
    ],
    ("disease_complication", False): [
        "鼻炎 幽门梗阻",
        "肝性脑病 肝硬化",
        "肩周炎 间质性肺炎",
        "锁骨骨折 肺炎",
        "腺样体肥大 宫颈糜烂",
        "男性乳房肥大症 宫颈糜烂",
    ],
    ("disease_method", False): ["股骨骨折 药物治疗"],
    ("disease_method", True): ["肺炎 药物治疗"],
    ("disease_prevention", False): ["咯血 增强体质", "二尖瓣关闭不全 限制钠盐摄入", "扩张型心肌病 注意休息"],
    ("disease_prevention", True): ["感冒 增强体质", "高血压 限制钠盐摄入"],
}
"""(relation, whether a tail befalls a head) -> "head tail"."""


@pytest.mark.parametrize(("relation", "fits", "pair"), [(*key, pair) for key, pairs in BEFALLS.items() for pair in pairs])
def test_table_of_allowed_heads(relation: str, fits: bool | None, pair: str) -> None:
    head, _, tail = pair.partition(" ")
    assert is_allowed_head(relation, tail, head) is fits


def test_every_pattern_of_the_table_is_reachable() -> None:
    """A row whose tails all match an earlier row is dead."""
    for relation, rows in read_vocabulary("allowed_heads").items():
        seen = [row[0] for row in rows] if relation != "bodies" else []
        assert len(seen) == len(set(seen)), relation


def test_order_does_not_matter() -> None:
    facts = [*a_land_of(MIN_HEADS), *NOBODYS, *MISPLACED, *SOUND]
    shuffled = facts[:]
    random.Random(1).shuffle(shuffled)
    assert {row.id for row, _, _ in corroborate(facts, {})[1]} == {row.id for row, _, _ in corroborate(shuffled, {})[1]}


def test_body_parts_form_peer_groups() -> None:
    stray = fact("disease_symptom", "眼病甲0症", "胸痛")
    parts = {row.head: ["胸部"] for row in [*a_land_of(MIN_HEADS), stray] if row.relation == "disease_symptom" and row.tail == "胸痛"}
    assert corroborate([*a_land_of(MIN_HEADS), stray], parts)[1] == []


def test_rejects_infectivity_that_the_name_contradicts_unless_sources_disagree() -> None:
    denied, affirmed = fact("disease_infectivity", "股癣", "传染性", False), fact("disease_infectivity", "股癣", "传染性")
    assert [reason for _, reason, _ in corroborate([denied], {})[1]] == ["doubtful_infectivity"]
    assert corroborate([denied, affirmed], {}) == ([denied, affirmed], [])
