"""Tables of statements whose column of answers states the form of its truth values in brackets: `判断（T/F）`."""

from pathlib import Path
from typing import Any

import pytest

from crawlers.read.__main__ import read_row
from crawlers.read.tables.legends import verdicts_of_name
from curation.clean.wording.answer_keys import read_verdict
from tests.crawlers.read.bodies import book_of, word_of
from tests.layouts.law import cleaned

_STATEMENTS = [f"第{n}项操作应当由两人进行" for n in range(1, 9)]


def _table(stem: str, verdict: str, right: str, wrong: str) -> list[list[str]]:
    rows = [[str(n), text, (right, wrong)[n % 2], f"依据规范第{n}条"] for n, text in enumerate(_STATEMENTS, 1)]
    return [["序号", stem, verdict, "说明"], *rows]


def _csv(path: Path, rows: list[list[str]]) -> Path:
    path.with_suffix(".csv").write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    return path.with_suffix(".csv")


def _xlsx(path: Path, rows: list[list[str]]) -> Path:
    path.with_suffix(".xlsx").write_bytes(book_of(rows))
    return path.with_suffix(".xlsx")


def _docx(path: Path, rows: list[list[str]]) -> Path:
    path.with_suffix(".docx").write_bytes(word_of(rows))
    return path.with_suffix(".docx")


@pytest.mark.parametrize("write", [_csv, _xlsx, _docx])
@pytest.mark.parametrize(
    ("stem", "verdict", "right", "wrong"),
    [("表述", "判断（T/F）", "T", "F"), ("陈述", "判断(对/错)", "对", "错"), ("说法", "正误(√/×)", "√", "×")],
)
def test_recognizes_a_verdict_column_by_its_form(tmp_path: Path, write: Any, stem: str, verdict: str, right: str, wrong: str) -> None:
    path = write(tmp_path / "bank", _table(stem, verdict, right, wrong))
    row = read_row(path.name, path)
    assert not row.error
    assert [item.stem_raw.rpartition("、")[2] for item in row.reading.items] == _STATEMENTS  # a paper's stem keeps its number
    signs = {"正确": {"正确", "√", right}, "错误": {"错误", "×", wrong}}
    assert all(item.answer_raw in signs["错误" if n % 2 else "正确"] for n, item in enumerate(row.reading.items, 1))


@pytest.mark.parametrize("name", ["判断", "判断（30分）", "判断（F/T）", "类型（T/F）"])
def test_a_bare_word_or_a_score_is_not_a_verdict_column(name: str) -> None:
    assert verdicts_of_name(name) == {}


SIGNS = [("√", "×"), ("✓", "✗"), ("✔", "✘"), ("☑", "☒"), ("✅", "❌"), ("✔\ufe0f", "✖\ufe0f"), ("（√）", "（×）"), ("对。", "错。")]


def _html(path: Path, rows: list[list[str]]) -> Path:
    said = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    path.with_suffix(".html").write_text(f'<html><meta charset="utf-8"><table>{said}</table></html>', encoding="utf-8")
    return path.with_suffix(".html")


@pytest.mark.parametrize("write", [_csv, _xlsx, _docx, _html])
@pytest.mark.parametrize(("right", "wrong"), SIGNS)
def test_a_column_of_ticks_and_crosses_has_the_answers_under_any_name(tmp_path: Path, write: Any, right: str, wrong: str) -> None:
    path = write(tmp_path / "bank", _table("题目", "结果", right, wrong))
    items = read_row(path.name, path).reading.items
    assert [read_verdict(item.answer_raw) for item in items] == ["B" if n % 2 else "A" for n in range(1, 9)]


def test_circles_alone_are_not_answers(tmp_path: Path) -> None:
    path = _csv(tmp_path / "bank", _table("题目", "答案", "○", "●"))
    assert {each.reason for each in cleaned(read_row(path.name, path).reading.items)} == {"answer_missing"}
