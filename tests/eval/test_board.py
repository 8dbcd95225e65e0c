"""One board over versions: old replies under today's keys, whatever the order of options was, and ranks with their uncertainty."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from atomexam.records.blocks import Run
from atomexam.records.prediction import Prediction
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import write_jsonl
from eval.board import VersionRun, board, main, ranked
from eval.diff.version import WORKSPACE, DataVersion
from eval.statistics.paired_tests import Tally

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
TEXTS = ("甲", "乙", "丙", "丁")


def question(number: int, texts: tuple[str, ...], right: str) -> Question:
    options = [Option(letter=letter, text=f"{text}{number}") for letter, text in zip("ABCD", texts, strict=True)]
    stem = f"第{number}题问的是（ ）。"
    identity, answer = question_id(None, stem, [option.text for option in options]), "ABCD"[texts.index(right)]
    about = {"exam": "PCE", "subject": "心理诊断", "question_type": "mcqa", "provenance": SEEN}
    return Question(id=identity, stem=stem, options=options, answer=answer, **about)


def version(folder: Path, questions: list[Question], runs: dict[str, list[str]]) -> DataVersion:
    """Return a version of files in a folder; each run replies with a letter to each question."""
    for name, rows in (("questions", questions), ("claims", [])):
        write_jsonl(folder / f"data/splits/test/{name}.jsonl", rows, key=lambda row: row.id)
    for run, letters in runs.items():
        about = {"run": run, "repeat": 0, "prompt_sha256": "0", "finish_reason": "stop", "tokens": 1}
        replies = [Prediction(item_id=one.id, reply=f"答案：{letter}", **about) for one, letter in zip(questions, letters, strict=True)]
        write_jsonl(folder / f"data/predictions/m/{run}.jsonl", replies, key=lambda row: row.item_id)
    settings = {"runs": {run: {"model": "m", "task": "choice"} for run in runs}}
    (folder / "params.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return DataVersion("workspace", folder)


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict]:
    """Return the board of versions by name, each made of its questions and runs."""

    def board(**versions: tuple[list[Question], dict[str, list[str]]]) -> dict:
        made = {name: version(tmp_path / name, *parts) for name, parts in versions.items()}
        for name, one in made.items():
            one.name = name
        main([*(name for name in made if name != WORKSPACE), "--json"], made.__getitem__)
        return json.loads(capsys.readouterr().out)

    return board


def test_old_replies_are_scored_by_todays_keys(shown: Callable[..., dict]) -> None:
    """In v1 the options stood the other way round, and the first five keys were 乙; ten of its thirty questions are gone."""
    old = [question(number, TEXTS[::-1], "乙" if number < 5 else "甲") for number in range(30)]
    now = [question(number, TEXTS, "甲") for number in range(20)]
    found = shown(v1=(old, {"old": ["D"] * 30, "bad": ["C"] * 30}), workspace=(now, {"new": ["A"] * 15 + ["B"] * 5}))
    rows = {row["run"]: row for row in found["boards"]["choice"]}
    assert {run: (row["rank"], row["accuracy"], row["items"]) for run, row in rows.items()} == {
        "old": (1, 1.0, 20),
        "new": (2, 0.75, 20),
        "bad": (3, 0.0, 20),
    }
    assert rows["old"]["versions"] == ["v1"] and found["not_compared"] == []
    assert rows["bad"]["rank_interval"] == [3, 3] and rows["new"]["rank_interval"][1] == 2


def test_reports_what_cannot_be_compared(shown: Callable[..., dict]) -> None:
    now = [question(number, TEXTS, "甲") for number in range(40)]
    letters = ["A", "B"] * 20
    few = [*now[:3], *(question(number, TEXTS, "甲") for number in range(100, 130))]
    gone = [question(number, TEXTS, "甲") for number in range(200, 230)]
    found = shown(
        v0=(gone, {"run": ["A"] * 30}), v1=(few, {"run": ["A"] * 33}), v2=(now, {"run": letters}), workspace=(now, {"run": letters})
    )
    assert found["not_compared"] == [
        "v0: no item of the current test split with a key, not compared: run",
        "choice: v1: fewer than 20 items shared with the others, not compared: run (3)",
    ]
    [row] = found["boards"]["choice"]
    assert (row["versions"], row["accuracy"]) == (["v2", "workspace"], 0.5)


def test_counts_items_with_other_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wording that was divided by exam, `choice` and `choice_other`, is shown under one name; another model's prompts may differ."""
    now = [question(number, TEXTS, "甲") for number in range(20)]
    made = {name: version(tmp_path / name, now, {run: ["A"] * 20}) for name, run in (("v1", "old"), (WORKSPACE, "new"))}
    made["v1"].name = "v1"
    path = tmp_path / "v1/data/predictions/m/old.jsonl"
    rows = path.read_text(encoding="utf-8").replace('"prompt_sha256":"0"', '"prompt_sha256":"1"', 7).replace('"stop"', '"error"', 1)
    path.write_text(rows, encoding="utf-8")
    main(["v1"], made.__getitem__)
    _, _, *runs, _, missing, _ = capsys.readouterr().out.splitlines()
    assert ["choice (7 items with other prompts)" in run for run in runs] == [" old " in run for run in runs]
    assert missing == "v1: old: 1 of 20 replies are missing and count as wrong; accuracy of the 19 items replied to: 100.0 %"


def test_skips_unscorable_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = [question(number, TEXTS, "甲") for number in range(20)]
    version(tmp_path / "v1", now, {"run": ["A"] * 20})
    path = tmp_path / "v1/data/predictions/m/run.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"repeat":0', '"repeat":1'), encoding="utf-8")
    torn = DataVersion("workspace", tmp_path / "v1")
    torn.name = "v1"
    main(["v1"], {"v1": torn, "workspace": version(tmp_path / "now", now, {"new": ["A"] * 20})}.__getitem__)
    told = capsys.readouterr().out
    assert "choice: 20 shared items" in told and "v1: run is skipped: found repeat 1, expected a number below 1 x 1 variants" in told


def scored(name: str, marks: dict[str, Tally], version: str = WORKSPACE) -> VersionRun:
    return VersionRun(version, name, Run(model=name, task="choice"), marks)


def first_right(right: int, items: int = 100, prefix: str = "q") -> dict[str, Tally]:
    return {f"{prefix}{number:03}": Tally(number < right, 1) for number in range(items)}


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({WORKSPACE: {"a": first_right(50), "b": first_right(1, 3)}}, "workspace: fewer than 20 items shared with the others"),
        ({WORKSPACE: {"a": first_right(50), "b": first_right(30, 30, "z")}}, "not compared: b (0)"),
        ({"v1": {"a": first_right(40), "b": first_right(1, 3)}, WORKSPACE: {"a": first_right(50)}}, "v1: fewer than 20 items"),
    ],
)
def test_skips_only_the_partial_run(versions: dict[str, dict], told: str) -> None:
    notes: list[str] = []
    runs = [scored(name, marks, version) for version, made in versions.items() for name, marks in made.items()]
    rows = board(runs, list(versions), {}, notes)["choice"]
    assert {(row["run"], row["items"]) for row in rows} == {("a", 100)} and told in notes[0] and len(rows) == len(versions)


def test_rank_intervals_separate_only_different_runs() -> None:
    """4 items of 100 are no difference (McNemar's p 0.125); 30 are."""
    runs = [scored(name, first_right(right)) for name, right in (("a", 54), ("b", 50), ("c", 20))]
    rows = ranked("choice", runs, list(runs[0].tallies), {})
    assert [(row["run"], row["rank"], row["rank_interval"]) for row in rows] == [("a", 1, [1, 2]), ("b", 2, [1, 2]), ("c", 3, [3, 3])]
    [alone] = ranked("choice", runs[:1], ["q000"], {})
    assert (alone["rank_interval"], alone["interval"]) == ([1, 1], None)


def test_interval_equals_the_accuracy_interval() -> None:
    """Of items asked 10 times or once, each counts once."""
    marks = {name: Tally(10, 10) if one.marks else one for name, one in first_right(10, 40).items()}
    uneven, even = (ranked("choice", [scored("a", each)], list(each), {})[0] for each in (marks, first_right(10, 40)))
    assert uneven == even and even["interval"][0] < even["accuracy"] == 0.25 < even["interval"][1]
