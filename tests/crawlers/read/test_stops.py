"""Which files stop the pipeline: every misunderstood one, but none for ids, flags, dates or layout."""

import json
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.params import Import
from crawlers.read.account.characters import CharacterAccount
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
    "bold.md": "\n\n".join(
        "\n".join([f"{n}. {row['question']}", *(f"   - {key}. {row[key]}" for key in "ABCD"), f"   - **答案：{row['answer']}**"])
        for n, row in enumerate(_ROWS, 1)
    ).encode(),
    "escaped.csv": _csv(
        [
            {"Question": row["question"], "Options": r"\n".join(f"{key} {row[key]}" for key in "ABCD"), "Answer": row["answer"]}
            for row in _ROWS
        ]
    ),
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
    accounts: list[CharacterAccount] = []
    items = [*read_files("own", source, pages, 0.05, 0.05, accounts)]
    assert accounts[0].unread_share <= 0.05  # even for files as small as these
    return [item for item in items if isinstance(item, QuestionItem) and not item.doubt]


@pytest.mark.parametrize("name", _GO_ON)
def test_unimportant_columns_do_not_stop_the_pipeline(tmp_path: Path, name: str) -> None:
    questions = _questions(tmp_path / name, _GO_ON[name], tmp_path / "pages")
    assert [((item.stem_raw or "").rpartition(". ")[2], item.answer_raw) for item in questions] == [
        (row["question"], row["answer"]) for row in _ROWS
    ]


@pytest.mark.parametrize("name", _STOP)
def test_a_misunderstood_file_stops_the_pipeline(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        _questions(tmp_path / name, _STOP[name], tmp_path / "pages")


_STATEMENTS = [(f"{organ}发生病变时以{_FINDINGS[n % 11]}为主。", n % 3 > 0) for n, organ in enumerate(_ORGANS)]
_TEXTS = [[row[key] for key in "ABCD"] for row in _ROWS]
_LINES = [f"{n}. {row['question']}" for n, row in enumerate(_ROWS, 1)]
_CASE = "男，{n}岁，饱餐后上腹剧痛{n}小时，呕吐后不缓解。"
_LAID_OUT = {
    "types.json": _json([{"q": s, "opts": [{"type": "TF"[not ok], "c": "O"}, {"type": "TF"[ok], "c": "X"}]} for s, ok in _STATEMENTS]),
    "codes.csv": csv_of(
        [
            ["questionContent", "optionContent", "questionAnswer"],
            *([row["question"], "|".join(texts), row["answer"]] for row, texts in zip(_ROWS, _TEXTS, strict=True)),
            *([statement, "", 2 - ok] for statement, ok in _STATEMENTS),
        ]
    ),
    "signs.csv": csv_of(
        [["题目", "选项", "答案"], *([row["question"], "".join(f"&{k}.{row[k]}" for k in "ABCD"), row["answer"]] for row in _ROWS)]
    ),
    "turns.csv": csv_of([each for n, row in enumerate(_ROWS) for each in ([_LINES[n], row["answer"]], [f"{k}.{row[k]}" for k in "ABCD"])]),
    "below.csv": csv_of(
        [
            ["题号", "题目", "答案"],
            *(
                each
                for n, row in enumerate(_ROWS, 1)
                for each in ([n, row["question"], row["answer"]], ["", " ".join(f"{k}.{row[k]}" for k in "ABCD"), ""])
            ),
        ]
    ),
    "project.csv": csv_of([["题干", "A项", "B项", "C项", "D项目", "答案"], *([*row.values()] for row in _ROWS)]),
    "lone.txt": "\n".join(f"{line}\n{row['answer']}. {row[row['answer']]}" for line, row in zip(_LINES, _ROWS, strict=True)).encode(),
    "case.json": _json([{"intro": _CASE.format(n=n + 30), "kind": "A3", "list": _ROWS[n * 3 : n * 3 + 3]} for n in range(4)]),
}


@pytest.mark.parametrize("name", _LAID_OUT)
def test_reads_a_bank_in_an_unusual_layout(tmp_path: Path, name: str) -> None:
    questions = _questions(tmp_path / name, _LAID_OUT[name], tmp_path / "pages")
    texts = [
        dict(zip("ABCD", item.options_raw or (), strict=False)).get(item.answer_raw or "", item.answer_raw or "") for item in questions
    ]
    rights = [text.rpartition(".")[2].strip() for text in texts]
    verdicts = [("O" if ok else "X") if name == "types.json" else ("正确" if ok else "错误") for _, ok in _STATEMENTS]
    choices = [row[row["answer"]] for row in _ROWS]
    assert rights == ({"types.json": verdicts, "codes.csv": choices + verdicts}.get(name) or choices)
    assert len({item.case_raw for item in questions}) == (4 if name == "case.json" else 1)
