"""`crawlers.check FOLDER`: each file field by field, what is doubtful or unread, and what to do next."""

import json
import re
from pathlib import Path

import pytest

from crawlers.check.__main__ import main
from crawlers.read import files

_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 13)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{stem},甲{n},乙{n},丙{n},丁{n},{'ABCD'[n % 4]}" for n, stem in enumerate(_STEMS)]
    (tmp_path / "own").mkdir()
    (tmp_path / "own/a.csv").write_text("\n".join(["题干,A,B,C,D,答案", *rows]), encoding="utf-8")
    (tmp_path / "own/b.csv").write_text("\n".join(["题干,A,B,C,D", *(row.rpartition(",")[0] for row in rows)]), encoding="utf-8")
    (tmp_path / "own/c.csv").write_text("名称,规格,单价\n纱布,10片,3.5\n棉签,50支,2\n", encoding="utf-8")
    unsure = [{"q": stem, "o": [f"甲{n}", "乙", "丙", "丁"], "k": n % 3 + 1, "answer": n % 3 + 1} for n, stem in enumerate(_STEMS)]
    (tmp_path / "own/d.json").write_text(json.dumps(unsure, ensure_ascii=False), encoding="utf-8")
    return tmp_path / "own"


def test_every_file_of_a_folder_is_told_field_by_field(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "a.csv: table (guessed), 12 records found, 12 read as questions" in said
    assert re.search(r"stem_raw +100%  第1次测量", said)
    assert "12 of 12 questions have no answer (first line:2)" in said
    assert "c.csv: not read" in said and f"python -m crawlers.read {folder}/c.csv --propose writes a layout" in said
    assert "d.json: not read" in said and "d.json: may contain questions, but which is not certain" in said
    assert "first see to the 3 files with advice" in said
    assert main([str(folder / "a.csv")]) == 0
    assert capsys.readouterr().out.endswith(
        "nothing looks wrong\nnext: a line in params.yaml, under imports:  NAME: {path: PATH}  then: dvc repro\n"
    )
    assert main([str(folder / "c.csv")]) == 1


def test_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["file"], row["found"], bool(row["error"]), len(row["advice"])) for row in told] == [
        ("a.csv", 12, False, 0),
        ("b.csv", 12, False, 1),
        ("c.csv", 0, True, 2),
        ("d.json", 0, True, 1),
    ]
    assert {field["name"] for field in told[0]["fields"]["question"] if field["filled"]} >= {"stem_raw", "options_raw", "answer_raw"}


def test_files_are_read_within_a_budget(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(files, "_HEAVY_BYTES", 10)
    monkeypatch.setattr(files, "read_guarded", lambda read, name, *_: iter(["table"]))
    assert main([str(folder / "a.csv")]) == 1
    assert "nothing was read from 1 file" in capsys.readouterr().out
