"""Proposed layouts of questions: written beside the file, read from then on, never replaced, and named by the error that wants one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.params import Import
from atomexam.runtime.budgets import Budget
from crawlers.coverage import files
from crawlers.read import main
from crawlers.read_imports import store_files

_STEMS = [f"第{n}次测量时应当先看哪一项（ ）" for n in range(1, 13)]


def _bank(path: Path, **columns: Any) -> Path:
    records = [{"q": stem, "o": ["甲", "乙", "丙", "丁"][n % 2 :] + ["戊"] * (n % 2), "k": "ABCD"[n % 4]} for n, stem in enumerate(_STEMS)]
    records = [record | {key: value(n) for key, value in columns.items()} for n, record in enumerate(records)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"data": {"rows": records}}, ensure_ascii=False), encoding="utf-8")
    return path


def _answers(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [json.loads(line)["answer_raw"] for line in capsys.readouterr().out.splitlines()]


def test_a_proposal_is_used_mended_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = _bank(tmp_path / "bank.json", mine=lambda n: "DCBA"[n % 4])
    place = tmp_path / "bank.layout.yaml"
    assert main([str(bank)]) == 1  # two columns fit as answers
    assert "--propose" in capsys.readouterr().err
    assert main([str(bank), "--propose"]) == 0
    proposed = place.read_text(encoding="utf-8")
    assert "confidence" in proposed and "# doubtful: " in proposed and proposed.count(" => ") == 10
    capsys.readouterr()
    assert main([str(bank)]) == 1  # nobody has confirmed it
    said = capsys.readouterr()
    assert not said.out and re.search(
        r"bank\.layout\.yaml: line 4: bank says `confirmed: no`.* remove line 4 .*crawlers\.read .*bank\.json", said.err
    )
    with pytest.raises(ValueError, match="line 4: bank says `confirmed: no`"):
        main([str(bank), "--layouts", str(place), "--format", "bank"])
    [line] = [line for line in proposed.splitlines(keepends=True) if "confirmed: no" in line]
    place.write_text(proposed.replace(line, "  confirmed: yes\n"))
    assert main([str(bank)]) == 0
    first = _answers(capsys)
    proposed = proposed.replace(line, "")
    place.write_text(
        proposed.replace('answer: "k"', 'answer: "mine"') if first[0] == "A" else proposed.replace('answer: "mine"', 'answer: "k"')
    )
    assert main([str(bank)]) == 0
    assert [{"A", "D"} if n % 4 in (0, 3) else {"B", "C"} for n in range(12)] == [
        set(pair) for pair in zip(first, _answers(capsys), strict=True)
    ]
    mended = place.read_text(encoding="utf-8")
    assert main([str(bank), "--propose"]) == 1 and place.read_text(encoding="utf-8") == mended


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("bank:\n  tables:\n    - {under: [data, rows, '*'], stem: zz}\n", "names column 'zz'; found 'k', 'o', 'q'"),
        ("bank:\n  tables:\n    - {under: [rows], stem: q}\n", "found rows under no keys; data; data.rows.*"),
        ("bank:\n  tables:\n    - {under: [data, rows, '*'], stem: q, options: [o], answer: k, form: numbers}\n", "form 'numbers'"),
        ("bank:\n  tables:\n    - {stem: [q]}\n", "Expected `str`, got `array`"),
        ("bank:\n  confirmed: maybe\n  tables:\n    - {stem: q}\n", "confirmed"),
        ("bank: {}\n", "expected one of `questions`, `tables` and `entity`"),
        ("", "bank.layout.yaml"),
    ],
)
def test_a_layout_that_does_not_fit_says_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str, said: str) -> None:
    bank = _bank(tmp_path / "bank.json")
    (tmp_path / "bank.layout.yaml").write_text(layout, encoding="utf-8")
    assert main([str(bank)]) == 1
    assert said in capsys.readouterr().err


def test_a_sure_proposal_waits_for_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = _bank(tmp_path / "bank.json")
    assert main([str(bank), "--propose"]) == 0
    assert "confirmed" not in (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert main([str(bank)]) == 0 and len(_answers(capsys)) == 12


def test_numbers_that_prove_no_first_place_are_proposed_and_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = _bank(tmp_path / "bank.json", k=lambda n: n % 3 + 1)  # 1 to 3 of four options: B to D, or A to C
    assert main([str(bank)]) == 1 and not capsys.readouterr().out
    assert main([str(bank), "--propose"]) == 0
    proposed = (tmp_path / "bank.layout.yaml").read_text(encoding="utf-8")
    assert "confirmed: no" in proposed and "shows where they start" in proposed and 'form: "from 1"' in proposed
    assert main([str(bank)]) == 1
    (tmp_path / "bank.layout.yaml").write_text(proposed.replace("confirmed: no", "confirmed: yes"), encoding="utf-8")
    capsys.readouterr()
    assert main([str(bank)]) == 0 and _answers(capsys) == ["A", "B", "C"] * 4


def test_an_import_stops_at_a_layout_that_nobody_confirmed(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "own/bank.json", mine=lambda n: "DCBA"[n % 4])
    assert main([str(bank), "--propose"]) == 0
    (tmp_path / "pages").mkdir()
    with pytest.raises(ValueError, match=r"line 4: bank says `confirmed: no`.*crawlers\.read .*bank\.json"):
        store_files("mine", Import(path=str(tmp_path / "own")), tmp_path / "pages")


def test_a_large_file_is_proposed_within_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "_HEAVY_BYTES", 10)
    asked: list[Budget] = []
    monkeypatch.setattr(files, "read_guarded", lambda read, name, body, advice, budget, *given: asked.append(budget) or iter(["x: {}"]))
    assert main([str(_bank(tmp_path / "bank.json")), "--propose"]) == 0
    assert [budget.bytes for budget in asked] == [Budget().bytes]
