"""Facts against the rest of the data: what strays is refused, in any order, and in large data alone."""

import random

from curation.entities.corroboration import MIN_HEADS, corroborated
from records.fact import Fact, fact_id
from records.provenance import Provenance

SEEN = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position="page")


def fact(relation: str, head: str, tail: str, polarity: bool = True) -> Fact:
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=[SEEN])


def a_land_of(size: int) -> list[Fact]:
    """Diseases of the eye and of the lung, half and half, each with what befalls its place."""
    facts = []
    for number in range(size):
        place, head, symptom, test = (
            ("眼科", f"眼病甲{number}症", "视物模糊", "眼底检查") if number % 2 else ("呼吸内科", f"肺病乙{number}症", "胸痛", "胸部平片")
        )
        facts += [
            fact("disease_department", head, place),
            fact("disease_symptom", head, symptom),
            fact("disease_examination", head, test),
            fact("disease_infectivity", head, "传染性", False),
        ]
    return facts


STRAYS = [
    fact("disease_symptom", "眼病甲1症", "胸痛"),
    fact("disease_examination", "眼病甲1症", "胸部平片"),
    fact("disease_complication", "眼病甲3症", "肺病乙0症"),
    fact("disease_symptom", "肺病乙0症", "绿毛怪象"),
    fact("disease_food", "肺病乙0症", "南瓜子仁"),
    fact("disease_medicine", "肺病乙0症", "同某堂"),
]
SOUND = [
    fact("disease_food", "肺病乙0症", "白酒", False),
    fact("disease_food", "肺病乙0症", "小米粥"),
    fact("disease_symptom", "肺病乙0症", "夜间胸骨后疼痛"),
    fact("disease_medicine", "大叶性肺炎", "阿奇霉素片"),
]


def test_what_strays_is_refused_and_what_is_at_home_stays() -> None:
    kept, refused = corroborated([*a_land_of(MIN_HEADS), *STRAYS, *SOUND], {})
    assert {row.id for row, _, _ in refused} == {row.id for row in STRAYS}
    assert {reason for _, reason, _ in refused} == {"uncorroborated", "unknown_term"}
    assert len(kept) == len(a_land_of(MIN_HEADS)) + len(SOUND)


def test_small_data_are_left_alone() -> None:
    facts = [*a_land_of(MIN_HEADS // 2), *STRAYS, *SOUND]
    assert corroborated(facts, {}) == (facts, [])


def test_order_does_not_matter() -> None:
    facts = [*a_land_of(MIN_HEADS), *STRAYS, *SOUND]
    shuffled = facts[:]
    random.Random(1).shuffle(shuffled)
    assert {row.id for row, _, _ in corroborated(facts, {})[1]} == {row.id for row, _, _ in corroborated(shuffled, {})[1]}


def test_parts_of_the_body_are_places_too() -> None:
    facts = [*a_land_of(MIN_HEADS), fact("disease_symptom", "眼病甲1症", "胸痛")]
    parts = {row.head: ["胸部"] for row in facts if row.relation == "disease_symptom" and row.tail == "胸痛"}
    assert corroborated(facts, parts)[1] == []


def test_infectivity_that_the_name_speaks_against_is_refused_unless_sources_disagree() -> None:
    denied, affirmed = fact("disease_infectivity", "股癣", "传染性", False), fact("disease_infectivity", "股癣", "传染性")
    assert [reason for _, reason, _ in corroborated([denied], {})[1]] == ["doubtful_infectivity"]
    assert corroborated([denied, affirmed], {}) == ([denied, affirmed], [])
