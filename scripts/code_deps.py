"""Write the code in the `deps` of dvc.yaml: all modules that a stage imports, directly or indirectly, and the data files they name.

python -m scripts.code_deps                     write the lists into dvc.yaml
python -m scripts.code_deps --stale FILE...     print the stages that a change of these files makes stale
"""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, get_args, get_type_hints

from ruamel.yaml import YAML

from atomexam.records.blocks import Model, Run
from atomexam.runtime.code_files import OURS, ROOT, closure, file_of, modules_named, nodes_of
from atomexam.runtime.stage import parser_of

PIPELINE = ROOT / "dvc.yaml"
CRAWLS = "crawl"
"""Stage without code among its dependencies, so that a corrected spider does not crawl again: the archive has the pages."""
EXTRACTS = "extract"
LISTED = {"inputs": {"crawlers/embedded", "crawlers/sources"}}
"""Folders that a stage reads as files, even if they contain code."""
PLANNED = ("predict", "judge", "errors")
"""Stages that depend on data/code, where `plan` writes hashes of the code of each model and its tasks, not on the code itself."""
_ROOMS = ("eval/models", "eval/tasks")
_WIDTH = 128
_DEPS = re.compile(r"^( *)deps: \[[^\]]*\]", re.MULTILINE)


def stages() -> dict[str, dict[str, Any]]:
    """Return the definition of each stage; for a `foreach` stage, its `do` block."""
    return {name: entry.get("do", entry) for name, entry in _entries().items()}


def _entries() -> dict[str, dict[str, Any]]:
    return YAML(typ="safe").load(PIPELINE)["stages"]


def commands_of(definition: dict[str, Any]) -> list[str]:
    command = definition["cmd"]
    return command if isinstance(command, list) else [command]


def modules_of(definition: dict[str, Any]) -> list[str]:
    """Return the modules that a stage's commands run."""
    words = [shlex.split(command) for command in commands_of(definition)]
    return [each[each.index("-m") + 1] for each in words]


def code_of(stage: str, definition: dict[str, Any]) -> set[Path]:
    """Return the modules that a stage runs; `extract` also runs each spider and the modules named in Scrapy's settings."""
    started = [file for module in modules_of(definition) if (file := file_of(module, runs=True))]
    if stage == EXTRACTS:
        settings = (ROOT / "crawlers/web/settings.py").read_text(encoding="utf-8")
        named = {file_of(name.rpartition(".")[0]) for name in re.findall(r"crawlers(?:\.\w+)+", settings)}
        started += [*(ROOT / "crawlers/sources").glob("*/spider.py"), *filter(None, named)]
    if stage == "plan":
        started += modules_named(_named(), *_ROOMS)
    return closure(started, modules_named(_named(), *_ROOMS) if stage in PLANNED else ())


def _named() -> set[str]:
    """Return the names of all backends and tasks, which are also the names of their modules."""
    fields = get_type_hints(Model)["backend"], get_type_hints(Run)["task"]
    return {name for field in fields for name in get_args(field)}


def planned_code(model: str, params: dict[str, Any]) -> set[Path]:
    """Return the code that `plan` hashes for a model: that of its backend and of its runs' tasks."""
    tasks = {run["task"] for run in params["runs"].values() if run["model"] == model}
    return _code_named(frozenset({params["models"][model]["backend"], *tasks}))


@cache
def _code_named(names: frozenset[str]) -> set[Path]:
    return closure(modules_named(names, *_ROOMS))


def data_of(modules: set[Path]) -> set[Path]:
    """Return the data files next to modules whose name, or whose folder's name, occurs in a module of the stage."""
    words = {part for file in modules for text in _names_in(file) for part in (*Path(text).parts, Path(text).stem)}
    packages = {file.parent for file in modules}
    return {file for file in _data_files() if _package(file) in packages and _names(file) & words}


def models_of(stage: str, key: str, params: dict[str, Any]) -> list[str]:
    """Return the models whose code a stage depends on through data/code."""
    if stage == "predict":
        return [key]
    judge = params["judges"][key] if stage == "judge" else params["errors"].get("judge") if stage == "errors" else None
    return [judge["model"]] if judge else []


@cache
def _names_in(path: Path) -> frozenset[str]:
    """Return the string literals that a module passes to a call or joins to a path."""
    nodes = nodes_of(path)
    given = [value for node in nodes if isinstance(node, ast.Call) for value in (*node.args, *(word.value for word in node.keywords))]
    given += [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    texts = (node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset(text for text in texts if len(text) < 80)


def _package(file: Path) -> Path:
    return next(folder for folder in file.parents if (folder / "__init__.py").exists())


_OTHERS = ("crawlers/sources", "crawlers/embedded", "crawlers/templates")
"""Folders read only by `inputs`, by `extract` of one key, and by `crawlers.new`."""


@cache
def _data_files() -> frozenset[Path]:
    """Return the data files of the packages, without annotations and ledgers (.jsonl), which appear in the stages' commands."""
    files = {file for room in OURS for file in _files_in(ROOT / room) if file.suffix != ".jsonl" and not _is_module(file)}
    return frozenset(file for file in files if not file.relative_to(ROOT).as_posix().startswith(_OTHERS))


def _files_in(folder: Path) -> set[Path]:
    every = (file for file in folder.rglob("*.*") if "__pycache__" not in file.parts and file.suffix != ".typed")
    return {file for file in every if file.is_file() and file.stat().st_size}


def _is_module(file: Path) -> bool:
    return file.suffix == ".py" and (file.parent / "__init__.py").exists()


def _names(file: Path) -> set[str]:
    """Return the names by which code may refer to a data file: its own and those of enclosing folders that are not packages."""
    inside = (folder for folder in file.parents if folder.is_relative_to(ROOT) and folder != ROOT)  # a checkout may have any name
    folders = {folder.name for folder in inside if not (folder / "__init__.py").exists()}
    return {file.name, file.stem, *folders}


def _folded(files: set[Path]) -> Iterator[str]:
    """Yield the files as paths, replacing all files of a folder with the folder."""
    left = set(files)
    for folder in sorted({parent for file in files for parent in file.parents if parent.is_relative_to(ROOT) and parent != ROOT}):
        inside = _files_in(folder)
        if inside <= files and inside & left and len(inside) > 1:
            left -= inside
            yield folder.relative_to(ROOT).as_posix()
    yield from (file.relative_to(ROOT).as_posix() for file in left)


def deps_of(stage: str, definition: dict[str, Any]) -> list[str]:
    """Return all dependencies of a stage: its code, and the listed ones that are not code or occur in its commands."""
    words = {word for command in commands_of(definition) for word in command.split()}
    listed = definition["deps"]
    kept = {dep for dep in listed if "${" in dep or dep in words or dep.split("/")[0] not in OURS}
    if stage == CRAWLS:
        return sorted(listed)
    modules = code_of(stage, definition)
    keyed = {file for file in modules if stage == EXTRACTS and file.is_relative_to(ROOT / "crawlers/sources")}
    data = data_of(modules) - (set((ROOT / "eval/tasks/prompts").iterdir()) if stage in PLANNED else set())
    return sorted({*kept, *LISTED.get(stage, ()), *_folded((modules - keyed) | data)})


def written(pipeline: str) -> str:
    """Return the text of dvc.yaml with the current dependencies of each stage."""
    wanted = iter([deps_of(name, definition) for name, definition in stages().items()])

    def deps(match: re.Match[str]) -> str:
        indent = match[1]
        entries = ", ".join(f'"{dep}"' if "${" in dep else dep for dep in next(wanted))
        lines = wrap(f"deps: [{entries}]", _WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
        return indent + f"\n{indent}  ".join(lines)

    return _DEPS.sub(deps, pipeline)


def stale(file: Path) -> list[str]:
    """Return the stages of dvc.yaml, one per key, that depend on a file or an enclosing folder."""
    params = YAML(typ="safe").load(ROOT / "params.yaml")
    found = []
    for name, entry in _entries().items():
        keys = list(params[entry["foreach"][2:-1]]) if "foreach" in entry else [""]
        for key in keys:
            deps = [dep.replace("${key}", key) for dep in entry.get("do", entry)["deps"]]
            planned = (planned_code(model, params) for model in models_of(name, key, params))
            if any(file.resolve().is_relative_to(ROOT / dep) for dep in deps) or any(file.resolve() in code for code in planned):
                found.append(f"{name}@{key}" if key else name)
    return found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--stale", nargs="+", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    for file in arguments.stale or []:
        names = stale(file)
        print(f"{file}: {len(names)} stages: {' '.join(names)}")
    if not arguments.stale:
        PIPELINE.write_text(written(PIPELINE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
