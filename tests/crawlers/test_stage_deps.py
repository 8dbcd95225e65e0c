"""The `extract` stage of dvc.yaml names every module it runs, so that a mended parser is never taken for an unchanged one."""

import ast
from pathlib import Path

from ruamel.yaml import YAML


def _imported(path: Path, root: Path) -> set[Path]:
    """Return the modules of ours that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "crawlers":
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {file for name in names if (file := root / Path(*name.split(".")).with_suffix(".py")).exists()}


def test_extract_depends_on_all_it_runs(root: Path) -> None:
    stages = YAML(typ="safe", pure=True).load((root / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    deps = [root / dep for dep in stages["extract"]["do"]["deps"] if "$" not in dep]
    todo = {root / "crawlers/extract.py", root / "crawlers/archive.py", *(root / "crawlers/sources").glob("*.py")}
    run: set[Path] = set()
    while todo:
        path = todo.pop()
        run.add(path)
        todo |= _imported(path, root) - run
    covered = {path for path in run if any(path == dep or dep in path.parents for dep in deps)}
    assert sorted(str(path.relative_to(root)) for path in run - covered) == []
