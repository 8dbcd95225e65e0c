"""What `make repro` does around DVC: what a killed run left is removed, own files are tracked, signals and a second call are told."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from filelock import FileLock
from ruamel.yaml import YAML

from atomexam.records import params
from scripts import own_files, repro
from scripts.recover import main, owners, remove_former

PARAMS = YAML(typ="safe", pure=True).load(Path(__file__).parents[1] / "params.yaml")


@pytest.fixture
def lock(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    return tmp_path / ".dvc/tmp/rwlock"


def dead_pid() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.mark.parametrize("text", ["", '{"a": {"wri', "[]", '{"a": 3}', "{}"])
def test_a_lock_that_was_cut_is_removed(lock: Path, text: str) -> None:
    lock.write_text(text)
    main()
    assert not lock.exists()


def test_a_lock_of_a_dead_process_is_removed(lock: Path) -> None:
    lock.write_text(json.dumps({"/a": {"write": {"pid": dead_pid(), "cmd": "dvc repro"}}}))
    main()
    assert not lock.exists()


def test_a_lock_of_a_zombie_is_removed(lock: Path) -> None:
    zombie = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked for its status
    lock.write_text(json.dumps({"/a": {"read": [{"pid": zombie.pid, "cmd": "dvc repro"}]}}))
    main()
    zombie.wait()
    assert not lock.exists()


def test_a_lock_of_a_live_process_stays(lock: Path) -> None:
    lock.write_text(json.dumps({"/a": {"write": {"pid": os.getpid(), "cmd": "dvc repro"}}}))
    main()
    assert lock.exists()


def test_owners_are_readers_and_writers() -> None:
    assert owners({"/a": {"write": {"pid": 1, "cmd": ""}}, "/b": {"read": [{"pid": 2, "cmd": ""}, {"pid": 3, "cmd": ""}]}}) == {1, 2, 3}


def test_no_lock_is_fine(lock: Path) -> None:
    main()


def test_removes_outputs_of_older_versions(tmp_path: Path) -> None:
    kept = ["predictions/tiny/run.jsonl", "predictions/.replies/tiny/run.jsonl", "models/tiny/model.json", "models/tiny/model.safetensors"]
    for name in [*kept, "models/README.md", "predictions/run.jsonl", "models/random/model.json"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    remove_former(tmp_path)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == sorted([*kept, "models/README.md"])
    assert not (tmp_path / "models/random").exists()
    remove_former(tmp_path / "nowhere")


def test_a_second_make_repro_waits_for_the_first(lock: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repro, "_track", lambda: None)
    monkeypatch.setattr(repro, "_dvc", lambda words: len(words))
    assert repro.main(["score"]) == 1 and not capsys.readouterr().err
    held = Event()

    def hold() -> None:
        with FileLock(repro.LOCK):
            held.set()
            time.sleep(0.5)

    Thread(target=hold).start()
    held.wait()
    assert repro.main([]) == 0
    assert capsys.readouterr().err == "another `make repro` is running in this folder; waiting until it ends\n"


def test_reports_that_a_signal_ended_dvc(lock: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tried by a user: make said `Error 241` and nothing else."""
    monkeypatch.setattr(repro, "_track", lambda: None)
    monkeypatch.setattr(repro, "_dvc", lambda words: -15)
    assert repro.main([]) == 143
    assert "ended by SIGTERM. Next: `make repro` again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("imports/bank.xlsx", "imports/bank.xlsx"),
        ("imports/books", "imports/books"),
        ("./imports/books/", "imports/books"),
        ("imports/books/2024/a.docx", "imports/books"),
        ("elsewhere/books", None),
        ("imports", None),
        ("imports/models/gpt5", "imports/models/gpt5"),
        ("imports/models", None),
        ("imports/../elsewhere", None),
    ],
)
def test_entries_directly_in_imports_are_tracked(path: str, entry: str | None) -> None:
    assert own_files.entry_of(path) == (entry and Path(entry))


def test_adds_only_existing_untracked_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
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
    assert capsys.readouterr().err.startswith("imports.gone: imports/gone/b is missing: `dvc pull imports/gone.dvc` fetches it")
    assert sorted(path.name for path in (tmp_path / "data/items").iterdir()) == ["known.jsonl", "mxqe.jsonl"]
