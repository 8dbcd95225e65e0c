"""Layouts of known platforms: each is recognized and reads its example, but no file that it reads only in part."""

from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.yaml_values import yaml_values
from crawlers.read.__main__ import read_row
from crawlers.read.account.report import ReportRow
from crawlers.read.layouts import layout_files
from crawlers.read.layouts.layout_files import END_OF_LAYOUT, shipped_layouts

_PLATFORMS = sorted((Path(layout_files.__file__).parent / "platforms").glob("*.yaml"))


def _example(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8").partition(END_OF_LAYOUT)[2]
    example = yaml_values(text, str(path))
    assert set(example) == {"file", "text", "gives"}, "the example of a platform has its file, its text, and the items it must give"
    return example


def _read(folder: Path, name: str, text: str) -> ReportRow:
    (folder / name).write_text(text, encoding="utf-8")
    return read_row(name, folder / name)


@pytest.mark.parametrize("path", _PLATFORMS, ids=lambda path: path.stem)
def test_the_example_of_a_platform_gives_its_items(path: Path, tmp_path: Path) -> None:
    example = _example(path)
    row = _read(tmp_path, example["file"], example["text"])
    assert row.format == path.stem in shipped_layouts(), row.error
    items = [item for item in row.reading.items if isinstance(item, QuestionItem)]
    fields = [{field: getattr(item, f"{field}_raw") for field in wanted} for item, wanted in zip(items, example["gives"], strict=True)]
    assert fields == example["gives"] and not any(item.doubt for item in items)
    assert not row.account.unread and not row.reading.skipped


@pytest.mark.parametrize("path", _PLATFORMS, ids=lambda path: path.stem)
def test_a_file_that_a_platform_reads_in_part_is_read_as_usual(path: Path, tmp_path: Path) -> None:
    example = _example(path)
    others = "".join(f"{number}# 第{number}项没有这个样子\n甲~乙~丙\n\n" for number in range(9, 30))
    row = _read(tmp_path, example["file"], f"{example['text']}\n{others}")
    assert row.format != path.stem
    assert f"--format {path.stem}" in (row.error or " ".join(row.reading.skipped)) or row.reading.record_count > len(row.reading.faults)


def test_refuses_a_platform_layout_that_leaves_its_marks_in_texts(tmp_path: Path) -> None:
    text = "".join(f"第{n}次应当先看哪一项^*^答案：B^*^A、甲{n}^*^B、乙{n}\n" for n in range(1, 9))
    assert _read(tmp_path, "a.txt", text).format == "paper"


@pytest.mark.parametrize("line", ["名称{n}|||价格为{n}元", "编号{n}|||名称{n}|||产地{n}", "题{n}先看哪一项|||甲|||乙|||A|||因为{n}"])
def test_no_platform_reads_rows_that_are_not_questions(tmp_path: Path, line: str) -> None:
    row = _read(tmp_path, "a.txt", "".join(line.format(n=n) + "\n" for n in range(1, 19)))
    assert row.format == "paper" and not any(item.answer_raw for item in row.reading.items if isinstance(item, QuestionItem))


def test_recognizes_a_users_layout_by_its_lines(tmp_path: Path) -> None:
    layout = "own:\n  paper:\n    when: '◎{}'\n    question: |\n      第{number}问 {stem}\n      {letter}~{option}\n      ◎{answer}\n"
    (tmp_path / "own.yaml").write_text(layout, encoding="utf-8")
    (tmp_path / "a.txt").write_text("".join(f"第{n}问 先看哪一项\nA~甲{n}\nB~乙\n◎B\n" for n in range(1, 5)), encoding="utf-8")
    known = layout_files.layouts_with(tmp_path / "own.yaml", ())
    row = read_row("a.txt", tmp_path / "a.txt", known=known)
    assert row.format == "own" and len(row.reading.items) == 4 and not row.reading.faults


def test_letters_without_options_refuse_a_platform(tmp_path: Path) -> None:
    rows = "\n".join(f"{number} 第{number}例首先检查的器官是（ ） 心脏 肝脏 脾脏 肺部 {'ABCD'[number % 4]}" for number in range(1, 9))
    row = _read(tmp_path, "bank.txt", rows)
    assert row.format == "paper" and any("lettered_row_below" in one for one in row.reading.skipped)


@pytest.mark.parametrize(
    ("text", "message"),
    [("own: {questions: {stem_raw: tm?}}", "mapping"), ("own: {questions: {stem_raw: tm}, known_buy: []}", "known_buy")],
)
def test_names_an_invalid_platform_file(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(layout_files, "_PLATFORMS", tmp_path)
    with pytest.raises(ValueError, match=rf"own\.yaml: not a layout for a platform: .*{message}"):
        shipped_layouts.__wrapped__()
