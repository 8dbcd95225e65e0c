"""What is torn or damaged of dvc.lock, of outputs and of DVC's cache is found and healed."""

import hashlib
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dvc.utils.serialize import dumps_yaml, loads_yaml

from scripts.damage import heal_lock, heal_outputs, mend, stages_of

NAMES = ["a", "b@x", "c"]


def entry(name: str) -> dict:
    deps, outs = (
        [{"path": f"{kind}/{name}/{n}", "hash": "md5", "md5": hashlib.md5(f"{name}{n}".encode()).hexdigest(), "size": 10} for n in "01"]
        for kind in ("deps", "outs")
    )
    return {"cmd": f"python -m {name}", "deps": deps, "params": {"params.yaml": {"x": 1}}, "outs": outs}


LOCK = {"schema": "2.0", "stages": {name: entry(name) for name in NAMES}}
TEXT = dumps_yaml(LOCK)
STAGES = dict.fromkeys(NAMES, 2)


def test_a_sound_lock_is_left_alone() -> None:
    assert mend(TEXT, TEXT, STAGES) == (TEXT, [])
    assert mend(TEXT, "", STAGES) == (TEXT, [])
    fewer = dumps_yaml({"schema": "2.0", "stages": LOCK["stages"] | {"c": entry("c") | {"outs": entry("c")["outs"][:1]}}})
    assert mend(fewer, TEXT, STAGES | {"c": 1}) == (fewer, [])  # dvc.yaml has changed since the last commit


@pytest.mark.slow
def test_a_lock_cut_anywhere_is_as_it_was() -> None:
    for end in range(len(TEXT)):
        mended, faults = mend(TEXT[:end], TEXT, STAGES)
        assert mended == TEXT and faults, TEXT[:end][-80:]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ("\0" * 500, "is empty"),
        (TEXT[:300], "is truncated or invalid"),
        (TEXT[: TEXT.index("  c:")], "lacks entries of 1 stages; 1 are taken from the last commit"),
        (TEXT[: TEXT.index("  c:") + len("  c:\n    cmd: python -m c\n")], "lacks entries of 1 stages"),
        (TEXT[:-1], "is truncated or invalid"),
        (TEXT.replace("schema: '2.0'", ""), "is truncated or invalid"),
        (TEXT.replace("  c:\n", "<<<<<<< HEAD\n  c:\n").replace("    cmd: python -m c", "=======\n>>>>>>> x\n    cmd: python -m c"),
         "has a merge conflict"),
    ],
)  # fmt: skip
def test_faults_are_reported_and_repaired_from_the_last_commit(text: str, fault: str) -> None:
    mended, faults = mend(text, TEXT, STAGES)
    assert mended == TEXT and any(line.startswith(fault) for line in faults), faults


def test_entries_of_stages_that_are_gone_go_and_new_ones_stay() -> None:
    grown = dumps_yaml({"schema": "2.0", "stages": LOCK["stages"] | {"new": entry("new")}})
    mended, faults = mend(grown, TEXT, dict.fromkeys(("a", "c", "new"), 2))
    assert list(loads_yaml(mended)["stages"]) == ["a", "c", "new"] and faults == [
        "has entries of 1 stages that no longer exist; they are removed"
    ]
    assert mend(grown[:-9], TEXT, STAGES | {"new": 2})[0] == TEXT, "torn, and in no commit: DVC runs it again"


def test_the_stages_and_their_outputs_are_those_of_dvc(root: Path) -> None:
    pipeline, params, lock = (loads_yaml((root / name).read_text("utf-8")) for name in ("dvc.yaml", "params.yaml", "dvc.lock"))
    assert stages_of(pipeline, params) == {name: len(entry["outs"]) for name, entry in lock["stages"].items()}


DAMAGED = {"empty": "", "zeros": "\0" * 99, "cut": TEXT[: TEXT.index("size: 10") + 5] + "\n", "conflict": f"<<<<<<< HEAD\n{TEXT}"}


@pytest.mark.slow
@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_what_dvc_alone_says_of_a_damaged_lock_is_in_the_docs(text: str, project: Path, root: Path) -> None:
    (project / "dvc.yaml").write_text("stages: {a: {cmd: 'true'}}\n", encoding="utf-8")
    (project / "dvc.lock").write_text(text, encoding="utf-8")
    for command, status in (("init --quiet", 0), ("repro", 255)):
        done = subprocess.run([sys.executable, "-m", "dvc", *command.split()], capture_output=True, text=True, check=False)
        assert done.returncode == status
    said = re.search(r"or stops\s+with(.*?): then run `make repro`", (root / "docs/pipeline.md").read_text("utf-8"), re.DOTALL)
    assert any(words in done.stderr for words in re.findall("`(.*?)`", said[1]))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a file and a folder, both in DVC's cache."""
    monkeypatch.chdir(tmp_path)
    for command in (["init", "-q"], ["config", "user.email", "a@b.c"], ["config", "user.name", "a"]):
        subprocess.run(["git", *command], check=True)
    return tmp_path


def add(path: Path, content: bytes) -> str:
    """Write an output and its copy in the cache; return its hash."""
    md5 = hashlib.md5(content).hexdigest()
    for one in (path, Path("cache") / md5[:2] / md5[2:]):
        one.parent.mkdir(parents=True, exist_ok=True)
        one.write_bytes(content)
    return md5


def copy_of(md5: str) -> Path:
    return Path("cache") / md5[:2] / md5[2:]


def harm(path: Path, how: str) -> None:
    content = path.read_bytes()
    path.write_bytes({"emptied": b"", "cut": content[:-3], "flipped": bytes([content[0] ^ 1]) + content[1:]}[how])


@pytest.mark.parametrize("how", ["emptied", "cut", "flipped"])
@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("harmed", ["copy", "output", "both"])
def test_damaged_outputs_and_copies_are_found(project: Path, how: str, in_folder: bool, harmed: str, capsys: pytest.CaptureFixture) -> None:
    path = Path("data/f/0") if in_folder else Path("data/f")
    md5 = add(path, b"contents")
    row = {"path": "data/f", "md5": md5, "size": 8}
    if in_folder:
        listed = json.dumps([{"md5": md5, "relpath": "0"}]).encode()
        name = hashlib.md5(listed).hexdigest()
        copy_of(f"{name}.dir").parent.mkdir(exist_ok=True)
        copy_of(f"{name}.dir").write_bytes(listed)
        row["md5"] = f"{name}.dir"
    lock = {"s": {"cmd": "x", "outs": [row]}}
    assert heal_outputs(lock, Path("cache"), hashes=True) == 0
    for one in {"copy": [copy_of(md5)], "output": [path], "both": [copy_of(md5), path]}[harmed]:
        harm(one, how)
    assert heal_outputs(lock, Path("cache"), hashes=how == "flipped") == 1
    assert "`make repro` restores it or runs s again" in capsys.readouterr().err
    assert path.exists() == (harmed == "copy") and copy_of(md5).exists() == (harmed != "both")
    assert heal_outputs(lock, Path("cache"), hashes=True) == 0


def test_never_removes_files_in_git(project: Path) -> None:
    md5 = add(Path("ledger"), b"contents")
    subprocess.run(["git", "add", "ledger"], check=True)
    Path("ledger").write_bytes(b"edited by hand")
    assert heal_outputs({"s": {"cmd": "x", "outs": [{"path": "ledger", "md5": md5, "size": 8}]}}, Path("cache"), hashes=True) == 0
    assert Path("ledger").read_bytes() == b"edited by hand"


def test_truncated_lock_is_repaired_in_place(project: Path, capsys: pytest.CaptureFixture) -> None:
    Path("dvc.yaml").write_text(json.dumps({"stages": {"a": {}, "b": {"foreach": "${bs}"}, "c": {}}}))
    Path("params.yaml").write_text("bs: {x: 1}\n")
    Path("dvc.lock").write_text(TEXT)
    subprocess.run("git add -A && git commit -qm x", shell=True, check=True)
    Path("dvc.lock").write_text(TEXT[: random.Random(1).randrange(len(TEXT))])
    assert heal_lock() == LOCK["stages"] and Path("dvc.lock").read_text() == TEXT
    assert "dvc.lock is truncated or invalid" in capsys.readouterr().err
