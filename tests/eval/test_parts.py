"""Models that play a part get, through asking and scoring, the figures that arithmetic gives them: to the last digit, in every task.

What is expected is reckoned from the right answers alone; nothing here calls what the project reads or counts with.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from types import ModuleType
from typing import Any

import pytest

from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.tasks.runs import TASKS

REPEATS = 3
OUTCOME = {"silent": "unparsed", "refusing": "unparsed", "truncated": "truncated"}
"""Of the parts that give no answer."""
PARTS = ["perfect", "sycophant", "contrary", "reversed", "random", "silent", "truncated", "refusing"]
WORDINGS = [(task, prompt) for task in ("claim", "choice", "tcm") for prompt in TASKS[task].prompts]
RUNS = [(task, prompt, "generation", part) for task, prompt in WORDINGS for part in PARTS]
RUNS += [(task, prompt, "likelihood", part) for task, prompt in WORDINGS for part in PARTS if part not in OUTCOME]


class Item:
    """One thing asked: its right answer, what may be answered, and what it belongs to."""

    def __init__(self, key: str, gold: str, allowed: list[str], unit: str, **facets: str | None) -> None:
        self.key, self.gold, self.allowed, self.unit = key, gold, allowed, unit
        self.facets = facets

    def right(self, part: str, repeat: int, draw: Callable) -> bool:
        """Tell whether a part gives the right answer."""
        if part == "random":
            return draw(1, self.key, repeat).choice(self.allowed) == self.gold
        several = len(self.allowed[0]) > 1 and self.allowed[0] != "正确"
        letters = sorted({letter for answer in self.allowed for letter in answer})
        agreed = "".join(letters) if several else self.allowed[0]
        denied = "".join(letters[-2:]) if several else self.allowed[-1]
        return part == "perfect" or (part == "sycophant" and self.gold == agreed) or (part == "contrary" and self.gold == denied)


def items_of(task: str, folder: Path) -> list[Item]:
    if task == "claim":
        pairs = list(read_jsonl(folder / "claims.jsonl", ClaimPair))
        sides = (("factual", "正确"), ("non_factual", "错误"))
        return [Item(f"{p.id}/{side}", gold, ["正确", "错误"], p.id, side=side, type=p.atomic_type) for p in pairs for side, gold in sides]
    found = []
    for row in read_jsonl(folder / "questions.jsonl", Question):
        letters = [option.letter for option in row.options]
        if row.question_type in ("mcqa", "mrqa") and (row.exam == "TCM") == (task == "tcm"):
            sets = ["".join(some) for size in range(2, len(letters) + 1) for some in combinations(letters, size)]
            allowed = sets if row.question_type == "mrqa" else letters
            found.append(
                Item(row.id, row.answer, allowed, row.group_id or row.id, kind=row.question_type, form=row.form, group=row.group_id)
            )
    return found


def rates(items: list[Item], part: str, draw: Callable, by_unit: bool) -> dict[str, float]:
    """Return mean and standard deviation over the repeats of the share of items, or of whole units, that are right."""
    shares = []
    for repeat in range(REPEATS):
        units: dict[str, bool] = {}
        for item in items:
            unit = item.unit if by_unit else item.key
            units[unit] = units.get(unit, True) and item.right(part, repeat, draw)
        shares.append(Fraction(sum(units.values()), len(units)))
    return {"accuracy": round(float(mean(shares)), 8), "accuracy_std": round(stdev(map(float, shares)), 8)}


def picked(figures: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: figures[name] for name in names}


@pytest.fixture(scope="module")
def figures(toy_data: Path, parts: Path, play: Callable, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """A function that lets a part be asked and scored, and returns the metrics."""
    folder = tmp_path_factory.mktemp("played")

    def figures_of(task: str, prompt: str, method: str, part: str, **more: int) -> dict[str, Any]:
        run = Run(model=part, task=task, prompt=prompt, method=method, repeats=REPEATS, **more)
        return play(run, folder, toy_data / "splits", parts)

    return figures_of


def check_outcomes(found: dict[str, Any], part: str, size: int) -> None:
    wanted = Counter({OUTCOME.get(part, "answered"): size * REPEATS})
    assert found["outcomes"] == {name: wanted[name] for name in ("answered", "unparsed", "truncated", "failed")}
    assert (found["following_rate"], found["following_rate_std"]) == ((0.0, 0.0) if part in OUTCOME else (1.0, 0.0))
    assert found["accuracy_at_least"] == found["accuracy"]
    assert found["accuracy_at_most"] == (1.0 if part in OUTCOME else found["accuracy"])


@pytest.mark.slow
@pytest.mark.parametrize(("task", "prompt", "method", "part"), RUNS)
def test_a_part_gets_the_figures_of_arithmetic(
    task: str, prompt: str, method: str, part: str, figures: Callable, scripted: ModuleType, toy_data: Path
) -> None:
    items = items_of(task, toy_data / "splits" / "test")
    found = figures(task, prompt, method, part)
    draw = scripted.draw_of
    check_outcomes(found, part, len(items))
    assert picked(found, "accuracy", "accuracy_std") == rates(items, part, draw, by_unit=task == "claim")
    assert picked(found, "model", "task", "method", "repeats") == {"model": part, "task": task, "method": method, "repeats": REPEATS}
    if task == "claim":
        for side in ("factual", "non_factual"):
            some = [item for item in items if item.facets["side"] == side]
            assert picked(found["by_side"][side], "claims", "accuracy") == {"claims": len(some)} | picked(
                rates(some, part, draw, by_unit=False), "accuracy"
            )
        assert picked(found["by_type"]["disease_symptom"], "pairs", "accuracy") == {"pairs": len(items) // 2, "accuracy": found["accuracy"]}
        return
    for facet in ("kind", "form"):
        name = {"kind": "by_question_type", "form": "by_form"}[facet]
        for value in {item.facets[facet] for item in items} - {None}:
            some = [item for item in items if item.facets[facet] == value]
            wanted = {"questions": len(some), **rates(some, part, draw, by_unit=False)}
            assert picked(found[name][value], "questions", "accuracy", "accuracy_std") == wanted
    if grouped := [item for item in items if item.facets["group"]]:
        wanted = {"groups": len({item.unit for item in grouped}), "questions": len(grouped), **rates(grouped, part, draw, by_unit=True)}
        assert picked(found["groups"], "groups", "questions", "accuracy", "accuracy_std") == wanted
    else:
        assert found["groups"]["groups"] == 0


def test_the_toys_leave_room_for_every_part(toy_data: Path, scripted: ModuleType) -> None:
    """The table above would say little if all parts had the same figures."""
    for task in ("choice", "tcm"):
        items = items_of(task, toy_data / "splits" / "test")
        shares = [
            rates(items, part, scripted.draw_of, by_unit=False)["accuracy"] for part in ("perfect", "sycophant", "contrary", "random")
        ]
        assert len(set(shares)) >= 3
        assert 0 < min(shares[1:3]) < 1
    assert len({item.unit for item in items if item.facets["form"] == "a3"}) < sum(item.facets["form"] == "a3" for item in items)


@pytest.mark.parametrize("part", PARTS)
def test_an_essay_is_answered_or_not(part: str, figures: Callable, toy_data: Path) -> None:
    """A refusal in words is an answer in words: what it is worth is the judge's to say."""
    asked = [row for row in read_jsonl(toy_data / "splits" / "test" / "questions.jsonl", Question) if row.question_type == "qa"]
    outcome = {"silent": "unparsed", "truncated": "truncated"}.get(part, "answered")
    found = figures("essay", "essay", "generation", part)
    assert found["questions"] == len(asked)
    assert {name: number for name, number in found["outcomes"].items() if number} == {outcome: REPEATS * len(asked)}
    assert found["following_rate"] == (1.0 if outcome == "answered" else 0.0)
    assert "accuracy" not in found


@pytest.mark.parametrize("task", ["claim", "choice", "tcm"])
def test_examples_change_no_part(task: str, figures: Callable, scripted: ModuleType, toy_data: Path) -> None:
    items = items_of(task, toy_data / "splits" / "test")
    found = figures(task, TASKS[task].prompts[0], "generation", "sycophant", shots=3)
    assert picked(found, "accuracy", "accuracy_std") == rates(items, "sycophant", scripted.draw_of, by_unit=task == "claim")
    assert found["shots"] == 3
    # The toy lists one example each of A3 and B1: their questions go short, also the later ones of a case.
    short = sum(item.facets.get("form") in ("a3", "b1") for item in items)
    assert found["short_of_shots"] == short
    assert (short > 0) == (task == "tcm")


@pytest.mark.parametrize(("task", "failing", "lost"), [
    ("claim", "病3004的", 2),
    ("choice", "第3004题", 1),
    ("tcm", "第3002题", 3),  # the first of a case of three
    ("tcm", "第3010题", 1),  # its last
])  # fmt: skip
def test_what_fails_counts_as_failed_and_as_wrong(
    task: str, failing: str, lost: int, figures: Callable, toy_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_FAIL", failing)
    items = items_of(task, toy_data / "splits" / "test")
    found = figures(task, TASKS[task].prompts[0], "generation", "perfect", seed=2)
    assert (found["outcomes"]["failed"], found["outcomes"]["answered"]) == (lost * REPEATS, (len(items) - lost) * REPEATS)
    units = len({item.unit for item in items}) if task == "claim" else len(items)
    right = units - (1 if task == "claim" else lost)
    assert found["accuracy"] == found["accuracy_at_least"] == pytest.approx(right / units, abs=1e-8)
    assert found["accuracy_at_most"] == 1.0
