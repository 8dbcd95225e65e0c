"""Which files stop the line: none for what identifies, flags, dates or is the same beside questions, each that was misunderstood."""

import json
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.params import Import
from crawlers.read_imports import read_files, store_files
from tests.crawlers.read.bodies import csv_of

_ORGANS = ["胃", "肝", "脾", "肺", "肾", "胆囊", "胰腺", "心包", "膀胱", "大肠", "小肠", "食管"]
_FINDINGS = ["出血", "穿孔", "梗阻", "粘连", "水肿", "坏死", "纤维化", "钙化", "囊变", "破裂", "扭转"]
_ROWS = [
    {
        "question": f"{organ}发生病变时最先见到的改变是（ ）",
        **{key: f"{organ}{_FINDINGS[(n + at * 2) % 11]}{n}" for at, key in enumerate("ABCD")},
        "answer": "ABCD"[n * 7 % 4],
    }
    for n, organ in enumerate(_ORGANS)
]
_BESIDE: dict[str, list[Any]] = {
    "id": [f"{n * 7919 + 65536:08x}-a{n:03d}" for n in range(12)],
    "created_at": [f"2024-03-{n + 1:02d}T08:{n:02d}:12.418Z" for n in range(12)],
    "view_count": [n * 37 % 211 for n in range(12)],
    "is_deleted": [n % 2 == 0 for n in range(12)],
    "status": ["published"] * 12,
    "level": [("中等", "困难", "容易", "中等")[n % 4] for n in range(12)],
    "source": [f"《内科学》第{n + 2}章第{n % 4 + 1}节" for n in range(12)],
}
_FOODS = [
    [name, f"{name}粥", "甘平", f"补{organ}益气", f"{organ}虚者"] for name, organ in zip("粳麦燕薏绿赤山莲冬苦丝芹", _ORGANS, strict=True)
]


def _beside(*names: str) -> list[dict[str, Any]]:
    return [{key: _BESIDE[key][n] for key in names} | row for n, row in enumerate(_ROWS)]


def _csv(rows: list[dict[str, Any]]) -> bytes:
    return csv_of([[*rows[0]], *([*row.values()] for row in rows)])


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


_GO_ON = {
    **{f"{name}.csv": _csv(_beside(name)) for name in _BESIDE},
    **{f"{name}.json": _json(_beside(name)) for name in _BESIDE},
    "all.json": _json({"code": "SUCCESS", "total": 12, "data": {"rows": _beside(*_BESIDE)}}),
    "above.json": _json([{"paper_id": f"9f3c{n}", "updated_at": 1711958400 + n, "list": _ROWS[n * 3 : n * 3 + 3]} for n in range(4)]),
}
_STOP = {
    "option.csv": _csv([{{"D": "D选支"}.get(key, key): value for key, value in row.items()} for row in _ROWS]),
    "options.csv": _csv([{key: value for key, value in row.items() if key < "A" or key > "B"} | {"旁列": row["B"]} for row in _ROWS]),
    "foods.csv": csv_of([["品名", "选项一", "选项二", "选项三", "选项四", "等级"], *([*row, n % 4 + 1] for n, row in enumerate(_FOODS))]),
    "unread.json": _json([row | {"remark": f"关于{row['A']}与{row['B']}，" * 9} for row in _ROWS]),
}


def _questions(path: Path, body: bytes, pages: Path) -> list[QuestionItem]:
    path.write_bytes(body)
    pages.mkdir()
    source = Import(path=str(path), snapshot="2026-01-01")
    store_files("own", source, pages)
    return [item for item in read_files("own", source, pages, 0.05, 0.05) if isinstance(item, QuestionItem) and not item.doubt]


@pytest.mark.parametrize("name", _GO_ON)
def test_what_says_nothing_of_a_question_does_not_stop_the_line(tmp_path: Path, name: str) -> None:
    questions = _questions(tmp_path / name, _GO_ON[name], tmp_path / "pages")
    assert [(item.stem_raw, item.answer_raw) for item in questions] == [(row["question"], row["answer"]) for row in _ROWS]


@pytest.mark.parametrize("name", _STOP)
def test_a_file_that_was_misunderstood_stops_the_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        _questions(tmp_path / name, _STOP[name], tmp_path / "pages")
