"""Prose on causes and prevention: the headings that surely name one thing are tails, the rest is rejected with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, LabelledValue, Section
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from curation.clean.__main__ import clean
from curation.clean.facts.entries import read_entity, reference_facts
from curation.clean.facts.prose import section_tails


def entity(source: str = "toy", alias: str | None = None, values: list[tuple[str, str]] = [], sections: list[tuple[str, str]] = []):  # noqa: B006 never changed
    return EntityItem(
        url="https://toy/1",
        provenance=Provenance(source=source, url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position="page"),
        entity_type="disease",
        name_raw="肠梗阻",
        alias_raw=alias,
        values=[LabelledValue(label=label, value=value, position=f"v{place}") for place, (label, value) in enumerate(values)],
        sections=[Section(title=title, text=text, position=f"s{place}") for place, (title, text) in enumerate(sections)],
    )


@pytest.mark.parametrize(("relation", "text", "found"), [
    ("disease_cause", "1、肠套叠。\n2、肠粘连：常因腹腔手术后引起。\n3、很多情况下原因并不清楚。", ["肠套叠", "肠粘连"]),
    ("disease_cause", "（一）发病原因\n（1）缺氧：窒息，肺炎等。\n（二）发病机制\n1、血管损伤", ["缺氧"]),
    ("disease_cause", "1.完全性肠梗阻\n2.诱发因素\n3.感染和中毒", []),
    ("disease_prevention", "1、增强体质，提高自身的免疫力。\n2、疫苗 注射于上臂外侧皮下，只需注射一次。", ["增强体质"]),
    ("disease_prevention", "1、戒烟；\n2、花粉季戴口罩。", ["戒烟", "花粉季戴口罩"]),
    ("disease_prevention", "1.及时添加辅食；\n2.晒太阳。", ["及时添加辅食", "晒太阳"]),
    ("disease_prevention", "本病无有效预防措施，早诊断早治疗是关键。", []),
])  # fmt: skip
def test_headings_become_tails(relation: str, text: str, found: list[str]) -> None:
    pieces = section_tails(relation, "肠梗阻", text)
    assert [piece.text for piece in pieces if piece.reason is None] == found
    assert {piece.reason for piece in pieces} <= {None, "prose_unsure"}


@given(st.text("1、2.（一）感染：\n肠套叠。，注意卫生戒烟", max_size=60), st.sampled_from(["disease_cause", "disease_prevention"]))
def test_every_item_is_told_once(text: str, relation: str) -> None:
    pieces = section_tails(relation, "感冒", text)
    assert len({piece.text for piece in pieces}) == len(pieces)


def test_a_section_gives_facts_rejections_and_its_passage() -> None:
    text = "1、肠套叠。\n2、肠粘连：常因腹腔或盆腔手术后，或腹腔内慢性炎症性病变所致。\n3、此外还有许多别的情况，需要逐一鉴别。"
    reading = read_entity(entity(sections=[("cause", text)]))
    assert [(row.relation, row.tail, row.provenance[0].position) for row in reading.facts] == [
        ("disease_cause", "肠套叠", "s0:1"),
        ("disease_cause", "肠粘连", "s0:2"),
    ]
    assert [row.reason for row in reading.rejected] == ["prose_unsure"] and reading.passages


def test_aliases_are_told_without_their_dress() -> None:
    reading = read_entity(entity(alias="（别名：肠阻塞，肠不通）", values=[("别名", "又称肠结、肠梗阻"), ("症状", "腹痛")]))
    assert [(row.name, row.alias) for row in reading.aliases] == [("肠梗阻", "肠阻塞"), ("肠梗阻", "肠不通"), ("肠梗阻", "肠结")]


def test_a_reference_is_read_under_any_label() -> None:
    found = reference_facts([entity(values=[("has_symptom", "腹痛"), ("症状", "腹胀、呕吐")])])
    assert {(row.relation, row.tail) for row in found} == {("disease_symptom", tail) for tail in ("腹痛", "腹胀", "呕吐")}
    assert any(row.provenance[0].position.endswith("has_symptom") for row in found)


def test_a_reference_gives_its_facts_to_comparison_and_nothing_to_the_data() -> None:
    items = [entity(alias="肠阻塞", values=[("has_symptom", "腹痛"), ("症状", "腹胀")])]
    params = Clean(min_stem_chars=2, min_chinese_share=0.3)
    found = clean([("graph", items)], params, references={"graph"})
    assert (found.facts, found.rejected, found.aliases, found.passages) == ([], [], [], [])
    assert {row.tail for row in found.reference_facts} == {"腹痛", "腹胀"} and found.metrics["references"] == {"toy": 2}
    assert {row.tail for row in clean([("data", items)], params).facts} == {"腹胀"}
