"""Figures of fourfold facts: scripted models get what arithmetic gives them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from atomexam.records.claim import SENTENCES, Fourfold
from atomexam.records.prediction import Prediction
from atomexam.records.run import Run
from atomexam.runtime.jsonl import write_jsonl
from eval.score.__main__ import score_replies
from eval.score.metrics import FIGURES, read_scores
from eval.statistics.bootstrap import Figures
from eval.tasks.request import Request
from eval.tasks.runs import TASKS, RequestBuilder


def row(number: int) -> Fourfold:
    head, tail, other = f"病{number}", f"症{number}", f"症{(number + 1) % 10}"
    sentences = {
        name: f"{head}的常见症状{'不' * name.endswith('denied')}包括{tail if name.startswith('true') else other}" for name in SENTENCES
    }
    return Fourfold(
        id=f"fourfold-{number}", atomic_type="disease_symptom", head=head, tail=tail, false_head=head, false_tail=other, **sentences,
        fact_ids=[f"fact-{number}"], false_fact_ids=[f"fact-{(number + 1) % 10}"], provenance=[],
    )  # fmt: skip


ROWS = [row(number) for number in range(10)]


def figures(says: Callable[[Request], str]) -> Figures:
    asked = TASKS["fourfold"].requests([], ROWS, "claim")
    replies = [
        Prediction(item_id=one.item_id, run="r", repeat=0, prompt_sha256="0", reply=says(one), finish_reason="stop", tokens=1)
        for one in asked
    ]
    return FIGURES["fourfold"](read_scores(score_replies(replies, asked), asked))


def other(verdict: str | None) -> str:
    return "错误" if verdict == "正确" else "正确"


@pytest.mark.parametrize(
    ("says", "known", "sentences", "true_side", "pattern", "bias"),
    [
        (lambda one: one.answer, 1.0, 1.0, 1.0, "known", 0),
        (lambda one: other(one.answer), 0.0, 0.0, 0.0, "reversed", 0),
        (lambda one: "正确", 0.0, 0.5, 0.0, "always_right", -1),
        (lambda one: "错误", 0.0, 0.5, 0.0, "always_wrong", 1),
        (lambda one: "错误" if "不" in one.claim else "正确", 0.0, 0.5, 1.0, "by_negation", 0),
        (lambda one: "正确" if "不" in one.claim else "错误", 0.0, 0.5, 0.0, "against_negation", 0),
        (lambda one: "错误" if one.facets["side"] == "true_affirmed" else one.answer, 0.0, 0.75, 0.0, "contradiction", 1),
        (lambda one: "不清楚", 0.0, 0.0, 0.0, "unanswered", 0),
    ],
)
def test_a_scripted_model_gets_its_figures(says, known: float, sentences: float, true_side: float, pattern: str, bias: int) -> None:
    made = figures(says)
    assert (made["facts"], made["accuracy"], made["sentence_accuracy"], made["true_side"]) == (10, known, sentences, true_side)
    assert made["patterns"][pattern] == 1.0 and sum(made["patterns"].values()) == 1.0
    criterion = made["detection"]["criterion"]
    assert (criterion > 0.1) - (criterion < -0.1) == bias
    assert made["by_type"]["disease_symptom"]["accuracy"] == known


def test_who_knows_six_of_ten_facts_knows_six_of_ten() -> None:
    made = figures(lambda one: one.answer if int(one.unit[-1]) < 6 else "正确")
    assert (made["accuracy"], made["sentence_accuracy"]) == (0.6, 0.8)
    assert made["detection"]["hits"] == 1.0 and made["detection"]["false_alarms"] == 0.4
    low, high = made["accuracy_interval_by_head"]
    assert low < 0.6 < high


def test_few_shot_examples_take_turns_and_are_of_other_facts(tmp_path: Path) -> None:
    for split, rows in {"train": ROWS[:6], "dev": [], "test": ROWS[6:]}.items():
        write_jsonl(tmp_path / split / "fourfold.jsonl", rows, key=lambda row: row.id)
    for one in RequestBuilder(tmp_path).of_run(Run(model="m", task="fourfold", shots=4)):
        said = [message["content"] for message in one.messages if message["role"] == "assistant"]
        assert sorted(said) == ["正确", "正确", "错误", "错误"]
