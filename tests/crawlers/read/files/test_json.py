"""Files of records to items: what each layout reads and refuses, and complete published sets."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.runtime.jsonl import read_jsonl
from crawlers import read_imports as imports
from crawlers.read.containers.files.json import documents_of
from crawlers.read.containers.files.reading import Lost
from crawlers.read.formats import guess_format, read_file
from crawlers.read.layouts.layout_files import shipped_layouts
from crawlers.read.tables.records.arrays import read_records
from crawlers.read.tables.records.items import RecordReader
from crawlers.text.fields import parsed_json

SEEN = Provenance(source="books", url="file:a.jsonl", snapshot="2026-01-01", page_id="page-0", position="line:1")


def items(record: dict[str, Any], name: str) -> list[Item | Lost]:
    return list(RecordReader(shipped_layouts()[name]).items(record, SEEN))


def test_reports_half_a_character_as_lost() -> None:
    [(_, record)] = read_records("a.jsonl", rb'{"q":"\ud83d\ude00 \ud800 \udc00"}')
    assert record == {"q": "\U0001f600 \ufffd \ufffd"}


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.jsonl", b'{"q":\n[1', r"a\.jsonl: line 1: column 6: .*; no line of the file is JSON"),
        ("a.json", b'[{"q":1},\n{"q" 2}]', r"a\.json: line 2, column 6: .*; expected JSON"),
        ("a.json", b'["q",1]\n["q",2]', r"name the file \.jsonl"),
        ("a.json", b'{"q":' + b"9" * 5000 + b"}", r"a\.json: a number of more than 4,300 digits cannot be read; write it as text"),
        ("a.json", b'{"q":NaN}', r"a\.json: NaN is not a JSON value"),
        ("a.json", b'{"q":1e400}', r"a\.json: 1e400 is larger than any supported number; write it as text"),
        ("a.jsonl", '{"q":1}\n{"q":"题题题"}'.encode()[:-4], r"a\.jsonl: line 2: byte 20 is not UTF-8"),
        ("a.json", b'{"q":' * 50_000, r"a\.json: nested too deeply"),
        (
            "a.json",
            b"[%s{}]" % (b"{}," * 500_000),
            r"a\.json: up to 1000002 values .* characters; at most 875001 are read",
        ),
        ("a.jsonl", b"{}\n" * 1_000_000, r"a\.jsonl: up to 2000000 values"),
        ("a.jsonl", b'{"q":"%s"}' % (b"1" * 5_000_000), r"a\.jsonl: line 1 has 5000008 characters; at most 5000000 are read"),
    ],
    ids=range(11),
)
def test_refuses_files_that_are_not_records(name: str, body: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_records(name, body))


def test_commas_in_prose_do_not_separate_values() -> None:
    assert parsed_json('["%s"]' % ("甲,乙,[丙]{" * 200_000)) and parsed_json(r'["\"%s"]' % ("," * 600_000))
    assert len([*documents_of("a.jsonl", b"1\n" + b"     \n" * (1 << 20))]) == 1


@pytest.mark.parametrize(
    ("name", "body", "array", "place", "words"),
    [
        ("a.jsonl", b'{"q":1}\n{"q":', [], "line:2", "column 6: .*expected JSON"),
        ("a.jsonl", b'{"q":1}\n[1]', [], "line:2", "found list, expected an object"),
        ("a.jsonl", b'{"q":1}\n' + b'{"q":' * 50_000, [], "line:2", "nested too deeply"),
        ("a.json", b'[{"q":1}, 7]', [], "record:2", "found int, expected an object"),
        ("a.json", b'[{"rows":[{"q":1}]}, {"rows":{}}]', ["rows"], "record:2", "found NoneType, expected an object"),
    ],
    ids=range(5),
)
def test_an_unreadable_record_does_not_affect_others(name: str, body: bytes, array: list[str], place: str, words: str) -> None:
    first, (position, lost) = read_records(name, body, array)
    assert first[1] == {"q": 1}
    assert isinstance(lost, Lost) and lost.reason == "record_unreadable"
    assert position == lost.position == place and re.search(words, lost.words)


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
    ("record", "name", "reason", "words"),
    [
        (
            {"subject_name": "医学", "question_type": "QA"},
            "cpsyexam",
            "field_missing",
            "field 'question' is missing; found '*', 'subject_name'",
        ),
        (CHOICE | {"question": {"text": "问"}}, "cpsyexam", "field_unreadable", "'question': found dict of str, expected text or a list"),
        (CHOICE | {"options": {"A": ["甲"]}}, "cpsyexam", "field_unreadable", "'options': found dict of list, expected a list of texts"),
        (CHOICE | {"options": 3}, "cpsyexam", "field_unreadable", "field 'options': found int"),
        ({"name": "感冒", "症状": [["咳嗽"]]}, "diseases_39net", "field_unreadable", "field '症状': found list of list"),
        ({"症状": "咳嗽"}, "diseases_39net", "field_missing", "field 'name' is missing"),
        ({"name": " ", "症状": "咳嗽"}, "diseases_39net", "record_empty", "field 'name' is empty"),
        (
            {"type": "CVR", "share_content": "案", "question": ["问"]},
            "tcmbench",
            "field_unreadable",
            "'question': found str, expected an obj",
        ),
        ({"type": "CVR", "share_content": "案", "question": []}, "tcmbench", "record_empty", ""),
        ({"question": "问", "options": ["甲", "乙"], "correct": [-1]}, "doublebean", "field_unreadable", "expected positions of options"),
        (CHOICE | {"question": "", "options": {"A": ""}}, "cpsyexam", "record_empty", "neither a stem nor options"),
        (CHOICE | {"question": None, "options": None}, "cpsyexam", "record_empty", "neither"),
    ],
)
def test_reports_why_a_record_is_malformed(record: dict[str, Any], name: str, reason: str, words: str) -> None:
    (lost,) = items({"*": "单选题"} | record, name)
    assert isinstance(lost, Lost) and (lost.reason, lost.position.split(":")[:2]) == (reason, ["line", "1"])
    assert words in lost.words and json.loads(lost.raw or "")


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({"B": 2, "A": 1.5}, ["A.1.5", "B.2"]),
        ("A.甲 B.乙", ["A.甲", "B.乙"]),
        ([{"label": "A", "text": "甲"}, {"label": "B", "text": "乙"}], ["A.甲", "B.乙"]),
    ],
)
def test_forms_of_options(options: Any, read: list[str]) -> None:
    record = {"index": 1, "type": "单选题", "chapter": "心理学", "content": "问", "options": options, "answer": "A"}
    (item,) = items(record, "adoremai")
    assert isinstance(item, QuestionItem) and item.options_raw == read


@pytest.mark.parametrize(
    "options",
    [
        [{"key": "A", "value": "甲"}, {"key": "B", "value": "乙"}],
        [{"label": "B", "text": "乙"}, {"label": "A", "text": "甲"}],
        [{"id": "a", "content": "甲"}, {"id": "b", "content": "乙"}],
        [{"A": "甲"}, {"B": "乙"}],
        {"B": "乙", "A": "甲"},
        {"a": "甲", "b": "乙"},
    ],
)
def test_options_as_objects_need_no_layout(options: Any) -> None:
    body = json.dumps([{"question": "问", "options": options, "answer": "B"}]).encode()
    reading = read_file("a.json", body, guess_format("a.json", body), SEEN)
    (item,) = reading.items
    assert isinstance(item, QuestionItem) and not item.doubt, reading.faults
    assert [option.upper() for option in item.options_raw or []] == ["A.甲", "B.乙"]


@pytest.mark.parametrize(
    "options",
    [
        [{"key": "A", "value": "甲"}, {"key": "A", "value": "乙"}],
        [{"key": "A", "value": "甲", "right": True}, {"key": "B", "value": "乙", "right": False}],
        [{"A": "甲"}, {"A": "乙"}],
    ],
)
def test_refuses_option_objects_that_would_lose_something(options: Any) -> None:
    body = json.dumps([{"question": "问", "options": options}]).encode()
    reading = read_file("a.json", body, "table", SEEN)
    assert [item.doubt for item in reading.items] == ["field_unreadable"] and "labelled_options" in reading.faults[0]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ('"answer": "A", "options": ["甲", "乙"], "answer": "B"', "'answer' appears 2 times with different values"),
        ('"options": {"A": "甲", "B": "乙", "B": "丙"}, "answer": "A"', "'B' appears 2 times with different values"),
        ('"answer": "A", "options": ["甲", "乙"], "answer": "A"', ""),
    ],
)
def test_reports_a_duplicate_key(name: str, fields: str, told: str) -> None:
    body = f'{{"question": "问", {fields}}}'.encode()
    reading = read_file(name, body, "table", SEEN)
    assert [item.doubt for item in reading.items] == ["field_unreadable" if told else None]
    assert told in "".join(reading.faults)


def test_a_triple_is_an_entry_with_one_value() -> None:
    (item,) = items({"head": "高血压", "relation": "has_symptom", "tail": "头晕"}, "triples")
    assert isinstance(item, EntityItem) and item.name_raw == "高血压"
    assert [(value.label, value.value) for value in item.values] == [("has_symptom", "头晕")]
    (lost,) = items({"head": "高血压", "relation": "has_symptom", "tail": " "}, "triples")
    assert isinstance(lost, Lost) and lost.reason == "record_empty"


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


@pytest.fixture
def read_set(real_data: Path, tmp_path: Path) -> Callable[[str, str], list[Item]]:
    """Read a published set twice with the stage; return its items."""

    def read(path: str, name: str) -> list[Item]:
        flags = ["set", "--path", str(real_data / path), "--format", name, "--max_misfit_share", "0", "--max_unread_share", "1"]
        written = []
        for run in ("first", "second"):
            pages, out = tmp_path / run / "set", tmp_path / f"{run}.jsonl"
            imports.main([*flags, "--pages", str(pages), "--out", str(out), "--metrics", str(out.with_suffix(".m"))])
            written.append(out.read_bytes())
        assert written[0] == written[1]
        return list(read_jsonl(out, Item))

    return read


@pytest.mark.slow
def test_cpsyexam_as_published(read_set: Callable[[str, str], list[Item]]) -> None:
    found = [item for item in read_set("cpsyexam", "cpsyexam") if isinstance(item, QuestionItem)]
    assert Counter(item.type_raw for item in found) == {"single": 5301, "multi": 2106, "QA_Knowledge": 1667, "QA_Analyse": 63}
    assert sum(item.answer_raw is None for item in found) == 1974 + 18  # the test split, and blank answers
    assert sum(item.options_raw is None for item in found) == 1730
    assert all(item.stem_raw and item.subject_raw for item in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "name", "count", "with_sections"),
    [("diseases/disease_boxes_39net.json", "diseases_39net", 5177, 0), ("diseases/medical_kg_308.jsonl", "diseases_kg", 308, 308)],
)
def test_diseases_as_published(read_set: Callable, pattern: str, name: str, count: int, with_sections: int) -> None:
    found = read_set(pattern, name)
    assert len(found) == count and all(item.name_raw and item.values for item in found)
    assert sum(bool(item.sections) for item in found) == with_sections


def test_tcmbench_as_published(read_set: Callable[[str, str], list[Item]]) -> None:
    found = read_set("tcmbench", "tcmbench")
    assert Counter(item.type_raw for item in found) == {"FKU": 1, "CVR": 3, "KHC": 2}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.jsonl",
            '[{"question": "q", "answer": "A"}]',
            r"found list, expected an object .*; is the entire file one array\? then name it \.json",
        ),
        (
            "a.jsonl",
            '{\n "question": "q",\n "answer": "A"\n}',
            r"line 1: .*; the file is one document, not one record per line, so name it \.json",
        ),
        ("a.json", '["q"]\n["p"]', r"if it has one record per line, name the file \.jsonl"),
        (
            "a.json",
            '{"code": 0, "data": {"list": [{"question": "q"}]}}',
            r"records are under data, list; a layout with `array: \[data, list\]`",
        ),
        ("a.json", '{"code": 0, "data": {"list": []}}', "no fields of a question among the keys code, data; expected question"),
        ("a.json", "[]", "no records; expected question"),
    ],
)
def test_reports_where_nested_records_are(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: .*{message}"):
        read_file(name, text.encode(), "table", SEEN)


def test_the_layout_that_an_error_names_reads_the_records() -> None:
    text = json.dumps({"code": 0, "data": {"list": [{"question": "q"}]}})
    assert [record for _, record in read_records("a.json", text.encode(), ["data", "list"])] == [{"code": 0, "question": "q"}]
