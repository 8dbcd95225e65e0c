"""The shape of the code: who may import whom, and how large a module may grow."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("records", "crawlers", "curation", "splits", "eval", "scripts")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = {"torch", "transformers", "accelerate", "peft", "trl"}
HEAVY_HOMES = ("eval/engine/", "eval/backends/huggingface.py", "eval/finetune.py")
STAGES = {
    "crawlers/crawl.py", "crawlers/extract.py",
    "curation/clean.py", "curation/near_duplicates.py", "curation/claims.py", "curation/evidence.py",
    "curation/verification.py", "curation/validate.py",
    "splits/split/__main__.py", "splits/leaks/__main__.py", "splits/release/__main__.py",
    "eval/finetune.py", "eval/predict.py", "eval/score.py", "eval/errors.py", "eval/judge.py", "eval/compare.py", "eval/report.py",
}  # fmt: skip


def imports(path: Path) -> set[str]:
    """Return the top-level packages a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_a_package_imports_records_and_itself_only(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0]
    allowed = {"records"} | ({own} if own != "records" else set())
    assert imports(path) & set(PACKAGES) <= allowed


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_models_are_loaded_in_few_places(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if not name.startswith(HEAVY_HOMES):
        assert not imports(path) & HEAVY


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_a_module_has_one_subject(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, "what is its second subject?"


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_no_pickle_no_eval_no_remote_code(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not calls & {"eval", "exec"}
    assert not imports(path) & {"pickle", "dill", "joblib", "shelve"}
    trusts = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "trust_remote_code"]
    assert all(isinstance(value, ast.Constant) and value.value is False for value in trusts)


def test_every_stage_is_there_and_has_a_main() -> None:
    for name in STAGES:
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        assert any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body), name
        assert (ast.get_docstring(tree) or "").startswith("Stage `"), name


def test_an_installation_holds_every_package() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    there = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in MODULES if path.name == "__init__.py"}
    assert set(listed) == there - {"scripts"}
