"""Imports: paths to names, files to the archive and on to items, and the messages to the user."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from openpyxl import Workbook

from atomexam.records.item import Item, QuestionItem
from atomexam.records.params import Import
from atomexam.runtime.jsonl import read_jsonl
from crawlers import read_imports as imports
from crawlers.read import paths
from crawlers.read.paths import named_files
from crawlers.read_imports import read_files, store_files

CHOICE = {"subject_name": "医学", "question_type": "multi", "question": "问", "options": {"A": "甲", "B": "乙", "C": ""}, "answer": "AB"}
PAPER = "心理学试卷\n一、单项选择题\n1．感觉是（ ）。\nA．甲 B．乙\n答案：A\n2．知觉是（ ）。\nA．丙 B．丁\n答案：B\n"


def source(path: Path, name: str | None = "cpsyexam") -> Import:
    return Import(path=str(path), format=name, snapshot="2026-01-01")


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    return folder


def test_files_are_named_from_the_folder_above_the_wildcard(tmp_path: Path, pages: Path) -> None:
    write(tmp_path / "b/one.jsonl", CHOICE), write(tmp_path / "a/二 %.jsonl", CHOICE)
    assert store_files("books", source(tmp_path), pages) == 2
    read = list(read_files("books", source(tmp_path), pages, 0.0))
    assert [item.url for item in read] == ["file:a/二 %.jsonl", "file:b/one.jsonl"]
    assert store_files("books", source(tmp_path / "b/one.jsonl"), pages) == 1  # the snapshot contains what `path` matches now
    assert [item.url for item in read_files("books", source(tmp_path), pages, 0.0)] == ["file:one.jsonl"]


@pytest.mark.parametrize(
    ("line", "subject"), [("科目：消防安全技术实务", "消防安全技术实务"), ("【专业】: 护理", "护理"), ("时间：90分钟", None)]
)
def test_a_line_above_a_paper_names_its_subject(line: str, subject: str | None, tmp_path: Path, pages: Path) -> None:
    title, _, questions = PAPER.partition("\n")
    (tmp_path / "a.txt").write_text(f"{title}\n{line}\n{questions}", encoding="utf-8")
    store_files("books", source(tmp_path / "a.txt", "paper"), pages)
    items = [item for item in read_files("books", source(tmp_path, "paper"), pages, 0.0) if isinstance(item, QuestionItem)]
    assert {(item.paper_raw, item.subject_raw) for item in items} == {("a 心理学试卷", subject)}


def test_several_paths_give_distinct_names_and_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("x/books/a.jsonl")), write(Path("y/books/a.jsonl"))
    assert [name for name, _ in named_files(["x/books", "y/books/a.jsonl", "x/books/*.jsonl"])] == ["x/books/a.jsonl", "y/books/a.jsonl"]
    assert named_files(["x/books/a.jsonl"]) == [("a.jsonl", Path("x/books/a.jsonl"))]
    assert [name for name, _ in named_files([str(tmp_path / "x/books/a.jsonl"), "x/books/a.jsonl"])] == ["a.jsonl"]
    Path("odd [1].jsonl").write_text("{}")
    assert [name for name, _ in named_files(["odd [1].jsonl"])] == ["odd [1].jsonl"]


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        ("nothing", "cpsyexam", r"imports\.books: no file matches '.*nothing'; a path is relative to"),
        ("", "cpsyexam", "no path; expected a file, a folder or a pattern"),
        ("own", "cpsyexams", "unknown format 'cpsyexams'; known: .*cmmlu, cpsyexam, .*did you mean cpsyexam"),
        ("own", None, r"no file matches"),
        ("own/a.gif", "paper", r"a\.gif: format paper does not read files that end in '\.gif'; it reads \.txt"),
    ],
)
def test_errors_in_params_say_what_to_do(tmp_path: Path, pages: Path, path: str, name: str | None, message: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/a.gif").write_bytes(b"x")
    with pytest.raises(ValueError, match=message):
        store_files("books", Import(path=path and str(tmp_path / path), format=name), pages)


def test_refuses_a_pattern_that_dvc_cannot_watch(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'imports/own/\*\.txt' is a pattern, but DVC tracks only a file or a folder"):
        Import(path="imports/own/*.txt")
    (tmp_path / "odd [1].txt").write_text(PAPER)
    assert Import(path=str(tmp_path / "odd [1].txt"))


@pytest.mark.parametrize(
    ("said", "expected"), [({}, (UNSET, UNSET)), ({"exam": "口腔执业医师", "subject": "口腔"}, ("口腔执业医师", "口腔"))]
)
def test_an_import_line_sets_exam_and_subject(tmp_path: Path, pages: Path, said: dict, expected: tuple) -> None:
    books = Import(path=str(write(tmp_path / "b.jsonl", CHOICE)), format="cpsyexam", snapshot="2026-01-01", **said)
    store_files("books", books, pages)
    assert [(item.exam, item.subject, item.subject_raw) for item in read_files("books", books, pages, 0.0)] == [(*expected, "医学")]


def test_refuses_a_file_that_is_too_large(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_FILE_BYTES", 10)
    write(tmp_path / "a.jsonl", CHOICE)
    with pytest.raises(ValueError, match=r"a\.jsonl: \d+ bytes; at most 10 are read"):
        store_files("books", source(tmp_path), pages)


def test_reports_identical_files(tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "a.jsonl", CHOICE), write(tmp_path / "b.jsonl", CHOICE)
    with caplog.at_level(logging.WARNING):
        store_files("books", source(tmp_path), pages)
    assert "books: b.jsonl has the same bytes as a.jsonl" in caplog.text
    assert len(list(read_files("books", source(tmp_path), pages, 0.0))) == 2


def test_unreadable_records_pass_until_there_are_too_many(tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "a.jsonl", CHOICE, CHOICE | {"question": "", "options": None}, CHOICE | {"options": 7})
    store_files("books", source(tmp_path), pages)
    with caplog.at_level(logging.WARNING):
        items = list(read_files("books", source(tmp_path), pages, 0.7))
    doubts = [item.doubt for item in items if isinstance(item, QuestionItem)]
    assert doubts == [None, "record_empty", "field_unreadable"]
    assert "books: 2 of 3 rejected; " in caplog.text and "a.jsonl: line 2: record_empty" in caplog.text
    message = r"read books: 2 of 3 records cannot be read, more than max_misfit_share 0\.6; .* First: a\.jsonl: line 2: record_empty"
    with pytest.raises(ValueError, match=message):
        list(read_files("books", source(tmp_path), pages, 0.6))


def test_reports_files_without_items(tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.txt").write_text(PAPER, encoding="utf-8"), (tmp_path / "b.txt").write_text("只有一句话。", encoding="utf-8")
    store_files("books", source(tmp_path, "paper"), pages)
    with caplog.at_level(logging.WARNING):
        assert len(list(read_files("books", source(tmp_path, "paper"), pages, 0.5))) == 2
    assert "books: nothing found in 1 of 2 files: b.txt" in caplog.text
    with pytest.raises(ValueError, match=r"nothing was found in 1 of 2 files, more than .* First: b\.txt"):
        list(read_files("books", source(tmp_path, "paper"), pages, 0.4))
    (tmp_path / "b.txt").write_bytes(b"")
    store_files("books", source(tmp_path, "paper"), pages)
    with pytest.raises(ValueError, match=r"b\.txt: the file is empty"):
        list(read_files("books", source(tmp_path, "paper"), pages, 0.5))


def test_a_command_in_a_refusal_names_the_path(tmp_path: Path, pages: Path) -> None:
    rows = [{"q": f"第{n}次测量时应当先看哪一项（ ）", "o": [f"甲{n}", "乙", "丙", "丁"], "k": n % 3 + 1} for n in range(12)]
    (tmp_path / "own").mkdir()
    (tmp_path / "own/odd.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    store_files("books", source(tmp_path / "own", None), pages)
    with pytest.raises(ValueError, match=f"odd.json: .*; python -m crawlers.read {tmp_path}/own/odd.json --propose"):
        list(read_files("books", source(tmp_path / "own", None), pages, 0.5))


def test_sheets_that_are_not_read_are_told_to_the_pipeline(tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = Workbook()
    for row in (["题目", "A", "B", "答案"], ["感觉是", "甲", "乙", "A"], ["知觉是", None, None, "A"]):
        made.active.append(row)
    made.create_sheet("填空").append(["题目", "填空1"])
    made.save(tmp_path / "a.xlsx")
    store_files("books", source(tmp_path / "a.xlsx", "table"), pages)
    with caplog.at_level(logging.WARNING):
        items = list(
            read_files("books", source(tmp_path / "a.xlsx", "table"), pages, 0.0)
        )  # an uncertain question does not mean a wrong format
    assert [item.doubt for item in items if isinstance(item, QuestionItem)] == [None, "options_unreadable"]
    assert "books: a.xlsx: sheet 填空: no known header, so its 1 rows are not read" in caplog.text


def test_reports_the_skipped_files_of_a_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a.txt", "b.png", "README"):
        (tmp_path / name).write_text(PAPER, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert [name for name, _ in named_files([str(tmp_path)])] == ["a.txt"]
    assert "files without a suffix, that end in '.png' are not read" in caplog.text


def test_any_number_of_uncertain_questions_passes(tmp_path: Path, pages: Path) -> None:
    messy = PAPER + "3．\n4．情绪是（ ）。\nA．甲\nC．乙\nB．丙\nB．丁\n答案：A\n"
    (tmp_path / "a.txt").write_text(messy, encoding="utf-8")
    store_files("books", source(tmp_path, "paper"), pages)
    items = list(read_files("books", source(tmp_path, "paper"), pages, 0.0))
    doubts = [item.doubt for item in items if isinstance(item, QuestionItem)]
    assert doubts[:2] == [None, None] and any(doubts)


def test_the_stage_reads_own_files_to_items(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/a.txt").write_bytes(PAPER.encode("gb18030"))
    flags = ["books", "--path", str(tmp_path / "own"), "--format", "paper", "--snapshot", "2026-01-01"]
    metrics, out = tmp_path / "metrics.json", tmp_path / "books.jsonl"
    imports.main([*flags, "--pages", str(tmp_path / "books"), "--out", str(out), "--metrics", str(metrics)])
    found = list(read_jsonl(out, Item))
    assert [(item.stem_raw, item.options_raw, item.answer_raw) for item in found if isinstance(item, QuestionItem)] == [
        ("1．感觉是（ ）。", ["A．甲", "B．乙"], "A"),
        ("2．知觉是（ ）。", ["A．丙", "B．丁"], "B"),
    ]
    assert json.loads(metrics.read_text())["characters"] > 0
