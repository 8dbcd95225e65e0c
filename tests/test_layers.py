"""The shape of the code: who may import whom, and how large a module may grow."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from setuptools import find_packages

ROOT = Path(__file__).parent.parent
PACKAGES = ("atomexam", "crawlers", "curation", "splits", "eval", "scripts")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = {"torch", "transformers", "accelerate", "peft", "trl"}
HEAVY_HOMES = ("eval/models/", "eval/finetune/", "eval/tune/")
FLOOR = ("atomexam/pages", "atomexam/text", "atomexam/records", "atomexam/runtime")  # each imports what stands before it
STAGES = {
    "crawlers/crawl.py", "crawlers/extract.py",
    "curation/clean/__main__.py", "curation/near_duplicates/__main__.py", "curation/claims/__main__.py", "curation/evidence/__main__.py",
    "curation/verification.py", "curation/validate/__main__.py",
    "splits/split/__main__.py", "splits/leaks/__main__.py", "splits/release/__main__.py",
    "eval/finetune/__main__.py", "eval/tune/__main__.py",
    "eval/predict.py", "eval/score/__main__.py", "eval/items/__main__.py", "eval/errors/__main__.py", "eval/judge/__main__.py",
    "eval/compare.py", "eval/report/__main__.py",
}  # fmt: skip


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imports(path: Path) -> set[str]:
    """Return the top-level packages a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def is_module(name: str) -> bool:
    place = ROOT / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


def imported_modules(path: Path) -> Iterator[Path]:
    """Yield the modules of ours that a module imports, anywhere in it."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (file for name in names if (file := (ROOT / name.replace(".", "/")).with_suffix(".py")).exists())


def imported_folders(path: Path) -> set[str]:
    """Return the folders of ours, other than its own, that a module imports from."""
    found = set()
    for node in ast.walk(tree_of(path)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name if is_module(name) else node.module for name in modules]
        for name in modules:
            place = ROOT / name.replace(".", "/")
            if name.split(".")[0] in PACKAGES:
                found.add((place if place.is_dir() else place.parent).relative_to(ROOT).as_posix())
    return found - {path.parent.relative_to(ROOT).as_posix()}


def test_a_package_imports_the_ground_floor_and_itself_only() -> None:
    foreign = {shown(path): imports(path) & set(PACKAGES) - {"atomexam", path.relative_to(ROOT).parts[0]} for path in MODULES}
    assert not {name: others for name, others in foreign.items() if others}


@pytest.mark.parametrize("floor", FLOOR)
def test_the_ground_floor_imports_nothing_from_the_rooms(floor: str) -> None:
    below = FLOOR[: FLOOR.index(floor) + 1]
    for path in (ROOT / floor).glob("*.py"):
        above = [other for other in imported_folders(path) if other not in below]
        assert not above, f"{path.relative_to(ROOT)} imports {above}; {floor} may import {below}"


def test_no_folders_import_each_other() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        graph[shown(path.parent)] |= imported_folders(path)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"folders import each other: {' <- '.join(error.args[1])}; move what both need down a floor")


def test_extract_reads_no_files_of_people() -> None:
    """Its spiders read papers in lines; a change to the readers of files and tables must not make all sites stale."""
    closure, left = set[Path](), [ROOT / "crawlers/extract.py", *(ROOT / "crawlers/sources").glob("*/spider.py")]
    while left:
        if (path := left.pop()) not in closure:
            closure.add(path)
            left += imported_modules(path)
    rooms = {shown(path).split("/")[2] for path in closure if shown(path).startswith("crawlers/read/") and path.stat().st_size}
    assert rooms <= {"account", "lines", "vocabulary"}


def test_models_are_loaded_in_few_places() -> None:
    assert not {shown(path): imports(path) & HEAVY for path in MODULES if imports(path) & HEAVY and not shown(path).startswith(HEAVY_HOMES)}


def test_a_module_has_one_subject() -> None:
    lines = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {name: number for name, number in lines.items() if number > 600}, "what is their second subject?"


def test_no_pickle_no_eval_no_remote_code() -> None:
    assert not {shown(path): faults for path in MODULES if (faults := sorted(_risks(path)))}


def _risks(path: Path) -> Iterator[str]:
    """Yield what a module runs or loads of code that is not its own."""
    yield from imports(path) & {"pickle", "dill", "joblib", "shelve"}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
            yield node.func.id
        elif isinstance(node, ast.keyword) and node.arg == "trust_remote_code" and ast.unparse(node.value) != "False":
            yield node.arg


def test_every_stage_is_there_and_has_a_main() -> None:
    for name in STAGES:
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        assert any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body), name
        assert (ast.get_docstring(tree) or "").startswith("Stage `"), name


def test_an_installation_holds_every_package() -> None:
    """`tests/test_installation.py` compares all files with a built wheel."""
    find = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]["find"]
    with_code = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in MODULES if "templates" not in path.parts}
    assert set(find_packages(ROOT, include=find["include"])) == {name for name in with_code if name.split(".")[0] != "scripts"}
