"""Files of records to items: what each layout reads, what it refuses, and the published sets as a whole."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawlers import crawl, extract
from crawlers.files import read_files, store_files
from crawlers.importers.json import read_records
from crawlers.importers.layout import items_of, layout
from records.item import EntityItem, Item, QuestionItem
from records.jsonl import read_jsonl
from records.params import Source
from records.provenance import Provenance

SEEN = Provenance(source="books", url="file:a.jsonl", snapshot="2026-01-01", page_id="page-0", position="line:1")


def items(record: dict[str, Any], name: str) -> list[Item]:
    return list(items_of(record, layout(name), SEEN, "a.jsonl: line 1"))


@pytest.mark.parametrize(
    ("name", "body", "records"),
    [
        ("a.jsonl", '{"q":1}\n\n{"q":2}\n', [("line:1", 1), ("line:3", 2)]),
        ("a.json", '[{"q":1},{"q":2}]', [("record:1", 1), ("record:2", 2)]),
        ("a.json", '{"q":1}', [("record:1", 1)]),
        ("a.json", '\ufeff[{"q":1}]', [("record:1", 1)]),
        ("a.jsonl", '{"q":"a\u2028b"}', [("line:1", "a\u2028b")]),
    ],
)
def test_records_of_a_file(name: str, body: str, records: list[tuple[str, Any]]) -> None:
    assert [(place, record["q"]) for place, record in read_records(name, body.encode())] == records


def test_half_a_character_is_told_as_lost() -> None:
    [(_, record)] = read_records("a.jsonl", rb'{"q":"\ud83d\ude00 \ud800 \udc00"}')
    assert record == {"q": "\U0001f600 \ufffd \ufffd"}


def test_fields_around_an_array_belong_to_every_record() -> None:
    body = json.dumps({"type": "FKU", "example": [{"q": 1}, {"q": 2}]}).encode()
    assert [record for _, record in read_records("a.json", body, "example")] == [{"type": "FKU", "q": 1}, {"type": "FKU", "q": 2}]


@pytest.mark.parametrize(
    ("name", "body", "array", "message"),
    [
        ("a.jsonl", b'{"q":1}\n{"q":', None, r"a\.jsonl: line 2: column 6: .*; expected JSON"),
        ("a.json", b'[{"q":1},\n{"q" 2}]', None, r"a\.json: line 2, column 6: .*; expected JSON"),
        ("a.json", b'{"q":1}\n{"q":2}', None, r"name the file \.jsonl"),
        ("a.jsonl", b'{"q":1}\n[1]', None, r"a\.jsonl: line 2: found list, expected an object"),
        ("a.json", b'{"q":NaN}', None, r"a\.json: NaN is no JSON value"),
        ("a.jsonl", '{"q":1}\n{"q":"题"}'.encode("gbk"), None, r"a\.jsonl: line 2: byte 14 is not UTF-8"),
        ("a.json", b'{"rows":{}}', "rows", r"a\.json: field 'rows': found dict, expected a list of records"),
        ("a.json", b"[]", "rows", r"a\.json: found list, expected an object"),
        ("a.jsonl", b'{"q":1}\n' + b'{"q":' * 50_000, None, r"a\.jsonl: line 2: nested too deeply"),
    ],
    ids=range(9),
)
def test_what_is_no_file_of_records_is_told(name: str, body: bytes, array: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_records(name, body, array))


CHOICE = {"subject_name": "医学", "question_type": "multi", "question": "问", "options": {"A": "甲", "B": "乙", "C": ""}, "answer": "AB"}


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ({}, "options_raw", ["A.甲", "B.乙"]),
        ({"options": {"A": "", "B": "乙"}}, "options_raw", ["A.", "B.乙"]),
        ({"options": {"A": None, "B": ""}}, "options_raw", None),
        ({"options": None}, "options_raw", None),
        ({"options": [" 甲 ", "乙"]}, "options_raw", ["甲", "乙"]),
        ({"answer": ["A", "B"]}, "answer_raw", "A、B"),
        ({"answer": ""}, "answer_raw", None),
        ({"question": "  "}, "stem_raw", None),
        ({"kind": "analyse"}, "section_raw", "analyse"),
    ],
)
def test_fields_of_a_question(change: dict[str, Any], field: str, value: Any) -> None:
    (item,) = items(CHOICE | change, "cpsyexam")
    assert getattr(item, field) == value


@pytest.mark.parametrize(
    ("record", "name", "message"),
    [
        (
            {"subject_name": "医学", "question_type": "QA"},
            "cpsyexam",
            r"a\.jsonl: line 1: field 'question' is missing; found 'subject_name'",
        ),
        (CHOICE | {"question": {"text": "问"}}, "cpsyexam", r"field 'question': found dict of str, expected text or a list of texts"),
        (
            CHOICE | {"options": {"A": 1}},
            "cpsyexam",
            r"field 'options': found dict of int, expected a list of texts or an object of letters",
        ),
        (CHOICE | {"options": "A.甲"}, "cpsyexam", r"field 'options': found str"),
        ({"name": "感冒", "症状": [["咳嗽"]]}, "diseases_39net", r"field '症状': found list of list"),
        ({"症状": "咳嗽"}, "diseases_39net", r"field 'name' is missing"),
        ({"type": "CVR", "share_content": "案", "question": ["问"]}, "tcmbench", r"question 1: found str, expected an object"),
    ],
)
def test_a_malformed_record_names_place_and_field(record: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        items(record, name)


@pytest.mark.parametrize("record", [CHOICE | {"question": "", "options": {"A": ""}}, CHOICE | {"question": None, "options": None}])
def test_a_record_without_a_question_gives_no_item(record: dict[str, Any]) -> None:
    assert items(record, "cpsyexam") == []


def test_an_entity_keeps_every_key() -> None:
    record = {"_id": {"$oid": "1"}, "name": "感冒", "desc": "一种病。\n常见。", "symptom": ["咳嗽", "发热", ""], "cost": 20, "check": []}
    (item,) = items(record, "diseases_kg")
    assert isinstance(item, EntityItem) and (item.name_raw, item.entity_type) == ("感冒", "disease")
    assert [(section.title, section.text) for section in item.sections] == [("desc", "一种病。\n常见。")]
    assert [(value.label, value.value, value.position) for value in item.values] == [
        ("symptom", "咳嗽、发热", "line:1:4"),
        ("cost", "20", "line:1:5"),
    ]


def test_questions_share_a_case_or_options() -> None:
    case = {"type": "CVR", "share_content": "患者，女。", "question": [{"sub_question": "1)．证\nA．甲\nB．乙\n", "answer": ["B"]}]}
    (item,) = items(case, "tcmbench")
    assert isinstance(item, QuestionItem)
    assert (item.case_raw, item.stem_raw, item.options_raw, item.answer_raw) == ("患者，女。", "1)．证", ["A．甲", "B．乙"], "B")
    assert (item.group_raw, item.provenance.position) == ("line:1", "line:1:1")
    shared = {"type": "KHC", "share_content": "（共用备选答案）\nA.甲\nB.乙\n", "question": [{"sub_question": "1)．方", "answer": ["A"]}]}
    (item,) = items(shared, "tcmbench")
    assert isinstance(item, QuestionItem)
    assert (item.shared_options_raw, item.case_raw, item.options_raw) == (["A.甲", "B.乙"], None, None)


def source(folder: Path, pattern: str, name: str = "cpsyexam") -> Source:
    return Source(kind="files", path=str(folder / pattern), format=name, snapshot="2026-01-01")


def test_files_are_named_from_the_folder_above_the_wildcard(tmp_path: Path) -> None:
    for name in ("b/one.jsonl", "a/二 %.jsonl"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(CHOICE), encoding="utf-8")
    pages = tmp_path / "pages"
    pages.mkdir()
    assert store_files("books", source(tmp_path, "**/*.jsonl"), pages) == 2
    read = list(read_files("books", source(tmp_path, "**/*.jsonl"), pages, 0.0))
    assert [item.url for item in read] == ["file:a/二 %.jsonl", "file:b/one.jsonl"]
    assert store_files("books", source(tmp_path, "b/one.jsonl"), pages) == 1  # the snapshot holds what `path` names now
    assert [item.url for item in read_files("books", source(tmp_path, ""), pages, 0.0)] == ["file:one.jsonl"]


def test_no_file_and_no_format_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"sources\.books: no file fits '.*nothing/\*\.json'"):
        store_files("books", source(tmp_path, "nothing/*.json"), tmp_path)
    with pytest.raises(ValueError, match=r"unknown format 'cpsyexams'; known: cpsyexam, .*did you mean cpsyexam"):
        store_files("books", source(tmp_path, "*", "cpsyexams"), tmp_path)


def test_too_many_records_without_item_fail(tmp_path: Path) -> None:
    lines = [CHOICE, CHOICE | {"question": "", "options": None}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    store_files("books", source(tmp_path, "*.jsonl"), tmp_path)
    assert len(list(read_files("books", source(tmp_path, ""), tmp_path, 0.5))) == 1
    with pytest.raises(ValueError, match=r"1 of 2 records give no item, more than max_misfit_share 0\.4; .* First: a\.jsonl: line 2"):
        list(read_files("books", source(tmp_path, ""), tmp_path, 0.4))


@pytest.fixture
def read_set(real_data: Path, tmp_path: Path) -> Callable[[str, str], list[Item]]:
    """Read a published set by the two stages, twice, and return its items."""

    def read(pattern: str, name: str) -> list[Item]:
        flags = ["set", "--kind", "files", "--path", str(real_data / pattern), "--format", name, "--snapshot", "2026-01-01"]
        written = []
        for run in ("first", "second"):
            pages, out = tmp_path / run / "set", tmp_path / f"{run}.jsonl"
            crawl.main([*flags, "--sites", "embedded", "--out", str(pages)])
            extract.main([*flags, "--max_misfit_share", "0", "--pages", str(pages), "--out", str(out)])
            written.append(out.read_bytes())
        assert written[0] == written[1]
        return list(read_jsonl(out, Item))

    return read


def test_cpsyexam_as_published(read_set: Callable[[str, str], list[Item]]) -> None:
    found = [item for item in read_set("cpsyexam/*.jsonl", "cpsyexam") if isinstance(item, QuestionItem)]
    assert Counter(item.type_raw for item in found) == {"single": 5301, "multi": 2106, "QA_Knowledge": 1667, "QA_Analyse": 63}
    assert sum(item.answer_raw is None for item in found) == 1974 + 18  # the test split, and answers of blanks alone
    assert sum(item.options_raw is None for item in found) == 1730
    assert all(item.stem_raw and item.subject_raw for item in found)


@pytest.mark.parametrize(
    ("pattern", "name", "count", "with_sections"),
    [("diseases/disease_boxes_39net.json", "diseases_39net", 5177, 0), ("diseases/medical_kg_308.jsonl", "diseases_kg", 308, 308)],
)
def test_diseases_as_published(read_set: Callable, pattern: str, name: str, count: int, with_sections: int) -> None:
    found = read_set(pattern, name)
    assert len(found) == count and all(item.name_raw and item.values for item in found)
    assert sum(bool(item.sections) for item in found) == with_sections


def test_tcmbench_as_published(read_set: Callable[[str, str], list[Item]]) -> None:
    found = read_set("tcmbench/*.json", "tcmbench")
    assert Counter(item.type_raw for item in found) == {"FKU": 1, "CVR": 3, "KHC": 2}
