"""One scale for versions: estimates against closed forms, and against the truth of simulated models and items."""

from collections.abc import Iterator
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from threadpoolctl import threadpool_limits

from eval.one_scale import as_lines, linked
from eval.statistics.equating import Estimate, explain, fit, link
from eval.statistics.paired_tests import Tallies, Tally


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small matrices: further threads of BLAS only wait, which is most of the time of a worker."""
    with threadpool_limits(1):
        yield


def replies(random: np.random.Generator, abilities: np.ndarray, difficulties: np.ndarray) -> np.ndarray:
    return random.random((len(abilities), len(difficulties))) < expit(abilities[:, None] - difficulties)


def test_two_models_differ_by_log_odds_of_discordant_items() -> None:
    both = fit([[1] * 30 + [0] * 10 + [1] * 40, [0] * 30 + [1] * 10 + [1] * 40])
    assert both.abilities == pytest.approx([log(3) / 2, -log(3) / 2])
    assert both.covariance[0, 0] == pytest.approx((1 / 30 + 1 / 10) / 4)
    assert np.isfinite(both.difficulties).all() and both.difficulties[-1] < both.difficulties[0] == pytest.approx(0, abs=1e-6)


def test_abilities_maximize_conditional_likelihood() -> None:
    random = np.random.default_rng(1)
    right = replies(random, np.array([1.0, 0.2, -0.3, -1.1]), random.normal(0, 1.5, 300)).astype(int)
    patterns = np.array([[int(bit) for bit in f"{number:04b}"] for number in range(16)])

    def loss(free: np.ndarray) -> float:
        odds = np.exp(patterns @ np.append(free, -free.sum()))
        by_total = np.bincount(patterns.sum(axis=1), weights=odds)
        numbers = right.T @ [8, 4, 2, 1]
        return float(-np.log(odds[numbers] / by_total[right.sum(axis=0)]).sum())

    best = minimize(loss, np.zeros(3), method="BFGS").x
    assert fit(right).abilities == pytest.approx([*best, -best.sum()], abs=1e-4)


def test_rejects_too_few_models_or_items() -> None:
    random = np.random.default_rng(2)
    one = fit(replies(random, np.array([0.5, 0.0, -0.5]), random.normal(0, 1, 200)))
    same = link(one, one, [(item, item) for item in range(200)], "same")
    assert round(same.value, 6) == 0
    with pytest.raises(ValueError, match="found 1 shared items; expected at least two"):
        link(one, one, [(0, 0)], "one")
    for wrong in ([[1, 0, 1]], [[1, 1], [1, 1]], [[1, 1], [0, 0]]):
        with pytest.raises(ValueError, match="expected at least two models, each right on some of these items but not on all"):
            fit(wrong)


@pytest.mark.slow
def test_five_rotated_versions_are_on_one_scale() -> None:
    """Models become better and items harder with each version. 100 times: bias after four links, and coverage after one to four."""
    misses = []
    for number in range(100):
        random = np.random.default_rng(number)
        items, abilities = random.normal(0, 1.3, 600), random.normal(0.3, 0.8, 10)
        first, before, error = abilities.mean(), fit(replies(random, abilities, items)), 0.0
        total = 0.0
        for version in range(1, 5):
            kept = random.choice(600, 120, replace=False)
            items = np.concatenate([items[kept], random.normal(0.15 * version, 1.3, 480)])
            abilities = random.normal(0.3 + 0.2 * version, 0.8, 10)
            after = fit(replies(random, abilities, items))
            step = link(before, after, np.stack([kept, np.arange(120)], axis=1), f"{number} {version}")
            total, error, before = total + step.value, error + step.error**2, after
            misses.append((total - (abilities.mean() - first), error**0.5))
    off, errors = np.array(misses).T
    assert abs(off[3::4].mean()) < 0.05
    assert 0.93 <= (abs(off) < 1.96 * errors).mean() <= 0.97


@pytest.mark.slow
def test_separates_worse_model_from_harder_test() -> None:
    """Three points of accuracy are lost, in ten worlds by the model and in ten by the test."""
    told = 0
    for number in range(20):
        random = np.random.default_rng(number)
        easy = random.normal(0, 1.3, 6000)
        hard = np.concatenate([easy[:1200], random.normal(0, 1.3, 4800)])
        models = [np.append(0.8, random.normal(0.5, 0.8, 11)) for _ in range(2)]
        lost = 0.03 / (expit(0.8 - hard) * expit(hard - 0.8)).mean()
        if is_worse := number % 2 == 0:
            models[1][0] -= lost
        else:
            hard[1200:] += lost * 6000 / 4800
        old, new = fit(replies(random, models[0], easy)), fit(replies(random, models[1], hard))
        change = explain(old, new, link(old, new, [(item, item) for item in range(1200)], str(number)), 0, 0)
        told += (change.ability.interval[1] < 0) == is_worse
        assert change.by_model + change.by_test == pytest.approx(-0.03, abs=0.03)
    assert told >= 19


def test_interval_is_two_standard_errors_wide() -> None:
    assert Estimate(1.0, 0.5).interval == pytest.approx((0.02, 1.98), abs=1e-3)


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


def test_three_versions_share_one_scale() -> None:
    versions, ability = worlds(1, 500, 0.4)
    rows = linked("choice", versions, notes := [])
    assert [(row["version"], row["items"], row["shared"]) for row in rows] == [("v2", 500, 0), ("v1", 500, 100), ("v0", 500, 100)]
    newest = [model["model"] for model in rows[0]["models"]]
    middle = np.mean([ability[model] for model in newest])
    misses = [(one["ability"] - (ability[one["model"]] - middle)) / one["error"] for row in rows for one in row["models"]]
    assert np.abs(misses).max() < 3.2 and notes == []
    assert 0.02 < rows[1]["harder"] < rows[2]["harder"] < 0.2
    assert 0 < rows[1]["error"] < rows[2]["error"] < 0.3
    assert as_lines("choice", rows)[0].startswith("choice: common scale") and len(as_lines("choice", rows)) == 1 + 3 + 24
    apart = {item: tallies for item, tallies in versions["v0"][0][1].items() if item not in versions["v1"][0][1]}
    few = {"v0": [(model, {item: tallies[item] for item in apart}) for model, tallies in versions["v0"]], "v1": versions["v1"]}
    assert linked("choice", few, notes) == []
    assert notes == ["choice: v0 is not on one scale with v1: found 0 shared items; expected 20 or more"]


def test_versions_with_equal_items_are_merged() -> None:
    versions, _ = worlds(3, 150, 0.0)
    new = [("new", versions["v1"][0][1]), *versions["v1"][4:]]
    rows = linked("choice", {"v0": versions["v0"], "v1": versions["v1"][:6], "v2": new}, notes := [])
    assert [row["version"] for row in rows] == ["v2", "v0"] and notes == []
    assert len(rows[0]["models"]) == 9  # the newest run of each model counts
    linked("choice", {"v0": versions["v0"][:1], "v1": versions["v1"]}, notes)
    assert notes == ["choice: v0 is not on one scale with v1: found only one model besides baselines; expected two or more"]


def test_versions_with_the_same_models_need_four() -> None:
    versions, _ = worlds(2, 120, 0.0)
    notes: list[str] = []
    same = {name: runs[4:7] for name, runs in versions.items() if name == "v0"} | {"v1": versions["v1"][:3]}
    assert linked("choice", same, notes) == []
    assert "3 and 3 models, 3 of them in both versions; expected two in each version, counting a model in both for only one" in notes[0]


@pytest.mark.slow
def test_reused_replies_do_not_bias_the_scale() -> None:
    off = []
    for seed in range(60):
        versions, ability = worlds(seed, 250, 0.3)
        rows = linked("choice", versions, [])
        middle = np.mean([ability[one["model"]] for one in rows[0]["models"]])
        off += [(np.mean([one["ability"] - ability[one["model"]] for one in rows[2]["models"]]) + middle, rows[2]["error"])]
    misses, errors = np.array(off).T
    assert abs(misses.mean()) < 0.08 and 0.88 <= (abs(misses) < 1.96 * errors).mean() <= 1
