"""Lists in every syntax: each name is read, or rejected with a reason; two names are never joined."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from atomexam.records.item import EntityItem
from curation.clean.facts.entries import ParsedEntry, read_entities
from curation.clean.facts.separators import LabelColumn, column_of, columns_of, without_link
from curation.clean.facts.tails import tails
from tests.curation.records import entry, seen

NAMES = [
    "皮肤科", "传染科", "血常规", "维生素B12", "维生素B1片", "颅脑MRI", "颅脑超声检查", "脑电图", "心电图检查", "手术治疗", "药物治疗",
    "化疗", "MRI", "CA 125", "EB 病毒抗体", "Vitamin B12", "血清IgG", "白蛋白/球蛋白比值", "转氨酶（ALT）", "13C呼气试验",
]  # fmt: skip
SEPARATORS = [
    " ", "\u3000", "  ", "\t", "\n", "\r\n", "、", "，", ",", ", ", "；", ";", "|", "｜", " | ", "/", " / ", "·", "﹑", " - ", " — ",
]  # fmt: skip
CUTS = ["…", "...", "……", "。。。", "…[详细]", "... [详细]", "...查看全部"]
HOSTILE = ["「" + " " * 20_000, "[" + "'a'," * 5_000, "更多" * 10_000, "…" * 20_000 + "甲", " 、" * 10_000, "['" + "\\" * 20_001]
_LISTS = st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True)


def _entity(label: str, value: str, number: int) -> EntityItem:
    return entry({label: value}, name=f"甲{number}病", url=f"file:{number}", provenance=seen(url=f"file:{number}"))


def _column(sign: str) -> LabelColumn:
    """Return the column of a label with each name on its own, and next to each other in lists."""
    pairs = [f"{one}{sign}{other}" for at, one in enumerate(NAMES) for other in (NAMES[at - 1], NAMES[at - 2])]
    return column_of([*NAMES, *pairs])


COLUMNS = {sign: _column(sign) for sign in SEPARATORS}


def _sound(names: list[str], value: str, column: LabelColumn) -> None:
    """Each tail is one of the names; the others are in rejected parts, with their text."""
    plain = {re.sub(r"(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])", "", name) for name in names}
    pieces = tails(value, "list", column=column)
    kept = [piece.text for piece in pieces if piece.reason is None]
    assert set(kept) <= plain, (value, pieces)
    given_up = re.sub(r"\s", "", "".join(piece.text for piece in pieces if piece.reason))
    assert all(name in kept or re.split(r"[\s/]", name)[0] in given_up for name in plain), (value, pieces)


@settings(deadline=None)
@given(_LISTS, st.sampled_from(SEPARATORS))
@example(["皮肤科", "传染科"], " ")
@example(["维生素B12", "维生素B1片"], " ")
@example(["颅脑MRI", "颅脑超声检查"], " ")
@example(["CA 125", "MRI", "EB 病毒抗体"], " ")
def test_never_joins_a_list_of_known_names(names: list[str], sign: str) -> None:
    _sound(names, sign.join(names), COLUMNS[sign])


@settings(deadline=None)
@given(_LISTS, st.lists(st.sampled_from(SEPARATORS), min_size=4, max_size=4))
@example(["皮肤科", "维生素B1片", "维生素B12", "13C呼气试验"], [" ", " ", " - ", " "])
def test_never_joins_names_between_mixed_separators(names: list[str], signs: list[str]) -> None:
    value = names[0] + "".join(sign + name for sign, name in zip(signs, names[1:], strict=False))
    for column in (COLUMNS[" "], COLUMNS["、"]):
        _sound(names, value, column)


@settings(deadline=None)
@given(_LISTS, st.sampled_from(SEPARATORS), st.sampled_from(CUTS), st.integers(1, 3))
def test_drops_a_truncated_name_and_keeps_the_rest(names: list[str], sign: str, cut: str, left: int) -> None:
    begun = "维生素B12注射液"[: left + 3]
    _sound([*names], sign.join([*names, begun]) + cut, COLUMNS[sign])


PLAIN = [name for name in NAMES if not re.search(r"[ /]", name)]


@pytest.mark.parametrize("sign", SEPARATORS)
def test_reads_plain_names_with_any_separator(sign: str) -> None:
    names = ["脑电图", "血常规", "颅脑MRI"]
    column = column_of([*PLAIN, *(sign.join(pair) for pair in zip(PLAIN, PLAIN[3:], strict=False))])
    assert [piece.text for piece in tails(sign.join(names), "list", column=column) if piece.reason is None] == names


def _read(label: str, values: list[str]) -> list[ParsedEntry]:
    items = [_entity(label, value, number) for number, value in enumerate(values)]
    return read_entities(items, columns_of(items))


def test_splits_departments_at_blanks() -> None:
    values = ["皮肤科", "传染科", "皮肤科 传染科", "儿科 皮肤科", "内科", "内科 儿科 传染科", "儿科"]
    found = [fact.tail for reading in _read("department", values) for fact in reading.facts]
    assert set(found) == {"皮肤科", "传染科", "儿科", "内科"} and found.count("传染科") == 3


def test_splits_departments_at_dots() -> None:
    found = [fact.tail for reading in _read("department", ["内分泌科·肿瘤科", "儿科 · 皮肤科", "内科•儿科"]) for fact in reading.facts]
    assert sorted(found) == sorted(["内分泌科", "肿瘤科", "儿科", "皮肤科", "内科", "儿科"])


def test_dash_between_blanks_is_a_separator() -> None:
    values = ["腹部CT - 肝功能检查", "血常规 - 腹部CT - 胃镜检查"]
    found = {fact.tail for reading in _read("checklist", values) for fact in reading.facts}
    assert found == {"腹部CT", "肝功能检查", "血常规", "胃镜检查"}


def test_keeps_a_blank_in_a_name_if_the_label_uses_other_separators() -> None:
    values = ["EB 病毒抗体、血常规、CA 125", "血常规、脑电图", "脑电图、CA 199", "心电图、血常规"]
    found = {fact.tail for reading in _read("checklist", values) for fact in reading.facts}
    assert {"EB病毒抗体", "CA 125", "CA 199"} <= found


@pytest.mark.parametrize("sign", "+＋&~～_→*#")
def test_sign_between_two_known_names_never_joins_them(sign: str) -> None:
    readings = _read("症状", ["头痛、发热", "发热、咳嗽", "咳嗽、头痛", f"头痛{sign}发热", f"头痛{sign}发热{sign}咳嗽"])
    assert {fact.tail for reading in readings for fact in reading.facts} == {"头痛", "发热", "咳嗽"}
    assert [row.reason for row in readings[3].rejected] == ["separator_unsure"] and len(readings[4].facts) == 3


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("恶心 / 呕吐 / 腹泻", ["恶心", "呕吐", "腹泻"]),
        ("咳嗽 / 咯血", ["咳嗽", "咯血"]),
        ("B超 / CT检查", []),
        ("阿莫西林 / 克拉维酸", []),
        ("甲型 / 乙型肝炎", []),
        ("国际单位 / 毫升", []),
        ("咳嗽/咯血", []),
        ("T / B", ["T/B"]),
        ("mg / kg", ["mg/kg"]),
        ("白蛋白 / 球蛋白比值", ["白蛋白/球蛋白比值"]),
    ],
)
def test_a_slash_between_blanks_separates_known_names_and_longer_lists(value: str, names: list[str]) -> None:
    assert [piece.text for piece in tails(value, "list", column=column_of(["咳嗽", "咯血"])) if piece.reason is None] == names


def test_rejects_ambiguous_separators_with_a_reason() -> None:
    values = ["血常规 脑电图", "脑电图 尿常规", "尿常规 血常规", "血常规 脑电图 尿常规", "甲乙 B12"]
    reading = _read("checklist", values)[-1]
    assert not reading.facts and [row.reason for row in reading.rejected] == ["separator_unsure"]


@given(st.permutations([*NAMES, "皮肤科 传染科", "MRI 脑电图 化疗"]))
def test_order_of_values_does_not_matter(values: list[str]) -> None:
    assert column_of(values) == column_of(sorted(values))


@given(st.text("甲乙 、/·….[]'\"\\1.①A（）\n\u3000更多>", max_size=40))
def test_reads_any_text(text: str) -> None:
    for piece in tails(text, "list", column=COLUMNS[" "]):
        assert piece.reason or "␣" not in piece.text
    assert without_link(without_link(text)) == without_link(text) or "更" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_long_hostile_values_terminate(text: str) -> None:
    tails(text, "list", column=COLUMNS[" "])


@pytest.mark.parametrize(
    ("name", "alias", "url", "head"),
    [
        ("获得性免疫缺...", "艾滋病", "file:1", None),
        ("获得性免疫缺...", "获得性免疫缺陷综合征，艾滋病", "file:1", "获得性免疫缺陷综合征"),
        ("获得性免疫缺…", None, "https://a.example/%E8%8E%B7%E5%BE%97%E6%80%A7%E5%85%8D%E7%96%AB%E7%BC%BA%E9%99%B7.html", "获得性免疫缺陷"),
        ("获得性免疫缺……", "获得性免疫缺陷综合征、获得性免疫缺陷病", "file:1", None),
        ("获得性免疫缺陷病（艾", None, "file:1", None),
        ("获得性免疫缺陷病[详细]", None, "file:1", "获得性免疫缺陷病"),
    ],
)
def test_truncated_name_is_no_head(name: str, alias: str | None, url: str, head: str | None) -> None:
    item = entry({"症状": "发热、消瘦"}, name=name, alias_raw=alias, url=url, provenance=seen(url=url))
    (reading,) = read_entities([item])
    if head is None:
        assert not reading.facts and reading.empty is not None and reading.empty.reason == "name_cut"
    else:
        assert {fact.head for fact in reading.facts} == {head}


@pytest.mark.slow
def test_real_table_with_blanks_as_separators(real_data: Path) -> None:
    path = real_data / "second/disease_xywy/disease.csv"
    if not path.exists():
        pytest.skip(f"{path}: not here")
    with path.open(encoding="gb18030", newline="") as lines:
        rows = list(csv.DictReader(lines))
    items = [_entity("department", row["department"], number) for number, row in enumerate(rows) if row["department"]]
    columns = columns_of(items)
    tails = [fact.tail for reading in read_entities(items, columns) for fact in reading.facts]
    whole = {item.values[0].value for item in items if " " not in item.values[0].value}
    assert len(tails) > len(items) and sum(tail in whole for tail in tails) > 0.99 * len(tails)
    drugs = [_entity("drug", row["drug"], number) for number, row in enumerate(rows) if row["drug"]]
    found = read_entities(drugs, columns_of(drugs))
    reasons = Counter(row.reason for reading in found for row in reading.rejected)
    assert not [fact.tail for reading in found for fact in reading.facts if re.search(r"…|\.\.|详细", fact.tail)]
    assert reasons["separator_unsure"] < 0.01 * sum(len(reading.facts) for reading in found) < reasons["tail_not_atomic"]
