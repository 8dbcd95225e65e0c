"""`atomexam`: one command that hands over to the modules, each with its own flags and exit status."""

import subprocess
import sys
from pathlib import Path

import pytest

from atomexam.__main__ import COMMANDS

ROOMS = ("atomexam", "crawlers", "curation", "splits", "eval", "scripts")
HEAVY = ("scrapy", "pandas", "numpy", "msgspec", "jieba", "lxml")


def atomexam(*words: str, root: Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from atomexam.__main__ import main; main()"
    return subprocess.run([sys.executable, "-P", "-c", code, *words], cwd=cwd or root, capture_output=True, text=True, check=False)


def test_help_lists_every_subcommand_and_loads_no_package_that_is_slow_to_load(root: Path) -> None:
    code = f"""
import sys
from atomexam.__main__ import main
try:
    main(["--help"])
finally:
    assert not set({HEAVY!r}) & set(sys.modules)
"""
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert all(f"  {name} " in shown.stdout for name in COMMANDS)
    assert atomexam(root=root).stdout == atomexam("--help", root=root).stdout


def test_every_command_names_itself_as_it_is_called(root: Path) -> None:
    shown = subprocess.run([sys.executable, "-m", "splits.prove", "--help"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("usage: python -m splits.prove ")
    made = [file for room in ROOMS for file in (root / room).rglob("*.py") if "ArgumentParser(" in file.read_text(encoding="utf-8")]
    assert made == [root / "atomexam/__main__.py", root / "atomexam/runtime/stage.py"]  # all others call `parser_of`


def test_unknown_subcommand_lists_the_known_ones(root: Path) -> None:
    done = atomexam("audti", root=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: unknown command 'audti'; known: {', '.join(COMMANDS)}\n"


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.project])
def test_outside_a_project_folder_it_says_what_is_missing(name: str, root: Path, tmp_path: Path) -> None:
    done = atomexam(name, "x", "y", root=root, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"`atomexam {name}` works on a project folder, but {tmp_path} is not one: it has no params.yaml" in done.stderr
    assert "Next: " in done.stderr


@pytest.mark.slow
def test_trace_of_named_data_needs_no_project_folder(root: Path, tmp_path: Path) -> None:
    done = atomexam("trace", "claim-00000000", "--data", "mine", root=root, cwd=tmp_path)
    assert (done.returncode, done.stderr.split(":")[:2]) == (1, ["error", " mine/splits"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("read", "none.txt"), ("answers", "none.jsonl"), ("audit", "none.csv", "--out", "report"), ("audit", "--bad")]
)
def test_errors_and_exit_status_are_those_of_the_module(words: tuple[str, ...], root: Path, tmp_path: Path) -> None:
    name, *rest = words
    code = f"import runpy, sys; sys.path.insert(0, {str(root)!r}); runpy.run_module({COMMANDS[name].module!r}, None, '__main__', True)"
    by_module = subprocess.run([sys.executable, "-P", "-c", code, *rest], cwd=tmp_path, capture_output=True, text=True, check=False)
    done = atomexam(*words, root=root, cwd=tmp_path)
    assert done.returncode == by_module.returncode > 0
    own, ours = (ended.stderr.splitlines()[-1] for ended in (by_module, done))
    assert ours.replace(f"atomexam {name}", f"python -m {COMMANDS[name].module}") == own


def test_uses_spiders_of_the_current_checkout(root: Path, tmp_path: Path) -> None:
    (tmp_path / "crawlers/sources").mkdir(parents=True)
    (tmp_path / "crawlers/check").mkdir()
    (tmp_path / "crawlers/__init__.py").touch()
    (tmp_path / "crawlers/check/__main__.py").write_text("print('the code of', __file__)")
    (tmp_path / "params.yaml").touch()
    assert atomexam("check", "mine", root=root, cwd=tmp_path).stdout == f"the code of {tmp_path / 'crawlers/check/__main__.py'}\n"
