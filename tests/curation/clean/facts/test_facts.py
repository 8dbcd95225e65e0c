"""A table maps labels to relations, values become tails, and prose becomes passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem
from curation.clean.facts.entries import read_entity
from curation.clean.facts.prose import MAX_CHARS, MIN_CHARS, split_passages
from curation.clean.facts.tails import MAX_TAIL_CHARS, is_prose, tails
from tests.curation.records import entry

PROSE = "本病多由高血压引起，与遗传因素关系密切。患者应当注意休息，避免劳累，必要时到医院做进一步的检查和治疗，以免延误病情。"


def facts(item: EntityItem) -> list[tuple[str, str, str, bool]]:
    return [(fact.relation, fact.head, fact.tail, fact.polarity) for fact in read_entity(item).facts]


@pytest.mark.parametrize(
    ("syntax", "value", "reason"),
    [
        ("list", "尚不明确。", "value_empty"),
        ("list", "暂无", "value_empty"),
        ("list", "颈后肘窝腘窝和骶尾部皮肤因为反复搔抓而逐渐增厚变硬并形成苔藓样斑块", "value_too_long"),
        ("list", "多数与长期搔抓有关", "tail_not_atomic"),
        ("list", "必要时做细菌培养", "tail_not_atomic"),
        ("list", "并随身携带缓解药物", "tail_not_atomic"),
        ("list", "病变局限于", "tail_not_atomic"),
        ("list", "尺骨上1/3骨折合...", "tail_not_atomic"),
        ("list", "鼻", "tail_not_atomic"),
        ("word", "不确定，如为病毒性则有传染性", "tail_not_atomic"),
        ("word", "不通过空气传播", "tail_not_atomic"),
        ("word", "暂无", "value_empty"),
        ("range", "阴性或弱阳性", "tail_not_atomic"),
    ],
)
def test_each_reason_to_reject_a_value(syntax: str, value: str, reason: str) -> None:
    assert [piece.reason for piece in tails(value, syntax)] == [reason]


def test_drops_the_last_item_of_a_truncated_value() -> None:
    pieces = tails("头晕、头痛、心…[详细]", "list")
    assert [(piece.text, piece.reason) for piece in pieces] == [("头晕", None), ("头痛", None), ("心", "tail_not_atomic")]


@pytest.mark.parametrize(
    ("value", "polarity"),
    [
        ("是", True),
        ("有传染性", True),
        ("呼吸道传播", True),
        ("具有传染性", True),
        ("否", False),
        ("无传染性", False),
        ("不具有传染性", False),
        ("是非传染性疾病。", False),
        ("血液传播，性生活和母婴传染", True),
        ("无", False),
        ("没有", False),
        ("传染性：无", False),
        ("不属于传染病", False),
        ("无明显传染性", False),
        ("未见传染性", False),
        ("不会传播", False),
    ],
)
def test_infectivity(value: str, polarity: bool) -> None:
    assert facts(entry({"是否传染：": value})) == [("disease_infectivity", "高血压", "传染性", polarity)]


def test_looks_up_labels_without_brackets_and_colons() -> None:
    assert facts(entry({"【預防措施】：": "规律运动"})) == [("disease_prevention", "高血压", "规律运动", True)]


def test_food_to_eat_and_to_avoid() -> None:
    assert facts(entry({"宜：": "芹菜、燕麦", "忌": "咸菜"})) == [
        ("disease_food", "高血压", "芹菜", True),
        ("disease_food", "高血压", "燕麦", True),
        ("disease_food", "高血压", "咸菜", False),
    ]


def test_ranges_have_their_people_in_the_head() -> None:
    found = facts(entry({"正常值:": "成年男性 120~160g/L；成年女性 110~150g/L"}, "examination", name="血红蛋白"))
    assert [(head, tail) for _, head, tail, _ in found] == [("血红蛋白（成年男性）", "120~160g/L"), ("血红蛋白（成年女性）", "110~150g/L")]


@pytest.mark.parametrize(
    ("values", "relations"),
    [
        ({"批准文号：": "国药准字Ｚ00000001", "不良反应": "口干"}, ["chinese_medicine_side_effect"]),
        ({"批准文号：": "国药准字H00000001", "不良反应": "口干"}, ["western_medicine_side_effect"]),
        ({"药品类型": "中成药", "功能主治": "疏风解表"}, ["chinese_medicine_effect"]),
        ({"适应症": "治疗高血压"}, ["western_medicine_effect"]),
        ({"不良反应": "口干"}, []),
    ],
)
def test_kind_of_a_medicine(values: dict[str, str], relations: list[str]) -> None:
    assert [fact[0] for fact in facts(entry(values, "medicine", name="某片"))] == relations


def test_prose_gives_passages_and_no_facts() -> None:
    reading = read_entity(entry({"典型症状：": PROSE}, sections={"病因": PROSE.replace("本病", "该病")}))
    assert is_prose(PROSE) and reading.facts == [] and [row.reason for row in reading.rejected] == ["prose_unsure"]
    assert {passage.section for passage in reading.passages} == {"病因", "典型症状"}


def test_counts_unknown_labels() -> None:
    assert read_entity(entry({"治疗时长：": "三天"})).unmapped == {"toy/disease/治疗时长": 1}


@pytest.mark.parametrize("item", [entry({}), entry({"哪些症状": "头晕"}, name=None), entry({"哪些症状": "头晕"}, name=" 　")])
def test_rejects_an_entry_without_content(item: EntityItem) -> None:
    empty = read_entity(item).empty
    assert empty is not None and empty.reason == "entity_empty"


def test_rejection_of_an_empty_entry_lists_its_unused_labels() -> None:
    item = entry({"手术科室：": "普外科", "麻醉方式：": "局部麻醉"}, "surgery")
    empty = read_entity(item).empty
    assert empty is not None and empty.detail == "no relation and no prose under its labels: 手术科室, 麻醉方式"


def test_removes_boilerplate_and_half_sentences_from_passages() -> None:
    raw = PROSE + "\n小荷医典内容仅供医学科普使用，不能作为诊断和治疗的依据，如有不适请及时就医，请遵医嘱。"
    assert split_passages(raw) == [PROSE]
    assert split_passages(PROSE + "还可以见到…[详细]") == [PROSE]


@given(st.text("甲乙，。；\n（）a1…", max_size=1500))
def test_passages_are_within_length_limits(raw: str) -> None:
    assert all(MIN_CHARS <= len(text) <= MAX_CHARS for text in split_passages(raw))


@given(st.text("甲乙丙、，；。（）()12. 和等无…[详细]", max_size=80), st.sampled_from(["list", "word", "range", "department"]))
def test_any_value_gives_short_tails_or_reasons(value: str, syntax: str) -> None:
    pieces = tails(value, syntax)
    assert pieces or syntax == "range"
    assert all(piece.reason or 1 < len(piece.text) <= MAX_TAIL_CHARS for piece in pieces)


@pytest.mark.parametrize(
    ("name", "reason"), [("高\ufffd压", "mojibake"), ("高血压" * 30, "value_too_long"), (" 。", "entity_empty"), (None, "entity_empty")]
)
def test_entry_with_an_unusable_name_gives_no_fact(name: str | None, reason: str) -> None:
    reading = read_entity(entry({"哪些症状": "头晕、头痛"}, name=name))
    assert not reading.facts and not reading.rejected
    assert reading.empty is not None and (reading.empty.kind, reading.empty.reason) == ("entity", reason)


def test_value_with_a_lost_character_gives_no_fact() -> None:
    reading = read_entity(entry({"哪些症状": "头晕、头\ufffd、心悸&#0;"}))
    assert [fact.tail for fact in reading.facts] == ["头晕"]
    assert [row.reason for row in reading.rejected] == ["mojibake", "mojibake"]
