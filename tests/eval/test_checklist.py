"""The checklist of BetterBench: forty criteria, filled from the metrics, and none of them claimed without them."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from eval.checklist import open_questions, render

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


def test_figures_answer_what_they_can(tmp_path: Path) -> None:
    answers = filled(tmp_path, METRICS, PARAMS)
    assert answers["random performance is included"] == "yes | `guess` 25.0 %"
    assert answers["floors and ceilings of metrics are given"].endswith(
        "1.8 % of facts without knowledge, 90.0 % of claim pairs by the best rule of wording"
    )
    assert "95 % intervals of 1 of 2 runs" in answers["uncertainty is reported"]
    assert "7 rejected questions and facts" in answers["construction is documented"]


def test_a_benchmark_of_questions_alone_does_not_speak_of_facts(tmp_path: Path) -> None:
    metrics = copy.deepcopy(METRICS)
    metrics["verification"]["in_data"]["claims"] = 0
    metrics["summary"]["splits"] = {name: {"questions": 5, "claims": 0, "fourfold": 0} for name in ("test", "reserved")}
    text = " ".join(filled(tmp_path, metrics, PARAMS).values())
    assert "knowledge of 5 exam questions of test" in text
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
def test_an_answer_follows_its_figure(tmp_path: Path, change, criterion: str, before: str, after: str) -> None:
    assert filled(tmp_path, METRICS, PARAMS)[criterion].startswith(before)
    metrics, params = copy.deepcopy(METRICS), copy.deepcopy(PARAMS)
    change(metrics, params)
    assert filled(tmp_path, metrics, params)[criterion].startswith(after)
