"""Versions of a test on one scale: against the truth of simulated models, some of them in several versions with the same replies."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import expit
from threadpoolctl import threadpool_limits

from eval.one_scale import as_lines, linked
from eval.statistics.pairing import Tallies, Tally


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield


def worlds(seed: int, items: int, harder: float) -> tuple[dict[str, list[tuple[str, Tallies]]], dict[str, float]]:
    """Return three versions, each harder than the last in its new items, and the abilities of the models; a fifth of the items stays, and
    so do four of eight models, with their replies."""
    drawn = np.random.default_rng(seed)
    difficulty = {f"q{number:05}": float(value) for number, value in enumerate(drawn.normal(0, 1.2, items * 3))}
    names = [sorted(difficulty)[items * 4 * at // 5 : items * 4 * at // 5 + items] for at in range(3)]
    for at in (1, 2):
        for name in names[at][items // 5 :]:
            difficulty[name] += harder * at
    ability = {f"m{number:02}": float(value) for number, value in enumerate(drawn.normal(0.5, 0.8, 16))}
    replies = {(model, item): Tally(int(drawn.random() < expit(level - difficulty[item])), 1)
               for model, level in ability.items() for item in difficulty}  # fmt: skip
    models = [sorted(ability)[4 * at : 4 * at + 8] for at in range(3)]
    versions = {f"v{at}": [(model, {item: replies[model, item] for item in names[at]}) for model in models[at]] for at in range(3)}
    return versions, ability


def test_abilities_of_three_versions_are_those_of_one_scale() -> None:
    versions, ability = worlds(1, 500, 0.4)
    rows = linked("choice", versions, notes := [])
    assert [(row["version"], row["items"], row["shared"]) for row in rows] == [("v2", 500, 0), ("v1", 500, 100), ("v0", 500, 100)]
    newest = [model["model"] for model in rows[0]["models"]]
    middle = np.mean([ability[model] for model in newest])
    misses = [(one["ability"] - (ability[one["model"]] - middle)) / one["error"] for row in rows for one in row["models"]]
    assert np.abs(misses).max() < 3.2 and notes == []
    assert 0.02 < rows[1]["harder"] < rows[2]["harder"] < 0.2
    assert 0 < rows[1]["error"] < rows[2]["error"] < 0.3
    assert as_lines("choice", rows)[0].startswith("choice: one scale") and len(as_lines("choice", rows)) == 1 + 3 + 24
    apart = {item: tallies for item, tallies in versions["v0"][0][1].items() if item not in versions["v1"][0][1]}
    few = {"v0": [(model, {item: tallies[item] for item in apart}) for model, tallies in versions["v0"]], "v1": versions["v1"]}
    assert linked("choice", few, notes) == []
    assert notes == ["choice: v0 is not on one scale with v1: 0 shared items found, expected 20 or more"]


def test_versions_with_the_same_items_are_one() -> None:
    versions, _ = worlds(3, 150, 0.0)
    new = [("new", versions["v1"][0][1]), *versions["v1"][4:]]
    rows = linked("choice", {"v0": versions["v0"], "v1": versions["v1"][:6], "v2": new}, notes := [])
    assert [row["version"] for row in rows] == ["v2", "v0"] and notes == []
    assert len(rows[0]["models"]) == 9  # the newest run of each model counts
    linked("choice", {"v0": versions["v0"][:1], "v1": versions["v1"]}, notes)
    assert notes == ["choice: v0 is not on one scale with v1: one model besides baselines, expected two or more"]


def test_versions_with_the_same_models_need_four() -> None:
    versions, _ = worlds(2, 120, 0.0)
    notes: list[str] = []
    same = {name: runs[4:7] for name, runs in versions.items() if name == "v0"} | {"v1": versions["v1"][:3]}
    assert linked("choice", same, notes) == []
    assert "3 and 3 models, 3 in both; expected two on each side, those in both counted on one of them" in notes[0]


@pytest.mark.slow
def test_scales_are_unbiased_where_models_have_the_same_replies_in_two_versions() -> None:
    off = []
    for seed in range(60):
        versions, ability = worlds(seed, 250, 0.3)
        rows = linked("choice", versions, [])
        middle = np.mean([ability[one["model"]] for one in rows[0]["models"]])
        off += [(np.mean([one["ability"] - ability[one["model"]] for one in rows[2]["models"]]) + middle, rows[2]["error"])]
    misses, errors = np.array(off).T
    assert abs(misses.mean()) < 0.08 and 0.88 <= (abs(misses) < 1.96 * errors).mean() <= 1
