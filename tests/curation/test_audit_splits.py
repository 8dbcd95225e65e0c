"""To which split a question of a published set belongs."""

from pathlib import Path

import pytest

from curation.auditing.splits import SplitOf, read_split_of, split_at, split_in_name, splits_of_file


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
def test_a_name_tells_the_split(name: str, split: str | None) -> None:
    assert split_in_name(name) == split


def test_a_pattern_overrules_a_name() -> None:
    told = read_split_of(["part1*=train", "a/*.csv = test"])
    assert splits_of_file("x/part1_test.csv", None, told) == {"": "train"}
    assert splits_of_file("a/dev.csv", None, told) == {"": "test"}
    assert splits_of_file("b/dev.csv", None, told) == {"": "dev"}


def test_a_field_tells_the_split_of_each_record(tmp_path: Path) -> None:
    lines, document = tmp_path / "all.jsonl", tmp_path / "all.json"
    lines.write_text('{"published_split": "Validation"}\n\n{"published_split": "fold 2"}\n{"q": 1}\n[]\nno json\n', encoding="utf-8")
    document.write_text('[{"subset": "train"}, {"subset": ["test"]}, 3]', encoding="utf-8")
    splits = splits_of_file("all.jsonl", lines, SplitOf())
    assert splits == {"line:1": "val", "line:3": "fold 2"}
    assert [split_at(splits, position) for position in ("line:1", "line:1:2", "line:3", "line:4", "p5")] == [
        "val",
        "val",
        "fold 2",
        None,
        None,
    ]
    assert splits_of_file("all.json", document, read_split_of(["subset"])) == {"record:1": "train"}
    with pytest.raises(ValueError, match=r"all\.jsonl: no record with a field 'subset'"):
        splits_of_file("all.jsonl", lines, read_split_of(["subset"]))


def test_a_file_that_tells_nothing_has_no_split(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("1. ……", encoding="utf-8")
    assert splits_of_file("paper.txt", paper, SplitOf()) == splits_of_file("paper.txt", None, SplitOf()) == {}
    assert split_at({}, "line:1") is None


@pytest.mark.parametrize("said", [["=train"], ["part*="], ["one", "two"], [" "]])
def test_what_says_no_split_is_an_error(said: list[str]) -> None:
    with pytest.raises(ValueError, match="expected PATTERN=SPLIT"):
        read_split_of(said)
