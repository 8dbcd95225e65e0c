"""The sheet of a source: each stage takes what the one before kept, and each loss has its reason."""

import json
from pathlib import Path

import pytest

from atomexam.runtime.source_sheet import Loss, Step, lines_of, source_sheets
from crawlers.read.__main__ import main

STEM = "甲的颜色是（ ）"


def place(source: str, position: str) -> dict:
    return {"source": source, "url": "https://a.example/", "snapshot": "2026-01-01", "page_id": "p", "position": position}


def write(path: Path, *rows: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def seen(id_: str, source: str, position: str) -> dict:
    return {"id": id_, "stem": STEM, "provenance": [place(source, position)]}


def rejected(id_: str, reason: str, record: dict, kind: str = "question") -> dict:
    return {"id": id_, "kind": kind, "reason": reason, "detail": None, "record": record}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sources with a question in common, which the first one has twice and the second one keeps."""
    twice = [seen("q-1", "one", at) for at in ("q1", "q9")]
    write(tmp_path / "clean/questions.jsonl", *twice, seen("q-2", "one", "q2"), seen("q-1", "two", "q7"))
    write(tmp_path / "clean/facts.jsonl", {"id": "fact-1", "head": "甲", "tail": "红", "provenance": [place("two", "row:1")]})
    unsound = {"stem_raw": "乙\n（ ）", "provenance": place("one", "q3")}
    empty = {"name_raw": "丙", "provenance": place("two", "row:9")}
    write(tmp_path / "clean/rejected.jsonl", rejected("q-3", "stem_too_short", unsound), rejected("e-1", "entity_empty", empty, "entity"))
    write(tmp_path / "unique/rejected.jsonl", *(rejected("q-1", "identical", row) | {"detail": "q-1"} for row in twice))
    both = {"provenance": [place("one", "q1"), place("one", "q9"), place("two", "q7")]}
    write(tmp_path / "unique/questions.jsonl", seen("q-1", "two", "q7") | both, seen("q-2", "one", "q2"))
    write(tmp_path / "splits/train/questions.jsonl", {"id": "q-1"})
    write(tmp_path / "splits/test/questions.jsonl", {"id": "q-2"})
    return tmp_path


def test_the_stages_of_each_source_add_up(data: Path) -> None:
    lost = [Loss("stem_too_short", 1, ["q3 乙 （ ）"])], [Loss("identical", 1, [f"q1 {STEM}"])]
    assert source_sheets(data) == {
        "one": [
            Step("clean", "questions", 4, 3, lost[0], {}),
            Step("near_duplicates", "questions", 3, 1, lost[1], {}, 1),
            Step("split", "questions", 1, 1, [], {"test": 1, "train": 0}),
        ],
        "two": [
            Step("clean", "entries", 1, 0, [Loss("entity_empty", 1, ["row:9 丙"])], {}),
            Step("clean", "questions", 1, 1, [], {}),
            Step("near_duplicates", "questions", 1, 1, [], {}),
            Step("clean", "facts", 1, 1, [], {}),
            Step("near_duplicates", "facts", 1, 1, [], {}),
            Step("split", "questions", 1, 1, [], {"test": 0, "train": 1}),
        ],
    }
    assert [*lines_of(source_sheets(data)["one"])][:2] == ["clean: 4 questions, 3 kept, 1 rejected", "- 1 stem_too_short: q3 乙 （ ）"]
    assert "near_duplicates: 3 questions, 1 kept, 1 merged with another source, 1 rejected" in lines_of(source_sheets(data)["one"])


@pytest.mark.parametrize(
    ("file", "row", "told"),
    [
        ("splits/dev/questions.jsonl", {"id": "q-1"}, "2 questions are unique, but 3 are in splits"),
        ("unique/rejected.jsonl", rejected("q-2", "identical", seen("q-2", "two", "q2")), "kept twice, or rejected more often"),
    ],
)
def test_reports_inconsistent_sums(data: Path, file: str, row: dict, told: str) -> None:
    write(data / file, row)
    with pytest.raises(ValueError, match=told):
        source_sheets(data)


@pytest.mark.slow
def test_reading_shows_what_cleaning_rejects(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = "A. 甲\nB. 乙\nC. 丙\n答案：B\n"
    bank = tmp_path / "bank.txt"
    bank.write_text(
        "".join(f"{number}. 下列说法正确的第{number}项是（ ）\n{options}" for number in range(1, 9)) + f"9. 心（ ）\n{options}", "utf-8"
    )
    assert main([str(bank), "--sheet"]) == 0
    shown = capfd.readouterr().err
    assert "clean: 9 questions, " in shown and "near_duplicates: " in shown
