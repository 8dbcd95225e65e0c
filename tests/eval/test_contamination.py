"""Contamination by twins: who has seen a part of test is found, who has not is not."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy.special import expit

from atomexam.records.blocks import Run
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.jsonl import write_json, write_jsonl
from eval.contamination import Item, Twins, as_text, main, never_public, probe, published_order_best, runs_on_both_splits, twins
from eval.statistics.paired_tests import Tallies, Tally
from eval.tasks.request import Request
from eval.tasks.runs import RequestBuilder
from tests.eval.conftest import toy_request


def tallies(ids: list[str], right: np.ndarray) -> Tallies:
    return {key: Tally(int(one), 1) for key, one in zip(ids, right, strict=True)}


def test_most_similar_units_become_twins() -> None:
    test = [Item(f"t{number}", unit, (kind,)) for number, (unit, kind) in enumerate(["AX", "AX", "AY", "BY", "BX", "BX", "BX"])]
    reserved = [Item(f"r{number}", unit, (kind,)) for number, (unit, kind) in enumerate(["cX", "cX", "cX", "dZ", "eX", "eY"])]
    assert twins(test, reserved).reserved_of == {"t4": "r0", "t5": "r1", "t6": "r2", "t0": "r4", "t2": "r5"}


def test_units_of_equal_composition_become_twins() -> None:
    test = [Item("t1", "case", ("mcqa",)), Item("t2", "case", ("mrqa",)), Item("t3", "t3", ("mcqa",)), Item("t4", "t4", ("mcqa",))]
    reserved = [Item("r9", "x", ("mrqa",)), Item("r1", "x", ("mcqa",)), Item("r5", "r5", ("mcqa",)), Item("r7", "y", ("mrqa",))]
    found = twins(test, reserved)
    assert found.reserved_of == {"t1": "r1", "t2": "r9", "t3": "r5"} and found.units == {"t1": "case", "t2": "case", "t3": "t3"}
    assert probe({"a": {}}, {"a": {}, "b": {}}, found) == [{"model": "a", "test": None, "reserved": None, "shared": 0}]


def test_no_share_without_twins() -> None:
    row = {"run": "essay", "sign": "right"} | probe({"essay": {}}, {"essay": {}}, Twins({}, {}))[0]
    assert as_text([row]).splitlines()[1].split() == ["essay", "right", "0", *"–––––––"]


def test_promoted_units_have_no_twin() -> None:
    case, alone, claims = [Item(key, "case", ()) for key in "ab"], Item("c", "c", ()), Item("d", "2型糖尿病", ())
    assert never_public([*case, alone, claims], {"a", "head 2型糖尿病", ""}) == [alone]


def request(item: str, shift: int) -> Request:
    about = {"question_type": "mcqa", "answer": "ABCD"[shift], "related_ids": frozenset({item}), "reader": "mcqa"}
    return toy_request(item, messages=[], shift=shift, **about)


def test_correct_answer_is_tracked_across_orders() -> None:
    """Seen: likeliest as published. New: likelier in another order. Whole: its options speak of each other, so it has one order."""
    variants = [[request("new", shift), request("seen", shift), request("whole", 0)] for shift in (0, 1)]
    said = {("new", 0): {"A": -1, "B": -1}, ("new", 1): {"A": -2, "B": -1}, ("seen", 0): {"A": -1, "B": -4},
            ("seen", 1): {"A": -2, "B": -1.5}, ("whole", 0): {"A": -1}, ("whole", 1): {"A": -1}}  # fmt: skip
    rows = [
        Prediction(item_id=item, run="r", repeat=order, prompt_sha256="", reply="", finish_reason="stop", tokens=1, likelihoods=likelihoods)
        for (item, order), likelihoods in said.items()
    ]
    assert published_order_best(variants, rows) == {"new": Tally(0, 1), "seen": Tally(1, 1)}


def test_command_compares_runs_on_reserved_and_test(toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The seen model is right on all of test and on every third question of reserved."""
    runs = {side: Run(model="m", task="choice", split=side) for side in ("test", "reserved")}
    write_json(tmp_path / "plan/m/runs.json", runs)
    for side in runs:
        rows = [
            Score(item_id=one.item_id, repeat=0, outcome="answered", answer="A", correct=side == "test" or number % 3 == 0,
                  committed="A", committed_correct=True)
            for number, one in enumerate(RequestBuilder(toy_data / "splits").of_run(runs[side]))
        ]  # fmt: skip
        write_jsonl(tmp_path / f"scores/{side}.jsonl", rows, key=lambda row: row.item_id)
    flags = [f"--{name}={tmp_path / name}" for name in ("plan", "scores", "predictions")]
    flags += [f"--splits={toy_data / 'splits'}", f"--assignments={tmp_path / 'assignments.jsonl'}"]
    main(flags)
    row = capsys.readouterr().out.splitlines()[1].split()
    assert row[:7] == ["reserved", "right", "24", "100.0", "%", "33.3", "%"] and row[-1] == "yes"
    promoted = [one.item_id for one in RequestBuilder(toy_data / "splits").of_run(runs["reserved"])][:2]
    ledger = [{"row": "version", "name": "v2"}, *({"row": "assignment", "id": key, "why": "promoted"} for key in promoted)]
    (tmp_path / "assignments.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, ledger)))
    main(flags)
    assert "choice: 2 items of reserved left out because they were promoted" in (lines := capsys.readouterr().out.splitlines())[0]
    assert lines[2].split()[2] == "22"
    named = {"r": runs["reserved"], "t": Run(model="m", task="choice", prompt="choice")}
    assert runs_on_both_splits(named)[0].test == "t"  # the default wording by its name
    with pytest.raises(ValueError, match="r runs on reserved, but no run on test has the same settings"):
        runs_on_both_splits({"r": runs["reserved"], "t": Run(model="m", task="choice", shots=3)})
    with pytest.raises(ValueError, match="no run on reserved; add one like"):
        runs_on_both_splits({"t": runs["test"]})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_finds_five_contaminated_models_of_twenty(seed: int) -> None:
    """The others are clear after Holm, although an item is equally hard for all models, so that they err together."""
    random = np.random.default_rng(seed)
    sides = [[f"{side}{number:04}" for number in range(1000)] for side in "tr"]
    difficulties = random.normal(0, 1.3, (2, 1000))
    asked: list[dict[str, Tallies]] = [{}, {}]
    for model, ability in enumerate(random.normal(0.3, 0.7, 20)):
        right = random.random((2, 1000)) < expit(ability - difficulties)
        if model < 5:
            right[0] |= random.random(1000) < 0.3
        for side in (0, 1):
            asked[side][f"{model:02}"] = tallies(sides[side], right[side])
    rows = probe(*asked, twins(*([Item(key, key, ()) for key in ids] for ids in sides)))
    p_values = [max(row["mcnemar_p_holm"], row["bootstrap_p_holm"]) for row in rows]
    assert sum(row["contaminated"] for row in rows[:5]) >= 4
    assert min(p_values[5:]) >= 0.01
    assert all(0.05 < row["detectable"] < 0.12 for row in rows)
