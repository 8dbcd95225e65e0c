"""What `make repro` and `make show` print."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from dvc.fs import localfs

from scripts import dvc_progress, show
from scripts.dvc_progress import StageLines, lock_to_modify

INFO, WARNING, ERROR = logging.INFO, logging.WARNING, logging.ERROR
SUMMARY = {
    "data": {"items": 3, "questions": 2, "questions_rejected": 1, "clusters": 0, "facts": 1_200, "facts_rejected": 0, "passages": 1,
             "claims": 1, "claims_rejected": 0},
    "splits": {"train": {"questions": 1, "claims": 1}, "test": {"questions": 1_001, "claims": 0}},
    "runs": {"tiny-claims": {"pairs": 1, "following_rate": 1.0, "accuracy": 0.5}},
}  # fmt: skip


@pytest.fixture
def lines(tmp_path: Path) -> StageLines:
    (tmp_path / "dvc.yaml").write_text("stages:\n  crawl: {foreach: [a], do: {cmd: x, desc: Pages as they came.}}\n  clean: {cmd: x}\n")
    (tmp_path / "dvc.lock").write_text("schema: '2.0'\nstages:\n  crawl@a:\n    cmd: x\n  clean:\n    cmd: x\n")
    return StageLines(tmp_path)


@pytest.mark.parametrize(
    ("level", "message", "shown"),
    [
        (INFO, "Running stage 'crawl@a':", "[1/2] crawl@a: Pages as they came."),
        (INFO, "Stage 'clean' is cached - skipping run", "[1/2] clean: as in an earlier run, restored from the cache"),
        (INFO, "Stage 'clean' didn't change, skipping", None),
        (INFO, "> python -m crawlers.crawl a", None),
        (WARNING, "'curation/verdicts.jsonl' is empty.", None),
        (WARNING, "the disk is nearly full", "the disk is nearly full"),
        (ERROR, "failed to reproduce 'a'", "failed to reproduce 'a'"),
    ],
)
def test_shows_only_running_stages_and_warnings(lines: StageLines, level: int, message: str, shown: str | None) -> None:
    record = logging.LogRecord("dvc", level, "", 0, message, (), None)
    assert (record.getMessage() if lines.filter(record) else None) == shown


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    """A pipeline of two stages, of which the second stands on an empty file."""
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    for command in (["git", "init", "-q"], [sys.executable, "-m", "dvc", "init", "-q"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "empty.jsonl").touch()
    write = f"{sys.executable} -c \"import sys; open(sys.argv[1], 'w').write('x'); print(sys.argv[1] + ': 1 item', file=sys.stderr)\""
    (tmp_path / "dvc.yaml").write_text(
        f"""stages:
  first: {{desc: Makes a., cmd: {json.dumps(f"{write} a")}, outs: [a]}}
  second: {{desc: Makes b of a., cmd: {json.dumps(f"{write} b")}, deps: [a, empty.jsonl], outs: [b]}}
"""
    )
    return tmp_path


def narrate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from scripts.dvc_progress import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, "repro", *words], cwd=folder, text=True, stdout=-1, stderr=subprocess.STDOUT)


@pytest.mark.slow
def test_a_pipeline_that_runs_has_two_lines_a_stage(project: Path) -> None:
    whole = narrate(project).stdout.splitlines()
    assert whole[:4] == ["[1/1] first: Makes a.", "a: 1 item", "[2/2] second: Makes b of a.", "b: 1 item"]
    assert narrate(project).stdout.splitlines() == ["Data and pipelines are up to date."]
    (project / "a").write_text("y")
    assert narrate(project, "first").stdout.splitlines()[0].startswith("[1/2] first")


@pytest.mark.slow
def test_the_lock_is_written_as_dvc_writes_it_and_only_where_it_changes(project: Path) -> None:
    """DVC reads and writes the whole lock after each stage, in pure Python: 25 seconds of a first `make repro`."""
    lock = project / "dvc.lock"
    pipeline = (project / "dvc.yaml").read_text()
    (project / "dvc.yaml").write_text(pipeline.replace("'w').write('x')", f"'w').write('x  # {'long ' * 40}')"))
    assert narrate(project).returncode == 0
    ours = lock.read_bytes()
    lock.unlink()
    subprocess.run([sys.executable, "-m", "dvc", "repro", "-q", "-f"], cwd=project, check=True)
    assert lock.read_bytes() == ours
    before = lock.stat().st_mtime_ns
    assert "Makes b" in narrate(project, "-f").stdout and lock.stat().st_mtime_ns == before
    (project / "dvc.yaml").write_text(pipeline)
    assert narrate(project, "second").returncode == 0
    changed = lock.read_bytes()
    lock.write_bytes(ours)
    subprocess.run([sys.executable, "-m", "dvc", "repro", "-q", "-f"], cwd=project, check=True)
    assert lock.read_bytes() == changed != ours


def test_the_lock_is_parsed_once_and_again_where_others_changed_it(tmp_path: Path, monkeypatch) -> None:
    lock, parse = tmp_path / "dvc.lock", Mock(wraps=dvc_progress.load_yaml)
    monkeypatch.setattr(dvc_progress, "load_yaml", parse)
    for name in "abc":
        with lock_to_modify(str(lock), fs=localfs) as data:
            data[name] = {}
    assert lock.read_text() == "a: {}\nb: {}\nc: {}\n" and not parse.called
    lock.write_text("a: {d: 1}\n")
    for _ in range(2):
        with lock_to_modify(str(lock), fs=localfs) as data:
            assert data == {"a": {"d": 1}}
    assert parse.call_count == 1


@pytest.mark.slow
def test_a_stage_that_fails_is_an_error(project: Path) -> None:
    (project / "dvc.yaml").write_text("stages:\n  wrong: {cmd: exit 3, outs: [c]}\n")
    failed = narrate(project)
    assert failed.returncode != 0 and "failed to reproduce 'wrong'" in failed.stdout


def test_figures_moved_are_listed_in_their_order() -> None:
    assert show.moved(SUMMARY, SUMMARY) == []
    now = json.loads(json.dumps(SUMMARY))
    now["data"]["facts"] = 1_300
    now["runs"]["tiny-claims"]["accuracy"] = None
    now["runs"]["new"] = {"pairs": 7}
    assert show.moved(SUMMARY, now) == [
        "data.facts                 1,200   ->  1,300",
        "runs.tiny-claims.accuracy  0.5000  ->  none",
        "runs.new.pairs             none    ->  7",
    ]


def test_the_overview_has_data_splits_runs_and_where_the_report_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="`make repro` builds it"):
        list(show.lines(tmp_path))
    run = {"task": "claim", "pairs": 1, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.1, 0.9]}
    files = {"metrics/summary.json": SUMMARY, "metrics/runs/tiny-claims.json": run, "reports/index.html": {}}
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))
    whole = list(show.lines(tmp_path))
    assert whole[:-1] == [
        "data    3 items, 2 questions (1 rejected), 0 clusters, 1,200 facts (0 rejected), 1 claims (0 rejected), 1 passages",
        "splits  train  1 question       1 claim",
        "        test   1,001 questions  0 claims",
        "runs    tiny-claims  accuracy 50.0 % [10.0, 90.0] of 1",
    ]
    assert whole[-1] == f"report  file://{tmp_path}/reports/index.html"
    assert not any("ran later" in line for line in whole)
    (tmp_path / "metrics/clean.json").write_text(json.dumps({"questions": {"in": 4}}))
    (tmp_path / "metrics/scores.json").write_text(json.dumps({"tiny-claims": {"accuracy": 0.5}}))
    (told,) = [line for line in show.lines(tmp_path) if "ran later" in line]
    assert told == "these figures are from the last report; clean ran later; `make repro` updates them"


def test_lists_changed_metrics_files_besides_the_summary(tmp_path: Path) -> None:
    """Tried by a user: "nothing" had moved while git named four files under metrics."""
    run = {"task": "claim", "pairs": 1, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.1, 0.9]}
    for name, value in {"metrics/summary.json": SUMMARY, "metrics/runs/tiny-claims.json": run, "metrics/errors.json": {"kinds": 1}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "built"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert not any("beside the summary" in line for line in show.lines(tmp_path))
    (tmp_path / "metrics/errors.json").write_text(json.dumps({"kinds": 2}))
    told = list(show.lines(tmp_path))
    place = told.index("changed since the last commit: nothing")
    assert told[place + 1] == "  1 file besides the summary changed: metrics/errors.json"
