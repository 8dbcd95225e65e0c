"""Values as pages cut, link and run them together: what is left of a link is no tail, and two ranges are no one range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.item import EntityItem, LabelledValue
from atomexam.records.provenance import Provenance
from curation.clean.facts.entries import ParsedEntry, read_entity
from curation.clean.facts.tails import is_prose, tails

_LINKS = [
    "[详细]", "【详细】", "[查看详细]", " 更多", " 详细>>", "[更多>>]", "<详细>", "（查看更多）", "[详情]", "...查看全部", "。[详细]",
    "…点击查看更多»",
]  # fmt: skip
_EXAMINATIONS = "心电图、冠状动脉造影、心肌酶谱、血脂、肌钙蛋白、动态心电图、超声心动图、胸部CT、血压、心肌灌注"


def _read(label: str, value: str, kind: str = "disease", name: str = "高血压") -> ParsedEntry:
    seen = Provenance(source="toy", url="file:1", snapshot="2026-01-01", page_id="1", position="1")
    values = [LabelledValue(label=label, value=value, position="1")]
    return read_entity(EntityItem(url="file:1", provenance=seen, entity_type=kind, name_raw=name, values=values))


@pytest.mark.parametrize("link", _LINKS)
def test_no_link_stays_in_a_tail(link: str) -> None:
    cut = ["咯血"] if "." in link or "…" in link else []
    pieces = tails(f"咳嗽、咯血{link}", "list")
    assert [piece.text for piece in pieces if piece.reason is None] == ["咳嗽", *(["咯血"] if not cut else [])]
    assert [piece.text for piece in pieces if piece.reason] == cut


@pytest.mark.parametrize("link", _LINKS)
def test_a_long_list_with_a_link_behind_it_is_no_prose(link: str) -> None:
    assert not is_prose(_EXAMINATIONS + link)
    assert len(_read("需做检查", _EXAMINATIONS + link).facts) >= 9


@given(st.sampled_from(["更多", "详细", "全部"]))
def test_a_word_of_a_link_within_a_tail_stays(word: str) -> None:
    assert [piece.text for piece in tails(f"{word}检查、血常规", "list")] == [f"{word}检查", "血常规"]


@pytest.mark.parametrize(("value", "ranges"), [
    ("成年男性120～160g/L；成年女性110～150g/L；新生儿170～200g/L",
     [("成年男性", "120~160g/L"), ("成年女性", "110~150g/L"), ("新生儿", "170~200g/L")]),
    ("男性 208~428μmol/L 女性 155~357μmol/L", [("男性", "208~428μmol/L"), ("女性", "155~357μmol/L")]),
    ("36.3～37.2℃（口腔），36.5～37.7℃（直肠）", [("口腔", "36.3~37.2℃"), ("直肠", "36.5~37.7℃")]),
    ("1,000～2,000U/L", [(None, "1,000~2,000U/L")]),
    ("成年 男性 120~160g/L", [("成年男性", "120~160g/L")]),
])  # fmt: skip
def test_each_range_of_a_value_is_a_fact_of_its_own(value: str, ranges: list[tuple[str | None, str]]) -> None:
    found = _read("正常值", value, "examination", "血红蛋白").facts
    assert [(fact.head, fact.tail) for fact in found] == [(f"血红蛋白（{who}）" if who else "血红蛋白", text) for who, text in ranges]


@pytest.mark.parametrize("value", ["魏氏法男0～15mm/h", "5～10g/L 8～12mg/dl 儿童"])
def test_a_range_that_names_people_inside_is_refused(value: str) -> None:
    assert {piece.reason for piece in tails(value, "range")} == {"tail_not_atomic"}


def test_ranges_told_in_sentences_are_prose() -> None:
    reading = _read(
        "正常值", "正常成年人的血红蛋白含量一般为120～160g/L，女性略低一些。低于110g/L时可以诊断为贫血，应当查明原因。", "examination"
    )
    assert reading.facts == [] and reading.passages


@pytest.mark.parametrize(("label", "value"), [("病因", "吸烟或粉尘刺激"), ("治疗方法", "药物或手术治疗")])
def test_one_thing_or_another_is_no_single_thing(label: str, value: str) -> None:
    reading = _read(label, value, name="慢性咽炎")
    assert reading.facts == [] and [row.reason for row in reading.rejected] == ["tail_not_atomic"]


@pytest.mark.parametrize("word", ["或", "或者", "和", "以及"])
def test_two_methods_joined_by_a_word_are_two(word: str) -> None:
    assert [fact.tail for fact in _read("治疗方法", f"药物治疗{word}手术治疗").facts] == ["药物治疗", "手术治疗"]


def test_a_medicine_of_unknown_kind_is_rejected_and_counted() -> None:
    reading = _read("不良反应", "恶心、呕吐、腹泻", "medicine", "阿莫西林")
    assert reading.facts == [] and [row.reason for row in reading.rejected] == ["wrong_kind"] * 3


@pytest.mark.parametrize(("label", "value", "facts"), [
    ("忌", "忌食甜食、不宜吃辣椒、禁饮白酒", [("甜食", False), ("辣椒", False), ("白酒", False)]),
    ("宜", "小米粥、南瓜，忌辣椒、白酒", [("小米粥", True), ("南瓜", True), ("辣椒", False)]),
    ("忌", "辣椒，宜小米粥、南瓜", [("辣椒", False), ("小米粥", True)]),
    ("宜", "小米粥、少吃辣椒、白酒", [("小米粥", True)]),
    ("忌", "食用油、忌食用油", [("食用油", False)]),
    ("忌", "禁食", []),
])  # fmt: skip
def test_what_the_item_says_of_a_food_counts_before_its_label(label: str, value: str, facts: list[tuple[str, bool]]) -> None:
    found = [(fact.tail, fact.polarity) for fact in _read(label, value, name="胃炎").facts if not fact.tail.startswith(("少吃", "禁食"))]
    assert list(dict.fromkeys(found)) == facts
