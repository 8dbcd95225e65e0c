"""Results in the forms in which they are shared, and the checklist of BetterBench, filled from the metrics."""

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from eval.checklist import open_questions, render
from eval.export import main

FIGURES = {
    "questions": 20, "accuracy": 0.35, "accuracy_interval": [0.2, 0.5], "following_rate": 0.9,
    "outcomes": {"answered": 18, "unparsed": 2, "truncated": 0, "failed": 0},
}  # fmt: skip
RUNS: dict[str, tuple[Run, dict[str, Any]]] = {
    "big-choice": (Run(model="big", task="choice"), FIGURES),
    "big-tcm": (Run(model="big", task="tcm"), FIGURES | {"accuracy": 0.5}),
    "big-choice-5shot": (Run(model="big", task="choice", shots=5), FIGURES | {"accuracy_std": 0.01}),
    "big-choice-likelihood": (Run(model="big", task="choice", method="likelihood"), FIGURES),
    "big-essay": (Run(model="big", task="essay"), FIGURES | {"accuracy": None}),
    "rule-choice": (Run(model="rule", task="choice"), FIGURES),
    "own-choice": (Run(model="own", task="choice"), FIGURES),
}
MODELS = {
    "big": Description(model="big", backend="huggingface", name="lab/Big-7B"),
    "rule": Description(model="rule", backend="baseline", strategy="random"),
    "own": Description(model="own", backend="imported", name="imports/models/own"),
}


@pytest.fixture
def export(tmp_path: Path):
    for model, description in MODELS.items():
        folder = tmp_path / "plan" / model
        folder.mkdir(parents=True)
        (folder / "model.json").write_bytes(msgspec.json.encode(description))
        (folder / "runs.json").write_bytes(msgspec.json.encode({name: run for name, (run, _) in RUNS.items() if run.model == model}))
    for folder in ("runs", "release"):
        (tmp_path / folder).mkdir()
    for name, (_, figures) in RUNS.items():
        (tmp_path / f"runs/{name}.json").write_text(json.dumps(figures))
    (tmp_path / "release/croissant.json").write_text('{"name": "Books", "version": "0.2.0"}')
    paths = {"plan": "plan", "metrics": "runs", "release": "release", "out": "exports"}
    flags = [word for flag, path in paths.items() for word in (f"--{flag}", str(tmp_path / path))]

    def run(*words: str) -> Path:
        main([*words, "--dataset", "lab/atomexam", "--by", "The Lab", *flags])
        return tmp_path / "exports"

    return run


def test_record_conforms_to_every_eval_ever(export) -> None:
    [path] = export("--model", "own=lab/own").glob("data/Books/lab/Big-7B/*.json")
    record = json.loads(path.read_text())
    assert set(record) == {  # the schema allows no other
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "eval_library", "model_info", "evaluation_results",
    }  # fmt: skip
    assert (record["model_info"]["id"], record["model_info"]["developer"]) == ("lab/Big-7B", "lab")
    assert record["retrieved_timestamp"].isdigit()
    results = {result["generation_config"]["additional_details"]["run"]: result for result in record["evaluation_results"][::2]}
    assert set(results) == {"big-choice", "big-tcm", "big-choice-5shot", "big-choice-likelihood"}
    for result in record["evaluation_results"]:
        assert {"evaluation_name", "source_data", "metric_config", "score_details"} <= set(result)
        assert set(result["generation_config"]["generation_args"]) <= {"temperature", "top_p", "top_k", "max_tokens"}
        texts = [result["source_data"]["additional_details"], result["score_details"]["details"]]
        assert {type(value) for text in [*texts, result["generation_config"]["additional_details"]] for value in text.values()} == {str}
    five = results["big-choice-5shot"]
    assert five["source_data"]["hf_repo"] == "lab/atomexam" and five["source_data"]["additional_details"]["version"] == "0.2.0"
    assert five["score_details"]["score"] == 0.35 and five["score_details"]["details"]["standard_deviation_of_repeats"] == "0.01"
    interval = five["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (0.2, 0.5, 0.95)


def test_incomplete_run_is_skipped_with_a_message(export, tmp_path: Path, capsys) -> None:
    (tmp_path / "runs/own-choice.json").write_text(json.dumps(FIGURES | {"outcomes": {"answered": 5, "failed": 15}}))
    assert not [*export("--model", "own=lab/own").glob("**/own/**/*.json")]
    assert "own-choice: 15 of 20 replies are missing" in capsys.readouterr().err
    with pytest.raises(ValueError, match="15 of 20 replies are missing"):
        export("--model", "own=lab/own", "own-choice")


def test_each_setting_has_its_own_results_file(export) -> None:
    folder = export("--model", "own=lab/own", "--revision", "0" * 40) / "models"
    files = {path.relative_to(folder).as_posix(): YAML(typ="safe").load(path) for path in folder.glob("*/*/.eval_results/*")}
    ours = "lab/Big-7B/.eval_results/atomexam"
    assert set(files) == {f"{ours}{end}.yaml" for end in ("", "_shots_5", "_method_likelihood")} | {"lab/own/.eval_results/atomexam.yaml"}
    usual = [(entry["dataset"]["task_id"], entry["value"], "notes" in entry) for entry in files[f"{ours}.yaml"]]
    assert usual == [("choice", 35.0, False), ("tcm", 50.0, False)]
    [few] = files[f"{ours}_shots_5.yaml"]
    assert few["dataset"] == {"id": "lab/atomexam", "task_id": "choice", "revision": "0" * 40} and few["notes"] == "shots 5"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "model own has no repository; give one: --model own=OWNER/NAME"),
        (("big-essay",), "big-essay: has no accuracy"),
        (("--model", "own=../.."), "model own has no repository"),
        (("--model", "own=lab"), "model own has no repository"),
        (("--model", "own"), "--model own: expected MODEL=OWNER/NAME"),
        (("--model", "owm=lab/own"), "unknown model 'owm'.*did you mean own"),
        (("big-choise",), "unknown run 'big-choise'.*did you mean big-choice"),
    ],
)
def test_rejects_what_cannot_be_exported(export, words: tuple[str, ...], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        export(*words)


def test_local_folder_is_not_a_repository(export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab/Big-7B").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="model big has no repository"):
        export("big-choice")
    assert [*export("big-choice", "--model", "big=lab/Big-7B").glob("models/lab/Big-7B")]


def test_no_two_runs_share_an_entry(export, tmp_path: Path) -> None:
    changed = {"max_new_tokens": 8, "prompts": ("x", "y")}
    for model, thinking, settings in (("big", False, {}), ("deep", True, {}), ("deep-b", True, changed)):
        folder = tmp_path / "plan" / model
        folder.mkdir(exist_ok=True)
        described = Description(model=model, backend="huggingface", name="lab/Big-7B", template={"thinking": thinking})
        (folder / "model.json").write_bytes(msgspec.json.encode(described))
        (folder / "runs.json").write_bytes(msgspec.json.encode({f"{model}-tf": Run(model=model, task="tf", **settings)}))
        (tmp_path / f"runs/{model}-tf.json").write_text(json.dumps(FIGURES))
    folder = export("big-tf", "deep-tf", "deep-b-tf", "big-tf")
    records = [json.loads(path.read_text()) for path in folder.glob("data/Books/lab/Big-7B/*.json")]
    assert len({record["evaluation_id"] for record in records}) == len(records) == 3
    notes = [YAML(typ="safe").load(path)[0]["notes"] for path in sorted(folder.glob("models/lab/Big-7B/.eval_results/*"))]
    assert notes == [
        "model big, thinking False", "model deep-b, max_new_tokens 8, prompts x y, thinking True", "model deep, thinking True",
    ]  # fmt: skip


def test_rule_is_exported_if_requested(export) -> None:
    assert [*export("rule-choice", "--model", "rule=lab/rule").glob("data/Books/lab/rule/*.json")]


METRICS: dict[str, Any] = {
    "summary": {
        "data": {"questions_rejected": 3, "facts_rejected": 4},
        "splits": {name: {"questions": 5, "claims": 6, "fourfold": 7} for name in ("test", "reserved")},
        "runs": {"guess": {}, "big": {}},
        "wording_rule": {"rule": "negation", "accuracy": 0.9},
        "without_knowledge": {"overlap": {"facts": 0.018}, "tail": {"facts": 0.0}},
    },
    "leaks": {"cluster": {"looks_for": "…", "blocks": True, "questions": 0}, "without_knowledge": {}},
    "verification": {"in_data": {"claims": 9, "verified": 0}, "annotators": 0, "agreement": {"krippendorff": {"alpha": None}}},
    "validation": {"questions": {"expectations": 25}},
    "runs/guess": {"model": "random", "accuracy": 0.25, "accuracy_interval": [0.1, 0.4]},
    "runs/big": {"model": "big", "accuracy": 0.75},
}
PARAMS = {
    "models": {"random": {"strategy": "random"}, "big": {"name": "lab/big"}},
    "runs": {"guess": {"model": "random", "orders": 5}, "big": {"model": "big"}},
}


def filled(folder: Path, metrics: dict[str, Any], params: dict[str, Any]) -> dict[str, str]:
    """Return the answer and evidence of each criterion."""
    for name, value in metrics.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(value))
    text = render(folder, params, "0.1.0")
    rows = [line.strip("| ").split(" | ", 1) for line in text.splitlines() if line.startswith("| ") and "| answer |" not in line]
    assert len(rows) == 40 and open_questions(text) == sum("**you**" in answer for _, answer in rows)
    return dict(rows)


def test_checklist_is_filled_from_metrics(tmp_path: Path) -> None:
    answers = filled(tmp_path, METRICS, PARAMS)
    assert answers["random performance is included"] == "yes | `guess` 25.0 %"
    assert answers["floors and ceilings of metrics are given"].endswith(
        "1.8 % of facts by a knowledge-free rule, 90.0 % of claim pairs by the best wording rule"
    )
    assert "95 % intervals for 1 of 2 runs" in answers["uncertainty is reported"]
    assert "7 rejected questions and facts" in answers["construction is documented"]


def test_questions_only_benchmark_mentions_no_facts(tmp_path: Path) -> None:
    metrics = copy.deepcopy(METRICS)
    metrics["verification"]["in_data"]["claims"] = 0
    metrics["summary"]["splits"] = {name: {"questions": 5, "claims": 0, "fourfold": 0} for name in ("test", "reserved")}
    text = " ".join(filled(tmp_path, metrics, PARAMS).values())
    assert "knowledge of 5 exam questions in the test split" in text
    assert not [words for words in ("claims verified", "sentences of a fact", "medical facts", "0 claims") if words in text]


@pytest.mark.parametrize(
    ("change", "criterion", "before", "after"),
    [
        (lambda metrics, params: params["runs"]["big"].update(orders=4), "sensitivity to the input is addressed", "**you**", "yes"),
        (lambda metrics, params: metrics["verification"]["in_data"].update(verified=8), "domain experts are involved", "**you**", "partly"),
        (lambda metrics, params: params["models"]["random"].clear(), "random performance is included", "yes", "**you**"),
        (lambda metrics, params: None, "human performance is included", "**you**", "**you**"),
    ],
)
def test_checklist_answer_follows_its_figure(tmp_path: Path, change, criterion: str, before: str, after: str) -> None:
    assert filled(tmp_path, METRICS, PARAMS)[criterion].startswith(before)
    metrics, params = copy.deepcopy(METRICS), copy.deepcopy(PARAMS)
    change(metrics, params)
    assert filled(tmp_path, metrics, params)[criterion].startswith(after)
