"""The summary, the plots' tables, and the page, in a real browser."""

import csv
import io
from pathlib import Path

import msgspec
import pytest

from eval.report import main, page, read_metrics, summarize, table

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
COUNTS = {"in": 10, "out": 8, "rejected": 2}
DATA = {
    "clean": {"questions": COUNTS, "facts": COUNTS, "passages": 4, "rejected_by_reason": {"answer_missing": 2}},
    "near_duplicates": {"questions": COUNTS, "facts": COUNTS, "clusters": 1, "rejected_by_reason": {}},
    "claims": {"facts": COUNTS, "claims_by_type": {"disease_symptom": 8}, "rejected_by_reason": {"over_cap": 2}},
    "evidence": {"claims": 8},
    "validation": {"questions": {"rows": 8, "expectations": 3, "failed": 0}},
    "split": {"questions": {"train": 4, "dev": 1, "test": 2, "reserved": 1}, "claims": {"train": 4, "dev": 1, "test": 2, "reserved": 1}},
}
OUTCOMES = {"answered": 2, "unparsed": 0, "truncated": 0, "failed": 0}
ABOUT = {"model": "tiny", "shots": 0, "repeats": 1, "outcomes": OUTCOMES}
RUNS = {
    "tiny-claims": {
        **ABOUT, "task": "claim", "pairs": 2, "following_rate": 1.0, "accuracy": 0.5,
        "by_type": {"disease_symptom": {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5}},
    },
    "tiny-choice": {
        **ABOUT, "task": "choice", "questions": 2, "following_rate": 1.0, "accuracy": 0.5,
        "by_question_type": {"mcqa": {"questions": 2, "accuracy": 0.5}},
        "by_exam": {"PCE": {"questions": 2, "accuracy": 0.5}},
        "by_subject": {HOSTILE: {"questions": 2, "accuracy": 0.5}},
    },
}  # fmt: skip


def write(folder: Path) -> Path:
    (folder / "runs").mkdir(parents=True)
    for name, figures in DATA.items():
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(figures))
    for name, figures in RUNS.items():
        (folder / "runs" / f"{name}.json").write_bytes(msgspec.json.encode(figures))
    return folder


def test_the_summary_is_short_and_names_what_moves() -> None:
    summary = summarize(DATA, RUNS)
    assert summary["data"]["questions"] == 8
    assert summary["data"]["questions_rejected"] == 4
    assert summary["runs"]["tiny-claims"] == {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5}
    assert summary["runs"]["tiny-choice"] == {"questions": 2, "following_rate": 1.0, "accuracy": 0.5, "mcqa": 0.5}


def test_a_table_has_a_row_a_run_and_group() -> None:
    rows = list(csv.DictReader(io.StringIO(table(RUNS, "by_type", "atomic_type"))))
    assert rows == [{"run": "tiny-claims", "atomic_type": "disease_symptom", "accuracy": "0.5", "asked": "2", "following_rate": "1.0"}]


def test_a_stage_that_has_not_run_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "metrics")
    with pytest.raises(FileNotFoundError, match="dvc repro score@new"):
        read_metrics(folder, ["new"])
    (folder / "validation.json").unlink()
    with pytest.raises(FileNotFoundError, match="dvc repro validate"):
        read_metrics(folder, [])


def test_hostile_text_is_escaped() -> None:
    html = page(DATA, RUNS, summarize(DATA, RUNS))
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_the_page_asks_nothing_of_the_network() -> None:
    html = page(DATA, RUNS, summarize(DATA, RUNS))
    assert "http://" not in html
    assert "https://" not in html
    assert "src=" not in html.replace("src=x", "")


def test_the_stage_writes_the_same_bytes_twice(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # no params.yaml: the runs are those with figures
    write(tmp_path / "metrics")
    main([])
    written = [
        tmp_path / name for name in ("reports/index.html", "data/plots/types.csv", "data/plots/subjects.csv", "metrics/summary.json")
    ]
    first = [path.read_bytes() for path in written]
    main([])
    assert [path.read_bytes() for path in written] == first


def test_a_browser_shows_the_page_and_runs_nothing_in_it(browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page(DATA, RUNS, summarize(DATA, RUNS)), encoding="utf-8")
    opened = browser.new_page()
    asked, faults = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: faults.append(error))
    opened.goto((tmp_path / "index.html").as_uri())
    assert opened.title() == "AtomExam report"
    opened.get_by_text("tiny-choice").last.click()
    assert opened.get_by_text(HOSTILE).is_visible()
    assert (asked, faults) == ([(tmp_path / "index.html").as_uri()], [])
