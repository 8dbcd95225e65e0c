"""Tables of Word documents: empty cells keep their position, titles above the header are lines, and a layout names their columns."""

import json
from pathlib import Path
from typing import Any

from atomexam.records.item import QuestionItem
from crawlers.read.__main__ import read_row
from crawlers.read.account.report import ReportRow
from crawlers.read.containers.documents.docx import read_docx
from tests.crawlers.read.bodies import sound, word_of

_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 9)]
_WORDS = ["感知觉", "记忆力", "注意力", "思维"]


def _read(folder: Path, body: bytes, *tables: dict[str, Any]) -> ReportRow:
    path = folder / "bank.docx"
    path.write_bytes(body)
    if tables:
        path.with_name("bank.layout.yaml").write_text(json.dumps({"bank": {"tables": tables}}, ensure_ascii=False), encoding="utf-8")
    return read_row("bank.docx", path)


def _told(row: ReportRow) -> list[tuple[str, list[str] | None, str | None]]:
    assert not row.error, row.error
    return [(item.stem_raw or "", item.options_raw, item.answer_raw) for item in sound(row.reading)]


def _choices() -> list[list[str]]:
    rows = [[str(n), stem, *_WORDS, "ABCD"[n % 4]] for n, stem in enumerate(_STEMS, 1)]
    return [["编", "内容是", "一", "二", "三", "四", "结论"], *rows]


_TABLE = {"under": ["table 1"], "stem": "内容是", "options": ["一", "二", "三", "四"], "answer": "结论"}
_EXPECTED = [(stem, _WORDS, "ABCD"[n % 4]) for n, stem in enumerate(_STEMS, 1)]


def test_a_layout_names_the_columns_of_a_table_in_word(tmp_path: Path) -> None:
    assert _told(_read(tmp_path, word_of(_choices(), above=["前言"]), _TABLE)) == _EXPECTED


def test_columns_without_names_have_numbers(tmp_path: Path) -> None:
    columns = {"under": ["table 1"], "stem": "column 2", "options": [f"column {n}" for n in range(3, 7)], "answer": "column 7"}
    assert _told(_read(tmp_path, word_of(_choices()[1:]), columns)) == _EXPECTED


def test_empty_option_cells_keep_their_position(tmp_path: Path) -> None:
    rows = _choices()
    rows[1][4] = rows[2][3] = ""
    told = _told(_read(tmp_path, word_of(rows), _TABLE))
    assert told[:2] == [(_STEMS[0], ["感知觉", "记忆力", "", "思维"], "B"), (_STEMS[1], ["感知觉", "", "注意力", "思维"], "C")]


def test_a_cell_merged_over_rows_is_in_each_of_them(tmp_path: Path) -> None:
    rows = [[*row, "科目" if not at else "心理学" if at == 1 else ""] for at, row in enumerate(_choices())]
    row = _read(tmp_path, word_of(rows, merged=[(1, 7, 8, 7)]), _TABLE | {"others": {"科目": "科目"}})
    assert [item.subject_raw for item in row.reading.items if isinstance(item, QuestionItem)] == ["心理学"] * 8


def test_a_star_means_every_table_with_these_columns(tmp_path: Path) -> None:
    body = word_of(_choices()[:5], [_choices()[0], *_choices()[5:]])
    assert _told(_read(tmp_path, body, _TABLE | {"under": ["*"]})) == _EXPECTED


def test_a_layout_may_give_the_header_row(tmp_path: Path) -> None:
    rows = [["说明", "本表", "", "", "", "", "供参考"], ["", "", "", "", "", "", "见下"], *_choices()]
    assert _told(_read(tmp_path, word_of(rows), _TABLE | {"header": 3})) == _EXPECTED


def test_names_the_tables_of_a_document_without_a_match(tmp_path: Path) -> None:
    error = _read(tmp_path, word_of(_choices()), _TABLE | {"under": ["table 2"]}).error or ""
    assert "rows under table 2" in error and "found rows under table 1" in error
    error = _read(tmp_path, word_of(above=["一、知觉是（ ）"]), _TABLE).error or ""
    assert "no table" in error and "`paper`" in error


def test_tables_among_lines_are_read_row_by_row() -> None:
    rows = [["1", "3岁的儿童", "对"], ["2", "两行\n的格", "错"]]
    assert read_docx("a.docx", word_of(rows, above=["题"])).lines == ["题", "1、3岁的儿童\t对", "2、两行", "的格", "错", ""]
