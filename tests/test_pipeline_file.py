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
from crawlers import inputs
from crawlers.inputs import inputs_of
from crawlers.web import settings

PARAMS = YAML(typ="safe", pure=True).load(Path(__file__).parents[1] / "params.yaml")
ROOT = Path(__file__).parent.parent
PIPELINE = YAML(typ="safe", pure=True).load(ROOT / "dvc.yaml")
OURS = ("atomexam", "crawlers", "curation", "splits", "eval")
# The crawl has no code among its dependencies: what a site said stands in the archive, and mending a spider never goes online.
WITHOUT_CODE = {"crawl"}
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
    assert {"crawlers/embedded/sites/ask120.py", "crawlers/embedded/serving/server.py"} <= embedded
    assert not [name for name in embedded if not name.startswith("crawlers/embedded/")]
    assert not list(inputs_of("ask120", Source(), "live"))
    assert not list(inputs_of("ask120", Source(mode="live"), "embedded"))


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


@pytest.mark.parametrize("site", SITES)
def test_extract_depends_on_all_the_code_that_reads_a_site_and_on_no_other_spider(site: str) -> None:
    """Also on what no module imports: the spider, and what the settings name."""
    loaded = [settings.DOWNLOADER_MIDDLEWARES, settings.EXTENSIONS, settings.embedded("http://x"), settings.offline()]
    names = re.findall(r"crawlers(?:\.\w+)+", repr(loaded))
    by_name = {file for name in names if (file := file_of(name.rpartition(".")[0]))}
    run = closure([ROOT / f"crawlers/sources/{site}/spider.py", *by_name])
    deps = [dep.replace("${key}", site) for dep in definition("extract")["deps"]]
    missing = [str(file.relative_to(ROOT)) for file in run if not is_covered(file, deps)]
    assert not missing, f"add to the deps of extract in dvc.yaml: {sorted(missing)}"
    assert not [other for other in SITES if other != site and is_covered(ROOT / f"crawlers/sources/{other}/spider.py", deps)]


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
    assert {line.split("@")[0].split()[0] for line in done.stdout.splitlines()} == {
        name for name, stage in PIPELINE["stages"].items() if "foreach" not in stage or PARAMS[stage["foreach"][2:-1]]
    }


@pytest.mark.parametrize("name", ["data/models/.tiny.lock", "data/models/tiny.part/model.json", "data/models/tiny/model.safetensors"])
def test_what_is_no_data_moves_no_hash(name: str) -> None:
    """Locks of stages that write into a folder stay there, and fresh checkouts have none."""
    done = subprocess.run([Path(sys.executable).with_name("dvc"), "check-ignore", name], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode == 0) is (".lock" in name or ".part" in name), done.stderr


def test_no_figure_moves_twice_in_dvc_metrics_diff() -> None:
    """Figures of runs and splits are in the summary alone; what a reader did not read is in its source's own file."""
    declared = [next(iter(one)) for stage in PIPELINE["stages"] for one in definition(stage).get("metrics", [])]
    assert sorted(set(declared)) == ["metrics/extract/${key}.json", "metrics/summary.json", "metrics/sweeps/${key}.json"]
