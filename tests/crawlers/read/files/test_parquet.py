"""Parquet to items: rows as JSON records, images, column metadata of `datasets`, and damaged or hostile files."""

import io
import json
import random
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from atomexam.runtime import budgets
from atomexam.text.refusal import Refusal
from crawlers.read.containers.files import parquet
from crawlers.read.containers.files.parquet import read_rows
from crawlers.read.containers.files.reading import Lost
from crawlers.read.formats import read_file
from crawlers.read.tables.records.arrays import read_records
from crawlers.read.tables.records.reading import FileReading
from crawlers.read.vocabulary.labels import IMAGE
from tests.crawlers.read.bodies import SEEN, read

QUESTION = {"question": "感觉是（ ）", "options": ["甲", "乙", "丙"], "answer": "A"}
PNG = b"\x89PNG\r\n\x1a\n\0\0"


@pytest.fixture(scope="module", autouse=True)
def no_reader_left() -> Iterator[None]:
    yield
    budgets.stop()


def written(table: pa.Table, **how: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **how)
    return file.getvalue()


def parquet_of(rows: list[dict[str, Any]], **how: Any) -> bytes:
    return written(pa.Table.from_pylist(rows), **how)


def records(body: bytes) -> list[Any]:
    return [record for _, record in read_rows("a.parquet", body)]


def read_parquet(body: bytes, name: str = "a.parquet") -> FileReading:
    return read(name, body)


def question(row: dict[str, Any], name: str = "a.parquet") -> QuestionItem:
    [item] = read_parquet(parquet_of([row]), name).items
    assert isinstance(item, QuestionItem)
    return item


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.fixed_dictionaries({"question": st.text("感觉是A.（ ）\n", max_size=9), "answer": st.text("AB")}), max_size=9),
    st.integers(1, 4),
)
def test_reads_rows_like_json_lines(rows: list[dict[str, Any]], group: int) -> None:
    """Whatever the row groups."""
    table = pa.Table.from_pylist(rows, pa.schema([("question", pa.string()), ("answer", pa.string())]))
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    assert records(written(table, row_group_size=group)) == [record for _, record in read_records("a.jsonl", lines)]


@pytest.mark.parametrize(
    ("options", "read_as"),
    [
        (["甲", "乙"], ["甲", "乙"]),
        ({"A": "甲", "B": "乙", "C": None}, ["A.甲", "B.乙"]),
        ({"label": ["A", "B"], "text": ["甲", "乙"]}, ["A.甲", "B.乙"]),
        ({"text": ["甲", "乙"], "label": ["A", "B"]}, ["A.甲", "B.乙"]),
        ([{"key": "A", "value": "甲"}, {"key": "B", "value": "乙"}], ["A.甲", "B.乙"]),
    ],
)
def test_options_in_lists_and_structs(options: Any, read_as: list[str]) -> None:
    item = question({"question": "感觉是（ ）", "choices": options, "answerKey": "A"})
    assert item.options_raw == read_as
    lines = json.dumps({"question": "感觉是（ ）", "choices": options, "answer": "A"}).encode()
    assert read_file("a.jsonl", lines, "table", SEEN).items[0].options_raw == read_as


def test_options_in_a_map() -> None:
    kinds = pa.schema([("question", pa.string()), ("options", pa.map_(pa.string(), pa.string())), ("answer", pa.string())])
    row = {"question": "感觉是（ ）", "options": [("A", "甲"), ("B", "乙")], "answer": "A"}
    assert read_parquet(written(pa.Table.from_pylist([row], kinds))).items[0].options_raw == ["A.甲", "B.乙"]
    twice = read_parquet(written(pa.Table.from_pylist([row | {"options": [("A", "甲"), ("A", "乙")]}], kinds)))
    assert twice.items[0].doubt == "field_unreadable" and "appears 2 times" in twice.faults[0]


@pytest.mark.parametrize("lists", [{"label": ["A", "B"], "text": ["甲"]}, {"label": ["1", "2"], "text": ["甲", "乙"]}])
def test_reports_lists_of_unequal_length(lists: Any) -> None:
    assert question(QUESTION | {"options": lists}).doubt == "field_unreadable"


@pytest.mark.parametrize(
    ("column", "read_as"),
    [
        (pa.array([1.0, None, float("nan"), 2.5, float("inf")]), [1, None, None, 2.5, "inf"]),
        (pa.array([b"\xe7\x94\xb2", b"", PNG, None, b"\xff\xd8"]), ["甲", "", IMAGE, None, IMAGE]),
        (pa.array([date(2026, 1, 2), None]), ["2026-01-02", None]),
        (pa.array([Decimal("1.50"), Decimal("3.00")]), ["1.50", "3.00"]),
        (pa.array(["甲", "乙", "甲"]).dictionary_encode(), ["甲", "乙", "甲"]),
        (pa.array([{"bytes": PNG, "path": "a.png"}, {"bytes": None, "path": None}, None]), [IMAGE, None, None]),
        (pa.array([[{"bytes": None, "path": "a.png"}], []]), [[IMAGE], []]),
    ],
    ids=range(7),
)
def test_converts_values_to_json(column: pa.Array, read_as: list[Any]) -> None:
    found = [record["x"] for record in records(written(pa.table({"x": column})))]
    assert found == read_as and json.dumps(found, allow_nan=False)


def test_counts_images_and_keeps_them_out_of_texts() -> None:
    row = QUESTION | {"image_1": PNG, "options": ["甲", "乙"], "explanation": "见书", "answer": "A"}
    assert question(row).images == 1
    assert question(QUESTION | {"pictures": [{"bytes": PNG, "path": None}] * 2}).images == 2
    assert question(QUESTION | {"explanation": PNG}).images == 0
    alone = question(QUESTION | {"question": PNG})
    assert (alone.stem_raw, alone.images, alone.doubt) == (None, 1, None)
    assert question(QUESTION).images == 0


def labelled(names: list[str], answers: list[int | None], told: bytes | None = None) -> bytes:
    about = told or json.dumps({"info": {"features": {"answer": {"names": names, "_type": "ClassLabel"}}}}).encode()
    table = pa.Table.from_pylist([QUESTION | {"answer": answer} for answer in answers])
    return written(table.replace_schema_metadata({b"huggingface": about}))


def test_reads_class_names_of_datasets() -> None:
    """A split in which A is never right has no 0 to show where its answers count from."""
    assert [item.answer_raw for item in read_parquet(labelled([*"ABC"], [1, 2, None, -1])).items] == ["B", "C", None, None]
    assert [item.answer_raw for item in read_parquet(labelled([*"012"], [0, 2])).items] == ["A", "C"]


@pytest.mark.parametrize(
    "told", [b"{", b"[]", b'{"info": 1}', b'{"info": {"features": {"answer": {"names": [1]}}}}', b'{"info": {"features": []}}', b"\xff"]
)
def test_tolerates_any_column_metadata(told: bytes) -> None:
    assert [item.answer_raw for item in read_parquet(labelled([], [0, 2], told)).items] == ["A", "C"]


def test_invalid_text_affects_only_its_row() -> None:
    broken = pa.StringArray.from_buffers(2, pa.py_buffer(b"\0\0\0\0\3\0\0\0\5\0\0\0"), pa.py_buffer("甲".encode() + b"\xb8\xd0"))
    reading = read_parquet(written(pa.table({"question": broken, "answer": ["甲", "B"]})))
    assert [item.doubt for item in reading.items] == [None, "record_unreadable"]
    assert "row 2: record_unreadable: " in reading.faults[0] and "expected text in UTF-8" in reading.faults[0]


WHOLE = parquet_of([QUESTION] * 3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (WHOLE[:-20], r"not a readable parquet file, judging by its first or last bytes; is it complete"),
        (b"PAR1", "not a readable parquet"),
        (b"PAR1" + b"x" * 40 + b"PAR1", "not a readable parquet .*; is it complete, and not encrypted"),
        (WHOLE[:-4] + b"PARE", "an encrypted parquet file; write it without encryption"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer instead of the file; `git lfs pull`"),
        (b"question,answer\n", "not a readable parquet"),
        (b"PAR1" + bytes(20_000_000) + (20_000_000).to_bytes(4, "little") + b"PAR1", "the description of its columns has 20000000 bytes"),
        (written(pa.table({f"c{n}": [1] for n in range(513)})), "513 columns; expected 1 to 512"),
        (written(pa.table([[1], [2]], names=["a", "a"])), "several columns are named 'a'"),
        (written(pa.table({"x" * 300: [1]})), "a column name has 300 characters"),
        (written(pa.table({"x": pa.array([], pa.string())})), "no records; expected question"),
        (written(pa.table({"x\x1b[31m": [1]})), "no fields of a question among the keys x"),
    ],
    ids=range(12),
)
def test_refuses_damaged_parquet(body: bytes, message: str) -> None:
    with pytest.raises(Refusal, match=rf"^a\.parquet: ({message})"):
        read_parquet(body)


def test_detects_a_changed_byte_by_checksum() -> None:
    body = bytearray(parquet_of([{"question": "感觉是" * 50, "answer": "A"}], compression="none", write_page_checksum=True))
    body[body.index("感觉".encode()) + 1] ^= 1
    with pytest.raises(ValueError, match=r"a\.parquet: not a readable parquet .*CRC"):
        read_parquet(bytes(body))


@pytest.mark.slow
def test_a_small_file_that_unpacks_to_much_is_refused() -> None:
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 6_000, pa.int32()), ["长" * 100_000])
    body = written(pa.table({"question": text}), compression="zstd")
    assert len(body) < 20_000
    with pytest.raises(ValueError, match=r"^a\.parquet: takes more than 134217728 bytes of memory at row \d+; rewrite it in parts"):
        read_file("a.parquet", body, "table", SEEN)


@pytest.mark.slow
def test_a_row_that_exhausts_memory_affects_no_other_file(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets.stop()
    monkeypatch.setattr(parquet, "_budget", lambda body: budgets.Budget(bytes=300 * 1024 * 1024))
    body = written(pa.table({"question": ["x" * 100_000_000]}), compression="zstd")
    with pytest.raises(ValueError, match=r"^a\.parquet: (takes more than|its reader broke down|not a readable parquet)"):
        read_parquet(body)
    monkeypatch.undo()
    budgets.stop()
    assert read_parquet(WHOLE).record_count == 3


def test_an_abandoned_reading_does_not_affect_the_next_file() -> None:
    rows = read_rows("a.parquet", parquet_of([QUESTION] * 500))
    assert next(rows)[0] == "row:1"
    rows.close()
    assert len(records(WHOLE)) == 3


def test_damaged_files_are_read_or_refused() -> None:
    chance, body = random.Random(7), parquet_of([QUESTION] * 40, row_group_size=9, compression="zstd")
    for _ in range(60):
        spoiled = bytearray(body)
        for _ in range(chance.randint(1, 4)):
            spoiled[chance.randrange(4, len(spoiled) - 4)] = chance.randrange(256)
        try:
            reading = read_parquet(bytes(spoiled))
        except ValueError as error:
            assert str(error).startswith("a.parquet: ")
        else:
            assert reading.record_count == len(reading.items)


def test_lost_rows_and_records_have_positions(tmp_path: Path) -> None:
    table = pa.table({"example": [[{"question": "甲", "answer": "A", "analysis": "略"}], None]})
    places = [(place, isinstance(record, Lost)) for place, record in read_records("a.parquet", written(table), ["example"])]
    assert places == [("row:1", False), ("row:2", True)]
    assert parquet.SUFFIX == ".parquet"


def test_an_index_of_minus_one_means_no_answer() -> None:
    rows = [{"question": f"第{at}类是（ ）", "choices": ["甲", "乙", "丙"][: 3 - at % 2], "label": at - 1} for at in range(4)]
    for name, body in (("a.parquet", parquet_of(rows)), ("a.json", json.dumps(rows).encode())):
        items = [item for item in read(name, body).items if isinstance(item, QuestionItem)]
        assert [item.answer_raw for item in items] == [None, "A", "B", "C"]
        assert not any(item.doubt for item in items)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("anatomy/test-00000-of-00001.parquet", "解剖学"),
        ("anatomy_dev.parquet", "解剖学"),
        ("x/anatomy_test-00001-of-00002.parquet", "解剖学"),
    ],
)
def test_the_folder_names_the_subject_of_a_split_file(name: str, subject: str) -> None:
    assert question({"Question": "问", "A": "甲", "B": "乙", "C": "丙", "D": "丁", "Answer": "B"}, name).subject_raw == subject
