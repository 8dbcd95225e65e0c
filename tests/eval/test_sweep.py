"""A sweep over data: its models by kind, amount and seed; only what is new is made and asked; intervals, changes, plots and report."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from ruamel.yaml import YAML

from atomexam.records.blocks import Sweep
from atomexam.records.claim import ClaimPair
from atomexam.records.prediction import Score
from atomexam.runtime.jsonl import read_jsonl
from eval.report.charts import curves_of, pictures, plotted, ticks
from eval.sweep import SweepCell, _name, changes, curves, figures_by_cell, main, plan
from eval.tasks import claim
from eval.tune.__main__ import main as tune

ROOT = Path(__file__).parents[2]
TUNE: dict[str, Any] = {"epochs": 1, "rank": 2, "batch_tokens": 600, "max_tokens": 400, "checks": 1}


def test_the_models_of_a_sweep() -> None:
    sweep = Sweep(model="m", kinds=["claims", "words"], amounts=[0, 0.5, 1], seeds=[1, 2], runs=["r"], tune=TUNE)
    made = plan(sweep)
    assert [(cell.kind, cell.amount, seed) for cell, seed, _ in made] == [
        ("", 0, 1),
        *((kind, amount, seed) for kind in ("claims", "words") for amount in (0.5, 1) for seed in (1, 2)),
    ]
    assert made[0][2] is None
    assert made[1][2] is not None and made[1][2].data == {"claims": 0.5} and made[1][2].rank == 2
    always = plan(Sweep(model="m", kinds=["claims"], amounts=[0, 1], seeds=[1, 2], runs=["r"], always={"passages": 3}))
    assert [(cell.amount, seed, tuning and tuning.data) for cell, seed, tuning in always] == [
        (0, 1, {"passages": 3}), (0, 2, {"passages": 3}), (1, 1, {"passages": 3, "claims": 1}), (1, 2, {"passages": 3, "claims": 1})
    ]  # fmt: skip


def test_a_type_is_taken_out_of_the_claims_that_are_always_learned() -> None:
    """With and without its kin: none of one type is another model than none of the other."""
    kinds = ["disease_symptom", "disease_cause", "passages"]
    made = plan(Sweep(model="m", kinds=kinds, amounts=[0, 1], seeds=[1], runs=["r"], always={"claims": 1}))
    assert [(cell, tuning and tuning.data) for cell, _, tuning in made] == [
        (SweepCell("disease_symptom", 0), {"claims": 1, "disease_symptom": 0}),
        (SweepCell("disease_symptom", 1), {"claims": 1, "disease_symptom": 1}),
        (SweepCell("disease_cause", 0), {"claims": 1, "disease_cause": 0}),
        (SweepCell("disease_cause", 1), {"claims": 1, "disease_cause": 1}),
        (SweepCell("", 0), {"claims": 1}), (SweepCell("passages", 1), {"claims": 1, "passages": 1}),
    ]  # fmt: skip


@pytest.mark.parametrize(("change", "told"), [
    ({"kinds": []}, r"kinds: found \[\]"),
    ({"always": {"claims": 1}}, "claims is in `kinds` and in `always`"),
    ({"tune": {"seed": 3}}, "seed is varied by the sweep"), ({"seeds": [1, 2, 1]}, "seeds: 1 is listed twice"),
    ({"amounts": [1, 1.0]}, "amounts: 1.0 is listed twice"),
])  # fmt: skip
def test_a_wrong_sweep_is_named(change: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Sweep(**{"model": "m", "kinds": ["claims"], "amounts": [1], "seeds": [1], "runs": ["r"]} | change)


def test_large_amounts_that_are_alike_are_two_models() -> None:
    """Written with six digits they would share a folder, and their place in the figures."""
    made = plan(Sweep(model="m", kinds=["own"], amounts=[1234567, 1234568, 0.1234567, 0.1234568], seeds=[1], runs=["r"]))
    assert len({_name(cell, seed) for cell, seed, _ in made}) == 4
    rows = [row("own", cell.amount, 0.5) for cell, _, _ in made]
    assert len(figures_by_cell(rows)["r"]["own"]) == 4


@pytest.fixture
def at_work(toy_models: Path, toy_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("splits", "passages.jsonl"):
        Path(name).symlink_to(toy_data / name)
    shutil.copytree(toy_models / "toy", "models/toy")
    runs = {"c": {"model": "toy", "task": "claim", "max_new_tokens": 4}}
    blocks = {"models": {"toy": {"backend": "huggingface"}}, "finetune": {"toy": {}}, "runs": runs}
    Path("params.yaml").write_text(json.dumps(blocks))
    return tmp_path


def swept(kinds: str, amounts: str) -> dict[str, Any]:
    flags = f"--model toy --kinds {kinds} --amounts {amounts} --seeds 1 2 --runs c"
    settings = " ".join(f"--tune.{name} {value}" for name, value in TUNE.items())
    paths = "--splits splits --passages passages.jsonl --dialogues none --models models --out out --metrics metrics.json"
    main(["effect", *flags.split(), *settings.split(), *paths.split()])
    return json.loads(Path("metrics.json").read_bytes())


@pytest.mark.parametrize(("line", "told"), [
    ({"backend": "baseline", "strategy": "random"}, "models.m: backend baseline has no weights to tune"),
    ({"backend": "huggingface"}, "models.m has no `name`"),
    ({"backend": "huggingface", "name": "other"}, "models.m: other is itself a tuned model"),
])  # fmt: skip
@pytest.mark.parametrize("tunes", ["sweep", "tune"])
def test_what_cannot_be_tuned_is_named(line: dict, told: str, tunes: str, at_work: Path) -> None:
    blocks = json.loads(Path("params.yaml").read_text())
    blocks["models"] |= {"m": line, "other": {"backend": "huggingface", "name": "toy"}}
    tuned = {"other": {}} | ({"m": {}} if tunes == "tune" else {})
    Path("params.yaml").write_text(json.dumps(blocks | {"tune": tuned}))
    paths = ["--splits", "splits", "--passages", "passages.jsonl", "--dialogues", "none", "--models", "models"]
    paths += ["--out", "out", "--metrics", "metrics.json"]
    with pytest.raises(ValueError, match=told):
        if tunes == "sweep":
            main(["effect", *["--model", "m", "--kinds", "claims", "--amounts", "0", "1", "--seeds", "1", "--runs", "c"], *paths])
        else:
            tune(["m", *paths])


@pytest.mark.parametrize("always", ["", "--always.claim 1"])
def test_a_wrong_kind_is_named_before_anything_is_trained_or_asked(always: str, at_work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.sweep._ask", lambda *args: pytest.fail("asked"))
    monkeypatch.setattr("eval.sweep.tune", lambda *args: pytest.fail("trained"))
    flags = f"--model toy --kinds {'words' if always else 'claim'} --amounts 0 1 --seeds 1 --runs c {always}"
    paths = "--splits splits --passages passages.jsonl --dialogues none --models models --out out --metrics metrics.json"
    with pytest.raises(ValueError, match=r"sweeps\.effect .*: unknown kind of data 'claim'; known: .*did you mean claims"):
        main(["effect", *flags.split(), *paths.split()])


@pytest.mark.slow
def test_one_kind_more_makes_and_asks_only_what_is_new(at_work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eval.models.local import huggingface
    from eval.tune import training

    made, asked = [], []
    train, generate = training.train, huggingface.HuggingFace.generate
    monkeypatch.setattr(training, "train", lambda *args: made.append(1) or train(*args))
    monkeypatch.setattr(huggingface.HuggingFace, "generate", lambda self, some, how: asked.append(len(some)) or generate(self, some, how))
    first = swept("claims", "0 1")
    assert (len(made), len(asked)) == (2, 3)
    assert swept("claims", "0 1") == first and (len(made), len(asked)) == (2, 3)
    more = swept("claims knowledge", "0 1")
    assert (len(made), len(asked)) == (4, 5)
    assert [row for row in more["curves"] if row["kind"] != "knowledge"] == first["curves"]
    assert {row["measure"] for row in more["curves"]} == {"following_rate", "accuracy"}
    assert all(row["low"] <= row["value"] <= row["high"] for row in more["curves"])
    assert {(row["kind"], row["atomic_type"]) for row in more["changes"]} == {
        ("claims", "disease_symptom"), ("knowledge", "disease_symptom")
    }  # fmt: skip
    assert sorted(path.name for path in Path("out/models").iterdir() if not path.name.startswith(".")) == [
        "claims-1-1", "claims-1-2", "knowledge-1-1", "knowledge-1-2"
    ]  # fmt: skip


def command(*words: str, at: Path) -> str:
    """Return what a command says; it finds our code in the repository, and DVC beside the Python that runs the tests."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "DVC_NO_ANALYTICS": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(words, cwd=at, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr[-2000:]}"
    return done.stdout + done.stderr


@pytest.fixture
def project(toy_models: Path, toy_data: Path, tmp_path: Path) -> Path:
    """A repository with the stage `sweep` as dvc.yaml has it, over toy data in git and a base of people's own, which git ignores."""
    folder = tmp_path / "project"
    shutil.copytree(toy_data / "splits", folder / "data/splits")
    shutil.copytree(toy_models / "toy", folder / "imports/models/own")
    (folder / "data/clean").mkdir()
    shutil.copy(toy_data / "passages.jsonl", folder / "data/clean")
    (folder / "metrics/finetune").mkdir(parents=True)
    (folder / "metrics/finetune/none.json").write_text("{}")
    (folder / "imports/dialogues").mkdir()
    for name in ("imports/dialogues", "imports/models"):
        (folder / name / "README.md").touch()
    stage = YAML(typ="safe").load(ROOT / "dvc.yaml")["stages"]["sweep"]
    stage["do"]["deps"] = [name for name in stage["do"]["deps"] if (folder / name).exists()]
    effect = {"model": "own", "kinds": ["claims"], "amounts": [0, 1], "seeds": [1], "runs": ["c"], "tune": TUNE}
    params = {
        "models": {"own": {"backend": "huggingface", "name": "imports/models/own"}},
        "finetune": {},
        "runs": {"c": {"model": "own", "task": "claim", "max_new_tokens": 4}},
        "sweeps": {"effect": effect},
    }
    for name, content in {"dvc.yaml": {"stages": {"sweep": stage}}, "params.yaml": params}.items():
        YAML().dump(content, folder / name)
    command("git", "init", "--quiet", at=folder)
    command("dvc", "init", "--quiet", at=folder)
    shutil.copy(ROOT / ".dvcignore", folder)
    shutil.copy(ROOT / ".dvc/config", folder / ".dvc")
    (folder / ".gitignore").write_text("/data/sweeps\n/imports/models/own\n")
    command("git", "add", "--all", at=folder)
    command("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "first", at=folder)
    return folder


@pytest.mark.slow
def test_experiments_try_settings_in_the_folder_and_in_a_queue(project: Path) -> None:
    """As docs/models.md says: one here, then two in copies, to which what git ignores and what was made before is brought along."""
    ran = command("dvc", "exp", "run", "--set-param", "sweeps.effect.tune.rank=3", "sweep@effect", at=project)
    assert "24 requests: 0 stored, 24 new" in ran and "--tune.rank 3" in ran
    # A folder of which git has a part, as imports/models with its README.md, cannot be copied whole.
    queued = ("--queue", "--copy-paths", "imports/models/own", "--copy-paths", "data/sweeps", "--set-param")
    command("dvc", "exp", "run", *queued, "sweeps.effect.tune.rank=3,4", "sweep@effect", at=project)
    ran = command("dvc", "exp", "run", "--run-all", at=project)
    assert "--tune.rank 4" in ran and "24 requests: 0 stored" in ran and ran.count("24 requests: 24 stored, 0 new") >= 1
    workspace, head, *_ = json.loads(command("dvc", "exp", "show", "--json", at=project))
    figures = {
        one["revs"][0]["data"]["params"]["params.yaml"]["data"]["sweeps"]["effect"]["tune"]["rank"]: one["revs"][0]["data"]["metrics"]
        for one in head["experiments"]
    }
    assert set(figures) == {3, 4} and workspace["rev"] == "workspace"
    for metrics in figures.values():
        told = metrics["metrics/sweeps/effect.json"]["data"]["figures"]["c"]
        assert told.keys() == {"none", "claims"} and told["claims"]["1"].keys() == {"following_rate", "accuracy"}


def score(item: str, is_right: bool) -> Score:
    side = "factual" if item.endswith("/factual") else "non_factual"
    right = "正确" if side == "factual" else "错误"
    answer = right if is_right else "错误" if right == "正确" else "正确"
    return Score(item_id=item, repeat=0, outcome="answered", answer=answer, correct=is_right, committed=answer, committed_correct=is_right)


@pytest.mark.slow
def test_intervals_cover_items_and_seeds(toy_data: Path) -> None:
    read = [pair for path in sorted(toy_data.glob("splits/*/claims.jsonl")) for pair in read_jsonl(path, ClaimPair)]
    pairs = [structs.replace(pair, atomic_type=("disease_symptom", "disease_cause")[place % 2]) for place, pair in enumerate(read[:40])]
    asked = claim.requests([], pairs, "claim")
    ids = {pair.id: place for place, pair in enumerate(pairs)}

    def scored(right: int) -> list[Score]:
        return [score(one.item_id, ids[one.unit] < right) for one in asked]

    cells = {
        SweepCell("", 0.0): {1: scored(10)},
        SweepCell("k", 1.0): {1: scored(30), 2: scored(20)},
        SweepCell("l", 1.0): {1: scored(26), 2: scored(24)},
    }
    rows = {(row["kind"], row["measure"]): row for row in curves("r", "claim", cells, asked)}
    assert rows["k", "accuracy"]["value"] == rows["l", "accuracy"]["value"] == 0.625
    assert rows["k", "accuracy"]["seeds"] == [0.75, 0.5]
    widths = {kind: rows[kind, "accuracy"]["high"] - rows[kind, "accuracy"]["low"] for kind in ("k", "l")}
    assert 0.2 < widths["l"] < widths["k"]
    moved = {(row["kind"], row["atomic_type"]): row["change"] for row in changes("r", "claim", cells, asked)}
    assert moved == {(kind, group): 0.375 for kind in ("k", "l") for group in ("disease_symptom", "disease_cause")}


@pytest.mark.slow
def test_a_type_is_compared_with_itself_taken_out(toy_data: Path) -> None:
    pairs = list(read_jsonl(toy_data / "splits" / "test" / "claims.jsonl", ClaimPair))
    asked = claim.requests([], pairs, "claim")

    def scored(right: int) -> dict[int, list[Score]]:
        return {1: [score(one.item_id, one.unit in {pair.id for pair in pairs[:right]}) for one in asked]}

    cells = {SweepCell("", 0.0): scored(3), SweepCell("k", 0.0): scored(6), SweepCell("k", 1.0): scored(9), SweepCell("l", 1.0): scored(9)}
    assert {row["kind"]: row["change"] for row in changes("r", "claim", cells, asked)} == {"k": 0.25, "l": 0.5}
    curve = {found.kind: len(found.points) for found in curves_of(curves("r", "claim", cells, asked)) if found.measure == "accuracy"}
    assert curve == {"k": 2, "l": 2}


def row(kind: str, amount: float, value: float) -> dict[str, Any]:
    return {"run": "r", "kind": kind, "amount": amount, "measure": "accuracy", "value": value, "low": value - 0.1, "high": value + 0.1}


def test_plots_and_report_show_the_curves() -> None:
    rows = [row("k", 1.0, 0.9), row("", 0.0, 0.5), row("k", 0.5, 0.7), row("l", 1.0, 0.6)]
    found = [(curve.kind, [point["value"] for point in curve.points]) for curve in curves_of(rows)]
    assert found == [("k", [0.5, 0.7, 0.9]), ("l", [0.5, 0.6])]
    sweeps = {"effect": {"model": "m", "curves": rows}}
    assert len(plotted(sweeps)) == 5
    [(_, _, drawn)] = pictures(rows)
    assert drawn[0].line == "12.0,70.0 150.0,46.8 288.0,23.6"
    assert ticks(rows) == [(12.0, "0"), (150.0, "0.5"), (288.0, "1")] and ticks([]) == []
