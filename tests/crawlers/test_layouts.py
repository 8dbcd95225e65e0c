"""Stage `layouts`: DVC runs `read` anew when the layout beside an import of one file comes, changes or goes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.item import QuestionItem
from atomexam.records.params import Import
from atomexam.runtime.jsonl import read_jsonl
from crawlers.layouts import layout_of, main

_ROOT = Path(__file__).parents[2]
_LAYOUT = "bank:\n  tables:\n    - {under: ['*'], stem: q, options: [o], answer: k}\n"


def _bank(path: Path) -> Path:
    rows = [{"q": f"第{n}次应当先看哪一项（ ）", "o": ["甲", "乙", "丙", "丁"], "k": "ABCD"[n % 4], "m": "DCBA"[n % 4]} for n in range(12)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def test_the_layout_of_one_file_is_told_by_hash_and_name(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "own/bank.json")
    line, out = Import(path=str(bank)), tmp_path / "data/layouts/mine.txt"
    assert layout_of(line) == ""
    (tmp_path / "own/bank.layout.yaml").write_text(_LAYOUT, encoding="utf-8")
    told = layout_of(line)
    assert told.endswith("  bank.layout.yaml\n") and len(told.split()[0]) == 64
    assert layout_of(Import(path=str(bank), format="table")) == told  # the layout goes before the format
    assert layout_of(Import(path=str(tmp_path / "own"))) == ""  # DVC watches what stands in a folder
    main(["mine", "--path", str(bank), "--out", str(out)])
    assert out.read_text(encoding="utf-8") == told


@pytest.mark.slow
def test_read_runs_anew_when_a_layout_comes_or_changes(tmp_path: Path) -> None:
    stages = YAML(typ="safe").load(_ROOT / "dvc.yaml")["stages"]
    for name in ("layouts", "read"):
        step = stages[name]["do"]
        step["deps"] = [dep for dep in step["deps"] if "${" in dep]  # the code lies elsewhere
    (tmp_path / "dvc.yaml").write_text(json.dumps({"stages": {name: stages[name] for name in ("layouts", "read")}}))
    params = {"imports": {"mine": {"path": "own/bank.json"}}, "extract": {"max_misfit_share": 0.1}}
    (tmp_path / "params.yaml").write_text(json.dumps(params))
    layout = _bank(tmp_path / "own/bank.json").with_name("bank.layout.yaml")
    layout.write_text(_LAYOUT, encoding="utf-8")
    dvc = Path(sys.executable).with_name("dvc")
    (tmp_path / "site").mkdir()
    subprocess.run([dvc, "init", "--no-scm", "-q"], cwd=tmp_path, check=True)
    subprocess.run([dvc, "config", "--local", "core.site_cache_dir", str(tmp_path / "site")], cwd=tmp_path, check=True)

    def answers() -> tuple[bool, list[str | None]]:
        environment = {"PATH": f"{dvc.parent}:/usr/bin:/bin", "PYTHONPATH": str(_ROOT), "DVC_NO_ANALYTICS": "1"}
        done = subprocess.run([dvc, "repro"], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        items = read_jsonl(tmp_path / "data/items/mine.jsonl", QuestionItem)
        return "Running stage 'read@mine'" in done.stdout, [item.answer_raw for item in items][:2]

    first = answers()
    assert first == (True, ["A", "B"])
    assert answers() == (False, ["A", "B"])
    layout.write_text(_LAYOUT.replace("answer: k", "answer: m"), encoding="utf-8")
    assert answers() == (True, ["D", "C"])
