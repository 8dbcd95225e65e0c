"""Layouts of tables by nested keys, as docs/importing.md shows them, and by the names of sheets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from atomexam.records.item import QuestionItem
from crawlers.read.__main__ import read_row
from crawlers.read.account.report import ReportRow
from crawlers.read.layouts.layout_files import layouts_with

_DOCS = Path(__file__).parents[4] / "docs" / "importing.md"


def _read(folder: Path, name: str, text: str, layout: str) -> ReportRow:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).with_suffix(".layout.yaml").write_text(layout, encoding="utf-8")
    return read_row(name, folder / name)


def _told(row: ReportRow) -> list[tuple[Any, ...]]:
    items = [item for item in row.reading.items if isinstance(item, QuestionItem)]
    return [(item.stem_raw, item.options_raw, item.answer_raw, item.type_raw, item.doubt) for item in items]


def test_the_example_of_nested_keys_in_the_docs_is_read(tmp_path: Path) -> None:
    [data] = re.findall(r"```json\n(.*?)```", _DOCS.read_text(encoding="utf-8"), re.DOTALL)
    [layout] = re.findall(r'```yaml\n("nested":.*?)```', _DOCS.read_text(encoding="utf-8"), re.DOTALL)
    row = _read(tmp_path, "nested.json", data, layout)
    assert _told(row) == [("感觉是", ["甲", "乙"], "B", "单选题", None), ("知觉是", ["丙", "丁"], "A", "单选题", None)], row.error
    assert not row.account.unread


@pytest.mark.parametrize(
    ("record", "options"),
    [
        ({"parts": [{"type": 1, "list": ["甲", "乙"]}]}, "parts.list"),
        ({"parts": {"list": [{"t": "甲"}, {"t": "乙"}]}}, "parts.list.t"),
        ({"parts": [{"of": {"t": "甲"}}, {"of": {"t": "乙"}}]}, "parts.of.t"),
    ],
)
def test_keys_reach_into_objects_and_lists(tmp_path: Path, record: dict[str, Any], options: str) -> None:
    rows = [{"q": f"第{n}次测量时先看哪一项", **record, "k": "AB"[n % 2]} for n in range(4)]
    layout = f"bank:\n  tables:\n    - {{under: ['*'], stem: q, options: [{options}], answer: k}}\n"
    told = _told(_read(tmp_path, "bank.json", json.dumps(rows, ensure_ascii=False), layout))
    assert [(each[1], each[2]) for each in told] == [(["甲", "乙"], "AB"[n % 2]) for n in range(4)]


def test_a_missing_column_is_refused_with_the_keys_within_lists(tmp_path: Path) -> None:
    rows = [{"q": f"第{n}次测量时先看哪一项", "parts": [{"t": "甲"}, {"t": "乙"}], "k": "A"} for n in range(4)]
    layout = "bank:\n  tables:\n    - {under: ['*'], stem: q, options: [words], answer: k}\n"
    assert "'parts.t'" in (_read(tmp_path, "bank.json", json.dumps(rows, ensure_ascii=False), layout).error or "")


def test_a_star_means_every_sheet_with_these_columns(tmp_path: Path) -> None:
    book = Workbook()
    for title in ("甲卷", "乙卷", "说明"):
        sheet = book.create_sheet(title)
        sheet.append(["内容是", "一", "二", "结论"] if title != "说明" else ["谁", "何时"])
        for n in range(4):
            sheet.append([f"{title}第{n}次测量时先看哪一项", "感知觉", "记忆力", "AB"[n % 2]] if title != "说明" else ["某人", str(n)])
    book.save(tmp_path / "bank.xlsx")
    layout = "bank:\n  tables:\n    - {under: ['*'], stem: 内容是, options: [一, 二], answer: 结论}\n"
    (tmp_path / "bank.layout.yaml").write_text(layout, encoding="utf-8")
    assert [each[2] for each in _told(read_row("bank.xlsx", tmp_path / "bank.xlsx"))] == [*"AB"] * 4


def test_the_example_of_fields_and_keys_in_the_docs_is_read(tmp_path: Path) -> None:
    [layout] = re.findall(r"```yaml\n(my_layout:.*?)```", _DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "own.yaml").write_text(layout, encoding="utf-8")
    rows = [{"ti_gan": f"第{n}次先看哪一项", "xuan_a": "甲", "xuan_b": "乙", "da_an": "AB"[n % 2]} for n in range(4)]
    (tmp_path / "bank.json").write_text(json.dumps({"data": {"list": rows}}, ensure_ascii=False), encoding="utf-8")
    row = read_row("bank.json", tmp_path / "bank.json", known=layouts_with(tmp_path / "own.yaml", ()))
    assert row.format == "my_layout"
    assert [(each[1], each[2]) for each in _told(row)] == [(["A.甲", "B.乙"], "AB"[n % 2]) for n in range(4)]


def test_the_example_line_of_the_docs_reads_one_question_per_line(tmp_path: Path) -> None:
    [pattern] = re.findall(r'`question: ("\{stem\}.*?")`', _DOCS.with_name("papers.md").read_text(encoding="utf-8"))
    text = "".join(f"第{n}次先看哪一项|||甲|||乙|||{'AB'[n % 2]}\n" for n in range(4))
    told = _told(_read(tmp_path, "bank.txt", text, f"bank:\n  paper:\n    question: {pattern}\n"))
    assert [(each[1], each[2]) for each in told] == [(["A. 甲", "B. 乙"], "AB"[n % 2]) for n in range(4)]
