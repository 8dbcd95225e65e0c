"""Tables of questions and of their options, in which true-or-false questions have no rows of options."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read import read_row

_WORDS = ["感知觉", "记忆力", "注意力", "思维", "情绪", "意志", "能力", "气质"]
Tables = dict[str, list[dict[str, Any]]]


def _tables(verdicts: tuple[Any, Any], marked: bool, choices: int = 20, statements: int = 10, answer: str = "answer") -> Tables:
    questions, options = list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(1, choices + statements + 1):
        right = (n * 3 + n // 3) % 4
        own = {"content": f"第{n}次测量时应当先看哪一项（ ）", "type": "单选题", answer: None if marked else "ABCD"[right]}
        if n > choices:
            own = {"content": f"第{n}次测量的结果属于{_WORDS[n % 8]}。", "type": "判断题", answer: verdicts[n % 2]}
        questions.append({"id": n, **own})
        for at in range(4 if n <= choices else 0):
            flag = {"is_right": int(at == right)} if marked else {}
            options.append({"id": len(options) + 1, "question_id": n, "label": "ABCD"[at], "text": _WORDS[(n + at) % 8], **flag})
    return {"questions": questions, "options": options}


def _write(path: Path, tables: Tables) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(tables, ensure_ascii=False), encoding="utf-8")
        return path
    with closing(sqlite3.connect(":memory:" if path.suffix == ".sql" else path)) as base:
        for name, rows in tables.items():
            base.execute(f"CREATE TABLE {name} ({', '.join(rows[0])})")
            base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", [tuple(row.values()) for row in rows])
        base.commit()
        if path.suffix == ".sql":
            path.write_text("\n".join(base.iterdump()), encoding="utf-8")
    return path


def _items(path: Path) -> list[QuestionItem]:
    row = read_row(path.name, path)
    assert not row.error, row.error
    return [item for item in row.reading.items if isinstance(item, QuestionItem)]


@pytest.mark.parametrize("suffix", [".json", ".db", ".sql"])
@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("verdicts", [("错", "对"), ("F", "T"), ("错误", "正确"), ("×", "√")])
@pytest.mark.parametrize(("choices", "statements"), [(20, 10), (20, 2), (8, 30)])
def test_statements_without_rows_of_options_are_read(
    tmp_path: Path, suffix: str, marked: bool, verdicts: tuple[str, str], choices: int, statements: int
) -> None:
    items = _items(_write(tmp_path / f"bank{suffix}", _tables(verdicts, marked, choices, statements)))
    assert not [item.doubt for item in items if item.doubt]
    assert [len(item.options_raw or []) for item in items] == [4] * choices + [0] * statements
    truths = {"错": "错误", "F": "错误", "×": "错误", "对": "正确", "T": "正确", "√": "正确"}
    read = [item.answer_raw or "" for item in items[choices:]]
    expected = [truths.get(verdicts[n % 2], verdicts[n % 2]) for n in range(choices + 1, choices + statements + 1)]
    assert [truths.get(answer, answer) for answer in read] == expected


@pytest.mark.parametrize(
    ("verdicts", "marked", "answer", "doubt"),
    [
        (("0", "1"), True, "answer", "answer_unreadable"),
        ((0, 1), True, "answer", "answer_unreadable"),
        (("0", "1"), False, "answer", "answer_unreadable"),
        (("0", "1"), True, "answer_1对0错", None),
        (("甲", "乙"), False, "answer", "answer_unreadable"),
    ],
)
def test_codes_that_nothing_explains_are_no_truth_values(
    tmp_path: Path, verdicts: tuple[Any, Any], marked: bool, answer: str, doubt: str | None
) -> None:
    items = _items(_write(tmp_path / "bank.json", _tables(verdicts, marked, answer=answer)))
    assert [item.doubt for item in items] == [None] * 20 + [doubt] * 10
    assert all(len(item.options_raw or []) == 4 and item.answer_raw for item in items[:20])
