"""dvc.yaml: every stage names all it reads, so that a change reruns what it must and nothing else."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.params import Source
from crawlers import inputs, settings
from crawlers.inputs import inputs_of
from crawlers.reader import readers_of

ROOT = Path(__file__).parent.parent
PIPELINE = YAML(typ="safe", pure=True).load(ROOT / "dvc.yaml")
OURS = ("atomexam", "crawlers", "curation", "splits", "eval")
# The crawl has no code among its dependencies: what a site said stands in the archive, and mending a spider never goes online.
# What reads a source is told by `reader`, file by file.
WITHOUT_CODE = {"crawl", "extract"}
SITES = sorted(path.parent.name for path in (ROOT / "crawlers/sources").glob("*/spider.py"))


def definition(stage: str) -> dict:
    entry = PIPELINE["stages"][stage]
    return entry.get("do", entry)


def module_of(stage: str) -> str:
    words = shlex.split(definition(stage)["cmd"])
    return words[words.index("-m") + 1]


def file_of(module: str, is_stage: bool = False) -> Path | None:
    path = ROOT / Path(*module.split("."))
    if (path / "__main__.py").exists() and is_stage:
        return path / "__main__.py"
    return path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py" if path.is_dir() else None


def imported(path: Path) -> set[Path]:
    """Return the files of ours that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= {file for name in names if name.split(".")[0] in OURS and (file := file_of(name))}
    return found


def closure(paths: list[Path]) -> set[Path]:
    """Return files and all files of ours that they import, however far."""
    seen: set[Path] = set()
    left = list(paths)
    while left:
        if (file := left.pop()) not in seen:
            seen.add(file)
            left += imported(file)
    return {file for file in seen if file.stat().st_size}  # an empty __init__.py changes nothing


def is_covered(file: Path, deps: list[str]) -> bool:
    return any(file.is_relative_to(ROOT / dep) for dep in deps)


@pytest.mark.parametrize("stage", sorted(set(PIPELINE["stages"]) - WITHOUT_CODE))
def test_a_stage_depends_on_all_the_code_it_runs(stage: str) -> None:
    deps = [dep for dep in definition(stage)["deps"] if "${" not in dep]
    missing = [str(file.relative_to(ROOT)) for file in closure([file_of(module_of(stage), is_stage=True)]) if not is_covered(file, deps)]
    assert not missing, f"add to the deps of {stage} in dvc.yaml: {sorted(missing)}"


@pytest.mark.parametrize("stage", sorted(stage for stage in PIPELINE["stages"] if module_of(stage).startswith("curation.")))
def test_a_stage_depends_on_the_tables_of_words_its_code_names(stage: str) -> None:
    words = {
        node.args[0].value
        for file in closure([file_of(module_of(stage), is_stage=True)])
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    }
    tables = [table for table in (ROOT / "curation/vocab").glob("*.yaml") if table.stem in words]
    missing = [str(table.relative_to(ROOT)) for table in tables if not is_covered(table, definition(stage)["deps"])]
    assert not missing, f"add to the deps of {stage} in dvc.yaml: {sorted(missing)}"


def test_the_inputs_of_a_source_are_its_own() -> None:
    embedded = {name for name, _ in inputs_of("ask120", Source(), "embedded")}
    assert {"crawlers/embedded/sites/ask120.py", "crawlers/embedded/server.py"} <= embedded
    assert not [name for name in embedded if not name.startswith("crawlers/embedded/")]
    assert not list(inputs_of("ask120", Source(), "live"))
    assert not list(inputs_of("ask120", Source(mode="live"), "embedded"))
    book = Source(kind="files", path=str(ROOT / "tests/papers/blind_0*.txt"), format="paper")
    assert [name for name, _ in inputs_of("own", book, "live")] == [f"blind_0{number}.txt" for number in (1, 3, 5, 7, 9)]


def test_the_inputs_of_a_source_without_replica_are_its_saved_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("toy/pages/list.html", "toy/pages/list.json", "other/pages/list.html"):
        (tmp_path / "crawlers/sources" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "crawlers/sources" / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(inputs, "_ROOT", tmp_path)
    monkeypatch.setattr(inputs, "_SOURCES", tmp_path / "crawlers/sources")
    assert [name for name, _ in inputs_of("toy", Source(), None)] == [
        "crawlers/sources/toy/pages/list.html",
        "crawlers/sources/toy/pages/list.json",
    ]


@pytest.mark.slow
def test_files_that_dvc_does_not_watch_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1. 感觉是（A）", encoding="utf-8")
    command = [sys.executable, "-m", "crawlers.inputs", "own", "--kind", "files", "--format", "paper", "--out", str(tmp_path / "own.txt")]
    done = subprocess.run([*command, "--path", str(tmp_path / "*.txt")], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and "dvc repro -f inputs@own" in done.stderr
    (tmp_path / "b.txt").symlink_to("nowhere")
    done = subprocess.run([*command, "--path", str(tmp_path / "*.txt")], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and "b.txt: cannot be opened" in done.stderr and "dvc checkout" in done.stderr


def test_inputs_without_files_name_the_source_and_its_path() -> None:
    with pytest.raises(ValueError, match=r"sources\.own: .*nowhere"):
        list(inputs_of("own", Source(kind="files", path="nowhere/*.txt", format="paper"), None))


@pytest.mark.slow
@pytest.mark.parametrize("site", SITES)
def test_a_reader_is_all_the_code_that_extract_runs_for_a_site_and_no_other_spider(site: str) -> None:
    read = set(readers_of(site, "site"))
    loaded = [settings.DOWNLOADER_MIDDLEWARES, settings.EXTENSIONS, settings.embedded("http://x"), settings.offline()]
    names = re.findall(r"crawlers(?:\.\w+)+", repr(loaded))
    by_name = {file for name in names if (file := file_of(name.rpartition(".")[0]))}
    run = closure([ROOT / "crawlers/process.py", ROOT / "crawlers/replay/crew.py", ROOT / f"crawlers/sources/{site}/spider.py", *by_name])
    assert run <= read
    assert {path.parent.name for path in read if path.parent.parent.name == "sources"} == {site}


def test_a_reader_of_files_is_all_the_importers_and_no_spider() -> None:
    read = set(readers_of("own", "files"))
    assert closure([ROOT / "crawlers/files.py"]) <= read
    assert {ROOT / "crawlers/importers/layouts.yaml", ROOT / "crawlers/importers/columns.yaml"} <= read
    assert not [path for path in read if path.parent.parent.name == "sources" or path.parent.name == "replay"]


def test_a_reader_holds_the_selectors_beside_a_spider() -> None:
    assert ROOT / "crawlers/sources/hxter/selectors.yaml" in readers_of("hxter", "site")


@pytest.mark.parametrize("stage", sorted(PIPELINE["stages"]))
def test_a_stage_depends_on_nothing_that_is_not_there(stage: str) -> None:
    gone = [dep for dep in definition(stage)["deps"] if dep.split("/")[0] in OURS and "${" not in dep and not (ROOT / dep).exists()]
    assert not gone


@pytest.mark.parametrize("stage", sorted(PIPELINE["stages"]))
def test_dependencies_are_sorted(stage: str) -> None:
    deps = definition(stage)["deps"]
    assert deps == sorted(deps)


@pytest.mark.parametrize("stage", sorted(PIPELINE["stages"]))
def test_help_helps(stage: str) -> None:
    done = subprocess.run([sys.executable, "-m", module_of(stage), "--help"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert f"Stage `{stage}`" in done.stdout
    assert "default:" in done.stdout


def test_dvc_can_read_the_pipeline() -> None:
    done = subprocess.run([Path(sys.executable).with_name("dvc"), "stage", "list", "--all"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert {line.split("@")[0].split()[0] for line in done.stdout.splitlines()} == set(PIPELINE["stages"])


@pytest.mark.parametrize("name", ["data/models/.tiny.lock", "data/models/tiny.part/model.json", "data/models/tiny/model.safetensors"])
def test_what_is_no_data_moves_no_hash(name: str) -> None:
    """Locks of stages that write into a folder stay there, and fresh checkouts have none."""
    done = subprocess.run([Path(sys.executable).with_name("dvc"), "check-ignore", name], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode == 0) is (".lock" in name or ".part" in name), done.stderr
