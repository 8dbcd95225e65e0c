"""What `make repro` and `make show` print."""

import io
import json
import logging
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from scripts import show
from scripts.dvc_progress import ProgressPrinter, read_once

INFO, WARNING, ERROR = logging.INFO, logging.WARNING, logging.ERROR
SUMMARY = {
    "data": {"items": 3, "questions": 2, "questions_rejected": 1, "clusters": 0, "facts": 1_200, "facts_rejected": 0, "passages": 1,
             "claims": 1, "claims_rejected": 0},
    "splits": {"train": {"questions": 1, "claims": 1}, "test": {"questions": 1_001, "claims": 0}},
    "runs": {"tiny-claims": {"pairs": 1, "following_rate": 1.0, "accuracy": 0.5}},
}  # fmt: skip


def told(*heard: tuple[int, str], plan: tuple[tuple[str, str | None], ...] = ()) -> tuple[list[str], list[bool]]:
    out = io.StringIO()
    printer = ProgressPrinter(out)
    printer.plan(plan)
    shown = [printer.handle(*one) for one in heard]
    printer.close()
    return out.getvalue().splitlines(), shown


def test_a_stage_is_named_with_its_place_and_what_it_does() -> None:
    plan = (("crawl@a", "Pages as they came."), *((f"stage{number}", None) for number in range(2, 11)))
    lines, shown = told(
        (INFO, "Running stage 'crawl@a':"), (INFO, "> python -m crawlers.crawl a"), (INFO, "Running stage 'stage10':"), plan=plan
    )
    assert lines == ["[ 1/10] crawl@a: Pages as they came.", "[10/10] stage10"]
    assert not any(shown)


def test_what_did_not_run_is_counted() -> None:
    same = [(INFO, f"Stage '{name}' didn't change, skipping") for name in "ab"]
    assert told(*same)[0] == ["nothing to do: 2 stages are as they were"]
    cached = (INFO, "Stage 'c' is cached - skipping run, checking out outputs")
    assert told(same[0], cached, plan=(("a", None), ("c", None)))[0][-1] == "1 other stage is as it was"
    assert told(*same, cached, plan=(("a", None), ("b", None), ("c", "Does it.")))[0] == [
        "[3/3] c: as in an earlier run, restored from the cache",
        "2 other stages are as they were",
    ]


def test_warnings_and_errors_are_shown_but_not_those_of_files_that_wait_for_people() -> None:
    heard = [(WARNING, "'curation/verdicts.jsonl' is empty."), (WARNING, "the disk is nearly full"), (ERROR, "failed to reproduce 'a'")]
    assert told(*heard)[1] == [False, True, True]


def test_a_stage_at_work_says_so_and_falls_silent_with_it() -> None:
    out = io.StringIO()
    printer = ProgressPrinter(out, seconds=0.2)
    Thread(target=printer.wait, daemon=True).start()
    printer.handle(INFO, "Running stage 'long':")
    deadline = time.monotonic() + 20
    while "  long has been running for 0 s" not in out.getvalue() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "  long has been running for 0 s" in out.getvalue()
    printer.close()
    end = out.getvalue()
    time.sleep(0.6)
    assert out.getvalue() == end


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
def test_dvc_itself_is_told_in_two_lines_a_stage(project: Path) -> None:
    whole = narrate(project)
    assert whole.stdout.splitlines() == ["[1/2] first: Makes a.", "a: 1 item", "[2/2] second: Makes b of a.", "b: 1 item"], whole.stdout
    assert narrate(project).stdout.splitlines() == ["nothing to do: 2 stages are as they were"]
    (project / "a").write_text("y")
    assert narrate(project, "first").stdout.splitlines()[0].startswith("[1/1] first")


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


def test_yaml_is_parsed_once_and_each_reader_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from dvc.utils import strictyaml
    from dvc.utils.serialize import _yaml

    asked = []
    usual = _yaml.parse_yaml
    monkeypatch.setattr(_yaml, "parse_yaml", lambda text, path, typ="safe": asked.append(text) or usual(text, path, typ))
    monkeypatch.setattr(strictyaml, "parse_yaml", usual)
    read_once()
    first = _yaml.parse_yaml("a: [1]", "p")
    first["a"].append(2)
    assert (_yaml.parse_yaml("a: [1]", "p"), strictyaml.parse_yaml("a: [1]", "q", typ="safe")) == ({"a": [1]}, {"a": [1]})
    assert asked == ["a: [1]"]
    assert _yaml.parse_yaml("a: 1 # why", "p", typ="rt").ca.items and len(asked) == 2


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
    assert not any("ran since" in line for line in whole)
    (tmp_path / "metrics/clean.json").write_text(json.dumps({"questions": {"in": 4}}))
    (tmp_path / "metrics/scores.json").write_text(json.dumps({"tiny-claims": {"accuracy": 0.5}}))
    (told,) = [line for line in show.lines(tmp_path) if "ran since" in line]
    assert told == "these figures are from the last report; clean ran since; `make repro` updates them"


def test_a_file_of_figures_that_changed_beside_the_summary_is_named(tmp_path: Path) -> None:
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
    place = told.index("moved since the last commit: nothing")
    assert told[place + 1] == "  1 file beside the summary changed: metrics/errors.json"
