"""Claims of which one speaks against the other, and tails that no sentence takes."""

import pytest

from atomexam.records.fact import Fact, Relation, fact_id
from atomexam.records.params import Claims
from atomexam.records.provenance import Provenance
from curation.claims.claim_context import Synonyms
from curation.claims.claim_pairs import make_claims, reason_against

_PARAMS = Claims(per_type=1000, template="paper", seed=1)
_SEEN = [Provenance(source="toy", url="file:1", snapshot="2026-01-01", page_id="1", position="1")]


def _fact(relation: Relation, tail: str, polarity: bool = True, head: str = "胃炎") -> Fact:
    return Fact(id=fact_id(relation, head, tail), relation=relation, head=head, tail=tail, polarity=polarity, provenance=_SEEN)


@pytest.mark.parametrize(
    ("eaten", "avoided"),
    [("辣椒", "辛辣食物"), ("干辣椒", "辛辣"), ("海带", "海产品"), ("牡蛎", "海产品"), ("肥肉", "油腻食物"), ("冰淇淋", "生冷食物")],
)
def test_a_food_of_a_class_to_avoid_is_not_to_be_eaten(eaten: str, avoided: str) -> None:
    claims, refused = make_claims([_fact("disease_food", eaten), _fact("disease_food", avoided, False)], _PARAMS)
    assert claims == [] and {row.reason for row in refused} == {"contradicted"}


@pytest.mark.parametrize(
    ("eaten", "avoided"), [("土豆", "豆类"), ("苹果", "辛辣"), ("带鱼", "油腻食物"), ("彩椒", "辛辣"), ("海参", "海鲜")]
)
def test_a_food_outside_the_class_stays(eaten: str, avoided: str) -> None:
    assert len(make_claims([_fact("disease_food", eaten), _fact("disease_food", avoided, False)], _PARAMS)[0]) == 2


def test_one_food_to_avoid_does_not_speak_against_its_class() -> None:
    assert len(make_claims([_fact("disease_food", "蛋类"), _fact("disease_food", "鹌鹑蛋", False)], _PARAMS)[0]) == 2


@pytest.mark.parametrize("tail", ["否认发热", "并非感染", "毫无反应", "免于感染"])
def test_denials_in_other_words_are_double_negations(tail: str) -> None:
    assert reason_against(_fact("disease_symptom", tail), Synonyms()) == "double_negation"


@pytest.mark.parametrize("tail", ["免疫缺陷", "否定性妄想", "毫毛脱落"])
def test_words_that_begin_alike_deny_nothing(tail: str) -> None:
    assert reason_against(_fact("disease_cause", tail), Synonyms()) is None


def test_a_tail_may_have_thirty_characters_and_no_more() -> None:
    assert [reason_against(_fact("disease_symptom", "痛" * length), Synonyms()) for length in (30, 31)] == [None, "tail_unfit"]


@pytest.mark.parametrize("tail", ["腹痛（左侧", "左侧）腹痛", "腹痛[左侧）"])
def test_torn_brackets_fit_no_sentence(tail: str) -> None:
    assert reason_against(_fact("disease_symptom", tail), Synonyms()) == "tail_unfit"


@pytest.mark.parametrize("tail", ["咯血[查看详细]", "咯血更多", "咯血>>", "<b>痛</b>"])
def test_what_is_left_of_a_page_fits_no_sentence(tail: str) -> None:
    assert reason_against(_fact("disease_symptom", tail), Synonyms()) == "tail_unfit"


def _ranges(*given: tuple[str, str]) -> list[Fact]:
    return [_fact("examination_range", text, head=head) for head, text in given]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("血红蛋白（男）", "120~160g/L"), ("血红蛋白（男性）", "130~175g/L")),
        (("尿蛋白", "阴性"), ("尿蛋白", "阳性")),
        (("甲胎蛋白", "<20μg/L"), ("甲胎蛋白", ">20μg/L")),
    ],
)
def test_two_ranges_of_one_examination_are_both_refused(one: tuple[str, str], other: tuple[str, str]) -> None:
    facts = _ranges(one, other)
    claims, refused = make_claims(facts, _PARAMS)
    assert claims == [] and [(row.reason, row.detail) for row in refused] == [("contradicted", facts[1].id), ("contradicted", facts[0].id)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("血红蛋白（男）", "120~160g/L"), ("血红蛋白（女）", "110~150g/L")),
        (("胆红素", "3.4~17.1μmol/L"), ("胆红素", "0.2~1.0mg/dl")),
        (("尿蛋白", "阴性"), ("尿蛋白", "<150mg/24h")),
        (("甲胎蛋白", "<20μg/L"), ("甲胎蛋白", "0~20μg/L")),
        (("血糖", "3.9~6.10mmol/L"), ("血糖", "3.90~6.1mmol/L")),
    ],
)
def test_ranges_that_may_both_hold_stay(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert len(make_claims(_ranges(one, other), _PARAMS)[0]) == 2


def test_of_two_that_clash_each_names_the_other() -> None:
    facts = [_fact("disease_food", "鸡蛋"), _fact("disease_food", "蛋类", False)]
    details = {row.fact.tail: row.detail for row in make_claims(facts, _PARAMS)[1]}
    assert details == {"鸡蛋": facts[1].id, "蛋类": facts[0].id}
