"""The split of each question of a published set."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from curation.audit.__main__ import CLEAN, NEAR_DUPLICATES
from curation.audit.findings import findings_of
from curation.audit.sets import FIELDS, SplitOf, audited_questions, read_set, read_split_of, split_at, split_in_name, splits_of_file


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.jsonl", "train"),
        ("qa_test.json", "test"),
        ("CMB-Exam-val.json", "val"),
        ("data/dev/questions.jsonl", "dev"),
        ("test/part_1.csv", "test"),
        ("test/train.csv", "train"),
        ("validation.csv", "val"),
        ("contest.jsonl", None),
        ("latest/trained.jsonl", None),
        ("questions.jsonl", None),
    ],
)
def test_file_name_gives_the_split(name: str, split: str | None) -> None:
    assert split_in_name(name) == split


def test_pattern_overrules_a_name() -> None:
    told = read_split_of(["part1*=train", "a/*.csv = test"])
    assert splits_of_file("x/part1_test.csv", {}, told) == {"": "train"}
    assert splits_of_file("a/dev.csv", {"line:2": "train"}, told) == {"": "test"}
    assert splits_of_file("b/dev.csv", {}, told) == {"": "dev"}


def test_record_gives_its_split_if_its_file_does_not() -> None:
    beside = {"line:1": "Validation", "line:3": "fold 2", "line:4": "x" * 41}
    splits = splits_of_file("all.jsonl", beside, SplitOf())
    assert splits == {"line:1": "val", "line:3": "fold 2"}
    places = ("line:1", "line:1:2", "line:3", "line:10", "p5")
    assert [split_at(splits, position) for position in places] == ["val", "val", "fold 2", None, None]
    assert splits_of_file("train.jsonl", beside, SplitOf()) == {"": "train"}
    assert splits_of_file("train.jsonl", beside, read_split_of(["subset"])) == splits
    with pytest.raises(ValueError, match=r"all\.jsonl: no record has the field 'subset'"):
        splits_of_file("all.jsonl", {}, read_split_of(["subset"]))


def test_file_without_a_split_name_has_no_split() -> None:
    assert splits_of_file("paper.txt", {}, SplitOf()) == {}
    assert split_at({}, "line:1") is None


def _question(number: int) -> str:
    return f"第{number}种记忆所说的内容是（ ）"


def _write_csv(path: Path, header: str) -> None:
    rows = [header, *(f'"{_question(n)}\n续行",甲,乙,丙,丁,A,{"Train" if n % 3 else "test"}' for n in range(6))]
    path.write_bytes("\n".join(rows).encode("gb18030"))


def _write_xlsx(path: Path) -> None:
    book = Workbook()
    book.active.append(["题干", "A", "B", "答案", "split"])
    for n in range(6):
        book.active.append([_question(n), "甲", "乙", "A", "Train" if n % 3 else "test"])
    book.save(path)


def _write_json(path: Path) -> None:
    records = [{"题干": _question(n), "A": "甲", "B": "乙", "答案": "A", "published_split": "Train" if n % 3 else "test"} for n in range(6)]
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")


def _write_parquet(path: Path) -> None:
    records = [
        {"question": _question(n), "choices": ["甲", "乙"], "answer": n % 2, "split": "Train" if n % 3 else "test"} for n in range(6)
    ]
    pq.write_table(pa.Table.from_pylist(records), path, row_group_size=2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "xlsx", "json", "parquet"])
@pytest.mark.parametrize("asked", [False, True])
def test_reads_the_split_of_each_row_from_any_format(kind: str, asked: bool, tmp_path: Path) -> None:
    path = tmp_path / f"all.{kind}"
    if kind == "csv":
        _write_csv(path, "题干,A,B,C,D,答案,Split")
    else:
        {"xlsx": _write_xlsx, "json": _write_json, "parquet": _write_parquet}[kind](path)
    field = "published_split" if kind == "json" else "split"
    told = read_split_of([field] if asked else [])
    rows = audited_questions(read_set([str(path)], None, (field,) if asked else FIELDS), told, CLEAN)
    assert [row.split for row in rows] == ["test", "train", "train", "test", "train", "train"]


@pytest.mark.slow
def test_reads_a_folder_of_shards_written_by_datasets(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "README.md").write_text("# 心理学\n1. 感觉是（ ）。\nA．甲 B．乙\n", encoding="utf-8")
    for name in ("train-00000-of-00002", "train-00001-of-00002", "validation-00000-of-00001"):
        _write_parquet(tmp_path / "data" / f"{name}.parquet")
    found = read_set([str(tmp_path)], None)
    rows = audited_questions(found, SplitOf(), CLEAN)
    assert [row.split for row in rows] == ["train"] * 12 + ["val"] * 6
    assert [row.question.answer for row in rows[:3]] == ["A", "B", "A"] and rows[0].position == "row:1"


@pytest.mark.slow
def test_reads_a_user_defined_layout(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("mine: {known_by: [[ti, da]], questions: {stem_raw: ti, options_raw: xuan, answer_raw: da}}", encoding="utf-8")
    pq.write_table(pa.table({"ti": [_question(1)], "xuan": [{"A": "甲", "B": "乙"}], "da": ["B"]}), tmp_path / "test.parquet")
    [row] = audited_questions(read_set([str(tmp_path / "test.parquet")], None, layouts=own), SplitOf(), CLEAN)
    assert (row.split, row.question.answer, [option.text for option in row.question.options]) == ("test", "B", ["甲", "乙"])


@pytest.mark.parametrize("said", [["=train"], ["part*="], ["one", "two"], [" "]])
def test_rejects_invalid_split_of(said: list[str]) -> None:
    with pytest.raises(ValueError, match="expected PATTERN=SPLIT"):
        read_split_of(said)


@pytest.mark.slow
def test_unreadable_line_does_not_count_as_withheld_key(tmp_path: Path) -> None:
    lines = ['{"题干":"知觉是（ ）","A":"甲","B":"乙","答案":"A","split":"train"}', '{"broken']
    (tmp_path / "all.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = findings_of(audited_questions(read_set([str(tmp_path)], None), SplitOf(), CLEAN), None, NEAR_DUPLICATES)
    assert [(one["split"], one["withheld"]) for one in found["files"]] == [(None, False), ("train", False)]
    assert (found["figures"]["missing_keys_share"], found["figures"]["defects"]) == (0.0, 1)
