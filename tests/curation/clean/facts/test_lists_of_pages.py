"""Lists as pages run them on: what they open with, what shares its place, where they were cut, and what is said twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.provenance import Provenance
from curation.clean.facts.entries import ParsedEntry, read_entity
from curation.clean.facts.tails import tails


def _read(label: str, value: str, kind: str = "disease", name: str = "高血压") -> ParsedEntry:
    seen = Provenance(source="toy", url="file:1", snapshot="2026-01-01", page_id="1", position="1")
    values = [LabelledValue(label=label, value=value, position="1")]
    return read_entity(EntityItem(url="file:1", provenance=seen, entity_type=kind, name_raw=name, values=values))


def _kept(value: str, syntax: str = "list") -> list[str]:
    return [piece.text for piece in tails(value, syntax) if piece.reason is None]


LONG = "头痛，头晕，恶心，心悸，耳鸣，失眠，乏力，胸闷，气短，水肿，盗汗，劳累以后更加明显的呼吸困难，咳嗽，发热"


def test_a_long_comma_list_with_one_long_item_is_read_as_a_list() -> None:
    reading = _read("典型症状", LONG)
    assert {"头痛", "恶心", "发热"} <= {fact.tail for fact in reading.facts}
    assert len(reading.facts) + len(reading.rejected) == LONG.count("，") + 1


def test_prose_under_a_label_of_facts_is_kept_and_told() -> None:
    prose = "本病起病隐匿，早期往往没有什么感觉，直到血压升得很高时才会感到头痛，病情严重的人还可以感到胸部憋闷和喘不上气，活动以后更重。"
    reading = _read("典型症状", prose)
    assert reading.facts == [] and reading.passages and [row.reason for row in reading.rejected] == ["prose_unsure"]


@pytest.mark.parametrize(("value", "kept"), [
    ("局部红、肿、热、痛", ["局部红", "局部肿", "局部热", "局部痛"]),
    ("发热、关节红、肿、痛、乏力", ["发热", "关节红", "关节肿", "关节痛", "乏力"]), ("红、肿、热、痛", []), ("头痛、痒", ["头痛"]),
])  # fmt: skip
def test_signs_of_one_place_are_completed_or_refused(value: str, kept: list[str]) -> None:
    assert _kept(value) == kept


@pytest.mark.parametrize(("value", "kept"), [
    ("可并发脑梗死、心力衰竭", ["脑梗死", "心力衰竭"]), ("常见并发症有脑梗死、心力衰竭", ["脑梗死", "心力衰竭"]),
    ("早期症状：头痛、耳鸣", ["头痛", "耳鸣"]), ("主要症状包括头痛、耳鸣", ["头痛", "耳鸣"]),
    ("主要表现为头痛、耳鸣等", ["头痛", "耳鸣"]), ("易并发脑梗死", ["脑梗死"]),
])  # fmt: skip
def test_openings_of_lists_go(value: str, kept: list[str]) -> None:
    assert _kept(value) == kept


@pytest.mark.parametrize("value", [
    "头痛、耳鸣、心…", "头痛、耳鸣、心...", "头痛、耳鸣、心（", "头痛、耳鸣、心【", "头痛、耳鸣、阵发性", "头痛、耳鸣、心[详细]",
    "头痛、耳鸣、剧烈的", "头痛、耳鸣、心…[详细]",
])  # fmt: skip
def test_the_last_item_that_was_cut_is_refused(value: str) -> None:
    pieces = tails(value, "list")
    assert _kept(value) == ["头痛", "耳鸣"] and pieces[-1].reason == "tail_not_atomic"


@given(st.lists(st.sampled_from(["头痛", "耳鸣", "心悸", "血尿"]), min_size=1, unique=True), st.sampled_from(["…", "...", "…[详细]", "……"]))
def test_nothing_cut_becomes_a_fact(items: list[str], cut: str) -> None:
    assert _kept("、".join(items) + cut) == items[:-1]


@pytest.mark.parametrize(("value", "kept"), [
    ("3.9～6.1mmol/L（70～110mg/dl）", ["3.9~6.1mmol/L"]), ("3.9～6.1mmol/L或70～110mg/dl", ["3.9~6.1mmol/L"]),
    ("3.9～6.1mmol/L，70～110mg/dl", ["3.9~6.1mmol/L", "70~110mg/dl"]), ("3.9～6.1mmol/L（空腹）", ["3.9~6.1mmol/L"]),
])  # fmt: skip
def test_a_range_in_two_units_is_never_a_wrong_one(value: str, kept: list[str]) -> None:
    assert _kept(value, "range") == kept
