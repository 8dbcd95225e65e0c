"""The shape of the code: who may import whom, and how large a module may grow."""

import ast
import tomllib
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from setuptools import find_packages

ROOT = Path(__file__).parent.parent
PACKAGES = ("atomexam", "crawlers", "curation", "splits", "eval", "scripts")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HEAVY = {"torch", "transformers", "accelerate", "peft", "trl"}
HEAVY_HOMES = ("eval/models/", "eval/finetune/")
FLOOR = ("atomexam/text", "atomexam/records", "atomexam/runtime")  # each imports what stands before it
ARROWS_BACK = {
    ("crawlers/embedded", "crawlers/embedded/sites"): "server",
}
"""Folder and the folder that it should not import -> modules that still do. This list only gets shorter."""
STAGES = {
    "crawlers/crawl.py", "crawlers/extract.py",
    "curation/clean/__main__.py", "curation/near_duplicates/__main__.py", "curation/claims/__main__.py", "curation/evidence/__main__.py",
    "curation/verification/__main__.py", "curation/validate/__main__.py",
    "splits/split/__main__.py", "splits/leaks/__main__.py", "splits/release/__main__.py",
    "eval/finetune/__main__.py", "eval/predict/__main__.py", "eval/score/__main__.py", "eval/errors/__main__.py", "eval/judge/__main__.py",
    "eval/compare/__main__.py", "eval/report/__main__.py",
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


def is_module(name: str) -> bool:
    place = ROOT / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


def imported_folders(path: Path) -> set[str]:
    """Return the folders of ours, other than its own, that a module imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def names(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_a_package_imports_the_ground_floor_and_itself_only(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0]
    assert imports(path) & set(PACKAGES) <= {"atomexam", own}


@pytest.mark.parametrize("floor", FLOOR)
def test_the_ground_floor_imports_nothing_from_the_rooms(floor: str) -> None:
    below = FLOOR[: FLOOR.index(floor) + 1]
    for path in (ROOT / floor).glob("*.py"):
        above = [other for other in imported_folders(path) if other not in below]
        assert not above, f"{path.relative_to(ROOT)} imports {above}; {floor} may import {below}"


def test_no_folders_import_each_other() -> None:
    """Hold what is left of arrows back: a new one fails, and so does an entry of ARROWS_BACK that is gone."""
    arrows: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in MODULES:
        for other in imported_folders(path):
            arrows[path.parent.relative_to(ROOT).as_posix(), other].add(path.stem)
    back = {pair: set(stems.split()) for pair, stems in ARROWS_BACK.items()}
    new = {pair: arrows[pair] - stems for pair, stems in back.items() if arrows[pair] - stems}
    assert not new, "arrows back: move what both folders need down a floor"
    gone = {pair: stems - arrows[pair] for pair, stems in back.items() if stems - arrows[pair]}
    assert not gone, "take these out of ARROWS_BACK"
    graph: dict[str, set[str]] = defaultdict(set)
    for folder, other in arrows.keys() - back.keys():
        graph[folder].add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"folders import each other: {' <- '.join(error.args[1])}; move what both need down a floor")


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_models_are_loaded_in_few_places(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if not name.startswith(HEAVY_HOMES):
        assert not imports(path) & HEAVY


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_a_module_has_one_subject(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, "what is its second subject?"


@pytest.mark.slow
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
    """`tests/test_installation.py` compares all files with a built wheel."""
    find = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]["find"]
    with_code = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in MODULES if "templates" not in path.parts}
    assert set(find_packages(ROOT, include=find["include"])) == {name for name in with_code if name.split(".")[0] != "scripts"}
