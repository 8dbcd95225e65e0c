"""params.yaml for own files alone; tests/end_to_end/test_pipeline.py runs the pipeline on it."""

import os
from pathlib import Path

import pytest

from atomexam.text.yaml_values import yaml_values
from crawlers.init import LEDGERS, SUMMARY, OwnFiles, Pool, clear, counted, newest_day, own_params, quotas, runs_of, too_few

PARAMS = (Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8")


def pools(*counts: tuple[str, str, int]) -> dict[Pool, int]:
    return {Pool(exam, "kg", kind): count for exam, kind, count in counts}


OWN = OwnFiles(
    "books", {"path": "imports/books", "exam": 'A "B"'}, pools(("A", "mcqa", 5000), ("A", "mrqa", 52), ("A", "qa", 4), ("A", "tf", 9))
)


@pytest.mark.parametrize(
    ("found", "quota", "runs"),
    [
        (OWN.pools, {"mcqa": 600, "mrqa": 10, "tf": 1}, ["random-choice", "longest-choice", "random-tf"]),
        (pools(("A", "qa", 1000), ("A", "blank", 5)), {"qa": 25, "blank": 1}, []),
        (pools(("A", "mcqa", 20), ("B", "mcqa", 60), ("C", "mcqa", 4)), {"mcqa": 4}, ["random-choice", "longest-choice"]),
        (pools(("TCM", "mcqa", 90)), {}, ["random-tcm", "longest-tcm"]),
    ],
)
def test_a_fifth_of_each_type_in_each_exam_goes_to_test(found: dict[Pool, int], quota: dict[str, int], runs: list[str]) -> None:
    assert quotas(found) == quota
    assert [*runs_of(found)] == runs


def test_reports_types_with_too_few_questions() -> None:
    assert too_few(OWN.pools) == "10 mrqa of 52, no qa of 4, 1 tf of 9"
    assert too_few(pools(("A", "mcqa", 50), ("B", "mcqa", 50), ("TCM", "mcqa", 9))) == ""


def test_only_what_belongs_to_the_replicas_is_replaced() -> None:
    before, after = yaml_values(PARAMS, ""), yaml_values(own_params(PARAMS, OWN), "")
    assert isinstance(before, dict) and isinstance(after, dict)
    assert after["imports"] == {"books": {"path": "imports/books", "exam": 'A "B"'}} and after["sources"] == {}
    assert after["split"] == before["split"] | {"quota": {"mcqa": 600, "mrqa": 10, "tf": 1}}
    assert {run["model"] for run in after["runs"].values()} == {*after["models"]} == {"random", "longest"}
    assert after["release"] == before["release"] | {"name": "books"}  # no name of a data set has a quotation mark
    named = yaml_values(own_params(PARAMS, OWN._replace(line=OWN.line | {"exam": "导游资格考试"})), "")
    assert isinstance(named, dict) and named["release"]["name"] == "导游资格考试"
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"sources", "imports", "split", "release", "models", "runs", "finetune", "tune", "sweeps", "judges"}
    assert [*after] == [*before]


def test_without_choices_no_runs() -> None:
    after = yaml_values(own_params(PARAMS, OWN._replace(pools=pools(("A", "qa", 90)))), "")
    assert isinstance(after, dict) and after["runs"] == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PARAMS.replace("imports: {}", "imports: {old: {path: imports/old}}"), "already lists your own files"),
        (PARAMS.replace("judges:", " judges:").replace("errors:", "errors:"), "params.yaml"),
    ],
)
def test_rejects_params_in_another_form(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        own_params(text, OWN)


def test_figures_of_the_replicas_go_with_the_ledgers(tmp_path: Path, root: Path) -> None:
    for name in (*LEDGERS, SUMMARY, "metrics/crawl/ask120.json", "metrics/runs/tiny-claims.json", "metrics/crawl/.gitkeep"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n", encoding="utf-8")
    clear(tmp_path)
    left = {str(path.relative_to(tmp_path)): path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {**dict.fromkeys(LEDGERS, 0), "metrics/crawl/.gitkeep": 3}
    assert (root / "metrics/crawl/.gitkeep").exists(), "stage report needs the folder, which git drops when it is empty"


def test_the_files_are_dated_by_the_newest(tmp_path: Path) -> None:
    for name, day in (("a.csv", 1), ("b.csv", 9)):
        (tmp_path / name).write_text("题干,A,B,C,D,答案\n", encoding="utf-8")
        os.utime(tmp_path / name, (0, day * 86_400))
    assert newest_day(str(tmp_path)) == "1970-01-10"


def test_rejects_folder_name_that_is_not_a_key() -> None:
    with pytest.raises(ValueError, match="imports/我的题库: its name becomes a key"):
        counted("imports/我的题库", None, None)
