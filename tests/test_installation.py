"""A wheel holds everything that the commands need, and they work from it in a folder outside the repository."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from atomexam.__main__ import COMMANDS

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installation")]
PACKAGES = ("atomexam", "crawlers", "curation", "splits", "eval")
_BUILD = "import sys; from setuptools import build_meta as b; b.build_{kind}(sys.argv[1])"
PAPER = """一、单项选择题
1．视网膜上对弱光敏感的感受器是（ ）
A．神经节细胞
B．双极细胞
C．视锥细胞
D．视杆细胞
答案：D
2．负责听觉的皮层区域位于哪个脑叶（ ）
A．枕叶
B．颞叶
C．额叶
D．顶叶
答案：B
"""


def tracked(root: Path) -> list[str]:
    """Return the files of the checkout, those not yet committed included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(name for name in listed if (root / name).is_file())


def build(kind: str, source: Path, out: Path) -> Path:
    """Build from a folder with the setuptools that is installed; nothing is downloaded."""
    done = subprocess.run([sys.executable, "-c", _BUILD.format(kind=kind), out], cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(out.iterdir())


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as files:
        return {name for name in files.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def source(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout without what an earlier build left in it."""
    folder = tmp_path_factory.mktemp("source")
    for name in tracked(root):
        if not name.startswith(("tests/", "docs/", "metrics/", "plots/", "data/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and the packages it depends on from the environment of the tests, but not the checkout."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    subprocess.run([getattr(sys, "_base_executable", sys.executable), "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin/python"
    where = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True
    )
    # A path alone: the .pth files of that folder, the one of the editable checkout among them, are not followed.
    (Path(where.stdout.strip()) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel]
    subprocess.run(pip, check=True, capture_output=True)
    return folder / "bin"


@pytest.fixture
def run(installed: Path, tmp_path: Path):
    """Run an installed command in a folder outside the repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST_", "ATOMEXAM_"))}
    environment = kept | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}  # compiling takes longer than the few questions here

    def in_folder(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [installed / words[0], *words[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
        return done

    return in_folder


def test_a_wheel_holds_every_file_of_the_packages_and_nothing_else(root: Path, wheel: Path) -> None:
    expected = {name for name in tracked(root) if name.split("/")[0] in PACKAGES and not name.endswith(".jsonl")}
    assert names_in(wheel) == expected
    assert {f"{package}/py.typed" for package in PACKAGES} <= expected


def test_a_source_distribution_gives_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "sdist").mkdir()
    with tarfile.open(build("sdist", source, tmp_path / "sdist")) as files:
        files.extractall(tmp_path / "unpacked", filter="data")
    (tmp_path / "wheel").mkdir()
    unpacked = next((tmp_path / "unpacked").iterdir())
    assert {"README.md", "LICENSE", "MANIFEST.in", "pyproject.toml"} <= {path.name for path in unpacked.iterdir()}
    assert names_in(build("wheel", unpacked, tmp_path / "wheel")) == names_in(wheel)


def test_the_code_is_that_of_the_wheel(installed: Path, run, root: Path) -> None:
    names = ", ".join(PACKAGES)
    done = run("python", "-c", f"import {names}; print(*(m.__file__ for m in ({names})), sep='\\n')")
    assert all(line.startswith(str(installed.parent)) for line in done.stdout.splitlines())
    assert run("atomexam", "--version").stdout == "atomexam 0.1.0\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_helps(name: str, run) -> None:
    assert run("atomexam", name, "--help").stdout.startswith(f"usage: atomexam {name} ")


def test_read_and_audit(run, tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text(PAPER, encoding="utf-8")
    (tmp_path / "crawlers.py").write_text("raise SystemExit('a file of the user was imported')")
    items = [json.loads(line) for line in run("atomexam", "read", "paper.txt").stdout.splitlines()]
    assert [item["answer_raw"] for item in items] == ["D", "B"]
    (tmp_path / "set.csv").write_text(
        "题目,A,B,C,D,答案\n" + "视网膜上对弱光敏感的感受器是,神经节细胞,双极细胞,视锥细胞,视杆细胞,D\n" * 2, encoding="utf-8"
    )
    run("atomexam", "audit", "set.csv", "paper.txt", "--out", "report", "--max", "defects_share=0.5")
    found = json.loads((tmp_path / "report/audit.json").read_text(encoding="utf-8"))
    assert len(found["clusters"]) == 1 and found["settings"]["threshold"] == 0.8
    assert "<html" in (tmp_path / "report/index.html").read_text(encoding="utf-8")


def test_answers(run, tmp_path: Path) -> None:
    row = {"id": "1", "task": "mcqa", "response": "答案是B", "options": {"A": "甲", "B": "乙"}}
    (tmp_path / "replies.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    done = run("atomexam", "answers", "replies.jsonl")
    assert json.loads(done.stdout)["answer"] == "B" and done.stderr == "1 replies: 1 answered\n"
    assert run("atomexam", "answers", "none.jsonl", status=1).stderr.startswith("error: none.jsonl: no such file")


def test_compare_and_diff_of_a_folder_with_results(run, tmp_path: Path) -> None:
    for folder in ("data/scores", "data/splits/test", "data/predictions"):
        (tmp_path / folder).mkdir(parents=True)
    runs = "\n".join(f"  {name}: {{model: {name}, task: choice, shots: 0, repeats: 1}}" for name in ("first", "second"))
    (tmp_path / "params.yaml").write_text(f"runs:\n{runs}\n")
    items = [f"question-{number:08x}" for number in range(12)]
    questions = [{"id": item, "question_type": "mcqa", "answer": "A"} for item in items]
    (tmp_path / "data/splits/test/questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in questions))
    (tmp_path / "data/splits/test/claims.jsonl").touch()
    for run_name, right in (("first", 12), ("second", 3)):
        scores = [
            {"item_id": item, "repeat": 0, "outcome": "answered", "answer": "A", "correct": place < right}
            for place, item in enumerate(items)
        ]
        (tmp_path / f"data/scores/{run_name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in scores))
        replies = [{"item_id": item, "repeat": 0, "prompt_sha256": "0", "reply": "A", "finish_reason": "stop"} for item in items]
        (tmp_path / f"data/predictions/{run_name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    assert "100.0 %" in run("atomexam", "compare", "first", "second").stdout
    assert "no figure moved" in run("atomexam", "diff", "workspace").stdout
    assert "not a version of this repository" in run("atomexam", "diff", "v1", status=1).stderr


def test_a_source_is_checked_on_its_embedded_site(run, tmp_path: Path) -> None:
    (tmp_path / "crawlers/sources").mkdir(parents=True)  # a folder of the user, without code
    (tmp_path / "params.yaml").touch()
    assert "xiaohe, embedded: 5 pages" in run("atomexam", "check", "xiaohe", "--pages", "5").stdout


def test_commands_report_a_missing_project_folder(run) -> None:
    assert "works on a project folder" in run("atomexam", "new", "mine", "https://a.example/", "--kind", "exam", status=2).stderr
