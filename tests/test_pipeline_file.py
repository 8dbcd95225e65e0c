"""dvc.yaml: every stage names all it reads, so that a change reruns what it must and nothing else."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atomexam.records.params import Source
from crawlers import inputs
from crawlers.inputs import inputs_of
from crawlers.web import settings
from scripts import code_deps

ROOT = Path(__file__).parent.parent
PARAMS = YAML(typ="safe").load(ROOT / "params.yaml")
PIPELINE = YAML(typ="safe").load(ROOT / "dvc.yaml")
STAGES = code_deps.stages()


def test_a_stage_depends_on_the_code_it_imports_and_on_no_other() -> None:
    before = code_deps.PIPELINE.read_text(encoding="utf-8")
    assert code_deps.written(before) == before, "the modules that stages import moved: python -m scripts.code_deps"


@pytest.mark.parametrize(
    ("file", "most"),
    [
        ("atomexam/__main__.py", 0),
        ("atomexam/records/judgement.py", 6),
        ("atomexam/text/verdicts.py", 14),
        ("crawlers/read/containers/documents/doc.py", 0),
        ("curation/vocab/tails.yaml", 1),
        ("eval/judge/prompts/judge.txt", 2),
        ("eval/models/servers/vllm.py", 1),
        ("eval/tasks/choice.py", 7),  # the report shows the messages that it makes
    ],
)
def test_a_comment_makes_only_the_stages_stale_that_run_it(file: str, most: int) -> None:
    assert (ROOT / file).exists() and len(code_deps.stale(ROOT / file)) <= most


@pytest.mark.parametrize(("stage", "output"), [("predict", "data/predictions/${key}"), ("judge", "data/judgements/${key}.jsonl")])
def test_dvc_does_not_remove_replies_before_the_stage_that_takes_them_over(stage: str, output: str) -> None:
    """In a clone they are the only copy, since the cache of replies is not data."""
    assert {output: {"persist": True}} in PIPELINE["stages"][stage]["do"]["outs"]


def test_plan_depends_on_all_code_that_it_hashes() -> None:
    named = code_deps.modules_named(code_deps._named(), *code_deps._ROOMS)
    assert sorted(path.stem for path in named) == sorted(code_deps._named()), "a backend and a task have the name of their module"
    hashed = set().union(*(code_deps.planned_code(model, PARAMS) for model in PARAMS["models"]))
    assert hashed <= code_deps.code_of("plan", STAGES["plan"])


@pytest.mark.parametrize("name", ["clean", "extract", "leaks"])
def test_what_python_imports_is_among_the_code(name: str) -> None:
    """The list comes from the text of modules; this is what the interpreter really loads."""
    code = {file.relative_to(ROOT).as_posix() for file in code_deps.code_of(name, STAGES[name])}
    modules = ", ".join(code_deps.modules_of(STAGES[name]))
    done = subprocess.run([sys.executable, "-c", _LOADED.format(modules)], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = {line.removeprefix(f"{ROOT}/") for line in done.stdout.splitlines() if line.startswith(f"{ROOT}/") and ".venv" not in line}
    assert loaded and {file for file in loaded if (ROOT / file).stat().st_size} <= code


_LOADED = "import sys, {}\nprint(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"


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


def test_files_beside_the_code_make_a_stage_stale() -> None:
    """But for those of commands that are no stages."""
    apart = {
        "curation/audit/audit.html", "curation/audit/audit.md", "curation/vocab/codebook.yaml", "curation/vocab/themes.yaml",
        "eval/checklist.md.jinja",
    }  # fmt: skip
    assert {file.relative_to(ROOT).as_posix() for file in code_deps._data_files() if not _is_watched(file)} <= apart | _READ_ONLY


@pytest.mark.parametrize("name", sorted(STAGES))
def test_a_stage_depends_on_the_work_of_people_that_it_reads(name: str) -> None:
    """Files in git that are no code and no output: those that the modules started name as a default path."""
    started = [code_deps.file_of(module, runs=True) for module in code_deps.modules_of(STAGES[name])]
    texts = {node.value for file in started for node in code_deps.nodes_of(file) if isinstance(node, ast.Constant)}
    named = {text for text in texts if isinstance(text, str) and text.startswith(code_deps.OURS) and (ROOT / text).is_file()}
    outs = {path for stage in STAGES.values() for out in stage["outs"] for path in ([out] if isinstance(out, str) else out)}
    assert named <= {*STAGES[name]["deps"], *outs}


def test_the_lists_of_inputs_follow_replicas_and_saved_pages() -> None:
    pages = next((ROOT / "crawlers/sources").rglob("pages/*.html"))
    assert all("inputs" in code_deps.stale(file) for file in (ROOT / "crawlers/embedded/sites/ask120.py", pages))


_READ_ONLY = {
    file.relative_to(ROOT).as_posix() for folder in ("layouts", "vocabulary") for file in (ROOT / "crawlers/read" / folder).rglob("*.yaml")
}
"""What the stages of imports read, of which a fresh project has none."""


def _is_watched(file: Path) -> bool:
    return bool(code_deps.stale(file))


def test_dependencies_of_stages_exist() -> None:
    deps = {dep for stage in STAGES.values() for dep in stage["deps"]}
    assert not [dep for dep in deps if dep.split("/")[0] in code_deps.OURS and "${" not in dep and not (ROOT / dep).exists()]


def test_extract_depends_on_what_the_settings_of_scrapy_name() -> None:
    loaded = [settings.DOWNLOADER_MIDDLEWARES, settings.EXTENSIONS, settings.embedded("http://x"), settings.offline()]
    named = {name.rpartition(".")[0] for name in re.findall(r"crawlers(?:\.\w+)+", repr(loaded))}
    assert named and {file for name in named if (file := code_deps.file_of(name))} <= code_deps.code_of("extract", STAGES["extract"])


def test_extract_depends_on_no_other_spider() -> None:
    assert [dep for dep in STAGES["extract"]["deps"] if dep.startswith("crawlers/sources")] == ["crawlers/sources/${key}"]


@pytest.mark.slow
@pytest.mark.parametrize("stage", sorted(STAGES))
def test_help_helps(stage: str) -> None:
    helps = [
        subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, cwd=ROOT, check=True).stdout
        for module in code_deps.modules_of(STAGES[stage])
    ]
    assert all("default:" in text for text in helps)
    assert any(f"Stage `{stage}`" in text for text in helps)


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
    """Figures of runs and splits are in the summary alone."""
    declared = [next(iter(one)) for stage in STAGES for one in STAGES[stage].get("metrics", [])]
    assert sorted(set(declared)) == ["metrics/summary.json", "metrics/sweeps/${key}.json"]
