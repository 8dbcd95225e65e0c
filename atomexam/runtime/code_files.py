"""The project files that a module depends on: all its direct and indirect imports."""

import ast
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("atomexam", "crawlers", "curation", "splits", "eval")


def file_of(module: str, runs: bool = False) -> Path | None:
    """Return the file of a module in this project; with `runs`, a package's `__main__.py`."""
    path = ROOT / Path(*module.split("."))
    if runs and (path / "__main__.py").exists():
        return path / "__main__.py"
    file = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    return file if file.exists() else None


def modules_named(names: Container[str], *folders: str) -> list[Path]:
    """Return the modules in the given folders that have one of the names."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if path.stem in names]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


@cache
def imported(path: Path) -> frozenset[Path]:
    """Return the project files that a file imports, including the `__init__.py` files of its packages, which run first."""
    names: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    files = {file for name in names if name.split(".")[0] in OURS and (file := file_of(name))}
    packages = (folder / "__init__.py" for folder in path.parents if folder != ROOT and folder.is_relative_to(ROOT))
    return frozenset(files | {package for package in packages if package.exists()})


def closure(paths: Iterable[Path], without: Container[Path] = ()) -> set[Path]:
    """Return the given files and all project files they import, directly or indirectly, but not `without` or files imported only by
    those."""
    seen: set[Path] = set()
    left = list(paths)
    while left:
        if (file := left.pop()) not in seen and file not in without:
            seen.add(file)
            left += imported(file)
    return {file for file in seen if file.stat().st_size}  # an empty __init__.py changes nothing
