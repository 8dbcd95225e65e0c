"""Own files are tracked by DVC before a run, whichever part of imports/ a line names."""

import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records import params
from scripts import own_files

PARAMS = YAML(typ="safe", pure=True).load(Path(__file__).parents[1] / "params.yaml")


@pytest.mark.parametrize(("path", "entry"), [
    ("imports/bank.xlsx", "imports/bank.xlsx"), ("imports/books", "imports/books"), ("./imports/books/", "imports/books"),
    ("imports/books/2024/a.docx", "imports/books"), ("elsewhere/books", None), ("imports", None),
    ("imports/models/gpt5", "imports/models/gpt5"), ("imports/models", None), ("imports/../elsewhere", None),
])  # fmt: skip
def test_what_stands_directly_in_imports_is_tracked(path: str, entry: str | None) -> None:
    assert own_files.entry_of(path) == (entry and Path(entry))


def test_only_what_is_here_and_untracked_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    for name in ("new/a.txt", "known/a.txt", "known.dvc", "gone.dvc", "models/gpt5/replies.jsonl", "models/own/model.safetensors"):
        (tmp_path / "imports" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "imports" / name).touch()
    for name in ("mxqe", "known", "former"):
        (tmp_path / f"data/items/{name}.jsonl").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"data/items/{name}.jsonl").touch()
    ran: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, cwd: ran.append(words[1:]))
    paths = {"one": "imports/new/a.txt", "two": "imports/new", "known": "imports/known", "gone": "imports/gone/b", "never": "imports/never"}
    backends = {"gpt5": "imported", "own": "huggingface"}
    models = {name: {"backend": backend, "name": f"imports/models/{name}"} for name, backend in backends.items()}
    lines = {"imports": {name: {"path": path} for name, path in paths.items()}, "models": PARAMS["models"] | models}
    own_files.prepare(params.check(PARAMS | lines), tmp_path)
    assert ran == [["-m", "dvc", "add", "imports/models/gpt5", "imports/new"]]  # weights may be large: docs/sharing.md
    assert capsys.readouterr().err.startswith("imports.gone: imports/gone/b is not here: `dvc pull imports/gone.dvc` fetches it")
    assert sorted(path.name for path in (tmp_path / "data/items").iterdir()) == ["known.jsonl", "mxqe.jsonl"]
